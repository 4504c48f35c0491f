package mutants

import (
	"runtime"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// pace is what a check spends its time on. It decides what is tried together, so
// that checks which work do not starve those whose budgets are running.
type pace int

const (
	// waits for something that must not come, and does little else.
	waits pace = iota
	// works, mostly on files or with processes.
	works
	// floods, see [check.Check.Flood].
	floods
)

// paceOf says what a check of the subject spends its time on.
func paceOf(ch check.Check, s check.Subject) pace {
	switch {
	case s.Elsewhere, s.Offers.Has(fakes.Process):
		return works
	case ch.Flood:
		return floods
	case ch.Profile() == report.Executor:
		return waits
	default:
		return works
	}
}

// lane is which jobs are done at a time, and how many of them.
type lane struct {
	pace  pace
	right bool // those of right adapters, else those of mutants
	width int
}

func (l lane) takes(j *job) bool {
	return paceOf(j.checks[0], j.runner.Subject) == l.pace && (j.variant != nil) == l.right
}

// phases are the lanes in the order in which they are worked through. Those of one
// phase go on at the same time. Mutants have short budgets and are left alone; right
// adapters have long ones, and their floods are done while others wait.
func phases() [][]lane {
	cpus := runtime.GOMAXPROCS(0)
	return [][]lane{
		{{waits, false, 16 * cpus}},
		{{floods, false, cpus}},
		{{waits, true, 24 * cpus}, {floods, true, max(1, cpus/2)}},
		{{works, false, 2 * cpus}},
		{{works, true, 2 * cpus}},
	}
}
