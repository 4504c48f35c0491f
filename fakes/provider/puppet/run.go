package puppet

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/provider"
)

// thread is what the runs of one conversation have in common. Who plays one of them has it,
// but for its name: that of the run which began it, and never another.
type thread struct {
	name string

	in, out, cacheRead, cacheWrite int64 // told so far
	ids                            map[string]bool
}

// Run is one conversation, as its provider sees it.
type Run struct {
	runtime *Runtime
	session string
	resume  string
	model   string
	first   request
	thread  *thread

	turn chan struct{} // held by who plays the run
	script

	mu       sync.Mutex
	changed  chan struct{} // closed and replaced when something below changes
	call     *provider.Call
	open     int // requests whose exchange is not over
	asked    int // requests so far
	refused  int // of them, with a status
	last     request
	ended    bool // it was said how the run ends, or the runtime gave it up
	silenced bool
	question string
	tools    map[string]*pending // by the id on the wire
	calling  int                 // tools that wait
	calls    []fakes.Call
}

// pending is a call that the model made.
type pending struct {
	result *fakes.Result
	done   chan struct{} // closed when there is one
}

var _ fakes.Run = (*Run)(nil)

func newRun(rt *Runtime, session string, first request, model string) *Run {
	return &Run{
		runtime: rt, session: session, model: model, first: first, turn: make(chan struct{}, 1), changed: make(chan struct{}),
		tools: map[string]*pending{}, script: script{wire: map[string]string{}},
	}
}

// Begun tells what the first request asked: all that the user said, the model, the name of
// the run that began the conversation as Session, and the same as Resume where that was an
// earlier one.
func (r *Run) Begun() fakes.Call {
	return fakes.Call{Method: fakes.MethodStart, Session: r.thread.name, Message: r.first.prompt(), Model: r.model, Resume: r.resume}
}

// Calls returns what arrived since: that the runtime gave an answer up, further input,
// another model, answers to questions, tools that were called.
func (r *Run) Calls() []fakes.Call {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.calls)
}

// Gone waits until the run has its end, and no request and no tool of it waits.
func (r *Run) Gone(ctx context.Context) error {
	return r.wait(ctx, func() bool { return r.ended && r.open == 0 && r.calling == 0 })
}

// Fault makes the run misbehave: silent (nothing more is said), deaf and hold (as a
// provider is: it has no say in an abort), cut (the answer breaks off).
func (r *Run) Fault(ctx context.Context, f fakes.Fault) error {
	switch f.Kind {
	case fakes.FaultSilent:
		r.mu.Lock()
		defer r.mu.Unlock()
		r.silenced = true
	case fakes.FaultDeaf, fakes.FaultHold:
	case fakes.FaultCut:
		_, err := r.Emit(ctx, fakes.Cut{})
		return err
	default:
		return unplayable("fault %q of a run", f.Kind)
	}
	return nil
}

func unplayable(format string, args ...any) error {
	return fmt.Errorf("provider puppet: %s: %w", fmt.Sprintf(format, args...), fakes.ErrUnplayable)
}

// announce wakes who waits for a change. The lock is held.
func (r *Run) announce() {
	close(r.changed)
	r.changed = make(chan struct{})
}

// wait waits for a condition on what the lock guards.
func (r *Run) wait(ctx context.Context, holds func() bool) error {
	for {
		r.mu.Lock()
		is, changed := holds(), r.changed
		r.mu.Unlock()
		if is {
			return nil
		}
		select {
		case <-changed:
		case <-r.runtime.life.Done():
			return fakes.ErrClosed
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (r *Run) asking() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.open > 0
}

func (r *Run) conversation() []jsontext.Value {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last.messages
}

// ask takes a request, and reports whether it is the run's first.
func (r *Run) ask(c *provider.Call, q request) (fresh bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	x := c.Exchange()
	r.asked++
	r.open++
	fresh = r.asked == 1
	if !fresh {
		for _, said := range q.said[min(len(r.last.said), len(q.said)):] {
			r.calls = append(r.calls, fakes.Call{Method: fakes.MethodInput, Session: r.thread.name, Value: said})
		}
		if x.Model != r.model {
			r.model = x.Model
			r.calls = append(r.calls, fakes.Call{Method: fakes.MethodSetModel, Session: r.thread.name, Model: x.Model})
		}
	}
	if r.question != "" { // the call would have been made by now
		r.calls = append(r.calls, fakes.Call{Method: fakes.MethodAnswer, Session: r.thread.name, Question: r.question})
		r.question = ""
	}
	r.last = q
	if r.ended { // it was told more, and has its end already
		r.runtime.served.Go(func() { _, _ = c.Emit(r.runtime.life, fakes.End{Reason: fakes.EndOK}) })
	} else {
		r.call = c
	}
	r.announce()
	return fresh
}

// follow notes the end of a request, and that the runtime gave it up before it was
// answered.
func (r *Run) follow(c *provider.Call) {
	_ = c.Gone(r.runtime.life)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open--
	if r.call == c {
		r.call = nil
		r.cancelled()
	}
	r.announce()
}

// cancelled notes that the runtime gave the run up. The lock is held.
func (r *Run) cancelled() {
	if !r.ended {
		r.ended = true
		r.calls = append(r.calls, fakes.Call{Method: fakes.MethodCancel, Session: r.thread.name})
	}
}
