package memory

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes/memory"
	"github.com/adaptercheck/adaptercheck/internal/observe"
)

// ID is the adapter's id.
const ID = "memory"

// Options are the adapter's clocks. Zero fields have defaults.
type Options struct {
	// Grace is how long a cancelled run may take to end before the adapter ends
	// it; 0 means three seconds.
	Grace time.Duration
	// Approval is how long a question waits for an answer before it is denied; 0
	// means one minute.
	Approval time.Duration
	// Health bounds a health check; 0 means one second.
	Health time.Duration
	// HoldBack is how long what a runtime says before it names the run waits for
	// that name; 0 means a tenth of a second. After it the adapter makes a name.
	HoldBack time.Duration
	// QueueMax is how many text deltas and status events are held for an observer
	// that falls behind; 0 means 1000. See executor.QueueOptions.
	QueueMax int
	// Request is how long a start waits for the runtime to take it; 0 means ten seconds.
	Request time.Duration
	// Connected makes the adapter one of a connected substrate: a stream goes on over the
	// runs of its session until its consumer closes it, and a connection that is lost is
	// made again.
	Connected bool
	// Reconnect is how long a connected run waits for its connection to come back before
	// it fails; 0 means ten seconds.
	Reconnect time.Duration
}

// Adapter drives the runtime of fakes/memory.
type Adapter struct {
	runtime *memory.Runtime
	opts    Options

	mu       sync.Mutex
	sessions map[string]*session
	// runs are those that are live and those that nobody has observed yet.
	runs     map[*executor.Run]*liveRun
	disposed bool
	live     sync.WaitGroup
}

// session is what outlives a run.
type session struct {
	feed    *observe.Session // nil where each run has a feed of its own
	native  string           // native session id
	model   string           // asked for by SetModel
	totals  totals
	current *liveRun
}

var (
	_ executor.Adapter      = (*Adapter)(nil)
	_ executor.SessionCodec = (*Adapter)(nil)
	_ executor.Disposer     = (*Adapter)(nil)
	_ executor.Approver     = (*Adapter)(nil)
)

// New returns an adapter for the runtime. It opens nothing.
func New(runtime *memory.Runtime, o Options) *Adapter {
	if o.Grace == 0 {
		o.Grace = 3 * time.Second
	}
	if o.Approval == 0 {
		o.Approval = time.Minute
	}
	if o.Health == 0 {
		o.Health = time.Second
	}
	if o.HoldBack == 0 {
		o.HoldBack = 100 * time.Millisecond
	}
	if o.Request == 0 {
		o.Request = 10 * time.Second
	}
	if o.Reconnect == 0 {
		o.Reconnect = 10 * time.Second
	}
	return &Adapter{runtime: runtime, opts: o, sessions: map[string]*session{}, runs: map[*executor.Run]*liveRun{}}
}

// ID returns "memory".
func (*Adapter) ID() string { return ID }

// ParticipantKind returns Agent.
func (*Adapter) ParticipantKind() executor.ParticipantKind { return executor.Agent }

// Capabilities returns what the memory wire can do.
func (a *Adapter) Capabilities() executor.Capabilities {
	c := executor.Capabilities{
		Streaming: true, Resume: true, ToolApproval: true, Steerable: true,
		Models: []string{"memory-small", "memory-large"}, ContextWindowTokens: 200_000,
		RuntimeClass: executor.Native,
	}
	if a.opts.Connected {
		c.RuntimeClass = executor.ConnectedSubstrate
	}
	return c
}

// Health asks the runtime, for the health budget at most.
func (a *Adapter) Health(ctx context.Context) (executor.Health, error) {
	ctx, cancel := context.WithTimeout(ctx, a.opts.Health)
	defer cancel()
	if err := a.runtime.Ping(ctx); err != nil {
		return executor.Health{Message: "the runtime cannot be reached"}, nil
	}
	return executor.Health{OK: true}, nil
}

// Start opens a run. A session with a live run refuses a second one.
func (a *Adapter) Start(ctx context.Context, _ executor.TaskHandle, o executor.StartOpts) (*executor.Run, error) {
	a.mu.Lock()
	if a.disposed {
		a.mu.Unlock()
		return nil, executor.ErrDisposed
	}
	s := a.session(o.SessionKey)
	if s.current != nil {
		a.mu.Unlock()
		return nil, executor.ErrBusy
	}
	run := executor.NewRun(ID, o.SessionKey)
	live := &liveRun{
		adapter: a, session: s, handle: run, feed: a.feed(s, run), mapper: newMapper(newRunID(), s.totals), asks: map[string]*time.Timer{}, ended: make(chan struct{}),
	}
	s.current = live // the session is taken from here on, also while Open waits
	request := memory.Request{Session: o.SessionKey, Message: o.Message, Model: o.Model, Agent: o.AgentID, Resume: s.native, Blocklist: o.ChildToolBlocklist}
	if request.Model == "" {
		request.Model = s.model
	}
	a.mu.Unlock()
	if o.Context != "" {
		request.Message = o.Context + "\n\n" + o.Message
	}

	bounded, cancel := context.WithTimeout(ctx, a.opts.Request)
	defer cancel()
	conn, err := a.runtime.Open(bounded, request)
	a.mu.Lock()
	defer a.mu.Unlock()
	if err != nil {
		s.current = nil
		return nil, fmt.Errorf("start on the memory runtime: %w", err)
	}
	live.conn = conn
	a.runs[run] = live
	a.live.Go(live.pump)
	if a.disposed {
		a.live.Go(func() { _ = live.abort(context.WithoutCancel(ctx)) })
	}
	if chapter, is := live.feed.(*observe.Chapter); is {
		chapter.Reveal()
	}
	return run, nil
}

// session is the session of that key, a new one if there is none. The lock is held.
func (a *Adapter) session(key string) *session {
	s := a.sessions[key]
	if s == nil {
		s = &session{}
		if a.opts.Connected {
			s.feed = observe.NewSession(observe.Options{QueueMax: a.opts.QueueMax})
		}
		a.sessions[key] = s
	}
	return s
}

// feed is what a run's observers are given: what is left of its session, where that is
// connected, else the run.
func (a *Adapter) feed(s *session, run *executor.Run) feed {
	if s.feed != nil {
		return s.feed.Begin(run)
	}
	return observe.New(run, observe.Options{QueueMax: a.opts.QueueMax})
}

// feed gives the events of a run to its observers.
type feed interface {
	Publish(events ...executor.Event)
	Subscribe(handle *executor.Run) executor.Stream
	End()
	Observed() bool
}

var (
	_ feed = (*observe.Feed)(nil)
	_ feed = (*observe.Chapter)(nil)
)

// newRunID makes the id of a run that the runtime does not name.
func newRunID() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return "run-" + hex.EncodeToString(b[:])
}

func (a *Adapter) find(run *executor.Run) *liveRun {
	if run == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.runs[run]
}

// Events subscribes to the run. A handle that is not live here ends at once.
func (a *Adapter) Events(run *executor.Run) executor.Stream {
	live := a.find(run)
	if live == nil {
		return executor.Ended{}
	}
	stream := live.feed.Subscribe(run)
	select {
	case <-live.ended: // this was its first and last observer
		a.forget(run)
	default:
	}
	return stream
}

func (a *Adapter) forget(run *executor.Run) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.runs, run)
}

// Abort cancels the run if it is live.
func (a *Adapter) Abort(ctx context.Context, run *executor.Run) error {
	live := a.find(run)
	if live == nil {
		return a.known(run)
	}
	return live.abort(ctx)
}

// SetModel asks for a model in the live run and in the session's later ones.
func (a *Adapter) SetModel(ctx context.Context, run *executor.Run, model string) error {
	if err := a.known(run); err != nil {
		return err
	}
	a.mu.Lock()
	a.sessions[run.SessionKey()].model = model
	a.mu.Unlock()
	if err := a.runtime.SetModel(ctx, run.SessionKey(), model); err != nil {
		return fmt.Errorf("set model: %w", err)
	}
	return nil
}

// errKey refuses a context key that would leave its place.
var errKey = errors.New("write context: the key leaves the context directory")

// WriteContext gives the session's runtime a piece of context.
func (a *Adapter) WriteContext(ctx context.Context, run *executor.Run, key, value string) error {
	if err := a.known(run); err != nil {
		return err
	}
	if !filepath.IsLocal(key) || strings.ContainsAny(key, "\\\x00") {
		return errKey
	}
	if err := a.runtime.WriteContext(ctx, run.SessionKey(), key, value); err != nil {
		return fmt.Errorf("write context: %w", err)
	}
	return nil
}

// known returns an error for a handle of a session that this adapter never had.
func (a *Adapter) known(run *executor.Run) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if run == nil || a.sessions[run.SessionKey()] == nil {
		return executor.ErrUnknownRun
	}
	return nil
}

// Approve answers a question of the live run, once.
func (a *Adapter) Approve(ctx context.Context, run *executor.Run, id string, allow bool) error {
	live := a.find(run)
	if live == nil {
		return executor.ErrUnknownRun
	}
	return live.answer(ctx, id, allow)
}

// Dispose ends every live run, and every stream, and waits for them, as long as ctx
// allows.
func (a *Adapter) Dispose(ctx context.Context) error {
	a.mu.Lock()
	a.disposed = true
	var runs []*liveRun
	for _, live := range a.runs {
		runs = append(runs, live)
	}
	a.mu.Unlock()
	for _, live := range runs {
		_ = live.abort(ctx) // its grace ends the run in any case
	}
	idle := make(chan struct{})
	go func() { a.live.Wait(); close(idle) }()
	select {
	case <-idle:
		a.shut()
		return nil
	case <-ctx.Done():
		return fmt.Errorf("dispose: %w", ctx.Err())
	}
}

// shut ends the streams of connected sessions.
func (a *Adapter) shut() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, s := range a.sessions {
		if s.feed != nil {
			s.feed.Shut()
		}
	}
}
