// Package executormutants holds wrong adapters of the executor contract, right
// ones that look unusual, and hollow ones that show nothing. Each mutant is the
// memory adapter with one thing changed; it names the check that must catch it and
// the code that the check must report. The right variants must not be accused at
// MUST by any check, and a hollow subject must pass nothing that it did not show.
//
//	for _, m := range executormutants.All() {
//		r := &check.Runner{Subject: m.Subject(), Budgets: executormutants.Budgets()}
//		outcome := r.Execute(ctx, byID[m.Check])
//		caught := outcome.State == report.Failed && slices.Contains(outcome.Codes, m.Code)
//		…
//	}
//
// Those that need a runtime which is a process are the adapter of Codex, of Claude Code
// or of Hermes instead; see [Mutant.Fake].
//
// It imports contract, fakes, adapters, conformance/check and subjects.
package executormutants
