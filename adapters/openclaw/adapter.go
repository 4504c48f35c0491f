package openclaw

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"weak"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// ID is the adapter's id.
const ID = "openclaw"

// Adapter drives an OpenClaw gateway. Make one with [New].
type Adapter struct {
	options Options
	link    *link
	blocks  blocklist

	mu       sync.Mutex
	disposed bool
	sessions map[string]*session
	// handles lead to what they stand for as long as their owner holds them; the key does
	// not keep them alive.
	handles   map[weak.Pointer[executor.Run]]handle
	live      map[*run]struct{}
	routes    map[string]*run // by run id
	returning bool            // after a loss
	runs      sync.WaitGroup  // that are live, or not all over
	busy      sync.WaitGroup  // starts under way, and requests of runs
}

var (
	_ executor.Adapter      = (*Adapter)(nil)
	_ executor.SessionCodec = (*Adapter)(nil)
	_ executor.Disposer     = (*Adapter)(nil)
	_ executor.Approver     = (*Adapter)(nil)
)

// New returns an adapter. It connects to nothing and touches nothing; options that
// cannot be used are an error of Start.
func New(o Options) *Adapter {
	a := &Adapter{
		options: o.withDefaults(), sessions: map[string]*session{}, handles: map[weak.Pointer[executor.Run]]handle{},
		live: map[*run]struct{}{}, routes: map[string]*run{},
		blocks: blocklist{runs: map[string]int{}},
	}
	a.link = newLink(&a.options, a)
	return a
}

// ID is "openclaw".
func (*Adapter) ID() string { return ID }

// ParticipantKind is Agent.
func (*Adapter) ParticipantKind() executor.ParticipantKind { return executor.Agent }

// Capabilities tells what the gateway's wire can do.
func (*Adapter) Capabilities() executor.Capabilities {
	return executor.Capabilities{
		Streaming: true, Resume: true, ToolApproval: true, Models: []string{},
		RuntimeClass: executor.ConnectedSubstrate, NativeSkills: executor.Preserve, NativeMemory: executor.Preserve,
		NativeChannels: executor.GatewayChannels, NativeScheduler: true,
	}
}

// Start sends the message to the session, as a run of its own. The prompt is what
// WriteContext left for this run, the context of opts and the message, parted by blank
// lines. The model is that of opts, else the one of SetModel. It returns when the
// gateway has acknowledged the message, or has said something of the run. A session
// with a live run is executor.ErrBusy; a refusal of the gateway is a [*GatewayError],
// and leaves the session as it was.
func (a *Adapter) Start(ctx context.Context, _ executor.TaskHandle, opts executor.StartOpts) (*executor.Run, error) {
	run, err := a.start(ctx, opts)
	if err != nil {
		return nil, fmt.Errorf("start run: %w", err)
	}
	return run, nil
}

// Events gives the run from its start to the first observer, and to later ones while
// the run is live; then the later runs of its session, until the consumer closes the
// stream. An unknown handle and a restored one give an ended stream.
func (a *Adapter) Events(run *executor.Run) executor.Stream {
	known, err := a.lookup(run)
	if err != nil || known.run == nil {
		return executor.Ended{}
	}
	return known.run.chapter.Subscribe(run)
}

// Abort asks the gateway to stop the run. It returns when the gateway has answered, and
// an error where it could not be asked or would not; the run ends in any case, after
// Options.Grace at the latest.
func (a *Adapter) Abort(ctx context.Context, run *executor.Run) error {
	known, err := a.lookup(run)
	if err == nil && known.run != nil {
		err = known.run.abort(ctx)
	}
	if err != nil {
		return fmt.Errorf("abort: %w", err)
	}
	return nil
}

// Approve answers the question of that id, which a status event of the run has asked.
// [ErrNoQuestion] says that it is not open: the answer allows nothing.
func (a *Adapter) Approve(ctx context.Context, run *executor.Run, id string, allow bool) error {
	known, err := a.lookup(run)
	switch {
	case err != nil:
	case known.run == nil:
		err = ErrNoQuestion
	default:
		err = known.run.answer(ctx, id, allow)
	}
	if err != nil {
		return fmt.Errorf("approve: %w", err)
	}
	return nil
}

// Health asks the gateway how it is, over the connection that the runs have. The error
// is always nil; the message is one of a closed set.
func (a *Adapter) Health(ctx context.Context) (executor.Health, error) {
	if a.options.check() != nil {
		return executor.Health{Message: "the adapter's options cannot be used"}, nil
	}
	inner, cancel := context.WithTimeout(ctx, a.options.HealthTimeout*3/4)
	defer cancel()
	c, err := a.link.get(inner)
	var payload jsontext.Value
	if err == nil {
		payload, err = c.call(inner, "health", struct{}{}, 0)
	}
	var h struct {
		OK flag `json:"ok"`
	}
	read(payload, &h)
	var refused *GatewayError
	switch {
	case errors.As(err, &refused):
		return executor.Health{Message: "the gateway refuses this host"}, nil
	case ctx.Err() != nil:
		return executor.Health{Message: "the health check was cancelled"}, nil
	case inner.Err() != nil:
		return executor.Health{Message: "the gateway did not answer in time"}, nil
	case err != nil:
		return executor.Health{Message: "the gateway cannot be reached"}, nil
	case !bool(h.OK):
		return executor.Health{Message: "the gateway is not well"}, nil
	}
	return executor.Health{OK: true}, nil
}

// Dispose aborts every live run, ends every stream, and closes the connection. Live
// runs get their done(aborted) first.
func (a *Adapter) Dispose(ctx context.Context) error {
	a.mu.Lock()
	a.disposed = true
	live := make([]*run, 0, len(a.live))
	for r := range a.live {
		live = append(live, r)
	}
	a.mu.Unlock()
	var aborts sync.WaitGroup
	for _, r := range live {
		aborts.Go(func() { _ = r.abort(ctx) }) // its grace ends the run in any case
	}
	idle := make(chan struct{})
	go func() {
		defer close(idle)
		a.runs.Wait() // bounded: every run has been told to end
		a.link.close()
		aborts.Wait()
		a.busy.Wait()
		a.mu.Lock()
		defer a.mu.Unlock()
		for _, s := range a.sessions {
			s.feed.Shut()
		}
	}()
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("dispose: %w", ctx.Err())
	}
}
