// Package remote judges adapters that live in another process, in any language:
// both ends of the subject protocol of docs/subject-protocol.md.
//
// [Subject] starts a command and gives a check.Subject whose adapters are proxies
// for those in the process. The same checks run on it as on an adapter in this
// process; what the protocol or the subject cannot show is unobserved.
//
//	s, p, err := remote.Subject(ctx, remote.Options{Command: []string{"node", "my-adapter.mjs"}})
//	if err != nil {
//		return err // of type *remote.Error
//	}
//	defer p.Close(ctx)
//	outcome := check.Execute(ctx, someCheck, s)
//
// [Serve] is the other end, for a Go adapter that is judged as a process.
//
// What a subject says crosses raw. A value of a wrong type, a missing key, a line
// of garbage or a second answer is a finding; it never crashes or hangs the suite.
//
// The package imports contract, fakes and its scenario language,
// conformance/check, internal, and a JSON-RPC library.
package remote
