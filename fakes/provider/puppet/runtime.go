package puppet

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/provider"
)

// The variables that an endpoint has beside its URL and Dir.
const (
	// EnvKey is the key that the provider takes.
	EnvKey = "ADAPTERCHECK_PROVIDER_KEY"
	// EnvTools is the address that the tools of the runtime ask.
	EnvTools = "ADAPTERCHECK_TOOLS_URL"
)

// MaxTurns is the turn limit that the runtime must have.
const MaxTurns = 64

// Guarded is the tool that the runtime must ask for before it is called.
const Guarded = "guarded"

// idle is the tool that the model calls where a turn is to end.
const idle = "read"

// Tools are those that the runtime must have.
func Tools() []string { return []string{"shell", "read", "write", Guarded} }

// Options of a runtime.
type Options struct {
	// Dialect in which the runtime asks; it must be [provider.Anthropic] or
	// [provider.Chat].
	Dialect provider.Dialect
	// Seed of everything that is made up.
	Seed uint64
}

// Runtime is the provider and the tools of a runtime. Make one with [New] and close it.
type Runtime struct {
	dialect  provider.Dialect
	provider *provider.Server
	tools    *http.Server
	home     string
	key      string
	toolsURL string
	sockets  atomic.Int64

	life   context.Context // ends with Close
	end    context.CancelFunc
	served sync.WaitGroup
	begun  chan *Run

	mu   sync.Mutex
	runs []*Run
}

var _ fakes.Runtime = (*Runtime)(nil)

// maxRuns bounds the runs that wait to be taken.
const maxRuns = 1000

// New starts both on the loopback interface, and makes a home of its own.
func New(ctx context.Context, o Options) (*Runtime, error) {
	if o.Dialect != provider.Anthropic && o.Dialect != provider.Chat {
		return nil, fmt.Errorf("provider puppet: dialect %q: want %q or %q", o.Dialect, provider.Anthropic, provider.Chat)
	}
	rt := &Runtime{dialect: o.Dialect, key: "sk-puppet-" + rand.Text(), begun: make(chan *Run, maxRuns)}
	rt.life, rt.end = context.WithCancel(context.Background())
	if err := rt.open(ctx, o); err != nil {
		return nil, errors.Join(fmt.Errorf("provider puppet: %w", err), rt.Close())
	}
	return rt, nil
}

func (rt *Runtime) open(ctx context.Context, o Options) error {
	var err error
	if rt.home, err = os.MkdirTemp("", "puppet"); err != nil {
		return err
	}
	asked, err := rt.listen(ctx)
	if err != nil {
		return err
	}
	rt.provider, err = provider.New(rt.life, provider.Options{
		Seed: o.Seed, Listener: asked, Keys: []string{rt.key}, MaxBody: 256 << 20, Rules: []provider.Rule{{Live: true}},
	})
	if err != nil {
		return err
	}
	called, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0") // what the tools hold is theirs
	if err != nil {
		return err
	}
	rt.toolsURL = "http://" + called.Addr().String()
	rt.tools = &http.Server{Handler: http.HandlerFunc(rt.serveTool), ReadHeaderTimeout: 10 * time.Second}
	rt.served.Go(func() { _ = rt.tools.Serve(called) }) // it ends with Close
	rt.served.Go(rt.receive)
	return nil
}

// listen listens, and counts what is connected.
func (rt *Runtime) listen(ctx context.Context) (net.Listener, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	return counted{l, &rt.sockets}, nil
}

type counted struct {
	net.Listener
	sockets *atomic.Int64
}

// Accept counts a connection until it is closed.
func (c counted) Accept() (net.Conn, error) {
	conn, err := c.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c.sockets.Add(1)
	return &socket{Conn: conn, sockets: c.sockets}, nil
}

type socket struct {
	net.Conn
	once    sync.Once
	sockets *atomic.Int64
}

// Close closes the connection.
func (s *socket) Close() error {
	s.once.Do(func() { s.sockets.Add(-1) })
	return s.Conn.Close()
}

// Endpoint is the provider's address, without a dialect's path; key and tools are in Env.
func (rt *Runtime) Endpoint() fakes.Endpoint {
	return fakes.Endpoint{URL: rt.provider.URL(), Env: []string{EnvKey + "=" + rt.key, EnvTools + "=" + rt.toolsURL}, Dir: rt.home}
}

// Features lists what can be played.
func (rt *Runtime) Features() fakes.Features {
	f := fakes.Features{
		fakes.Deltas, fakes.ReasoningText, fakes.Tools, fakes.UsageFrames, fakes.MaxTurns, fakes.TokenLimit, fakes.TerminalFrame,
		fakes.SecondRun, fakes.Sessions, fakes.StartOptions, fakes.SilentRun, fakes.CutStream, fakes.Approvals, fakes.Codec,
		fakes.Observers, fakes.UnknownFrames, fakes.LiveText, fakes.NativeSession, fakes.OwnTools, fakes.MildErrors,
	}
	if rt.dialect == provider.Chat {
		f = append(f, fakes.Money)
	}
	return f
}

// Next returns the next run that has asked for its first turn.
func (rt *Runtime) Next(ctx context.Context) (fakes.Run, error) {
	select {
	case r := <-rt.begun:
		return r, nil
	case <-rt.life.Done():
		return nil, fakes.ErrClosed
	case <-ctx.Done():
		return nil, fmt.Errorf("provider puppet: no run has asked: %w", context.Cause(ctx))
	}
}

// Fault is unplayable: a runtime finds out how its provider is only by asking.
func (rt *Runtime) Fault(_ context.Context, f fakes.Fault) error {
	return fmt.Errorf("provider puppet: fault %q of the runtime: %w", f.Kind, fakes.ErrUnplayable)
}

// Residue counts the connections to the provider, and as subscribers the requests that are
// not answered.
func (rt *Runtime) Residue() fakes.Residue {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	left := fakes.Residue{Connections: int(rt.sockets.Load())}
	for _, r := range rt.runs {
		if r.asking() {
			left.Subscribers++
		}
	}
	return left
}

// Close ends both, and removes the home.
func (rt *Runtime) Close() error {
	rt.end()
	var errs []error
	if rt.provider != nil {
		errs = append(errs, rt.provider.Close())
	}
	if rt.tools != nil {
		errs = append(errs, rt.tools.Close())
	}
	rt.served.Wait()
	if rt.home != "" {
		errs = append(errs, os.RemoveAll(rt.home))
	}
	return errors.Join(errs...)
}

// receive gives requests to their runs, until the end.
func (rt *Runtime) receive() {
	for {
		c, err := rt.provider.Next(rt.life)
		if err != nil {
			return
		}
		x := c.Exchange()
		session, _, _ := strings.Cut(http.Header(x.Header).Get("X-Client-Request-Id"), "/")
		asked := read(x)
		rt.mu.Lock()
		i := slices.IndexFunc(rt.runs, func(r *Run) bool { return r.session == session })
		var r *Run
		if i >= 0 && session != "" {
			r = rt.runs[i]
		} else {
			r = newRun(rt, session, asked, x.Model)
			rt.continues(r)
			rt.runs = append(rt.runs, r)
		}
		rt.mu.Unlock()
		fresh := r.ask(c, asked)
		rt.served.Go(func() { r.follow(c) })
		if fresh {
			select {
			case rt.begun <- r:
			default: // nobody takes runs any more
			}
		}
	}
}

// continues finds the run that a new one goes on from. The caller holds mu.
func (rt *Runtime) continues(r *Run) {
	longest := 0
	for _, old := range rt.runs {
		last := old.conversation()
		if len(last) > longest && begins(r.first.messages, last) {
			longest, r.resume, r.thread = len(last), old.thread.name, old.thread
		}
	}
	if r.thread == nil {
		r.thread = &thread{name: r.session, ids: map[string]bool{}}
	}
}

func begins(all, front []jsontext.Value) bool {
	return len(all) > len(front) && slices.EqualFunc(all[:len(front)], front, func(a, b jsontext.Value) bool { return string(a) == string(b) })
}

// byName returns the run of a session, nil if there is none.
func (rt *Runtime) byName(session string) *Run {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	for _, r := range rt.runs {
		if r.session == session {
			return r
		}
	}
	return nil
}
