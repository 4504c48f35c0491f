package claudecode

import "github.com/adaptercheck/adaptercheck/fakes"

// Usage counts what the session has spent. Money that it does not name is what the
// price list says. For a model that the list lacks it is a guess: a frame that names
// such a model has no form where results cannot say so.
func (r *renderer) Usage(f fakes.Usage) error {
	if r.quiet() {
		return nil
	}
	model := f.Model
	if model == "" {
		model = r.model
	}
	m, listed := modelOf(model)
	guessed := f.CostUSD == nil && !listed
	if guessed && f.Model != "" && r.version.shape < v21332 {
		return unplayable("usage of model %q without its cost", f.Model)
	}
	t := tokens{Input: value(f.In), Output: value(f.Out), CacheRead: value(f.CacheRead), CacheWrite: value(f.CacheWrite), Thinking: value(f.Reasoning)}
	all := r.earlier.plus(r.spent)
	before := all.sum()
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
	cost := m.price(t)
	if f.CostUSD != nil {
		cost = *f.CostUSD
		if f.Kind == fakes.UsageTotal {
			cost -= all.Cost
		}
	}
	if r.message != nil && f.Out != nil {
		r.message.out = f.Out
	}
	return r.spend(modelBill{Model: model, Cost: cost, Tokens: t, Guessed: guessed})
}

// rise is what a total has grown by; one that is not told has not grown.
func rise(before int64, now *int64) int64 {
	if now == nil {
		return 0
	}
	return *now - before
}

// spend adds to the bills, of the session and of the turn.
func (r *renderer) spend(x modelBill) error {
	if r.turn != nil {
		r.turn.used.add(x.Tokens)
	}
	r.spent.add(x)
	r.since.add(x)
	return r.save()
}
