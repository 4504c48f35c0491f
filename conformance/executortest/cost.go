package executortest

import (
	"context"

	. "github.com/onsi/gomega"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/contract/executor/verify"
	"github.com/adaptercheck/adaptercheck/fakes"
)

func tokens(kind fakes.UsageKind, in, out int64) fakes.Usage {
	return fakes.Usage{Kind: kind, In: &in, Out: &out}
}

// spend plays a run that reports the usage frames, on a session, and returns what
// the observer saw.
func (t *T) spend(ctx context.Context, session, native string, usage ...fakes.Usage) *Observer {
	live := t.Start(ctx, t.Opts(session))
	if native != "" {
		live.NativeSession = native
	}
	o := t.Observe(ctx, live.Handle)
	live.Say(ctx, append(live.Hello(), live.Text("answer "+t.Word()))...)
	for _, u := range usage {
		live.Say(ctx, u)
	}
	live.Say(ctx, live.Ok())
	o.Done(ctx)
	live.Shown(o)
	return o
}

func cost() []check.Check {
	needs := []check.Feature{fakes.UsageFrames}
	return []check.Check{
		// The cost events of a run sum up to what the run used.
		{
			ID: "executor.cost.sum", Case: "events-round-trip", Clause: "executor#cost-increments",
			Level: check.Must, Provenance: check.Stated, Needs: needs,
			Codes: []check.Code{"usage-lost", "usage-wrong"},
			Title: "reports what a run used, as the sum of its cost events",
			Run: with(func(ctx context.Context, t *T) {
				o := t.spend(ctx, "s", "", tokens(fakes.UsageTurn, 120, 11), tokens(fakes.UsageTurn, 30, 7))
				t.Code("usage-lost").Expect(All[executor.Cost](o)).NotTo(BeEmpty())
				used, _ := verify.Spend(o.Events, "")
				t.Code("usage-wrong").Expect(used.InputTokens + value(used.CachedInputTokens)).To(Equal(int64(150)))
				t.Code("usage-wrong").Expect(used.OutputTokens).To(Equal(int64(18)))
			}),
		},
		// A later run of the session reports what it used itself, not what the session
		// has used so far.
		{
			ID: "executor.cost.second-run", Case: "events-round-trip", Clause: "executor#cost-increments",
			Level: check.Must, Provenance: check.Decided, Needs: []check.Feature{fakes.UsageFrames, fakes.SecondRun},
			Codes: []check.Code{"usage-lost", "usage-cumulative", "usage-wrong"},
			Title: "does not bill a session's earlier runs again",
			Run: with(func(ctx context.Context, t *T) {
				native := nativeSession(t)
				first, second := tokens(fakes.UsageTotal, 5000, 10), tokens(fakes.UsageTotal, 5400, 15)
				o := t.spend(ctx, "s", native, first)
				used, _ := verify.Spend(o.Events, "")
				t.Code("usage-wrong").Expect(used.InputTokens).To(Equal(int64(5000)))
				o = t.spend(ctx, "s", native, second)
				t.Code("usage-lost").Expect(All[executor.Cost](o)).NotTo(BeEmpty())
				used, _ = verify.Spend(o.Events, "")
				t.Code("usage-cumulative").Expect(used.InputTokens).NotTo(Equal(int64(5400)))
				t.Code("usage-wrong").Expect(used.InputTokens).To(Equal(int64(400)))
				t.Code("usage-wrong").Expect(used.OutputTokens).To(Equal(int64(5)))
			}),
		},
		// Amounts are finite and not negative; counts are not negative.
		{
			ID: "executor.cost.numbers", Case: "events-round-trip", Clause: "executor#cost-numbers",
			Level: check.Must, Provenance: check.Implied, Needs: needs,
			Codes: []check.Code{"cost-usd-invalid", "usage-invalid", "usage-lost"},
			Title: "reports amounts that are numbers from 0 up",
			Run: with(func(ctx context.Context, t *T) {
				o := t.spend(ctx, "s", "", tokens(fakes.UsageTurn, 12, 3))
				t.report(verify.Costs(o.Events), verify.MoneyInvalid, verify.UsageInvalid)
				t.Code("usage-lost").Expect(All[executor.Cost](o)).NotTo(BeEmpty())
			}),
		},
		// A price that the runtime does not tell is null, or an estimate that says so;
		// never zero, never a guess that poses as known.
		{
			ID: "executor.cost.unknown-money", Case: "events-round-trip", Clause: "executor#cost-unknown",
			Level: check.Must, Provenance: check.Decided, Needs: needs,
			Codes: []check.Code{"cost-invented", "usage-lost"},
			Title: "does not invent a price",
			Run: with(func(ctx context.Context, t *T) {
				// A runtime that knows prices itself has none for a model of that name.
				u := tokens(fakes.UsageTurn, 12, 3)
				u.Model = "model-" + t.Word()
				o := t.spend(ctx, "s", "", u)
				all := All[executor.Cost](o)
				t.Code("usage-lost").Expect(all).NotTo(BeEmpty())
				for _, c := range all {
					t.Code("cost-invented").Expect(c.CostUSD == nil || (c.Estimated && *c.CostUSD > 0)).To(BeTrue())
				}
			}),
		},
		// A price that the runtime tells is passed on.
		{
			ID: "executor.cost.money", Case: "events-round-trip", Clause: "executor#cost-increments",
			Level: check.Must, Provenance: check.Stated, Needs: []check.Feature{fakes.UsageFrames, fakes.Money},
			Codes: []check.Code{"cost-lost", "cost-wrong"},
			Title: "reports the price that the runtime tells",
			Run: with(func(ctx context.Context, t *T) {
				usd := 0.125
				u := tokens(fakes.UsageTurn, 12, 3)
				u.CostUSD = &usd
				o := t.spend(ctx, "s", "", u)
				_, sum := verify.Spend(o.Events, "")
				t.Code("cost-lost").Expect(sum).NotTo(BeNil())
				t.Code("cost-wrong").Expect(*sum).To(BeNumerically("~", usd, 1e-9))
			}),
		},
	}
}

func value(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}
