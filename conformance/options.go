package conformance

import (
	"slices"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/report"
)

// Options are the choices of one run. The zero value checks every profile that the
// subject implements, with the default budgets.
type Options struct {
	// Profiles to check; nil means all that the subject implements.
	Profiles []report.Profile
	// Selection narrows the checks. What it leaves out is reported as not run, and
	// the run as partial.
	Selection Selection
	// Seed of everything random; the same seed gives the same run.
	Seed uint64
	// Budgets; zero fields have defaults.
	Budgets check.Budgets
	// Verbose adds what the matchers say to a failure. That quotes what subject and
	// runtime said to each other; without it only codes are shown.
	Verbose bool

	// Started and Ended, if not nil, are told of each check in the process that
	// runs it.
	Started func(id string)
	Ended   func(check.Outcome)
}

// profiles are those to run for the subject.
func (o Options) profiles(s check.Subject) []report.Profile {
	var out []report.Profile
	for _, p := range report.Profiles() {
		if s.Implements(p) && (o.Profiles == nil || slices.Contains(o.Profiles, p)) {
			out = append(out, p)
		}
	}
	return out
}

func (o Options) runner(s check.Subject) *check.Runner {
	return &check.Runner{Subject: s, Budgets: o.Budgets, Seed: o.Seed}
}

func (o Options) started(id string) {
	if o.Started != nil {
		o.Started(id)
	}
}

func (o Options) ended(out check.Outcome) {
	if o.Ended != nil {
		o.Ended(out)
	}
}
