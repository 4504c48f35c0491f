package executormutants

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/adaptercheck/adaptercheck/adapters/memory"
	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
	fake "github.com/adaptercheck/adaptercheck/fakes/memory"
	"github.com/adaptercheck/adaptercheck/subjects"
)

// base is a right adapter with all its parts.
type base interface {
	executor.Adapter
	executor.SessionCodec
	executor.Disposer
	executor.Approver
}

// unasking is base without the part for questions.
type unasking interface {
	executor.Adapter
	executor.SessionCodec
	executor.Disposer
}

// asksNobody is the approver of an adapter whose runtime asks nothing.
type asksNobody struct{}

// Approve says that there is nothing to approve.
func (asksNobody) Approve(context.Context, *executor.Run, string, bool) error {
	return errors.ErrUnsupported
}

// right is what a mutant is made of: the right adapter and the runtime beneath it.
type right struct {
	adapter base
	// runtime is nil for an adapter whose runtime is a process.
	runtime *fake.Runtime
	tap     *tap
	// closed is closed when the instance is released: what a mutant blocks on
	// without a context ends then.
	closed chan struct{}
	// watch are the mutant's own goroutines; the end of their runs ends them.
	watch sync.WaitGroup

	mu    sync.Mutex
	inner map[*executor.Run]*executor.Run // what the host holds, to what the right adapter knows
	order []*executor.Run                 // inner handles, in order of their start
}

// runs are the inner handles of every run so far.
func (r *right) runs() []*executor.Run {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]*executor.Run(nil), r.order...)
}

// of is the inner handle behind the host's.
func (r *right) of(run *executor.Run) *executor.Run {
	r.mu.Lock()
	defer r.mu.Unlock()
	if in := r.inner[run]; in != nil {
		return in
	}
	return run
}

func (r *right) know(outer, inner *executor.Run) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.inner[outer] = inner
	r.order = append(r.order, inner)
}

// subject makes the subject of a twisted adapter.
func subject(name string, t twist, changes ...change) check.Subject {
	const grace = 100 * time.Millisecond
	rc := &recipe{subject: subjects.Memory(), options: memory.Options{Grace: grace, Approval: grace}, codec: true, disposer: true}
	rc.subject.Name = name
	for _, c := range changes {
		c(rc)
	}
	own := rc.subject
	rc.subject.Runtime = nil // the tap takes its place
	rc.subject.Executor = func(ctx context.Context, _ fakes.Endpoint) (*check.ExecutorInstance, error) {
		r := &right{closed: make(chan struct{}), inner: map[*executor.Run]*executor.Run{}}
		if own.Runtime == nil {
			r.runtime = fake.New()
			r.adapter, r.tap = memory.New(r.runtime, rc.options), &tap{Runtime: r.runtime}
		} else if err := r.over(ctx, own); err != nil {
			return nil, err
		}
		w := &wrapped{right: r}
		if t != nil {
			w.hooks = t(r)
		}
		r.tap.hear = w.hooks.hear
		r.tap.calls, r.tap.begun, r.tap.fault = w.hooks.calls, w.hooks.begun, w.hooks.fault
		var closing sync.Once
		return &check.ExecutorInstance{
			Adapter: w.parts(rc),
			Runtime: r.tap,
			Close: func(ctx context.Context) error {
				closing.Do(func() { close(r.closed) })
				var own error
				if w.hooks.close != nil {
					own = w.hooks.close(ctx)
				}
				own = errors.Join(own, r.adapter.Dispose(ctx))
				if own == nil {
					r.watch.Wait()
				}
				return own
			},
		}, nil
	}
	return rc.subject
}

// over builds the adapter of a subject in wire mode, over that subject's own fake.
func (r *right) over(ctx context.Context, s check.Subject) error {
	runtime, err := s.Runtime(ctx, check.RuntimeOptions{})
	if err != nil {
		return err
	}
	made, err := s.Executor(ctx, runtime.Endpoint())
	if err != nil {
		return errors.Join(err, runtime.Close())
	}
	r.tap = &tap{Runtime: runtime}
	switch a := made.Adapter.(type) {
	case base:
		r.adapter = a
	case unasking:
		r.adapter = struct {
			unasking
			asksNobody
		}{a, asksNobody{}}
	default:
		return errors.Join(fmt.Errorf("subject %s: the adapter has no codec or no dispose", s.Name), runtime.Close())
	}
	return nil
}

// parts leaves out the optional parts that the recipe does not want.
func (w *wrapped) parts(rc *recipe) executor.Adapter {
	type bare struct {
		executor.Adapter
		executor.Approver
	}
	b := bare{w, w.right.adapter}
	switch {
	case rc.codec && rc.disposer:
		return w
	case rc.codec:
		return struct {
			bare
			executor.SessionCodec
		}{b, w}
	case rc.disposer:
		return struct {
			bare
			executor.Disposer
		}{b, w}
	default:
		return b
	}
}
