package executormutants

import (
	"math"
	"slices"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// bills is a twist of cost events.
func bills(change func(*executor.Cost)) twist {
	return edit(func(e executor.Cost) []executor.Event {
		change(&e)
		return one(e)
	})
}

func costMutants() []Mutant {
	const topic = "executor.cost."
	usd := func(x float64) *float64 { return &x }
	return []Mutant{
		mutant("K01", topic+"unknown-money", "cost-invented", "guesses a price from the tokens", bills(func(e *executor.Cost) {
			if e.CostUSD == nil {
				e.CostUSD = usd(float64(e.Usage.InputTokens) * 3e-6)
			}
		})),
		mutant("x-cost-zero", topic+"unknown-money", "cost-invented", "calls an unknown price nothing", bills(func(e *executor.Cost) {
			if e.CostUSD == nil {
				e.CostUSD, e.Estimated = usd(0), true
			}
		})),
		mutant("K02", topic+"numbers", "cost-usd-invalid", "the price is not a number", bills(func(e *executor.Cost) { e.CostUSD = usd(math.NaN()) })),
		mutant("x-cost-negative", topic+"numbers", "cost-usd-invalid", "the price is negative", bills(func(e *executor.Cost) { e.CostUSD = usd(-1) })),
		mutant("x-usage-negative", topic+"numbers", "usage-invalid", "counts are negative", bills(func(e *executor.Cost) { e.Usage.InputTokens *= -1 })),
		mutant("x-usage-missing", topic+"sum", "usage-lost", "reports no spend", drop(every[executor.Cost])),
		mutant("x-usage-running", topic+"sum", "usage-wrong", "bills the run's total at each turn", rewriting(func() func(executor.Event) []executor.Event {
			var sum executor.Usage
			return func(e executor.Event) []executor.Event {
				if c, ok := e.(executor.Cost); ok {
					sum.InputTokens += c.Usage.InputTokens
					sum.OutputTokens += c.Usage.OutputTokens
					c.Usage = sum
					return one(c)
				}
				return one(e)
			}
		})),
		mutant("x-usage-twice", topic+"sum", "usage-wrong", "bills each turn twice", edit(func(e executor.Cost) []executor.Event { return []executor.Event{e, e} })),
		mutant("K04", topic+"second-run", "usage-cumulative", "bills a session's running total in each run", hears(func(f fakes.Usage) []fakes.Frame {
			f.Kind = fakes.UsageTurn
			return []fakes.Frame{f}
		})),
		mutant("x-usage-first-only", topic+"second-run", "usage-lost", "bills the first run of a session only", func(r *right) hooks {
			return hooks{rewrite: func(run *executor.Run) func(executor.Event) []executor.Event {
				first := slices.Index(r.runs(), run) == 0
				return func(e executor.Event) []executor.Event {
					if e.Kind() == executor.KindCost && !first {
						return nil
					}
					return one(e)
				}
			}}
		}),
		mutant("x-money-lost", topic+"money", "cost-lost", "drops the price that the runtime tells", bills(func(e *executor.Cost) { e.CostUSD = nil })),
		mutant("x-money-in-cents", topic+"money", "cost-wrong", "reports cents as dollars", bills(func(e *executor.Cost) {
			if e.CostUSD != nil {
				e.CostUSD = usd(*e.CostUSD * 100)
			}
		})),
	}
}
