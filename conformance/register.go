package conformance

import (
	"fmt"
	"runtime"
	"strings"
	"sync"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/report"
)

// Register adds the suite for a subject to the Ginkgo tree: a container per
// profile and topic, a spec per check, labelled by profile, topic, level, case and
// id. It may be called any number of times, at the top level of a package or
// inside a container, and takes no node that a suite can have only once. Nothing
// runs before the package's own RunSpecs: without one, go test prints PASS and has
// checked nothing.
//
//	var _ = conformance.Register(subject, conformance.Options{})
//
// A failed spec says code, clause and how to read about it; what the matchers say,
// which quotes the conversation, only with [Options.Verbose]. A failed SHOULD is
// reported in the spec's report entries and does not fail it. A check that the
// subject cannot be seen to keep is skipped with the features it needs. Called at
// the top level, Register also says at the end of the suite how many of its checks
// were filtered away or not run at all.
//
// Ginkgo allows one RunSpecs in a process, so go test -count above 1 fails; so does
// go test -parallel together with its own -procs.
func Register(s check.Subject, o Options) bool {
	registered := 0
	for _, p := range o.profiles(s) {
		checks, err := o.Selection.Of(Checks(p))
		if err != nil {
			continue // of this profile nothing is selected
		}
		registered += len(checks)
		register(s, o, p, checks)
	}
	if registered == 0 {
		ginkgo.Describe(title(s), func() {
			ginkgo.It("implements a contract that has a selected check", func() {
				ginkgo.Fail("nothing to check: the subject has no constructor for a profile with a selected check")
			})
		})
	}
	if !insideContainer() {
		ginkgo.ReportAfterSuite(title(s), func(r ginkgo.Report) { tellWhatDidNotRun(s, r) })
	}
	return true
}

func title(s check.Subject) string { return "conformance of " + s.Name }

func register(s check.Subject, o Options, p report.Profile, checks []check.Check) {
	runner := o.runner(s)
	ginkgo.Describe(title(s)+": "+string(p), func() {
		for first := 0; first < len(checks); {
			topic := checks[first].Topic()
			last := first
			for last < len(checks) && checks[last].Topic() == topic {
				last++
			}
			group := checks[first:last]
			ginkgo.Describe(topic, func() {
				for _, ch := range group {
					// The kernel keeps the check's time; the spec's own timeout is a
					// second net above it.
					limit := check.DefaultBudgets(true).Check * 2
					if o.Budgets.Check != 0 {
						limit = o.Budgets.Check * 2
					}
					ginkgo.It(ch.Title, ginkgo.Label(labels(ch)...), ginkgo.SpecTimeout(limit), func(ctx ginkgo.SpecContext) {
						spec(ctx, runner, o, ch)
					})
				}
			})
			first = last
		}
	})
}

// spec executes one check and tells Ginkgo.
func spec(ctx ginkgo.SpecContext, runner *check.Runner, o Options, ch check.Check) {
	if !o.begin(ch.ID) {
		ginkgo.Skip("not run")
	}
	out := runner.Execute(ctx, ch)
	o.ended(out)
	switch out.State {
	case report.Unobserved:
		ginkgo.Skip(fmt.Sprintf("unobserved: needs %v", out.Missing))
	case report.InconclusiveCheck:
		ginkgo.Fail("inconclusive: the subject could not be built" + detail(o, out))
	case report.Failed:
		message := fmt.Sprintf("%s %v breaks %s (adaptercheck explain %s)%s", ch.Level, out.Codes, ch.Clause, ch.ID, detail(o, out))
		if ch.Level == check.Should {
			ginkgo.AddReportEntry(message)
			return
		}
		ginkgo.Fail(message)
	}
}

func detail(o Options, out check.Outcome) string {
	if !o.Verbose || len(out.Details) == 0 {
		return ""
	}
	return "\n" + strings.Join(out.Details, "\n")
}

var telling sync.Mutex // reports of several subjects do not mix

// tellWhatDidNotRun says visibly when checks that were registered were not run:
// Ginkgo itself calls a suite passed in which everything was skipped.
func tellWhatDidNotRun(s check.Subject, r ginkgo.Report) {
	telling.Lock()
	defer telling.Unlock()
	all, filtered := 0, 0
	for _, spec := range r.SpecReports {
		if spec.LeafNodeType != types.NodeTypeIt || !strings.HasPrefix(strings.Join(spec.ContainerHierarchyTexts, " "), title(s)+":") {
			continue
		}
		all++
		if spec.State == types.SpecStateSkipped && spec.Failure.Message == "" {
			filtered++
		}
	}
	switch {
	case all == 0:
	case r.SuiteConfig.DryRun:
		fmt.Printf("\n%s: a dry run, %d checks were not run and nothing was judged\n", title(s), all)
	case filtered > 0:
		fmt.Printf("\n%s: %d of %d checks were filtered away; this is not a full pass\n", title(s), filtered, all)
	}
}

// insideContainer reports whether Ginkgo is building the body of a container: a
// suite-level node would end the process there, and Ginkgo has no way to ask.
func insideContainer() bool {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for {
		f, more := frames.Next()
		if strings.Contains(f.Function, "onsi/ginkgo/v2/internal.(*Suite)") {
			return true
		}
		if !more {
			return false
		}
	}
}
