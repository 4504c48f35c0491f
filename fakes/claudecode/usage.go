package claudecode

import "github.com/adaptercheck/adaptercheck/fakes"

// Usage counts what the session has spent. Money that it does not name is what the
// price list says.
func (r *renderer) Usage(f fakes.Usage) error {
	if r.quiet() {
		return nil
	}
	t := tokens{Input: value(f.In), Output: value(f.Out), CacheRead: value(f.CacheRead), CacheWrite: value(f.CacheWrite), Thinking: value(f.Reasoning)}
	before := r.spent.sum()
	switch f.Kind {
	case fakes.UsageTotal:
		t = tokens{Input: rise(before.Input, f.In), Output: rise(before.Output, f.Out), CacheRead: rise(before.CacheRead, f.CacheRead),
			CacheWrite: rise(before.CacheWrite, f.CacheWrite)}
	case fakes.UsageLast:
		if f.TotalIn != nil {
			t.Input = *f.TotalIn - before.Input
		}
		if f.TotalOut != nil {
			t.Output = *f.TotalOut - before.Output
		}
	}
	name := f.Model
	if name == "" {
		name = r.model
	}
	m, _ := modelOf(name)
	cost := m.price(t)
	if f.CostUSD != nil {
		cost = *f.CostUSD
		if f.Kind == fakes.UsageTotal {
			cost -= r.spent.Cost
		}
	}
	if r.message != nil && f.Out != nil {
		r.message.out = f.Out
	}
	return r.spend(name, t, cost)
}

// rise is what a total has grown by; one that is not told has not grown.
func rise(before int64, now *int64) int64 {
	if now == nil {
		return 0
	}
	return *now - before
}

// spend adds to the bills, of the session and of the turn.
func (r *renderer) spend(model string, t tokens, cost float64) error {
	if r.turn != nil {
		r.turn.used.add(t)
	}
	r.spent.add(model, t, cost)
	r.since.add(model, t, cost)
	return r.save()
}
