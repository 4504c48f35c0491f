package pi

import "github.com/adaptercheck/adaptercheck/fakes"

// spent is what one answer of the model has cost, or several.
type spent struct {
	in, out, cacheRead, cacheWrite int64
	reasoning                      *int64
	money                          money
}

type money struct{ in, out, cacheRead, cacheWrite, total float64 }

func (s *spent) add(x spent) {
	s.in += x.in
	s.out += x.out
	s.cacheRead += x.cacheRead
	s.cacheWrite += x.cacheWrite
	s.money.total += x.money.total
}

func (s spent) tokens() int64 { return s.in + s.out + s.cacheRead + s.cacheWrite }

// price is what the model's own list says that it costs.
func (m model) price(s spent) money {
	const million = 1_000_000
	c := money{
		in: m.Cost.Input / million * float64(s.in), out: m.Cost.Output / million * float64(s.out),
		cacheRead: m.Cost.CacheRead / million * float64(s.cacheRead), cacheWrite: m.Cost.CacheWrite / million * float64(s.cacheWrite),
	}
	c.total = c.in + c.out + c.cacheRead + c.cacheWrite
	return c
}

// object is the usage of a message; nil is one of which nothing is known yet.
func (s *spent) object(v version) object {
	known := s != nil
	if !known {
		s = &spent{}
	}
	o := object{{"input", s.in}, {"output", s.out}, {"cacheRead", s.cacheRead}, {"cacheWrite", s.cacheWrite}}
	cost := object{{"input", s.money.in}, {"output", s.money.out}, {"cacheRead", s.money.cacheRead}, {"cacheWrite", s.money.cacheWrite}, {"total", s.money.total}}
	if known && v.detailed {
		reasoning := int64(0)
		if s.reasoning != nil {
			reasoning = *s.reasoning
		}
		o.add(member{"reasoning", reasoning})
		cost.add(member{"totalFromProvider", false})
	}
	o.add(member{"totalTokens", s.tokens()}, member{"cost", cost})
	return o
}

// Usage says what an answer of the model has cost. It is told when the answer is over; an
// answer that has its count already is over by then. Beside an answer it is told with the
// next one.
func (r *renderer) Usage(f fakes.Usage) error {
	if r.quiet() {
		return nil
	}
	x := spent{in: value(f.In), out: value(f.Out), cacheRead: value(f.CacheRead), cacheWrite: value(f.CacheWrite), reasoning: f.Reasoning}
	total := r.session.spent
	if r.owed != nil {
		total.add(*r.owed)
	}
	if r.run != nil && r.run.message != nil && r.run.message.usage != nil {
		total.add(*r.run.message.usage)
	}
	switch {
	case f.Kind == fakes.UsageTotal:
		x.in, x.out = rise(total.in, f.In), rise(total.out, f.Out)
		x.cacheRead, x.cacheWrite = rise(total.cacheRead, f.CacheRead), rise(total.cacheWrite, f.CacheWrite)
	case f.Kind == fakes.UsageLast && (f.TotalIn != nil || f.TotalOut != nil):
		x.in, x.out = rise(total.in, f.TotalIn), rise(total.out, f.TotalOut)
		if x.in == 0 && x.out == 0 { // it says again what was said
			x.cacheRead, x.cacheWrite = 0, 0
		}
	}
	x.money = r.model.price(x)
	if f.CostUSD != nil {
		x.money = money{out: *f.CostUSD, total: *f.CostUSD}
		if f.Kind == fakes.UsageTotal {
			x.money.total -= total.money.total
			x.money.out = x.money.total
		}
	}
	if x.tokens() == 0 && x.money.total == 0 {
		return nil
	}
	if r.run != nil && r.run.message != nil && r.run.message.usage != nil {
		if err := r.closeMessage("stop", ""); err != nil {
			return err
		}
	}
	switch {
	case r.run != nil && r.run.message != nil:
		r.run.message.usage = &x
	case r.owed != nil:
		r.owed.add(x)
	default:
		r.owed = &x
	}
	return nil
}

func value(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

// rise is what a total has grown by; one that is not told has not grown.
func rise(before int64, now *int64) int64 {
	if now == nil {
		return 0
	}
	return *now - before
}
