// Package claudecode drives the real Claude Code through its adapter, with the fake
// provider in the place of the API, and judges a few stories: an answer, a tool that is
// asked about and runs, a provider that is overloaded, one that refuses.
//
//	for _, s := range claudecode.Stories() {
//		heard, err := s.Play(ctx, "/opt/claude/claude")
//		…
//	}
//
// What the adapter tells is judged by the rules that hold for any stream of events
// (contract/executor/verify), and by what the provider said and was asked. A program that
// wants anything from elsewhere than the provider has failed: all its other requests go
// to a proxy that counts them.
//
// It imports adapters/claudecode, contract/executor, contract/executor/verify, fakes and
// fakes/provider.
package claudecode
