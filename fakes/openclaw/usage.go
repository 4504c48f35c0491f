package openclaw

import "github.com/adaptercheck/adaptercheck/fakes"

// usage is what a message of the model took. Nil is not known.
type usage struct {
	in, out, cacheRead, cacheWrite *int64
	cost                           *float64
}

func value(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

// text is the usage as messages of a transcript have it.
func (u *usage) text() *object {
	o := newObject().num("input", value(u.in)).num("output", value(u.out)).
		num("totalTokens", value(u.in)+value(u.out)+value(u.cacheRead)+value(u.cacheWrite)).
		num("cacheRead", value(u.cacheRead)).num("cacheWrite", value(u.cacheWrite))
	if u.cost != nil {
		o.obj("cost", newObject().any("total", *u.cost))
	}
	return o
}

// meta is the usage as the second answer of a run has it.
func (u *usage) meta() *object {
	o := newObject().num("input", value(u.in)).num("output", value(u.out)).num("cacheRead", value(u.cacheRead)).num("cacheWrite", value(u.cacheWrite)).
		num("total", value(u.in)+value(u.out)+value(u.cacheRead)+value(u.cacheWrite))
	if u.cost != nil {
		o.obj("cost", newObject().any("total", *u.cost))
	}
	return o
}

// plus adds what another message took. Money that is not known of one is not known of
// both.
func (u *usage) plus(other usage) *usage {
	if u == nil {
		return &other
	}
	sum := func(a, b *int64) *int64 {
		n := value(a) + value(b)
		return &n
	}
	all := &usage{in: sum(u.in, other.in), out: sum(u.out, other.out), cacheRead: sum(u.cacheRead, other.cacheRead), cacheWrite: sum(u.cacheWrite, other.cacheWrite)}
	if u.cost != nil && other.cost != nil {
		cost := *u.cost + *other.cost
		all.cost = &cost
	}
	return all
}

// use counts what a call of the model took. It is told in numbers of the run, and whole
// in the transcript.
func (v *voice) use(f fakes.Usage) {
	took := v.run.session.took(f)
	if took == nil {
		return
	}
	v.flush()
	v.spend()
	if v.entry().usage != nil {
		v.store("stop")
	}
	v.entry().usage = took
	v.spent = v.spent.plus(*took)
	v.out += value(took.out)
	v.counted = true
}

// took is what a message took by what a frame says: of a total, what it grew by since the
// last one. Nil is nothing.
func (s *session) took(f fakes.Usage) *usage {
	u := &usage{f.In, f.Out, f.CacheRead, f.CacheWrite, f.CostUSD}
	switch f.Kind {
	case fakes.UsageTotal:
	case fakes.UsageLast:
		u = &usage{in: f.TotalIn, out: f.TotalOut, cost: f.CostUSD}
	default:
		s.told = s.told.plus(*u)
		return u
	}
	grown := u.beyond(s.told)
	if grown != nil {
		s.told = s.told.plus(*grown)
	}
	return grown
}

// beyond is what a total has that an earlier one has not; nil is nothing.
func (u *usage) beyond(before *usage) *usage {
	if before == nil {
		return u
	}
	less := func(a, b *int64) *int64 {
		n := max(value(a)-value(b), 0)
		return &n
	}
	grown := &usage{in: less(u.in, before.in), out: less(u.out, before.out), cacheRead: less(u.cacheRead, before.cacheRead), cacheWrite: less(u.cacheWrite, before.cacheWrite)}
	if u.cost != nil {
		cost := *u.cost
		if before.cost != nil {
			cost -= *before.cost
		}
		grown.cost = &cost
	}
	if value(grown.in)+value(grown.out)+value(grown.cacheRead)+value(grown.cacheWrite) == 0 && (grown.cost == nil || *grown.cost == 0) {
		return nil
	}
	return grown
}

// spend says how many tokens the run took, where nobody was told.
func (v *voice) spend() {
	if !v.counted {
		return
	}
	v.counted = false
	v.agent(v.next(), "usage", newObject().num("outputTokens", v.out))
}
