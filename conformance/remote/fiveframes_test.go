package remote_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/conformance"
	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/remote"
	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/subjects"
)

var update = flag.Bool("update", false, "write the files in testdata anew")

// fiveFrames is a right adapter whose fake has the five frames of the seed's harness
// and nothing else: no faults, and no record of what a start was given.
func fiveFrames() check.Subject {
	s := subjects.Memory()
	s.Name, s.Offers = "five-frames", fakes.Features{fakes.Deltas, fakes.LiveText, fakes.TerminalFrame}
	s.Declares = check.Declarations{}
	build := s.Executor
	s.Executor = func(ctx context.Context, at fakes.Endpoint) (*check.ExecutorInstance, error) {
		in, err := build(ctx, at)
		if err == nil {
			in.Runtime = fewRuntime{in.Runtime}
		}
		return in, err
	}
	return s
}

type fewRuntime struct{ fakes.Runtime }

func (r fewRuntime) Features() fakes.Features {
	return fakes.Features{fakes.Deltas, fakes.LiveText, fakes.TerminalFrame}
}

func (r fewRuntime) Next(ctx context.Context) (fakes.Run, error) {
	run, err := r.Runtime.Next(ctx)
	return fewRun{run}, err
}

func (fewRuntime) Fault(_ context.Context, f fakes.Fault) error {
	return fmt.Errorf("fault %s: %w", f.Kind, fakes.ErrUnplayable)
}

type fewRun struct{ fakes.Run }

func (fewRun) Begun() fakes.Call { return fakes.Call{} }

func (fewRun) Fault(_ context.Context, f fakes.Fault) error {
	return fmt.Errorf("fault %s: %w", f.Kind, fakes.ErrUnplayable)
}

func (r fewRun) Emit(ctx context.Context, frames ...fakes.Frame) (fakes.Receipt, error) {
	for _, f := range frames {
		if !oneOfFive(f) {
			return fakes.Receipt{}, fmt.Errorf("frame %s: %w", f.Word(), fakes.ErrUnplayable)
		}
	}
	return r.Run.Emit(ctx, frames...)
}

// oneOfFive reports whether a frame is delta, toolCall, final, aborted or error.
func oneOfFive(f fakes.Frame) bool {
	switch f := f.(type) {
	case fakes.Delta, fakes.ToolCall:
		return true
	case fakes.End:
		return f.Reason == fakes.EndOK && !f.Error || f.Reason == fakes.EndAborted
	case fakes.Failure:
		return f.Fatal
	default:
		return false
	}
}

// With the five frames alone nothing is accused. What they cannot show is unobserved,
// with the feature that is missing, and all the rest is judged.
func TestFiveFrames(t *testing.T) {
	for name, options := range map[string]func(*testing.T) remote.Options{
		"go":   func(*testing.T) remote.Options { return self("five-frames") },
		"node": nodeHarness,
	} {
		t.Run(name, func(t *testing.T) {
			if raced && name == "go" {
				t.Skip("under the race detector TestSameVerdict plays the same code; what is judged is the same without it")
			}
			t.Parallel()
			s, p, err := remote.Subject(t.Context(), options(t))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := p.Close(context.WithoutCancel(t.Context())); err != nil {
					t.Error(err)
				}
			})
			var checks []check.Check
			for _, ch := range conformance.Checks(report.Executor) {
				if !floods(ch) {
					checks = append(checks, ch)
				}
			}
			run := judge(t, report.Executor, s, checks)
			if run.Verdict != report.Conforms || run.Partial || run.Tally.Failed > 0 {
				t.Errorf("verdict %s, partial %t: %+v", run.Verdict, run.Partial, run.Tally)
			}
			var unseen strings.Builder
			for _, c := range run.Checks {
				if c.State == report.Unobserved {
					fmt.Fprintf(&unseen, "%s:", c.ID)
					for _, f := range c.Missing {
						fmt.Fprintf(&unseen, " %s", f)
					}
					unseen.WriteByte('\n')
				}
			}
			golden(t, filepath.Join("testdata", "five-frames-"+name+".txt"), unseen.String())
		})
	}
}

// nodeHarness is the seed's harness in its own language.
func nodeHarness(t *testing.T) remote.Options {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	bridge := filepath.Join("..", "..", "bridges", "node")
	return remote.Options{Command: []string{node, filepath.Join(bridge, "bin", "bridge.mjs"), filepath.Join(bridge, "examples", "seed-harness.mjs")}}
}

// golden compares with a file of testdata.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got):\n%s", file, d)
	}
}
