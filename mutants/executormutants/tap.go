package executormutants

import (
	"context"
	"sync/atomic"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// tap stands between the suite and the runtime, where a mutant misunderstands what
// the runtime says and sends it something else than the right adapter does.
type tap struct {
	fakes.Runtime
	hear  func(session string, f fakes.Frame) []fakes.Frame
	calls func([]fakes.Call) []fakes.Call
	begun func(fakes.Call) fakes.Call
	fault func(fakes.FaultKind) bool
	// leaked, children and files count what the mutant holds beside what the right
	// adapter does.
	leaked, children, connections, files atomic.Int64
}

// Next taps the next run.
func (t *tap) Next(ctx context.Context) (fakes.Run, error) {
	run, err := t.Runtime.Next(ctx)
	if err != nil {
		return nil, err
	}
	return tappedRun{run, t}, nil
}

// Residue adds what the mutant holds.
func (t *tap) Residue() fakes.Residue {
	r := t.Runtime.Residue()
	r.Subscribers += int(t.leaked.Load())
	r.Children += int(t.children.Load())
	r.Connections += int(t.connections.Load())
	r.Files += int(t.files.Load())
	return r
}

type tappedRun struct {
	fakes.Run
	tap *tap
}

// Begun is what the mutant asks for.
func (r tappedRun) Begun() fakes.Call {
	begun := r.Run.Begun()
	if r.tap.begun != nil {
		return r.tap.begun(begun)
	}
	return begun
}

// Emit says the frames as the mutant understands them.
func (r tappedRun) Emit(ctx context.Context, frames ...fakes.Frame) (fakes.Receipt, error) {
	if r.tap.hear == nil {
		return r.Run.Emit(ctx, frames...)
	}
	var heard []fakes.Frame
	for _, f := range frames {
		heard = append(heard, r.tap.hear(r.Run.Begun().Session, f)...)
	}
	return r.Run.Emit(ctx, heard...)
}

// Calls are those that the mutant makes.
func (r tappedRun) Calls() []fakes.Call {
	calls := r.Run.Calls()
	if r.tap.calls != nil {
		return r.tap.calls(calls)
	}
	return calls
}

// Fault is played, or is the mutant's own.
func (r tappedRun) Fault(ctx context.Context, f fakes.Fault) error {
	if r.tap.fault != nil && r.tap.fault(f.Kind) {
		return nil
	}
	return r.Run.Fault(ctx, f)
}
