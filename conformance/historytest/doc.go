// Package historytest is the catalogue of checks for the history contract,
// runtime-adapter-v1: its seven seed cases, each split into the requirements that
// its prose promises.
//
// A check is data plus a function, see the package check. Every check builds a
// fresh adapter over a fresh fixture: random words in every text, a project root
// that is reached through a symbolic link, a transport that records what leaves.
// The subject is given a copy; the suite judges by its own. Clauses are spelled
// out in docs/contract/history.md.
//
//	for _, ch := range historytest.Checks() {
//		outcome := check.Execute(ctx, ch, subject)
//		…
//	}
//
// What a subject must know about its fixture beyond the comments of
// [check.Fixture]: a zero Model means that no model is selected, and a provider
// is remote unless it is one that runs on this machine under exactly that name.
//
// It imports contract, fakes and conformance/check.
package historytest
