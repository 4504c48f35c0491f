//go:build unix

package child

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// Runtime is a fake from outside: it is told what the processes that an adapter starts
// shall say. Make one with [New] and close it.
type Runtime struct {
	program  Program
	start    Start
	features fakes.Features
	place    place
	listen   *net.UnixListener
	served   sync.WaitGroup

	mu      sync.Mutex
	changed chan struct{} // closed and replaced when something below changes
	links   []*link       // every process so far
	runs    []*Run        // begun and not yet asked for
	refuse  int           // starts to refuse
	closed  bool
	closing sync.Once
	failed  error // what Close returned
}

var _ fakes.Runtime = (*Runtime)(nil)

// New makes a fake: a private directory with the program to start and a control
// socket in it. Start is how its processes shall be, Nth apart. The context bounds
// the call.
//
// It fails in a binary that cannot play the fake (see [fakes.Startable]), and for
// faults of the wire that are none.
func New(ctx context.Context, program Program, features fakes.Features, start Start) (*Runtime, error) {
	if err := fakes.Startable(program.Name); err != nil {
		return nil, err
	}
	if err := start.Wire.Check(); err != nil {
		return nil, fmt.Errorf("fake %s: %w", program.Name, err)
	}
	p, err := newPlace(program)
	if err != nil {
		return nil, fmt.Errorf("fake %s: %w", program.Name, err)
	}
	l, err := new(net.ListenConfig).Listen(ctx, "unix", p.socket())
	if err == nil {
		if err = p.writeWrapper(); err != nil {
			err = errors.Join(err, l.Close())
		}
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("fake %s: %w", program.Name, err), os.RemoveAll(p.dir))
	}
	rt := &Runtime{program: program, start: start, features: features, place: p, listen: l.(*net.UnixListener), changed: make(chan struct{})}
	rt.served.Go(rt.accept)
	return rt, nil
}

// Endpoint names the program and its home, which is private and lasts as long as
// the fake.
func (rt *Runtime) Endpoint() fakes.Endpoint {
	return fakes.Endpoint{Command: []string{rt.place.wrapper()}, Dir: rt.place.home()}
}

// Features lists what the wire has a form for.
func (rt *Runtime) Features() fakes.Features { return slices.Clone(rt.features) }

// Next returns the next run that has begun: its process has read its arguments and
// its stdin. A process that never comes so far, as one whose stdin stays open, is
// no run.
func (rt *Runtime) Next(ctx context.Context) (fakes.Run, error) {
	for {
		rt.mu.Lock()
		if len(rt.runs) > 0 {
			run := rt.runs[0]
			rt.runs = rt.runs[1:]
			rt.mu.Unlock()
			return run, nil
		}
		closed, changed := rt.closed, rt.changed
		rt.mu.Unlock()
		if closed {
			return nil, fakes.ErrClosed
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, fmt.Errorf("fake %s: no run began: %w", rt.program.Name, context.Cause(ctx))
		}
	}
}

// Fault makes processes that start from now on fail: down (also the health
// commands), refuse (the next run), slow (each answer).
func (rt *Runtime) Fault(_ context.Context, f fakes.Fault) error {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	if rt.closed {
		return fakes.ErrClosed
	}
	switch f.Kind {
	case fakes.FaultDown:
		rt.start.Down = true
	case fakes.FaultRefuse:
		rt.refuse++
	case fakes.FaultSlow:
		rt.start.Delay = f.Delay
	default:
		return rt.program.Unplayable("fault %q of the runtime as a whole", f.Kind)
	}
	return nil
}

// Residue counts processes that live or wait to be reaped, descendants that live,
// and what was put into the fake's directory beside its home.
func (rt *Runtime) Residue() fakes.Residue {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	var r fakes.Residue
	for _, l := range rt.links {
		if l.held() {
			r.Children++
		}
	}
	r.Files = rt.place.foreign()
	return r
}

// Close ends every process of the fake, waits until they are gone, and removes the
// directory. Reaping them is left to whoever started them. Further calls return
// what the first returned.
func (rt *Runtime) Close() error {
	rt.closing.Do(func() { rt.failed = rt.close() })
	return rt.failed
}

// patience is how long a process may take to end when its socket closes, before it
// is killed: one that is stopped does not notice.
const patience = 2 * time.Second

func (rt *Runtime) close() error {
	rt.mu.Lock()
	rt.closed = true
	rt.announce()
	links := slices.Clone(rt.links)
	rt.mu.Unlock()

	err := rt.listen.Close() // removes the socket; nobody connects from here on
	for _, l := range links {
		_ = l.conn.CloseWrite() // it may be gone
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for _, l := range links {
		select {
		case <-l.gone:
		case <-timer.C:
			for _, l := range links {
				l.kill()
			}
			<-l.gone
		}
	}
	rt.served.Wait()
	awaitEnd(links)
	if err = errors.Join(err, os.RemoveAll(rt.place.dir)); err != nil {
		return fmt.Errorf("fake %s: close: %w", rt.program.Name, err)
	}
	return nil
}

// awaitEnd waits until processes that let go of their socket have ended, which is a
// matter of moments unless one was stopped in between; that one is killed. Nothing
// tells, so it looks.
func awaitEnd(links []*link) {
	timer, tick := time.NewTimer(patience), time.NewTicker(reapPoll)
	defer timer.Stop()
	defer tick.Stop()
	killed := false
	for _, l := range links {
		for l.process.running() {
			select {
			case <-tick.C:
			case <-timer.C:
				if killed {
					return // not even a kill ends it
				}
				for _, l := range links {
					l.process.kill()
				}
				killed = true
				timer.Reset(patience)
			}
		}
	}
}

// announce wakes who waits for a change. The lock is held.
func (rt *Runtime) announce() {
	close(rt.changed)
	rt.changed = make(chan struct{})
}

func (rt *Runtime) accept() {
	for {
		conn, err := rt.listen.AcceptUnix()
		if err != nil {
			return // closed
		}
		l := &link{conn: conn, in: newReceiver(conn), gone: make(chan struct{}), acks: map[int]chan ack{}}
		rt.mu.Lock()
		if rt.closed {
			rt.mu.Unlock()
			conn.Close()
			continue
		}
		rt.links = append(rt.links, l)
		rt.mu.Unlock()
		rt.served.Go(func() { rt.serve(l) })
	}
}

// serve listens to one process until it is gone.
func (rt *Runtime) serve(l *link) {
	defer l.end()
	for {
		var m toPuppet
		if l.in.next(&m) != nil {
			return
		}
		switch {
		case m.Hello != nil:
			answer := rt.greet(l, *m.Hello)
			if send(l.conn, toProcess{Start: &answer}) != nil {
				return
			}
		case m.Begun != nil:
			rt.begin(l, *m.Begun)
		case m.Ack != nil:
			l.acknowledge(*m.Ack)
		case m.Call != nil && l.run != nil:
			l.run.heard(*m.Call)
		}
	}
}

// greet notes who a process is and says how it shall be.
func (rt *Runtime) greet(l *link, h hello) Start {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	l.known(h)
	start := rt.start
	if h.Role == roleRun {
		if start.Refuse = rt.refuse > 0; start.Refuse {
			rt.refuse--
		}
		rt.start.Nth++
	} else {
		start.Wire, start.Replay = nil, nil
	}
	return start
}
