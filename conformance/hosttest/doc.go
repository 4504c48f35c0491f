// Package hosttest is the catalogue of checks for the HTTP surface of a native runtime
// host: how it checks, keeps and forgets keys, seeds a team, lists runtimes and refuses
// what it cannot do.
//
// A check is data plus a function, see the package check. Every check talks HTTP to a
// host that has no keys, and plants keys that nobody else can have made up: what the host
// says, logs and keeps is searched for them. Where the host can be told where its
// providers are, the suite is every provider at once, and answers as it likes; nothing
// else is called. Clauses are spelled out in docs/contract/host.md.
//
//	for _, ch := range hosttest.Checks() {
//		outcome := check.Execute(ctx, ch, subject)
//		…
//	}
//
// It imports conformance/check and fakes.
package hosttest
