// Package pimutants holds wrong adapters of Pi, and right ones that look unusual.
// What a history adapter can do wrong whatever its runtime is in historymutants; here
// is what goes wrong with Pi's own files: a tree of entries read as a list, entries
// that are no messages shown as such, blocks lost on the way from one shape to the
// other, a session that is written to.
//
//	for _, m := range pimutants.All() {
//		outcome := check.Execute(ctx, byID[m.Check], m.Subject())
//		caught := outcome.State == report.Failed && slices.Contains(outcome.Codes, m.Code)
//		…
//	}
//
// Every one stands over a session in which the user went back twice and which holds
// entries of every kind that is no message, see [Branched]. A wrong reading of such a
// file is made by the right adapter over a file that says what the wrong one read.
//
// It imports contract, adapters/pi, reference/privacy, subjects, historymutants for
// the type of a mutant, and conformance/check.
package pimutants
