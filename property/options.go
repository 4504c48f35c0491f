package property

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// TB is what a law reports to: a *testing.T, a *rapid.T, or a type of the caller's
// own, whose FailNow must end the goroutine. A Context method is used if there is
// one.
type TB = rapid.TB

// Options are the choices of one law. The zero value looks at as many inputs as
// take a second or two, different ones every time, and judges what is a MUST.
type Options struct {
	// Cases is how many inputs are tried; 0 means 100, or 20 for a subject whose
	// runtime is a process.
	Cases int
	// Time, if not 0, is how long inputs are tried: as many as come in it, or Cases of
	// them, if that is set, whichever is over first. With it the same seed gives the same
	// inputs, but not as many of them.
	Time time.Duration
	// Seed of the inputs; the same seed gives the same ones. 0 means another seed
	// every time. A -rapid.seed that is set goes before it. With a seed the law sets
	// that flag for the moment in which rapid reads it, so do not run it beside other
	// users of rapid (t.Parallel).
	Seed uint64
	// Should also judges rules at level SHOULD.
	Should bool
	// Budgets; zero fields have defaults.
	Budgets check.Budgets
	// Verbose adds what was noted about a failure beside its codes. That may quote
	// what the subject said.
	Verbose bool
}

// The default numbers of cases.
const (
	cases        = 100
	processCases = 20
)

func (o Options) cases(s check.Subject) int {
	switch {
	case o.Cases > 0:
		return o.Cases
	case o.Time > 0:
		return math.MaxInt
	case s.Offers.Has(fakes.Process):
		return processCases
	default:
		return cases
	}
}

// patience is what is left of the budgets once an input has failed by waiting in
// vain: the failure stands, and what follows only makes the input smaller.
const patience = 0.1

// budgets of one execution.
func (o Options) budgets(s check.Subject, hurry bool) check.Budgets {
	b := check.DefaultBudgets(s.Offers.Has(fakes.Process))
	fill := func(x *time.Duration, y time.Duration) {
		if y != 0 {
			*x = y
		}
	}
	fill(&b.Call, o.Budgets.Call)
	fill(&b.FirstEvent, o.Budgets.FirstEvent)
	fill(&b.Terminal, o.Budgets.Terminal)
	fill(&b.Abort, o.Budgets.Abort)
	fill(&b.Quiet, o.Budgets.Quiet)
	fill(&b.Check, o.Budgets.Check)
	if hurry {
		b = b.Scale(patience)
	}
	return b
}

// finding is one way in which an input breaks a law.
type finding struct {
	code check.Code
	// where it is, in closed words; empty is nowhere in particular.
	where string
}

func (f finding) String() string {
	if f.where == "" {
		return string(f.code)
	}
	return fmt.Sprintf("%s (%s)", f.code, f.where)
}

// verdict is what came of one input.
type verdict struct {
	found []finding
	// seen describes what was judged, in closed words.
	seen string
	// details may quote what the subject said.
	details []string
	// fault is why nothing could be judged.
	fault error
}

// has reports whether the code is among the findings.
func (v verdict) has(code check.Code) bool {
	for _, f := range v.found {
		if f.code == code {
			return true
		}
	}
	return false
}

// text is the verdict in one line, and the details below it if they are wanted.
func (v verdict) text(verbose bool) string {
	var words []string
	for _, f := range v.found {
		words = append(words, f.String())
	}
	s := strings.Join(words, ", ")
	if v.seen != "" {
		s += "; " + v.seen
	}
	if verbose && len(v.details) > 0 {
		s += "\n" + strings.Join(v.details, "\n")
	}
	return s
}

// contextOf is the context of the test that a law runs in.
func contextOf(t TB) context.Context {
	if c, ok := t.(interface{ Context() context.Context }); ok {
		return c.Context()
	}
	return context.Background()
}
