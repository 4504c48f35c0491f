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

	// Begin, if not nil, is asked before each check in the process that runs it;
	// false leaves the check out, and it is reported as not run.
	Begin func(id string) bool
	// Ended, if not nil, is told of each outcome in the process that ran the check.
	Ended func(check.Outcome)
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

func (o Options) begin(id string) bool { return o.Begin == nil || o.Begin(id) }

func (o Options) ended(out check.Outcome) {
	if o.Ended != nil {
		o.Ended(out)
	}
}
