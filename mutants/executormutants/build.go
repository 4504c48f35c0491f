package executormutants

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/adaptercheck/adaptercheck/adapters/memory"
	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
	fake "github.com/adaptercheck/adaptercheck/fakes/memory"
	"github.com/adaptercheck/adaptercheck/subjects"
)

// right is what a mutant is made of: the right adapter and the runtime beneath it.
type right struct {
	adapter *memory.Adapter
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
	rc.subject.Executor = func(context.Context, fakes.Endpoint) (*check.ExecutorInstance, error) {
		runtime := fake.New()
		r := &right{
			adapter: memory.New(runtime, rc.options), runtime: runtime, tap: &tap{Runtime: runtime},
			closed: make(chan struct{}), inner: map[*executor.Run]*executor.Run{},
		}
		w := &wrapped{right: r}
		if t != nil {
			w.hooks = t(r)
		}
		r.tap.hear = w.hooks.hear
		r.tap.calls = w.hooks.calls
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
