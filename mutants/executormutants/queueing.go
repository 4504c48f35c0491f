package executormutants

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/adaptercheck/adaptercheck/adapters/memory"
	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
	fake "github.com/adaptercheck/adaptercheck/fakes/memory"
	"github.com/adaptercheck/adaptercheck/subjects"
)

// queueing is the subject of an adapter that queues a second start.
func queueing() check.Subject { return queueingBadly("executor-right-queues", badQueue{}) }

// badQueue says what a queueing adapter does wrong with a run that waits.
type badQueue struct {
	deaf, hangs, fails bool            // what an abort does
	undone             bool            // an aborted run has no done
	reason             executor.Reason // why an aborted run ended; empty is aborted
	zombie             bool            // an aborted run begins all the same
	last               bool            // an abort silences the session's live run
}

// queueingBadly is the subject with something wrong.
func queueingBadly(name string, bad badQueue) check.Subject {
	const grace = 100 * time.Millisecond
	s := subjects.Memory()
	s.Name = name
	s.Declares.SecondStart = check.Queues
	s.Executor = func(context.Context, fakes.Endpoint) (*check.ExecutorInstance, error) {
		runtime := fake.New()
		a := &queuer{Adapter: memory.New(runtime, memory.Options{Grace: grace, Approval: grace}), queued: map[*executor.Run]*queuedRun{}, bad: bad}
		return &check.ExecutorInstance{Adapter: a, Runtime: runtime, Close: a.Dispose}, nil
	}
	return s
}

// queuer is the memory adapter with a queue before each session.
type queuer struct {
	*memory.Adapter
	bad badQueue

	mu       sync.Mutex
	queued   map[*executor.Run]*queuedRun // by the host's handle
	silenced bool
	zombies  []*executor.Run
	waiting  sync.WaitGroup
}

// queuedRun is a run that waits for its session, and what became of it.
type queuedRun struct {
	cancel  context.CancelFunc
	settled chan struct{} // closed when inner or failed is set
	inner   *executor.Run
	failed  executor.Reason // why it never began
}

// Start begins the run, or queues it behind the session's live one.
func (a *queuer) Start(ctx context.Context, task executor.TaskHandle, o executor.StartOpts) (*executor.Run, error) {
	inner, err := a.Adapter.Start(ctx, task, o)
	if !errors.Is(err, executor.ErrBusy) {
		return inner, err
	}
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	outer := executor.NewRun(memory.ID, o.SessionKey)
	q := &queuedRun{cancel: cancel, settled: make(chan struct{})}
	a.mu.Lock()
	a.queued[outer] = q
	a.mu.Unlock()
	a.waiting.Go(func() { a.wait(life, q, task, o) })
	return outer, nil
}

// wait starts the run as soon as the session is free.
func (a *queuer) wait(ctx context.Context, q *queuedRun, task executor.TaskHandle, o executor.StartOpts) {
	defer close(q.settled)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		inner, err := a.Adapter.Start(ctx, task, o)
		switch {
		case err == nil:
			q.inner = inner
			return
		case ctx.Err() != nil:
			q.failed = executor.ReasonAborted
			if a.bad.reason != "" {
				q.failed = a.bad.reason
			}
			return
		case !errors.Is(err, executor.ErrBusy):
			q.failed = executor.ReasonError
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}

func (a *queuer) find(run *executor.Run) *queuedRun {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.queued[run]
}

// Events subscribes to a run that may not have begun. What it says at first is
// kept for its first observer.
func (a *queuer) Events(run *executor.Run) executor.Stream {
	q := a.find(run)
	if q == nil {
		return a.live(a.Adapter.Events(run))
	}
	return &queuedStream{adapter: a, run: run, q: q, closed: make(chan struct{})}
}

// live is the stream of a run that did not wait.
func (a *queuer) live(in executor.Stream) executor.Stream {
	switch {
	case a.bad.zombie:
		return streamFuncs{Stream: in, next: func(ctx context.Context) (executor.Event, error) {
			e, err := in.Next(ctx)
			if err == nil && e.Kind() == executor.KindDone {
				a.rise(ctx)
			}
			return e, err
		}}
	case !a.bad.last:
		return in
	}
	return streamFuncs{Stream: in, next: func(ctx context.Context) (executor.Event, error) {
		for {
			e, err := in.Next(ctx)
			a.mu.Lock()
			silent := a.silenced
			a.mu.Unlock()
			if err != nil || !silent {
				return e, err
			}
		}
	}}
}

// Abort takes a run out of the queue, or cancels it if it has begun.
func (a *queuer) Abort(ctx context.Context, run *executor.Run) error {
	q := a.find(run)
	if q == nil {
		return a.Adapter.Abort(ctx, run)
	}
	switch {
	case a.bad.deaf:
		return nil
	case a.bad.hangs:
		<-ctx.Done()
		return ctx.Err()
	}
	if a.bad.last {
		a.mu.Lock()
		a.silenced = true
		a.mu.Unlock()
	}
	q.cancel()
	if a.bad.zombie {
		<-q.settled
		a.mu.Lock()
		defer a.mu.Unlock()
		a.zombies = append(a.zombies, run)
		return nil
	}
	select {
	case <-q.settled:
	case <-ctx.Done():
		return ctx.Err()
	}
	if a.bad.fails {
		return errors.New("abort: not started yet")
	}
	if q.inner == nil {
		return nil
	}
	return a.Adapter.Abort(ctx, q.inner)
}

// rise starts the runs that were aborted, as the session is free.
func (a *queuer) rise(ctx context.Context) {
	a.mu.Lock()
	zombies := a.zombies
	a.zombies = nil
	a.mu.Unlock()
	for _, run := range zombies {
		_, _ = a.Adapter.Start(ctx, executor.TaskHandle{}, executor.StartOpts{SessionKey: run.SessionKey()})
	}
}

// Dispose empties the queue and ends what is live.
func (a *queuer) Dispose(ctx context.Context) error {
	a.mu.Lock()
	for _, q := range a.queued {
		q.cancel()
	}
	a.mu.Unlock()
	a.waiting.Wait() // each gives up at once
	return a.Adapter.Dispose(ctx)
}

// queuedStream is the stream of a queued run.
type queuedStream struct {
	adapter *queuer
	run     *executor.Run
	q       *queuedRun

	mu      sync.Mutex
	in      executor.Stream
	over    bool
	closing sync.Once
	closed  chan struct{}
}

// Next waits for the run to begin, and then for its events.
func (s *queuedStream) Next(ctx context.Context) (executor.Event, error) {
	select {
	case <-s.q.settled:
	case <-s.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	in := s.begun()
	if in == nil {
		return s.never()
	}
	e, err := in.Next(ctx)
	if err == nil {
		s.run.Bind(e.Head().RunID)
	}
	return e, err
}

// begun is the stream of the run beneath, or nil if it never began.
func (s *queuedStream) begun() executor.Stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.q.inner != nil && s.in == nil {
		s.in = s.adapter.Adapter.Events(s.q.inner)
	}
	return s.in
}

// never is the done of a run that never began.
func (s *queuedStream) never() (executor.Event, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over || s.adapter.bad.undone {
		return nil, io.EOF
	}
	s.over = true
	head := executor.Envelope{RunID: "run-never-begun", TS: time.Now().UnixMilli(), Seq: 1}
	s.run.Bind(head.RunID)
	return executor.Done{Envelope: head, Reason: s.q.failed}, nil
}

// Close gives up the subscription.
func (s *queuedStream) Close() error {
	s.closing.Do(func() { close(s.closed) })
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	if s.in != nil {
		return s.in.Close()
	}
	return nil
}
