package hermes

import (
	"cmp"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// Usage adds to what the session and the process have spent.
func (r *renderer) Usage(f fakes.Usage) error {
	if r.mute() {
		return nil
	}
	t := totals{input: value(f.In), output: value(f.Out), cacheRead: value(f.CacheRead), cacheWrite: value(f.CacheWrite),
		reasoning: value(f.Reasoning), cost: f.CostUSD}
	switch f.Kind {
	case fakes.UsageTotal:
		t = totals{input: rise(r.known.input, f.In), output: rise(r.known.output, f.Out), cacheRead: rise(r.known.cacheRead, f.CacheRead),
			cacheWrite: rise(r.known.cacheWrite, f.CacheWrite), reasoning: rise(r.known.reasoning, f.Reasoning), cost: f.CostUSD}
		if f.CostUSD != nil && r.known.cost != nil {
			cost := *f.CostUSD - *r.known.cost
			t.cost = &cost
		}
	case fakes.UsageLast:
		if f.TotalIn != nil {
			t.input = *f.TotalIn - r.known.input
		}
		if f.TotalOut != nil {
			t.output = *f.TotalOut - r.known.output
		}
	}
	r.known, r.spent = r.known.plus(t), r.spent.plus(t)
	return r.state.spend(r.session, cmp.Or(f.Model, r.model), t)
}

// value is a number that is told, else zero.
func value(n *int64) int64 { return rise(0, n) }

// rise is what a total has grown by; one that is not told has not grown.
func rise(before int64, now *int64) int64 {
	if now == nil {
		return 0
	}
	return *now - before
}
