package executortest

import (
	"context"
	"math"

	. "github.com/onsi/gomega"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/contract/executor/verify"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// costForms holds the checks of how a runtime tells what was used, and of what done
// says about it.
func costForms() []check.Check {
	needs := []check.Feature{fakes.UsageFrames}
	input := func(u executor.Usage) int64 { return u.InputTokens + value(u.CachedInputTokens) }
	return []check.Check{
		// A running total that is told twice is counted once.
		{
			ID: "executor.cost.total-repeated", Case: "events-round-trip", Clause: "executor#cost-increments",
			Level: check.Must, Provenance: check.Stated, Needs: needs,
			Codes: []check.Code{"usage-lost", "usage-doubled", "usage-wrong"},
			Title: "counts a running total once that comes twice",
			Run: with(func(ctx context.Context, t *T) {
				o := t.spend(ctx, "s", "", tokens(fakes.UsageTotal, 100, 10), tokens(fakes.UsageTotal, 100, 10), tokens(fakes.UsageTotal, 140, 12))
				t.Code("usage-lost").Expect(All[executor.Cost](o)).NotTo(BeEmpty())
				used, _ := verify.Spend(o.Events, "")
				t.Code("usage-doubled").Expect(input(used)).To(BeNumerically("<=", 140))
				t.Code("usage-wrong").Expect([]int64{input(used), used.OutputTokens}).To(Equal([]int64{140, 12}))
			}),
		},
		// Where the last call and the total stand side by side, the total is what counts.
		{
			ID: "executor.cost.last-and-total", Case: "events-round-trip", Clause: "executor#cost-increments",
			Level: check.Must, Provenance: check.Stated, Needs: needs,
			Codes: []check.Code{"usage-lost", "usage-doubled", "usage-wrong"},
			Title: "does not add the last call to the total that stands beside it",
			Run: with(func(ctx context.Context, t *T) {
				both := func(in, out, totalIn, totalOut int64) fakes.Usage {
					u := tokens(fakes.UsageLast, in, out)
					u.TotalIn, u.TotalOut = &totalIn, &totalOut
					return u
				}
				o := t.spend(ctx, "s", "", both(70, 7, 70, 7), both(70, 7, 70, 7), both(70, 7, 140, 14))
				t.Code("usage-lost").Expect(All[executor.Cost](o)).NotTo(BeEmpty())
				used, _ := verify.Spend(o.Events, "")
				t.Code("usage-doubled").Expect(input(used)).To(BeNumerically("<=", 140))
				t.Code("usage-wrong").Expect([]int64{input(used), used.OutputTokens}).To(Equal([]int64{140, 14}))
			}),
		},
		// What done restates is the sum of the cost events.
		{
			ID: "executor.cost.restated", Case: "events-round-trip", Clause: "executor#cost-restated",
			Level: check.Should, Provenance: check.Decided, Needs: needs,
			Codes: []check.Code{"done-restates-otherwise", "usage-lost", "done-missing"},
			Title: "restates in done what the cost events told",
			Run: with(func(ctx context.Context, t *T) {
				u := tokens(fakes.UsageTurn, 120, 11)
				if t.Offers(fakes.Money) {
					usd := 0.25
					u.CostUSD = &usd
				}
				again := u
				o := t.spend(ctx, "s", "", u, again)
				t.Code("usage-lost").Expect(All[executor.Cost](o)).NotTo(BeEmpty())
				done, ended := verify.Last(o.Events, "")
				t.Code("done-missing").Expect(ended).To(BeTrue())
				used, usd := verify.Spend(o.Events, "")
				restated, known := done.CostUSD.Get()
				if done.Usage == nil && !known {
					t.Unobserved(fakes.UsageFrames)
				}
				if done.Usage != nil {
					t.Code("done-restates-otherwise").Expect([]int64{input(*done.Usage), done.Usage.OutputTokens}).To(Equal([]int64{input(used), used.OutputTokens}))
				}
				if known {
					t.Code("done-restates-otherwise").Expect(usd != nil && math.Abs(*usd-restated) < 1e-9).To(BeTrue())
				}
			}),
		},
		// Input and cached input do not overlap: together they are the whole input.
		{
			ID: "executor.cost.disjoint", Case: "events-round-trip", Clause: "executor#cost-disjoint",
			Level: check.Should, Provenance: check.Decided, Needs: needs,
			Codes: []check.Code{"usage-lost", "cached-lost", "cached-overlaps"},
			Title: "counts cached input beside other input, not within it",
			Run: with(func(ctx context.Context, t *T) {
				const in, cached = 1000, 400
				u := tokens(fakes.UsageTurn, in, 5)
				c := int64(cached)
				u.CacheRead = &c
				o := t.spend(ctx, "s", "", u)
				t.Code("usage-lost").Expect(All[executor.Cost](o)).NotTo(BeEmpty())
				used, _ := verify.Spend(o.Events, "")
				t.Code("cached-lost").Expect(value(used.CachedInputTokens)).To(Equal(int64(cached)))
				// Whether the wire counts cached input within the rest is the fake's secret:
				// either way one of the two is the rest.
				t.Code("cached-overlaps").Expect(used.InputTokens).To(BeElementOf(int64(in), int64(in-cached)))
			}),
		},
	}
}
