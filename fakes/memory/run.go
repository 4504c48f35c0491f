package memory

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// Run is one run as the suite sees it.
type Run struct {
	begun fakes.Call

	mu      sync.Mutex
	calls   []fakes.Call
	frames  []fakes.Frame
	changed chan struct{} // closed and replaced when frames or ended change
	ended   bool          // no more frames come
	silent  bool
	passive bool // does not react to cancel by itself
	gone    chan struct{}
}

var _ fakes.Run = (*Run)(nil)

func newRun(begun fakes.Call) *Run {
	return &Run{begun: begun, changed: make(chan struct{}), gone: make(chan struct{})}
}

// Begun returns the request.
func (r *Run) Begun() fakes.Call { return r.begun }

// Calls returns what arrived since the start.
func (r *Run) Calls() []fakes.Call {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.calls)
}

// Emit hands the frames to the client, whether or not it reads.
func (r *Run) Emit(_ context.Context, frames ...fakes.Frame) (fakes.Receipt, error) {
	for _, f := range frames {
		switch f.(type) {
		case fakes.Ack, fakes.Reject, fakes.Attempt, fakes.Log, fakes.Raw, fakes.Stderr, fakes.Exit, fakes.Child, fakes.Ignore:
			return fakes.Receipt{}, fmt.Errorf("frame %s: %w", f.Word(), fakes.ErrUnplayable)
		}
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
			r.frames = append(r.frames, f)
			sent++
		}
	}
	r.wake()
	return fakes.Receipt{Frames: sent}, nil
}

// Fault plays silent, deaf, hold and cut.
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
		r.frames = append(r.frames, fakes.End{Reason: fakes.EndAborted})
		r.wake()
	}
}

// Conn is a client's end of one run.
type Conn struct {
	runtime *Runtime
	run     *Run
	closing sync.Once
}

// Next returns the next frame, or io.EOF when no more come.
func (c *Conn) Next(ctx context.Context) (fakes.Frame, error) {
	for {
		c.run.mu.Lock()
		if len(c.run.frames) > 0 {
			f := c.run.frames[0]
			c.run.frames[0] = nil
			c.run.frames = c.run.frames[1:]
			c.run.mu.Unlock()
			return f, nil
		}
		ended, changed := c.run.ended, c.run.changed
		c.run.mu.Unlock()
		if ended {
			return nil, io.EOF
		}
		select {
		case <-changed:
		case <-c.run.gone:
			return nil, io.EOF
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// Cancel asks the runtime to stop the run.
func (c *Conn) Cancel(ctx context.Context) error {
	if err := c.runtime.reach(ctx); err != nil {
		return err
	}
	c.run.cancel()
	return nil
}

// Answer answers an approval question.
func (c *Conn) Answer(ctx context.Context, question string, allow bool) error {
	if err := c.runtime.reach(ctx); err != nil {
		return err
	}
	c.run.record(fakes.Call{Method: fakes.MethodAnswer, Session: c.run.begun.Session, Question: question, Allow: allow})
	return nil
}

// Close lets go of the run. It is idempotent.
func (c *Conn) Close() error {
	c.closing.Do(func() {
		c.runtime.mu.Lock()
		delete(c.runtime.conns, c)
		c.runtime.mu.Unlock()
		close(c.run.gone)
	})
	return nil
}
