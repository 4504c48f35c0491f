package memory

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// Run is one run as the suite sees it.
type Run struct {
	runtime *Runtime
	begun   fakes.Call
	life    int64 // of the runtime, in which it began

	mu      sync.Mutex
	calls   []fakes.Call
	said    []said
	changed chan struct{} // closed and replaced when said, ended or a connection changes
	ended   bool          // no more frames come
	silent  bool
	passive bool // does not react to cancel by itself
	losing  bool // what comes next gets lost on the way
	gone    chan struct{}
	leaving sync.Once
}

// said is a frame of the run, which the runtime keeps.
type said struct {
	frame fakes.Frame
	lost  bool // on the way to who was connected
}

var _ fakes.Run = (*Run)(nil)

func (r *Runtime) newRun(begun fakes.Call) *Run {
	return &Run{runtime: r, begun: begun, life: r.life.Load(), changed: make(chan struct{}), gone: make(chan struct{})}
}

// Begun returns the request.
func (r *Run) Begun() fakes.Call { return r.begun }

// Calls returns what arrived since the start.
func (r *Run) Calls() []fakes.Call {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.calls)
}

// Emit hands the frames to the client, whether or not it reads. Without a connection the
// runtime keeps them. A run that a restart has lost is [fakes.ErrGone].
func (r *Run) Emit(_ context.Context, frames ...fakes.Frame) (fakes.Receipt, error) {
	for _, f := range frames {
		switch f.(type) {
		case fakes.Ack, fakes.Reject, fakes.Attempt, fakes.Log, fakes.Raw, fakes.Stderr, fakes.Exit, fakes.Child, fakes.Ignore:
			return fakes.Receipt{}, fmt.Errorf("frame %s: %w", f.Word(), fakes.ErrUnplayable)
		}
	}
	if r.forgotten() {
		return fakes.Receipt{}, fakes.ErrGone
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	sent := 0
	for _, f := range frames {
		if r.silent || r.ended {
			break
		}
		switch f.(type) {
		case fakes.Cut:
			r.ended = true
		case fakes.Silent:
			r.silent = true
		default:
			r.said = append(r.said, said{f, r.losing})
			sent++
		}
	}
	r.losing = false
	r.wake()
	return fakes.Receipt{Frames: sent}, nil
}

// forgotten reports whether the runtime was restarted since the run began.
func (r *Run) forgotten() bool { return r.life != r.runtime.life.Load() }

// Fault plays silent, deaf, hold, cut and lose.
func (r *Run) Fault(_ context.Context, f fakes.Fault) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch f.Kind {
	case fakes.FaultSilent:
		r.silent, r.passive = true, true
	case fakes.FaultDeaf, fakes.FaultHold:
		r.passive = true
	case fakes.FaultCut:
		r.ended = true
		r.wake()
	case fakes.FaultLose:
		r.losing = true
	default:
		return fmt.Errorf("fault %s of a run: %w", f.Kind, fakes.ErrUnplayable)
	}
	return nil
}

// Gone waits until the client has closed its connection.
func (r *Run) Gone(ctx context.Context) error {
	select {
	case <-r.gone:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("waiting for the client to let go: %w", ctx.Err())
	}
}

func (r *Run) record(c fakes.Call) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls = append(r.calls, c)
}

// wake tells readers that something changed. The lock is held.
func (r *Run) wake() {
	close(r.changed)
	r.changed = make(chan struct{})
}

func (r *Run) cut() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.ended {
		r.ended = true
		r.wake()
	}
}

// cancel records the request and, unless a fault says otherwise, ends the run.
func (r *Run) cancel() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls = append(r.calls, fakes.Call{Method: fakes.MethodCancel, Session: r.begun.Session})
	if !r.passive && !r.silent && !r.ended {
		r.said = append(r.said, said{frame: fakes.End{Reason: fakes.EndAborted}})
		r.wake()
	}
}

// leave notes that the client has let go of the run: nobody comes back for what it said.
func (r *Run) leave() {
	r.leaving.Do(func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.said = nil
		close(r.gone)
	})
}
