// Package historymutants holds wrong adapters of the history contract, and right
// ones that look unusual. Each mutant is a right adapter with one thing changed;
// it names the check that must catch it and the code that the check must report.
// The right variants must not be accused at MUST by any check.
//
//	for _, m := range historymutants.All() {
//		outcome := check.Execute(ctx, byID[m.Check], m.Subject())
//		caught := outcome.State == report.Failed && slices.Contains(outcome.Codes, m.Code)
//		…
//	}
//
// It imports contract, reference, fakes and conformance.
package historymutants
