//go:build unix

package child

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/script"
	"github.com/adaptercheck/adaptercheck/fakes/wire"
)

// link is the connection to one process.
type link struct {
	conn *net.UnixConn
	in   receiver
	gone chan struct{} // closed when the process is
	run  *Run          // set by begin, read by serve alone

	writing sync.Mutex // one message at a time

	mu      sync.Mutex
	role    role
	process process // zero before hello
	orders  int
	acks    map[int]chan ack
}

func (l *link) known(h hello) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.role, l.process = h.Role, processOf(h.PID)
}

func (l *link) end() {
	l.conn.Close()
	close(l.gone)
}

func (l *link) isGone() bool {
	select {
	case <-l.gone:
		return true
	default:
		return false
	}
}

// held reports whether the process is still there: a descendant while it lives, one
// that the adapter started until it is reaped.
func (l *link) held() bool {
	if !l.isGone() {
		return true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.role != roleSleeper && l.process.unreaped()
}

// kill ends a process that does not notice that its connection has ended.
func (l *link) kill() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.isGone() {
		l.process.kill()
	}
	_ = l.conn.Close()
}

// order sends an order and waits until it is carried out.
func (l *link) order(ctx context.Context, o order) (ack, error) {
	done := make(chan ack, 1)
	l.mu.Lock()
	l.orders++
	o.Number = l.orders
	l.acks[o.Number] = done
	l.mu.Unlock()
	if err := l.send(ctx, toProcess{Order: &o}); err != nil {
		return ack{}, err
	}
	select {
	case a := <-done:
		return a, nil
	case <-l.gone:
		select {
		case a := <-done: // its last word
			return a, nil
		default:
			return ack{}, fakes.ErrGone
		}
	case <-ctx.Done():
		return ack{}, context.Cause(ctx)
	}
}

// send writes a message. A process that does not read is given up with ctx, and its
// connection with it, as half a message may have left.
func (l *link) send(ctx context.Context, m toProcess) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	given := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		_ = l.conn.SetWriteDeadline(time.Unix(1, 0))
		close(given)
	})
	err := send(l.conn, m)
	if stop() {
		if err != nil {
			return fakes.ErrGone
		}
		return nil
	}
	<-given
	if err != nil {
		_ = l.conn.Close()
		return context.Cause(ctx)
	}
	return l.conn.SetWriteDeadline(time.Time{})
}

func (l *link) acknowledge(a ack) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if done := l.acks[a.Order]; done != nil {
		delete(l.acks, a.Order)
		done <- a
	}
}

// Run is one process that runs.
type Run struct {
	link    *link
	program Program
	start   Start
	begun   fakes.Call

	mu      sync.Mutex
	calls   []fakes.Call
	strikes []wire.Strike
}

var _ fakes.Run = (*Run)(nil)

// begin makes a run of a process that has read what it was given.
func (rt *Runtime) begin(l *link, b begun) {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	r := &Run{link: l, program: rt.program, start: rt.start, begun: b.Call}
	for _, c := range b.Before {
		r.heard(c)
	}
	l.run = r
	rt.runs = append(rt.runs, r)
	rt.announce()
}

// Begun returns what the process was given. Env leaves out what the wrapper script and
// the shell set: GORACE, PWD, OLDPWD, SHLVL and _.
func (r *Run) Begun() fakes.Call {
	b := r.begun
	b.Args, b.Env, b.Blocklist = slices.Clone(b.Args), slices.Clone(b.Env), slices.Clone(b.Blocklist)
	return b
}

// Emit lets the process print the frames. It returns when they are in the pipe; the
// bytes that a pipe without a reader does not take stay with the process and count
// as left.
//
// A frame that ends the process ends it after the last frame of the call; from then on
// Emit is [fakes.ErrGone]. So it is when the adapter has ended the process.
func (r *Run) Emit(ctx context.Context, frames ...fakes.Frame) (fakes.Receipt, error) {
	if r.start.Replay != nil {
		return fakes.Receipt{}, r.program.Unplayable("frames in a run that replays a recording")
	}
	if err := r.program.Playable(r.start.Version, frames); err != nil {
		return fakes.Receipt{}, err
	}
	data, err := script.EncodeFrames(frames...)
	if err != nil {
		return fakes.Receipt{}, fmt.Errorf("fake %s: %w", r.program.Name, err)
	}
	return r.order(ctx, order{Frames: jsontext.Value(data)})
}

func (r *Run) order(ctx context.Context, o order) (fakes.Receipt, error) {
	a, err := r.link.order(ctx, o)
	if err != nil {
		return fakes.Receipt{}, fmt.Errorf("fake %s: %w", r.program.Name, err)
	}
	r.mu.Lock()
	r.strikes = append(r.strikes, a.Strikes...)
	r.mu.Unlock()
	receipt := fakes.Receipt{Frames: a.Frames, Bytes: a.Bytes}
	if a.Error != "" {
		return receipt, fmt.Errorf("fake %s: %w", r.program.Name, errors.New(a.Error))
	}
	return receipt, nil
}

// Strikes lists the faults of the wire that took effect by the end of the last Emit.
func (r *Run) Strikes() []wire.Strike {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.strikes)
}

// Fault makes this process misbehave from now on: silent (it prints nothing more),
// deaf (it ignores INT, TERM and HUP), hold (so it does, until frames end it), cut
// (it closes stdout and exits 0), slow; torn, crlf and held, from the next frame on.
func (r *Run) Fault(ctx context.Context, f fakes.Fault) error {
	switch f.Kind {
	case fakes.FaultSilent, fakes.FaultDeaf, fakes.FaultHold, fakes.FaultCut, fakes.FaultSlow, fakes.FaultTorn, fakes.FaultCRLF, fakes.FaultHeld:
		_, err := r.order(ctx, order{Fault: f.Kind, Delay: f.Delay})
		return err
	}
	return r.program.Unplayable("fault %q of a run", f.Kind)
}

// Calls returns what arrived since the start, in order: signals, also those that were
// ignored, and what the program reads. SIGKILL cannot be seen. What breaks the
// program's protocol is a breach with a code.
func (r *Run) Calls() []fakes.Call {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.calls)
}

func (r *Run) heard(c fakes.Call) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if c.Session == "" {
		c.Session = r.begun.Session
	}
	r.calls = append(r.calls, c)
}

// reapPoll is how often Gone looks whether a process was reaped: nothing tells.
const reapPoll = 2 * time.Millisecond

// Gone waits until the process has ended and was reaped.
func (r *Run) Gone(ctx context.Context) error {
	select {
	case <-r.link.gone:
	case <-ctx.Done():
		return fmt.Errorf("fake %s: the process lives: %w", r.program.Name, context.Cause(ctx))
	}
	tick := time.NewTicker(reapPoll)
	defer tick.Stop()
	for r.link.held() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("fake %s: the process has ended but is not reaped: %w", r.program.Name, context.Cause(ctx))
		}
	}
	return nil
}
