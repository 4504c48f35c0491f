// Package hostmutants holds wrong hosts, and right ones that look unusual. Each mutant is
// a small right host in this process with one thing changed, served on the loopback
// interface; it names the check that must catch it and the code that the check must
// report. The right variants must not be accused at MUST by any check.
//
//	for _, m := range hostmutants.All() {
//		outcome := check.Execute(ctx, byID[m.Check], m.Subject())
//		caught := outcome.State == report.Failed && slices.Contains(outcome.Codes, m.Code)
//		…
//	}
//
// It imports fakes and conformance/check.
package hostmutants
