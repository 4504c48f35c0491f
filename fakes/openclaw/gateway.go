package openclaw

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// Runtime is the fake: a gateway to which clients connect, and which is told what its
// runs shall say. A run's Begun has the model and the agent of the session, the tools that
// the configuration denies as Blocklist, and as Resume the native session that goes on,
// where there was one before. The Session of calls is the native one once a run has said
// it, before that the key as the client named it.
type Runtime struct {
	version  version
	options  Options
	methods  map[string]method
	token    string
	listener *listener
	server   *http.Server
	buffer   int // bytes that wait for a client that does not read
	started  time.Time
	tasks    sync.WaitGroup
	done     chan struct{} // closed by Close

	faultMu sync.Mutex
	faults  []Fault // that have not struck

	mu        sync.Mutex
	ids       ids
	bootID    string
	instance  string
	closed    bool
	refuse    int
	slow      time.Duration
	swallow   bool          // starts of runs are not acknowledged
	losing    bool          // what is said is numbered, and does not leave
	changed   chan struct{} // closed and replaced when a run arrives or ends, or a connection does
	arrivals  []*Run
	conns     map[*conn]struct{}
	paired    map[string]pairing
	agents    []*agent
	sessions  map[string]*session
	runs      map[string]*Run // by idempotency key, in memory only
	questions map[string]*question
	config    config
	breaches  []fakes.Call
}

var _ fakes.Runtime = (*Runtime)(nil)

// Endpoint has the URL, and the token in Env as OPENCLAW_GATEWAY_TOKEN.
func (r *Runtime) Endpoint() fakes.Endpoint {
	return fakes.Endpoint{URL: "ws://" + r.listener.Addr().String(), Env: []string{EnvToken + "=" + r.token}}
}

// Features lists what the wire has a form for.
func (r *Runtime) Features() fakes.Features { return slices.Clone(features) }

// Next returns the next run that a client started. One that waits for another run of
// its session arrives when its turn has come; one that is steered into another never
// does.
func (r *Runtime) Next(ctx context.Context) (fakes.Run, error) {
	for {
		r.mu.Lock()
		if len(r.arrivals) > 0 {
			run := r.arrivals[0]
			r.arrivals = r.arrivals[1:]
			r.mu.Unlock()
			return run, nil
		}
		changed, closed := r.changed, r.closed
		r.mu.Unlock()
		if closed {
			return nil, fakes.ErrClosed
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, fmt.Errorf("waiting for a run: %w", ctx.Err())
		}
	}
}

// Fault plays down, up, refuse, slow, drop, restart and swallow. A gateway that is down
// resets every connection, the open ones and those that come.
func (r *Runtime) Fault(_ context.Context, f fakes.Fault) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch f.Kind {
	case fakes.FaultDown:
		r.goDown(Reset)
	case fakes.FaultUp:
		r.listener.set(false)
	case fakes.FaultDrop:
		r.disconnect(Drop)
	case fakes.FaultRestart:
		r.restart()
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

// Strike adds a fault of the connections that are open. Its Frame counts from what each
// of them sends next; it strikes once, on the first that comes to it.
func (r *Runtime) Strike(f Fault) error {
	if err := f.check(); err != nil {
		return err
	}
	if f.Kind == Unanswered {
		r.faultMu.Lock()
		defer r.faultMu.Unlock()
		r.faults = append(r.faults, f)
		return nil
	}
	a := armed{f, new(atomic.Bool)}
	r.mu.Lock()
	defer r.mu.Unlock()
	for c := range r.conns {
		c.post(parcel{arm: a})
	}
	return nil
}

// Disconnect ends every connection, by [Drop] or [Reset], when what was said before has
// left. Runs go on; clients may come back.
func (r *Runtime) Disconnect(how Kind) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.disconnect(how)
}

func (r *Runtime) disconnect(how Kind) {
	for c := range r.conns {
		c.post(parcel{sever: how})
	}
}

// Restart stops the gateway as SIGTERM does, and starts it again at the same address:
// clients are told, connections close with status 1012, runs that were live are lost,
// and so is the memory of idempotency keys. Sessions stay.
func (r *Runtime) Restart() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.restart()
}

func (r *Runtime) restart() {
	r.broadcast("shutdown", newObject().str("reason", "gateway stopping"), everyone)
	for c := range r.conns {
		c.post(parcel{close: websocket.StatusServiceRestart, reason: "service restart"})
	}
	for _, run := range r.runs {
		run.lose()
	}
	clear(r.runs)
	clear(r.questions)
	r.bootID, r.started = r.ids.uuid(), time.Now()
	r.wake()
}

// Up ends a [fakes.FaultDown].
func (r *Runtime) Up() { r.listener.set(false) }

// goDown ends all connections and takes no new ones. The lock is held.
func (r *Runtime) goDown(how Kind) {
	r.listener.set(true)
	r.disconnect(how)
}

// Residue counts open connections, and as subscribers those that asked for the messages
// of a session.
func (r *Runtime) Residue() fakes.Residue {
	r.mu.Lock()
	defer r.mu.Unlock()
	held := fakes.Residue{Connections: len(r.conns)}
	for c := range r.conns {
		held.Subscribers += len(c.watches)
	}
	return held
}

// Breaches lists what clients did against the protocol, in order, by closed codes.
func (r *Runtime) Breaches() []fakes.Call {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.breaches)
}

// The codes of [Runtime.Breaches].
const (
	BreachFrame     = "frame"     // what came is no request
	BreachHandshake = "handshake" // a connect that the gateway refuses for its form, its device or its protocol
	BreachParams    = "params"    // a request whose parameters the gateway refuses
	BreachMethod    = "method"    // a method that nobody knows
	BreachScope     = "scope"     // a method that the client did not ask to be allowed
)

// breach records what a client did. The lock is held.
func (r *Runtime) breach(code string) {
	r.breaches = append(r.breaches, fakes.Call{Method: fakes.MethodBreach, Code: code})
}

// Close ends every connection and waits until nothing of the gateway is left. It is
// idempotent.
func (r *Runtime) Close() error {
	r.mu.Lock()
	if !r.closed {
		r.closed = true
		close(r.done)
		r.wake()
	}
	conns := make([]*conn, 0, len(r.conns))
	for c := range r.conns {
		conns = append(conns, c)
	}
	r.mu.Unlock()
	for _, c := range conns {
		c.end()
	}
	_ = r.server.Close() // what it cannot close is closed
	r.tasks.Wait()
	return nil
}

// wake tells who waits that something changed. The lock is held.
func (r *Runtime) wake() {
	close(r.changed)
	r.changed = make(chan struct{})
}

// tick says every now and then that the gateway lives.
func (r *Runtime) tick(every time.Duration) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			r.mu.Lock()
			r.broadcast("tick", newObject().num("ts", now()), everyone)
			r.mu.Unlock()
		case <-r.done:
			return
		}
	}
}

// now is milliseconds since the epoch.
func now() int64 { return time.Now().UnixMilli() }

// accept is the life of a connection.
func (r *Runtime) accept(w http.ResponseWriter, q *http.Request) {
	s := socketOf(q.Context())
	// The gateway judges origins itself, and says so in a response.
	ws, err := websocket.Accept(w, q, &websocket.AcceptOptions{InsecureSkipVerify: true})
	if err != nil {
		return // the answer was given
	}
	c := &conn{
		gateway: r, ws: ws, socket: s, origin: q.Header.Get("Origin"), gone: make(chan struct{}),
		watches: set{}, more: make(chan struct{}, 1),
	}
	ws.SetReadLimit(maxHandshake)
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		c.end()
		return
	}
	r.conns[c] = struct{}{}
	c.id, c.nonce = r.ids.uuid(), r.ids.uuid()
	c.post(parcel{text: r.challenge(c.nonce)})
	r.tasks.Go(c.write)
	r.tasks.Add(1)
	r.mu.Unlock()
	defer r.tasks.Done()
	defer r.leave(c)

	wait := r.options.ConnectWait
	if wait == 0 {
		wait = connectWait
	}
	impatient := time.AfterFunc(wait, func() { r.expire(c) })
	defer impatient.Stop()
	for {
		_, data, err := ws.Read(context.Background())
		if err != nil {
			return
		}
		r.receive(c, data)
	}
}

// expire closes a connection whose client has not introduced itself.
func (r *Runtime) expire(c *conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !c.known {
		c.post(parcel{close: websocket.StatusNormalClosure})
	}
}

// leave forgets a connection.
func (r *Runtime) leave(c *conn) {
	close(c.gone)
	c.end()
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.conns, c)
	r.wake()
}
