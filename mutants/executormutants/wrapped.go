package executormutants

import (
	"context"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// twist says what one instance of a mutant does otherwise. State of the instance
// lives in the closures that it returns.
type twist func(r *right) hooks

// hooks replace parts of the right adapter; nil leaves the part as it is. A hook
// that is given a run is given the right adapter's own handle.
type hooks struct {
	id           func() string
	participant  func() executor.ParticipantKind
	capabilities func(executor.Capabilities) executor.Capabilities
	health       func(ctx context.Context) (executor.Health, error)

	start func(ctx context.Context, o executor.StartOpts) (*executor.Run, error)
	// handle makes the handle that the host gets for an inner one, which then shows
	// what the inner one shows.
	handle func(inner *executor.Run) *executor.Run
	// bind decides instead what the host's handle shows. It is called before each
	// event is handed over, with the number of those before it.
	bind func(outer, inner *executor.Run, before int)

	// events replaces the subscription, what the next three do apart.
	events func(run *executor.Run) executor.Stream
	// rewrite makes what a stream gives in place of each event. The results are
	// numbered anew; one without an envelope gets that of its event.
	rewrite func(run *executor.Run) func(executor.Event) []executor.Event
	// stamp changes the envelope last of all.
	stamp func(run *executor.Run) func(executor.Event) executor.Event
	// stream wraps the stream as a whole.
	stream func(run *executor.Run, in executor.Stream) executor.Stream

	abort        func(ctx context.Context, run *executor.Run) error
	setModel     func(ctx context.Context, run *executor.Run, model string) error
	writeContext func(ctx context.Context, run *executor.Run, key, value string) error
	serialize    func(ctx context.Context, run *executor.Run) (string, error)
	restore      func(ctx context.Context, blob string) (*executor.Run, error)
	dispose      func(ctx context.Context) error
	approve      func(ctx context.Context, run *executor.Run, id string, allow bool) error

	// hear changes how a frame of the runtime is understood.
	hear func(session string, f fakes.Frame) []fakes.Frame
	// calls changes what arrives at the runtime.
	calls func(calls []fakes.Call) []fakes.Call
	// begun changes what arrives at the runtime with a start.
	begun func(fakes.Call) fakes.Call
	// fault plays a fault of a run in the runtime's place, if it returns true.
	fault func(kind fakes.FaultKind) bool
	// close releases what the hooks made.
	close func(ctx context.Context) error
}

// wrapped is the right adapter with hooks.
type wrapped struct {
	right *right
	hooks hooks
}

var (
	_ executor.Adapter      = (*wrapped)(nil)
	_ executor.SessionCodec = (*wrapped)(nil)
	_ executor.Disposer     = (*wrapped)(nil)
	_ executor.Approver     = (*wrapped)(nil)
)

func (w *wrapped) ID() string {
	if w.hooks.id != nil {
		return w.hooks.id()
	}
	return w.right.adapter.ID()
}

func (w *wrapped) ParticipantKind() executor.ParticipantKind {
	if w.hooks.participant != nil {
		return w.hooks.participant()
	}
	return w.right.adapter.ParticipantKind()
}

func (w *wrapped) Capabilities() executor.Capabilities {
	c := w.right.adapter.Capabilities()
	if w.hooks.capabilities != nil {
		return w.hooks.capabilities(c)
	}
	return c
}

func (w *wrapped) Health(ctx context.Context) (executor.Health, error) {
	if w.hooks.health != nil {
		return w.hooks.health(ctx)
	}
	return w.right.adapter.Health(ctx)
}

func (w *wrapped) Start(ctx context.Context, task executor.TaskHandle, o executor.StartOpts) (*executor.Run, error) {
	var inner *executor.Run
	var err error
	if w.hooks.start != nil {
		inner, err = w.hooks.start(ctx, o)
	} else {
		inner, err = w.right.adapter.Start(ctx, task, o)
	}
	if err != nil || inner == nil {
		return inner, err
	}
	outer := inner
	switch {
	case w.hooks.handle != nil:
		outer = w.hooks.handle(inner)
	case w.hooks.bind != nil:
		outer = executor.NewRun(inner.AdapterID(), inner.SessionKey())
	}
	w.right.know(outer, inner)
	return outer, nil
}

func (w *wrapped) Events(run *executor.Run) executor.Stream {
	inner := w.right.of(run)
	var in executor.Stream
	if w.hooks.events != nil {
		in = w.hooks.events(inner)
	} else {
		in = w.right.adapter.Events(inner)
	}
	s := &rewriter{in: in, lock: make(chan struct{}, 1)}
	if w.hooks.rewrite != nil {
		s.change = w.hooks.rewrite(inner)
	}
	if w.hooks.stamp != nil {
		s.stamp = w.hooks.stamp(inner)
	}
	switch {
	case w.hooks.bind != nil:
		s.before = func(n int) { w.hooks.bind(run, inner, n) }
	case run != inner:
		s.before = func(int) {
			if id, bound := inner.ID(); bound {
				run.Bind(id)
			}
		}
	}
	if s.change != nil || s.stamp != nil || s.before != nil {
		in = s
	}
	if w.hooks.stream != nil {
		in = w.hooks.stream(inner, in)
	}
	return in
}

func (w *wrapped) Abort(ctx context.Context, run *executor.Run) error {
	if w.hooks.abort != nil {
		return w.hooks.abort(ctx, w.right.of(run))
	}
	return w.right.adapter.Abort(ctx, w.right.of(run))
}

func (w *wrapped) SetModel(ctx context.Context, run *executor.Run, model string) error {
	if w.hooks.setModel != nil {
		return w.hooks.setModel(ctx, w.right.of(run), model)
	}
	return w.right.adapter.SetModel(ctx, w.right.of(run), model)
}

func (w *wrapped) WriteContext(ctx context.Context, run *executor.Run, key, value string) error {
	if w.hooks.writeContext != nil {
		return w.hooks.writeContext(ctx, w.right.of(run), key, value)
	}
	return w.right.adapter.WriteContext(ctx, w.right.of(run), key, value)
}

func (w *wrapped) Serialize(ctx context.Context, run *executor.Run) (string, error) {
	if w.hooks.serialize != nil {
		return w.hooks.serialize(ctx, w.right.of(run))
	}
	return w.right.adapter.Serialize(ctx, w.right.of(run))
}

func (w *wrapped) Restore(ctx context.Context, blob string) (*executor.Run, error) {
	if w.hooks.restore != nil {
		return w.hooks.restore(ctx, blob)
	}
	return w.right.adapter.Restore(ctx, blob)
}

func (w *wrapped) Dispose(ctx context.Context) error {
	if w.hooks.dispose != nil {
		return w.hooks.dispose(ctx)
	}
	return w.right.adapter.Dispose(ctx)
}

func (w *wrapped) Approve(ctx context.Context, run *executor.Run, id string, allow bool) error {
	if w.hooks.approve != nil {
		return w.hooks.approve(ctx, w.right.of(run), id, allow)
	}
	return w.right.adapter.Approve(ctx, w.right.of(run), id, allow)
}
