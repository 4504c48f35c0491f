package memory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// Request is what a client asks when it opens a run.
type Request struct {
	Session   string
	Message   string
	Model     string
	Agent     string
	Resume    string // native session id to continue
	Blocklist []string
}

// ErrDown is what a client gets from a runtime that cannot be reached.
var ErrDown = errors.New("runtime down")

// ErrRefused is what a client gets for a start that the runtime refuses.
var ErrRefused = errors.New("runtime refused the start")

// Runtime is the fake. It implements fakes.Runtime for the suite and has Open,
// Ping, SetModel and WriteContext for the adapter. A run outlives the connection of its
// client, which may come back for it.
type Runtime struct {
	mu       sync.Mutex
	arrivals []*Run
	arrived  chan struct{} // closed and replaced when a run arrives
	latest   map[string]*Run
	conns    map[*Conn]struct{}
	down     bool
	refuse   int
	swallow  bool
	slow     time.Duration
	closed   bool
	done     chan struct{}
	life     atomic.Int64 // rises with each restart
}

// New returns a runtime without runs.
func New() *Runtime {
	return &Runtime{arrived: make(chan struct{}), latest: map[string]*Run{}, conns: map[*Conn]struct{}{}, done: make(chan struct{})}
}

var _ fakes.Runtime = (*Runtime)(nil)

// Endpoint is empty: the wire is a Go value.
func (r *Runtime) Endpoint() fakes.Endpoint { return fakes.Endpoint{} }

// Features lists everything that needs neither a process nor bytes.
func (r *Runtime) Features() fakes.Features {
	return fakes.Features{
		fakes.NativeRunID, fakes.InitFrame, fakes.Deltas, fakes.ReasoningText, fakes.Tools, fakes.PartialInput,
		fakes.UsageFrames, fakes.Money, fakes.MaxTurns, fakes.TokenLimit, fakes.Retract, fakes.TerminalFrame,
		fakes.SecondRun, fakes.Sessions, fakes.StartOptions, fakes.HealthDown, fakes.Refuse, fakes.SilentRun,
		fakes.CutStream, fakes.Approvals, fakes.Steer, fakes.Codec, fakes.Observers, fakes.UnknownFrames,
		fakes.MildErrors, fakes.LiveText, fakes.NativeSession, fakes.Nested, fakes.Connected, fakes.Reconnect,
	}
}

// Next returns the next run that a client opened.
func (r *Runtime) Next(ctx context.Context) (fakes.Run, error) {
	for {
		r.mu.Lock()
		if len(r.arrivals) > 0 {
			run := r.arrivals[0]
			r.arrivals = r.arrivals[1:]
			r.mu.Unlock()
			return run, nil
		}
		arrived, closed := r.arrived, r.closed
		r.mu.Unlock()
		if closed {
			return nil, fakes.ErrClosed
		}
		select {
		case <-arrived:
		case <-r.done:
			return nil, fakes.ErrClosed
		case <-ctx.Done():
			return nil, fmt.Errorf("waiting for a run: %w", ctx.Err())
		}
	}
}

// Fault plays down, up, refuse, slow, drop, restart and swallow. A runtime that is down
// takes no requests; connections that are there go on until they are dropped.
func (r *Runtime) Fault(_ context.Context, f fakes.Fault) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch f.Kind {
	case fakes.FaultDown:
		r.down = true
	case fakes.FaultUp:
		r.down = false
	case fakes.FaultDrop:
		r.drop()
	case fakes.FaultRestart:
		r.life.Add(1)
		r.drop()
	case fakes.FaultSwallow:
		r.swallow = true
	case fakes.FaultRefuse:
		r.refuse++
	case fakes.FaultSlow:
		r.slow = time.Duration(f.Delay) * time.Millisecond
	default:
		return fmt.Errorf("fault %s of a runtime: %w", f.Kind, fakes.ErrUnplayable)
	}
	return nil
}

// drop ends every connection. The lock is held.
func (r *Runtime) drop() {
	for c := range r.conns {
		c.drop()
	}
	clear(r.conns)
}

// Residue counts open connections as subscribers.
func (r *Runtime) Residue() fakes.Residue {
	r.mu.Lock()
	defer r.mu.Unlock()
	return fakes.Residue{Subscribers: len(r.conns)}
}

// Close cuts every connection. It is idempotent.
func (r *Runtime) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil
	}
	r.closed = true
	close(r.done)
	for c := range r.conns {
		c.run.cut()
	}
	return nil
}

// Open starts a run for a client. Where starts are swallowed it waits for ctx.
func (r *Runtime) Open(ctx context.Context, q Request) (*Conn, error) {
	if err := r.reach(ctx); err != nil {
		return nil, err
	}
	conn, err := r.begin(q)
	if conn != nil || err != nil {
		return conn, err
	}
	<-ctx.Done()
	return nil, ctx.Err()
}

// begin starts a run. Without a connection its start is not acknowledged.
func (r *Runtime) begin(q Request) (*Conn, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.refuse > 0 {
		r.refuse--
		return nil, ErrRefused
	}
	run := r.newRun(fakes.Call{
		Method: fakes.MethodStart, Session: q.Session, Message: q.Message, Model: q.Model,
		Agent: q.Agent, Resume: q.Resume, Blocklist: slices.Clone(q.Blocklist),
	})
	r.latest[q.Session] = run
	r.arrivals = append(r.arrivals, run)
	close(r.arrived)
	r.arrived = make(chan struct{})
	if r.swallow {
		return nil, nil
	}
	conn := &Conn{runtime: r, run: run}
	r.conns[conn] = struct{}{}
	return conn, nil
}

// Ping answers a client's health check.
func (r *Runtime) Ping(ctx context.Context) error { return r.reach(ctx) }

// SetModel records a client's wish on the session's latest run.
func (r *Runtime) SetModel(ctx context.Context, session, model string) error {
	return r.tell(ctx, fakes.Call{Method: fakes.MethodSetModel, Session: session, Model: model})
}

// WriteContext records a client's piece of context on the session's latest run.
func (r *Runtime) WriteContext(ctx context.Context, session, key, value string) error {
	return r.tell(ctx, fakes.Call{Method: fakes.MethodContext, Session: session, Key: key, Value: value})
}

func (r *Runtime) tell(ctx context.Context, c fakes.Call) error {
	if err := r.reach(ctx); err != nil {
		return err
	}
	r.mu.Lock()
	run := r.latest[c.Session]
	r.mu.Unlock()
	if run == nil {
		return fmt.Errorf("%s: no such session", c.Method)
	}
	run.record(c)
	return nil
}

// reach waits as long as the runtime is slow and fails if it is down.
func (r *Runtime) reach(ctx context.Context) error {
	r.mu.Lock()
	down, slow, closed := r.down, r.slow, r.closed
	r.mu.Unlock()
	if slow > 0 {
		timer := time.NewTimer(slow)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if down || closed {
		return ErrDown
	}
	return nil
}
