package check

import "time"

// Budgets bounds how long a subject may take. The zero value of a field means its
// default, see [DefaultBudgets].
type Budgets struct {
	Call       time.Duration // one call that does not wait for the runtime
	FirstEvent time.Duration // from a frame to its event
	Terminal   time.Duration // from the last frame to done
	Abort      time.Duration // from abort to done
	Quiet      time.Duration // how long nothing must come to count as nothing
	Check      time.Duration // one check as a whole
	Run        time.Duration // all checks of a run
}

// DefaultBudgets are the budgets for a subject in this process, or for one whose
// runtime is a process.
func DefaultBudgets(process bool) Budgets {
	b := Budgets{
		Call: 2 * time.Second, FirstEvent: 5 * time.Second, Terminal: 5 * time.Second, Abort: 5 * time.Second,
		Quiet: 20 * time.Millisecond, Check: 20 * time.Second, Run: 60 * time.Second,
	}
	if process {
		b.Quiet = 200 * time.Millisecond
	}
	return b
}

// Scale multiplies every budget. Quiet is left alone when it would shrink below a
// millisecond.
func (b Budgets) Scale(f float64) Budgets {
	s := func(d time.Duration) time.Duration { return time.Duration(float64(d) * f) }
	q := s(b.Quiet)
	return Budgets{s(b.Call), s(b.FirstEvent), s(b.Terminal), s(b.Abort), max(q, time.Millisecond), s(b.Check), s(b.Run)}
}

// Or fills zero fields from another set.
func (b Budgets) Or(d Budgets) Budgets {
	fill := func(x *time.Duration, y time.Duration) {
		if *x == 0 {
			*x = y
		}
	}
	fill(&b.Call, d.Call)
	fill(&b.FirstEvent, d.FirstEvent)
	fill(&b.Terminal, d.Terminal)
	fill(&b.Abort, d.Abort)
	fill(&b.Quiet, d.Quiet)
	fill(&b.Check, d.Check)
	fill(&b.Run, d.Run)
	return b
}
