package conformance

import (
	"errors"
	"io"
	"sync/atomic"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/formatter"
	"github.com/onsi/ginkgo/v2/types"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/report"
)

// ErrSecondRun is returned by a second [Run] in one process.
var ErrSecondRun = errors.New("a process runs the suite once")

// ran guards the one RunSpecs that Ginkgo allows in a process; a second one would
// end the process.
var ran atomic.Bool

// Run runs the Ginkgo suite for one subject and one profile in this process, with
// Ginkgo's own output discarded, and returns the outcomes. The process should have
// been started for it: Ginkgo keeps its tree, its signal handler and its
// configuration in package variables, and a suite can run once.
//
// What RunSpecs returns is not looked at, as it says true when everything was
// skipped; the judgement is made of the kernel's sealed records.
func Run(s check.Subject, p report.Profile, o Options) ([]check.Outcome, error) {
	if _, err := o.Selection.Of(Checks(p)); err != nil {
		return nil, err // Ginkgo would end the process over a filter it cannot read
	}
	if ran.Swap(true) {
		return nil, ErrSecondRun
	}
	var outcomes []check.Outcome
	tell := o.Ended
	o.Ended = func(out check.Outcome) {
		outcomes = append(outcomes, out)
		if tell != nil {
			tell(out)
		}
	}
	filter := o.Selection.LabelFilter
	o.Selection.LabelFilter = "" // Ginkgo applies it, so that its reports show what was left out
	o.Profiles = []report.Profile{p}
	formatter.ColorableStdOut = io.Discard
	formatter.ColorableStdErr = io.Discard
	Register(s, o)

	suite := types.NewDefaultSuiteConfig()
	suite.RandomSeed = int64(o.Seed)
	suite.LabelFilter = filter
	suite.Timeout = 0 // the run's budget is kept by whoever started the process
	reporter := types.NewDefaultReporterConfig()
	reporter.NoColor = true
	reporter.Succinct = true
	ginkgo.RunSpecs(&testingT{}, s.Name, suite, reporter)
	return outcomes, nil
}

// testingT is all that RunSpecs wants of a *testing.T.
type testingT struct{}

// Fail does nothing: the verdict is not Ginkgo's.
func (*testingT) Fail() {}
