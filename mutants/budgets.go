package mutants

import (
	"strings"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/mutants/executormutants"
)

// budgets are those under which the mutant is told from a right adapter. One that
// hangs by design uses them up, so they are short; a short budget for one that
// answers would only take a busy machine for a hang.
func (m Mutant) budgets(s check.Subject) check.Budgets {
	b := check.DefaultBudgets(s.Elsewhere || s.Offers.Has(fakes.Process))
	short := b.Scale(0.3)
	switch {
	case s.Elsewhere:
		// The same goes for a subject that is one.
		b.FirstEvent, b.Terminal, b.Abort = short.FirstEvent, short.Terminal, short.Abort
	case m.Profile == report.Executor && s.Offers.Has(fakes.Process):
		// A process takes its time to start; only its end is what mutants hang in.
		b.Terminal, b.Abort = short.Terminal, short.Abort
	case m.Profile == report.Executor:
		b = executormutants.Budgets()
	case m.hangs():
		quiet := b.Quiet
		b = b.Scale(1.0 / 20)
		b.Quiet = quiet
	}
	return b
}

// hangs reports whether what catches the mutant is that something does not come.
func (m Mutant) hangs() bool {
	return strings.HasSuffix(string(m.Code), "-hung") || m.Code == "in-flight-stuck" || m.Code == "cancel-ignored"
}

// budgets are the full ones, so that no right adapter is accused of a slow machine.
func (v Variant) budgets(s check.Subject) check.Budgets {
	return check.DefaultBudgets(s.Elsewhere || s.Offers.Has(fakes.Process))
}
