package codex

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// arrival is how long [Run.Begun] waits until the program has asked its provider.
const arrival = 10 * time.Second

// Run is one process of the program.
type Run struct {
	runtime *Runtime
	process fakes.Run // the gate, and under the same process id the program
	pid     int
	key     string     // of its requests
	given   fakes.Call // what the process was started with

	life context.Context // ends when the process is gone
	end  context.CancelFunc

	turn   chan struct{} // held by who plays the run
	opened bool          // the gate is; for who plays the run, as is
	script

	mu       sync.Mutex
	changed  chan struct{} // closed and replaced when something below changes
	first    *asked
	exchange *asked // that is to be answered
	dropped  bool   // the program let go of one before it was answered
	question string // that waits for its answer
	silenced bool
	ended    bool          // it was said how the run ends, or the program was killed
	final    []fakes.Frame // how it was said
	calls    []fakes.Call
}

var _ fakes.Run = (*Run)(nil)

// Begun opens the gate and tells what arrived at the provider: message, model, and the
// thread as Session; Resume is the thread if an earlier run was in it. Args, Env and Dir
// are the program's own. A program that asks its provider for nothing leaves the rest
// empty.
func (r *Run) Begun() fakes.Call {
	ctx, cancel := context.WithTimeout(context.Background(), arrival)
	defer cancel()
	if r.take(ctx) == nil {
		_ = r.await(ctx) // a program that ends before is told by what is missing
		r.leave()
	}
	c := r.given
	c.Args, c.Env = slices.Clone(c.Args), slices.Clone(c.Env)
	if first := r.firstRequest(); first != nil {
		c.Message, c.Model, c.Session = first.prompt, first.model, first.thread
		if r.runtime.known(first.thread, r) {
			c.Resume = first.thread
		}
	}
	return c
}

func (r *Run) firstRequest() *asked {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.first
}

// Emit lets the provider say the frames, once the program has asked it. Receipt counts
// events of the answer, and tells the thread, which the program chooses by itself. After
// the end of the run, or of the program, it is [fakes.ErrGone].
func (r *Run) Emit(ctx context.Context, frames ...fakes.Frame) (fakes.Receipt, error) {
	if err := r.take(ctx); err != nil {
		return fakes.Receipt{}, err
	}
	defer r.leave()
	if r.over() {
		return fakes.Receipt{}, fmt.Errorf("real codex: %w", fakes.ErrGone)
	}
	for _, f := range frames {
		if _, question := f.(fakes.Ask); question && r.asking() {
			return fakes.Receipt{}, unplayable("a second question while one is open")
		}
	}
	if err := r.await(ctx); err != nil {
		return fakes.Receipt{}, fmt.Errorf("real codex: %w", err)
	}
	receipt := fakes.Receipt{Session: r.firstRequest().thread}
	steps, err := r.plan(receipt.Session, frames)
	if err != nil {
		return receipt, err
	}
	for _, s := range steps {
		if err := s(ctx, r, &receipt); err != nil {
			return receipt, fmt.Errorf("real codex: %w", err)
		}
	}
	return receipt, nil
}

// take makes the caller the one who plays the run.
func (r *Run) take(ctx context.Context) error {
	select {
	case r.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (r *Run) leave() { <-r.turn }

func (r *Run) over() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ended
}

// await opens the gate, if that was not done, and waits until there is a request to
// answer. It is [fakes.ErrGone] if the program ends before.
func (r *Run) await(ctx context.Context) error {
	if !r.opened {
		if _, err := r.process.Emit(ctx, openWith(r.key)); err != nil {
			return err
		}
		r.opened = true
	}
	for {
		r.mu.Lock()
		asked, changed := r.exchange != nil, r.changed
		r.mu.Unlock()
		if asked {
			return nil
		}
		select {
		case <-changed:
		case <-r.life.Done():
			return fakes.ErrGone
		case <-ctx.Done():
			return fmt.Errorf("no request came: %w", context.Cause(ctx))
		}
	}
}

// receive takes a request of the program.
func (r *Run) receive(e *asked) {
	r.runtime.served.Go(func() { r.follow(e) })
	r.mu.Lock()
	defer r.mu.Unlock()
	if final := r.final; final != nil { // the program does not take the end for an end, and tries again
		r.runtime.served.Go(func() { _ = send(r.life, e, &fakes.Receipt{}, final) }) // it may be gone
		return
	}
	if r.first == nil {
		r.first = e
	}
	if out, ok := e.outputs[r.question]; ok {
		allowed := strings.Contains(out, "Process exited with code 0")
		r.calls = append(r.calls, fakes.Call{Method: fakes.MethodAnswer, Session: e.thread, Question: r.question, Allow: allowed})
		r.question = ""
	}
	// It asks again although it has no answer: it was given further input. That it let
	// go of the request before may be seen later.
	if r.dropped || r.exchange != nil {
		r.dropped = false
		r.calls = append(r.calls, fakes.Call{Method: fakes.MethodInput, Session: e.thread, Value: e.prompt})
	}
	r.exchange = e
	r.announce()
}

// follow notes that the program let go of a request before it was answered.
func (r *Run) follow(e *asked) {
	if e.Gone(r.runtime.life) != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.exchange == e {
		r.exchange, r.dropped = nil, true
		r.announce()
	}
}

// ask notes a question whose answer comes with the next request.
func (r *Run) ask(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.question = id
}

// asking reports whether a question waits for its answer.
func (r *Run) asking() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.question != ""
}

// announce wakes who waits for a change. The lock is held.
func (r *Run) announce() {
	close(r.changed)
	r.changed = make(chan struct{})
}

// watch waits for the end of the process. One that ends before it was said how was told
// to stop.
func (r *Run) watch() {
	defer r.end()
	if r.process.Gone(r.runtime.life) != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.first != nil && !r.ended {
		r.calls = append(r.calls, fakes.Call{Method: fakes.MethodCancel, Session: r.first.thread})
	}
	r.ended = true
}

// current is the request that is being answered.
func (r *Run) current() (*asked, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.exchange == nil {
		return nil, fakes.ErrGone
	}
	return r.exchange, nil
}

// last is the request that is being answered, with nothing to come but the end of the
// answer: the program may ask again as soon as it has read that.
func (r *Run) last() (*asked, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.exchange
	if r.exchange = nil; e == nil {
		return nil, fakes.ErrGone
	}
	return e, nil
}

// finish notes that the run has its end, so that the program does not leave unasked, and
// how it was said, nil where it was not.
func (r *Run) finish(final []fakes.Frame) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended, r.final = true, final
}

// kill ends the program at once.
func (r *Run) kill() {
	r.finish(nil)
	if r.life.Err() == nil {
		_ = kill(r.pid, killed) // it may just have ended
	}
}

// Fault makes the run misbehave: silent (the provider says nothing more), deaf (the
// program is stopped, so that it heeds nothing but its death), cut (the program is
// killed).
func (r *Run) Fault(_ context.Context, f fakes.Fault) error {
	switch f.Kind {
	case fakes.FaultSilent:
		r.silence()
	case fakes.FaultDeaf:
		if err := kill(r.pid, suspended); err != nil {
			return errors.Join(fakes.ErrGone, err)
		}
	case fakes.FaultCut:
		r.kill()
	default:
		return unplayable("fault %q of a run", f.Kind)
	}
	return nil
}

func (r *Run) silence() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.silenced = true
}

func (r *Run) silent() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.silenced
}

// Calls returns what arrived since the start: that the program was told to stop, which is
// seen at the gate by the signal and later by its end, and further input, with which it
// asks its provider again.
func (r *Run) Calls() []fakes.Call {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append(r.process.Calls(), r.calls...)
}

// Gone waits until the process has ended and was reaped.
func (r *Run) Gone(ctx context.Context) error { return r.process.Gone(ctx) }
