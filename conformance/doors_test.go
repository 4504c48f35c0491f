package conformance_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"github.com/adaptercheck/adaptercheck/conformance"
	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/subjects"
)

// hostVar makes a child of this test binary a host with a Ginkgo suite of its own.
// Ginkgo allows one suite in a process, hence the children.
const hostVar = "CONFORMANCE_TEST_HOST"

func TestMain(m *testing.M) {
	if os.Getenv(hostVar) != "" {
		plantHost(os.Getenv(hostVar))
	}
	os.Exit(m.Run())
}

// dumb is a subject that answers everything with an error, so that its failures
// can be told from memory's.
func dumb() check.Subject {
	s := subjects.Memory()
	s.Name = "dumb"
	s.Executor = func(context.Context, fakes.Endpoint) (*check.ExecutorInstance, error) {
		return nil, errors.New("cannot be built")
	}
	return s
}

var identity = conformance.Options{Selection: conformance.Selection{Match: "executor.identity.*"}}

// plantHost is what a host's package would do at its top level.
func plantHost(kind string) {
	ginkgo.BeforeSuite(func() {}) // a suite may have one; the host has taken it
	ginkgo.Describe("host", func() {
		ginkgo.It("has its own spec", func() { gomega.Expect(1).To(gomega.Equal(1)) })
		if kind == "inside" {
			conformance.Register(subjects.Memory(), identity)
		}
	})
	switch kind {
	case "twice":
		conformance.Register(subjects.Memory(), identity)
		other := subjects.Memory()
		other.Name = "memory-again"
		conformance.Register(other, identity)
	case "failing":
		conformance.Register(dumb(), identity)
	case "nothing":
		conformance.Register(check.Subject{Name: "nothing"}, conformance.Options{})
	}
}

func TestHost(t *testing.T) {
	if os.Getenv(hostVar) == "" {
		t.Skip("runs in children of this test only")
	}
	gomega.RegisterFailHandler(ginkgo.Fail)
	ginkgo.RunSpecs(t, "host suite")
}

// host runs a child and returns its output and whether it passed.
func host(t *testing.T, kind string, args ...string) (string, bool) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, append([]string{"-test.run=^TestHost$"}, args...)...)
	cmd.Env = append(os.Environ(), hostVar+"="+kind)
	out, err := cmd.CombinedOutput()
	return string(out), err == nil
}

func TestRegisterInAHost(t *testing.T) {
	for _, c := range []struct {
		name, kind string
		args       []string
		passed     bool
		says       string
	}{
		{"two subjects beside the host's own BeforeSuite", "twice", nil, true, `Ran 5 of 5 Specs`},
		{"inside the host's container", "inside", nil, true, `Ran 3 of 3 Specs`},
		{"a subject that cannot be built", "failing", nil, false, `inconclusive: the subject could not be built`},
		{"a subject without a contract", "nothing", nil, false, `nothing to check`},
		{"filtered", "twice", []string{"-ginkgo.label-filter=executor.identity.id-stable"}, true, `conformance of memory: 1 of 2 checks were filtered away`},
		{"dry run", "twice", []string{"-ginkgo.dry-run"}, true, `conformance of memory: a dry run, 2 checks were not run`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out, passed := host(t, c.kind, c.args...)
			if passed != c.passed || !regexp.MustCompile(c.says).MatchString(out) {
				t.Errorf("passed %t, want %t and %q in:\n%s", passed, c.passed, c.says, out)
			}
		})
	}
}

func TestRegisterUnderParallelProcesses(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// Ginkgo's command runs a compiled suite only under a name that ends in .test.
	binary := t.TempDir() + "/host.test"
	if err := os.Symlink(self, binary); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	cmd := exec.CommandContext(t.Context(), "go", "tool", "ginkgo", "--procs=2", "--no-color", binary, "--", "-test.run=^TestHost$")
	cmd.Env = append(os.Environ(), hostVar+"=twice")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "Ran 5 of 5 Specs") {
		t.Errorf("%v:\n%s", err, out)
	}
}

// Run is once in a process; a second one must not end it.
func TestRunOnce(t *testing.T) {
	var started []string
	o := identity
	o.Begin = func(id string) bool { started = append(started, id); return true }
	outcomes, err := conformance.Run(subjects.Memory(), report.Executor, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(outcomes) != 2 || len(started) != 2 {
		t.Fatalf("%d outcomes, %d started; want 2 each", len(outcomes), len(started))
	}
	for _, out := range outcomes {
		if out.State != report.Passed {
			t.Errorf("%s: %s %v", out.ID, out.State, out.Codes)
		}
	}
	if _, err := conformance.Run(subjects.Memory(), report.Executor, o); !errors.Is(err, conformance.ErrSecondRun) {
		t.Errorf("second run: %v", err)
	}
}

func TestSelection(t *testing.T) {
	all := conformance.Checks(report.Executor)
	for _, c := range []struct {
		name string
		s    conformance.Selection
		want int // 0 means an error
	}{
		{"everything", conformance.Selection{}, len(all)},
		{"glob over dots", conformance.Selection{Match: "executor.identity.*"}, 2},
		{"one id", conformance.Selection{Match: "executor.identity.id-stable"}, 1},
		{"label", conformance.Selection{LabelFilter: "identity && MUST"}, 2},
		{"both", conformance.Selection{Match: "*id-stable", LabelFilter: "executor"}, 1},
		{"nothing", conformance.Selection{Match: "executor.nothing.*"}, 0},
		{"bad glob", conformance.Selection{Match: "[a"}, 0},
		{"bad filter", conformance.Selection{LabelFilter: "a &&"}, 0},
	} {
		got, err := c.s.Of(all)
		if (err != nil) != (c.want == 0) || len(got) != c.want {
			t.Errorf("%s: %d checks, %v; want %d", c.name, len(got), err, c.want)
		}
	}
}

func TestLabelsAreFitForFilters(t *testing.T) {
	for _, p := range report.Profiles() {
		for _, ch := range conformance.Checks(p) {
			for _, label := range []string{string(p), ch.Topic(), string(ch.Level), ch.Case, ch.ID} {
				if strings.ContainsAny(label, "&|!,()/") {
					t.Errorf("%s: label %q cannot be filtered by", ch.ID, label)
				}
			}
		}
	}
}

// null answers everything with nothing.
type null struct{ executor.Adapter }

func (null) ID() string                                { return "" }
func (null) ParticipantKind() executor.ParticipantKind { return "" }
func (null) Capabilities() executor.Capabilities       { return executor.Capabilities{} }
func (null) Events(*executor.Run) executor.Stream      { return executor.Ended{} }
func (null) Abort(context.Context, *executor.Run) error {
	return nil
}
func (null) Health(context.Context) (executor.Health, error) { return executor.Health{}, nil }
func (null) Start(context.Context, executor.TaskHandle, executor.StartOpts) (*executor.Run, error) {
	return nil, nil
}
func (null) SetModel(context.Context, *executor.Run, string) error             { return nil }
func (null) WriteContext(context.Context, *executor.Run, string, string) error { return nil }

func TestNullSubjectPassesNothing(t *testing.T) {
	s := subjects.Memory()
	build := s.Executor
	s.Name = "null"
	s.Executor = func(ctx context.Context, at fakes.Endpoint) (*check.ExecutorInstance, error) {
		inst, err := build(ctx, at)
		if err == nil {
			inst.Adapter = null{}
		}
		return inst, err
	}
	r := &check.Runner{Subject: s, Budgets: check.DefaultBudgets(false).Scale(0.02)}
	var passed []string
	for _, ch := range conformance.Checks(report.Executor) {
		if r.Execute(t.Context(), ch).State == report.Passed {
			passed = append(passed, ch.ID)
		}
	}
	slices.Sort(passed)
	if len(passed) > 0 {
		t.Errorf("passed by doing nothing: %v", passed)
	}
}
