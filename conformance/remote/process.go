package remote

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"sync"

	"github.com/creachadair/jrpc2"
)

// Process is a subject's process. Its methods may be called from several
// goroutines.
type Process struct {
	o    Options
	turn sync.Mutex // held while an instance is given a session

	mu        sync.Mutex
	session   *session
	hello     hello
	open      map[string]any  // live instances, by name
	shared    map[string]bool // those that were not alone all their life
	instances int             // names that were given out
	begun     int             // instances that this session has made
	sessions  map[string]bool
	before    map[Breach]int // of earlier sessions
	closed    bool
}

// spawn starts the command and greets it.
func spawn(ctx context.Context, o Options) (*Process, error) {
	p := &Process{o: o, open: map[string]any{}, shared: map[string]bool{}, sessions: map[string]bool{}, before: map[Breach]int{}}
	s, h, err := p.begin(ctx)
	if err != nil {
		return nil, err
	}
	p.session, p.hello = s, h
	return p, nil
}

// begin starts one session.
func (p *Process) begin(ctx context.Context) (*session, hello, error) {
	if len(p.o.Command) == 0 {
		return nil, hello{}, errors.New("subject: the command is empty")
	}
	s, err := start(p.o, p.answer)
	if err != nil {
		return nil, hello{}, err
	}
	h, err := greet(ctx, s, p.o.startTimeout())
	if err != nil {
		_ = s.end(context.WithoutCancel(ctx), p.o.grace())
		if e, ok := errors.AsType[*Error](err); ok {
			e.Stderr, _ = s.stderr() // whole, now that it has ended
			e.Detail = joined(e.Detail, s.noise())
		}
		return nil, hello{}, err
	}
	return s, h, nil
}

// joined makes one detail of two.
func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}

// instance gives a name to a new instance and says in which session it is to be
// made, a new one if the options ask for that.
func (p *Process) instance(ctx context.Context, in any) (*session, string, error) {
	// A session that ends waits for its call-backs, which take mu: one turn at a time
	// restarts, without it.
	p.turn.Lock()
	defer p.turn.Unlock()
	p.mu.Lock()
	old, stale := p.session, p.o.RestartPerCheck && p.begun > 0 && len(p.open) == 0
	p.mu.Unlock()
	if stale {
		_ = old.end(ctx, p.o.grace()) // one that does not end is killed
		s, h, err := p.begin(ctx)
		if err != nil {
			return nil, "", err
		}
		if !h.same(p.hello) {
			_ = s.end(ctx, p.o.grace())
			return nil, "", s.fail(ErrProtocol, "it answers initialize otherwise than before")
		}
		p.mu.Lock()
		p.gather()
		p.session, p.begun = s, 0
		p.mu.Unlock()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, "", errors.New("subject: it has been closed")
	}
	p.instances++
	p.begun++
	name := "i" + strconv.Itoa(p.instances)
	p.open[name] = in
	if len(p.open) > 1 {
		for other := range p.open {
			p.shared[other] = true
		}
	}
	return p.session, name, nil
}

// forget drops an instance that is closed or was never made.
func (p *Process) forget(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, name)
	delete(p.shared, name)
}

// native remembers a session id that the suite gave to a runtime. Later instances
// may continue it.
func (p *Process) native(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sessions[id] = true
}

// natives lists those ids.
func (p *Process) natives() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []string
	for id := range p.sessions {
		all = append(all, id)
	}
	return all
}

// answer answers a call-back.
func (p *Process) answer(ctx context.Context, req *jrpc2.Request) (any, error) {
	return p.callback(ctx, req.Method(), []byte(req.ParamString()))
}

// gather keeps the counts of a session that ends. The lock is held.
func (p *Process) gather() {
	for code, n := range p.session.lines.breaches() {
		p.before[code] += n
	}
}

// Breaches counts the lines so far that broke the protocol, by closed code. The map
// is the caller's.
func (p *Process) Breaches() map[Breach]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := maps.Clone(p.before)
	if !p.closed {
		for code, n := range p.session.lines.breaches() {
			all[code] += n
		}
	}
	return all
}

// Stderr is the end of what the subject printed there, with the values of the
// variables masked that were passed on by name, and whether something before it is
// missing. It is for the terminal alone.
func (p *Process) Stderr() (text string, cut bool) {
	p.mu.Lock()
	s := p.session
	p.mu.Unlock()
	return s.stderr()
}

// Mask masks, in a text for the terminal, the values of the variables that were passed
// on by name.
func (p *Process) Mask(text string) string {
	p.mu.Lock()
	s := p.session
	p.mu.Unlock()
	return s.mask.String(text)
}

// TempFiles counts what lies in the subject's private temporary directory now.
func (p *Process) TempFiles() int {
	p.mu.Lock()
	s := p.session
	p.mu.Unlock()
	return s.temporary()
}

// PID is the process id.
func (p *Process) PID() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.session.child.PID()
}

// Done is closed when the process has ended. Each restart has its own.
func (p *Process) Done() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.session.child.Done()
}

// Exit says how the process ended, as "exit code 1" or "signal SIGKILL"; empty while it
// runs.
func (p *Process) Exit() string {
	p.mu.Lock()
	child := p.session.child
	p.mu.Unlock()
	select {
	case <-child.Done():
		exit, _ := child.Wait(context.Background())
		return exit.String()
	default:
		return ""
	}
}

// Close ends the process and everything that it started, waits for all of it, and
// removes the private directories. It may be called again.
func (p *Process) Close(ctx context.Context) error {
	p.turn.Lock()
	defer p.turn.Unlock()
	p.mu.Lock()
	s, was := p.session, p.closed
	if !was {
		p.gather()
	}
	p.closed = true
	p.mu.Unlock()
	if err := s.end(ctx, p.o.grace()); err != nil {
		return fmt.Errorf("subject %s: %w", s.name, err)
	}
	return nil
}
