package executormutants

import (
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
)

func costFormMutants() []Mutant {
	const topic = "executor.cost."
	const repeated, last, restated, disjoint = topic + "total-repeated", topic + "last-and-total", topic + "restated", topic + "disjoint"
	asTurn := hears(func(f fakes.Usage) []fakes.Frame {
		f.Kind = fakes.UsageTurn
		return []fakes.Frame{f}
	})
	restates := func(change func(*executor.Done)) twist {
		return ends(func(e executor.Done) []executor.Event {
			change(&e)
			return one(e)
		})
	}
	return []Mutant{
		mutant("R50", repeated, "usage-doubled", "adds running totals up", asTurn),
		mutant("x-total-first-only", repeated, "usage-wrong", "takes the first running total for the last", func(*right) hooks {
			seen := false
			return hooks{hear: func(_ string, f fakes.Frame) []fakes.Frame {
				if _, ok := f.(fakes.Usage); ok {
					if seen {
						return nil
					}
					seen = true
				}
				return []fakes.Frame{f}
			}}
		}),
		mutant("x-total-unread", repeated, "usage-lost", "does not read running totals", drop(every[executor.Cost])),
		mutant("x-last-added", last, "usage-doubled", "adds the last call each time that it is told", asTurn),
		mutant("x-total-added", last, "usage-doubled", "adds the last call to the total beside it", edit(func(e executor.Cost) []executor.Event {
			return []executor.Event{e, e}
		})),
		mutant("x-last-only", last, "usage-wrong", "bills the last call alone", func(*right) hooks {
			n := 0
			return hooks{hear: func(_ string, f fakes.Frame) []fakes.Frame {
				if _, ok := f.(fakes.Usage); ok {
					if n++; n > 1 {
						return nil
					}
				}
				return []fakes.Frame{f}
			}}
		}),
		mutant("x-last-unread", last, "usage-lost", "does not know a total beside the last call", hears(func(fakes.Usage) []fakes.Frame { return nil })),
		mutant("x-done-adds", restated, "done-restates-otherwise", "tells in done what the last turn used", restates(func(e *executor.Done) {
			if e.Usage != nil {
				e.Usage = &executor.Usage{InputTokens: 120, OutputTokens: 11}
			}
		})),
		mutant("x-done-price", restated, "done-restates-otherwise", "tells another price in done than before", restates(func(e *executor.Done) {
			e.CostUSD = executor.Value(1.0)
		})),
		mutant("x-done-alone", restated, "usage-lost", "tells the spend in done alone", drop(every[executor.Cost])),
		mutant("x-spend-undone", restated, "done-missing", "ends in the spend and never in a done", drop(every[executor.Done])),
		mutant("x-cached-overlaps", disjoint, "cached-overlaps", "counts cached input within the rest as well", bills(func(e *executor.Cost) {
			if n := e.Usage.CachedInputTokens; n != nil {
				e.Usage.InputTokens += *n
			}
		})),
		mutant("x-cached-lost", disjoint, "cached-lost", "does not tell of cached input", bills(func(e *executor.Cost) { e.Usage.CachedInputTokens = nil })),
		mutant("x-cached-bill-lost", disjoint, "usage-lost", "does not bill a call that the cache served", edit(func(e executor.Cost) []executor.Event {
			if e.Usage.CachedInputTokens != nil {
				return nil
			}
			return one(e)
		})),
	}
}
