package executortest_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/executortest"
	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/subjects"
)

// poor is a fake that has less than its features say.
type poor struct {
	fakes.Runtime
	noFrames, noFaults, noStarts, noResidue bool
}

func (p poor) Next(ctx context.Context) (fakes.Run, error) {
	run, err := p.Runtime.Next(ctx)
	return poorRun{run, p}, err
}

func (p poor) Fault(ctx context.Context, f fakes.Fault) error {
	if p.noFaults {
		return fmt.Errorf("fault %s: %w", f.Kind, fakes.ErrUnplayable)
	}
	return p.Runtime.Fault(ctx, f)
}

func (p poor) Residue() fakes.Residue {
	if p.noResidue {
		return fakes.Residue{Sight: fakes.SightNone}
	}
	return p.Runtime.Residue()
}

type poorRun struct {
	fakes.Run
	p poor
}

func (r poorRun) Begun() fakes.Call {
	if r.p.noStarts {
		return fakes.Call{}
	}
	return r.Run.Begun()
}

func (r poorRun) Emit(ctx context.Context, frames ...fakes.Frame) (fakes.Receipt, error) {
	if r.p.noFrames {
		return fakes.Receipt{}, fmt.Errorf("frame: %w", fakes.ErrUnplayable)
	}
	return r.Run.Emit(ctx, frames...)
}

func (r poorRun) Fault(ctx context.Context, f fakes.Fault) error {
	if r.p.noFaults {
		return fmt.Errorf("fault %s: %w", f.Kind, fakes.ErrUnplayable)
	}
	return r.Run.Fault(ctx, f)
}

// What a fake does not have is held against no adapter: it is unobserved, with a
// feature that is missing.
func TestPoorFakesAccuseNobody(t *testing.T) {
	for name, test := range map[string]struct {
		fake poor
		// unobserved are some of the checks that must be.
		unobserved []string
	}{
		"no frames":  {poor{noFrames: true}, []string{"executor.events.seq-increasing", "executor.terminal.success", "executor.abort.stops"}},
		"no faults":  {poor{noFaults: true}, []string{"executor.health.down", "executor.start.refused", "executor.abort.silent-runtime", "executor.abort.down-runtime"}},
		"no starts":  {poor{noStarts: true}, []string{"executor.start.message", "executor.start.options", "executor.codec.resumes"}},
		"no residue": {poor{noResidue: true}, []string{"executor.residue.run-end", "executor.residue.abort", "executor.residue.closed-stream", "executor.residue.dispose"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := subjects.Memory()
			build := s.Executor
			s.Executor = func(ctx context.Context, at fakes.Endpoint) (*check.ExecutorInstance, error) {
				in, err := build(ctx, at)
				if err == nil {
					p := test.fake
					p.Runtime = in.Runtime
					in.Runtime = p
				}
				return in, err
			}
			r := &check.Runner{Subject: s, Seed: 1}
			var unobserved []string
			for _, ch := range executortest.Checks() {
				if ch.Flood {
					continue
				}
				o := r.Execute(t.Context(), ch)
				switch {
				case o.State == report.Unobserved && len(o.Missing) > 0:
					unobserved = append(unobserved, ch.ID)
				case o.State != report.Passed:
					t.Errorf("%s: %s %v, missing %v: %v", ch.ID, o.State, o.Codes, o.Missing, o.Details)
				}
			}
			missed := slices.DeleteFunc(slices.Clone(test.unobserved), func(id string) bool { return slices.Contains(unobserved, id) })
			if diff := cmp.Diff([]string{}, missed); diff != "" {
				t.Errorf("observed by a fake that cannot show it (-want +got):\n%s", diff)
			}
		})
	}
}
