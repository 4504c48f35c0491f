// Package rawmutants holds wrong adapters that Go's types forbid: a promise where
// capabilities belong, a key that is missing, a string where a number is due. Each is
// a subject in a process of its own that speaks the subject protocol and lies: a right
// adapter of this tree, served, with some of its answers rewritten on their way out.
// Others misbehave as processes: they print garbage, answer twice, or end in the
// middle of a request.
//
//	for _, m := range rawmutants.All() {
//		r := &check.Runner{Subject: m.Subject()}
//		outcome := r.Execute(ctx, byID[m.Check])
//		…
//	}
//
// The process is this binary, started again: its main or TestMain must name [Player].
//
// It imports fakes, subjects, conformance/check, conformance/remote and the strict JSON
// package.
package rawmutants
