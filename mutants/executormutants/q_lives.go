package executormutants

import "github.com/adaptercheck/adaptercheck/contract/executor"

// livesMutants take the life of a process for the life of its run.
func livesMutants() []Mutant {
	const stillborn, results = "executor.process.stillborn", "executor.process.two-results"
	// atResult is a twist of the end of each turn, and of what comes after the first.
	atResult := func(ends func(first bool) []executor.Event, after func(executor.Event) []executor.Event) twist {
		return rewriting(func() func(executor.Event) []executor.Event {
			ended := false
			return func(e executor.Event) []executor.Event {
				if s, ok := e.(executor.Status); ok && s.Phase == executor.PhaseTurnComplete {
					out := ends(!ended)
					ended = true
					return append(one(e), out...)
				}
				if ended {
					return after(e)
				}
				return one(e)
			}
		})
	}
	done := func(bool) []executor.Event { return one(executor.Done{Reason: executor.ReasonSuccess}) }
	firstDone := func(first bool) []executor.Event {
		if first {
			return done(first)
		}
		return nil
	}
	return []Mutant{
		claude("R55", stillborn, "done-repeated", "ends a run for the process that did not start and for its pipes", ends(func(e executor.Done) []executor.Event {
			if e.Reason == executor.ReasonError {
				return []executor.Event{e, e}
			}
			return one(e)
		})),
		claude("x-stillborn-undone", stillborn, "done-missing", "waits for the first word of a process that has none", undone),
		claude("x-stillborn-success", stillborn, "failure-hidden", "takes a process that said nothing for one that had nothing to do", ended(executor.ReasonSuccess)),
		claude("x-stillborn-twice-fatal", stillborn, "fatal-repeated", "reports a process that did not start, and its exit", edit(func(e executor.Error) []executor.Event {
			return []executor.Event{e, e}
		})),
		claude("x-stillborn-exit-told", stillborn, "event-after-done", "tells of the exit after the run has failed", ends(func(e executor.Done) []executor.Event {
			return []executor.Event{e, executor.Status{Phase: executor.PhaseTurnComplete}}
		})),
		claude("x-first-result-last", results, "text-lost", "stops reading at the first result", atResult(firstDone, func(executor.Event) []executor.Event { return nil })),
		claude("x-each-result-done", results, "done-repeated", "ends the run at each result", atResult(done, one)),
		claude("x-first-result-done", results, "event-after-done", "ends the run at the first result and goes on reading", atResult(firstDone, func(e executor.Event) []executor.Event {
			if e.Kind() == executor.KindDone {
				return nil
			}
			return one(e)
		})),
		claude("x-results-undone", results, "done-missing", "waits for the end of a run that had two", undone),
		claude("x-results-failed", results, "success-lost", "calls a run failed that has more than one result", ended(executor.ReasonError)),
	}
}
