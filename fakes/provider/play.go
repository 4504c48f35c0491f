package provider

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/wire"
)

// buffers are for answers on their way.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// play lets an answer leave: what is due together in one write.
func (x *exchange) play(r *rule, t *timeline, h *holes, status int, contentType string) {
	x.mu.Lock()
	x.status = status
	x.mu.Unlock()
	header := x.w.Header()
	header["Content-Type"] = typed(contentType)
	if t.stream {
		header["Cache-Control"] = noCache
		header["Transfer-Encoding"] = chunked // streams have no length, however short
	}
	if len(r.Faults)+len(r.Holds) == 0 && r.Pace == (Pace{}) && !t.cut && !t.silent {
		x.whole(t, h, status)
		return
	}
	x.w.WriteHeader(status)
	x.paced(r, t, h)
}

// most is how much of an answer is made ready in one piece: a client that does not read
// holds no more.
const most = 64 << 10

// counted is how long a body may be for net/http to count it itself.
const counted = 2048

// whole writes an answer at once.
func (x *exchange) whole(t *timeline, h *holes, status int) {
	buffer := buffers.Get().(*[]byte)
	defer buffers.Put(buffer)
	out := (*buffer)[:0]
	if !t.stream && len(t.events) == 1 {
		if size := t.events[0].size(h); size > counted {
			x.w.Header()["Content-Length"] = []string{strconv.Itoa(size)}
		}
	}
	x.w.WriteHeader(status)
	var left fakes.Receipt
	ready := 0
	for i, e := range t.events {
		out = e.fill(out, h)
		ready++
		if len(out) < most && i < len(t.events)-1 {
			continue
		}
		n, err := x.Write(out)
		left.Bytes += int64(n)
		if err != nil {
			break
		}
		left.Frames += ready
		out, ready = out[:0], 0
	}
	*buffer = out
	x.mu.Lock()
	defer x.mu.Unlock()
	x.receipt = left
}

// Write writes a part of the body under a deadline.
func (x *exchange) Write(p []byte) (int, error) {
	x.deadline()
	n, err := x.w.Write(p)
	if err != nil {
		x.failed(err)
	}
	return n, err
}

// failed notes why a write did not succeed.
func (x *exchange) failed(err error) {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		x.end(Unread)
	default:
		x.end(x.goneBy())
	}
}

// flushed is the body as a stream of bytes that leave with each write.
type flushed struct{ x *exchange }

func (f flushed) Write(p []byte) (int, error) {
	n, err := f.x.Write(p)
	if err == nil {
		if err = f.x.flush(); err != nil {
			f.x.failed(err)
		}
	}
	return n, err
}

// outlet is where events go on their way: they leave with Flush.
type outlet interface {
	Frame(event []byte) error
	Flush() error
	Close() error
	Receipt() fakes.Receipt
	Strikes() []wire.Strike
}

// straight is an outlet without faults.
type straight struct {
	dst  flushed
	held []byte
	n    int
	left fakes.Receipt
}

func (s *straight) Frame(event []byte) error {
	s.held = append(s.held, event...)
	s.n++
	return nil
}

func (s *straight) Flush() error {
	if s.n == 0 {
		return nil
	}
	n, err := s.dst.Write(s.held)
	s.left.Bytes += int64(n)
	if err == nil {
		s.left.Frames += s.n
	}
	s.held, s.n = s.held[:0], 0
	return err
}

func (s *straight) Close() error           { return s.Flush() }
func (s *straight) Receipt() fakes.Receipt { return s.left }
func (s *straight) Strikes() []wire.Strike { return nil }

// bent is an outlet with faults. The layer below ends lines, and an event ends with a
// line; to bytes that do not it adds one.
type bent struct{ *wire.Writer }

func (b bent) Frame(event []byte) error { return b.Writer.Frame(bytes.TrimSuffix(event, []byte("\n"))) }

// host plays the faults that are of the connection.
type host struct {
	wire.Alone
	x      *exchange
	ending Kind
}

func (h *host) Pause(d time.Duration) { h.x.sleep(time.Now().Add(d)) }
func (h *host) Close()                { h.ending = End }
func (h *host) Cut()                  { h.ending = FIN }
func (h *host) Exit(int)              { h.ending = Reset }
func (h *host) Stay()                 { h.ending = Stall }

// sleep waits until a moment; false says that the client went away first.
func (x *exchange) sleep(until time.Time) bool {
	d := time.Until(until)
	if d <= 0 {
		return x.ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-x.ctx.Done():
		return false
	}
}

// paced lets events leave when they are due, through gates and under faults.
func (x *exchange) paced(r *rule, t *timeline, h *holes) {
	machine := &host{x: x}
	var out outlet = &straight{dst: flushed{x}}
	if faults := t.faults(r.Faults, h); len(faults) > 0 {
		out = bent{wire.NewWriter(flushed{x}, faults, machine)}
	}
	defer x.account(out)
	if r.Pace != (Pace{}) {
		defer x.countLate()
	}
	start, due := x.at, t.due(r.Pace, h)
	var scratch []byte
	var planned time.Time // of what is held
	flush := func() error {
		err := out.Flush()
		if late := time.Since(planned); err == nil && !planned.IsZero() && r.Pace != (Pace{}) {
			x.mu.Lock()
			x.late = max(x.late, late)
			x.mu.Unlock()
		}
		planned = time.Time{}
		return err
	}
	for i := 0; i <= len(t.events); i++ {
		for _, hold := range r.Holds {
			if min(hold.Event, len(t.events)) != i {
				continue
			}
			if flush() != nil || machine.ending != "" {
				break
			}
			since := time.Now()
			hold.Gate.arrive()
			if !x.pass(hold.Gate) {
				return
			}
			start = start.Add(time.Since(since)) // the schedule stands still as well
		}
		if i == len(t.events) || machine.ending != "" {
			break
		}
		when := start.Add(due[i])
		if time.Until(when) > 0 {
			if flush() != nil || machine.ending != "" {
				break
			}
			if !x.sleep(when) {
				return
			}
		}
		if planned.IsZero() || when.Before(planned) {
			planned = when
		}
		scratch = t.events[i].fill(scratch[:0], h)
		if out.Frame(scratch) != nil {
			return
		}
	}
	if machine.ending == "" && (flush() != nil || out.Close() != nil) {
		return
	}
	switch {
	case machine.ending != "":
		x.finish(machine.ending)
	case t.cut:
		x.finish(FIN)
	case t.silent:
		x.finish(Stall)
	}
}

// pass waits for a gate; false says that the client went away first.
func (x *exchange) pass(g *Gate) bool {
	select {
	case <-g.opened:
		return true
	case <-x.ctx.Done():
		return false
	}
}

func (x *exchange) countLate() {
	x.mu.Lock()
	late := x.late
	x.mu.Unlock()
	x.space.late.add(late)
}

// account notes what left.
func (x *exchange) account(out outlet) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.receipt = out.Receipt()
	for _, s := range out.Strikes() {
		x.strikes = append(x.strikes, Strike{kindOf(s.Fault.Kind), s.Offset})
	}
}

func kindOf(w wire.Kind) Kind {
	for kind, name := range onWire {
		if name == w {
			return kind
		}
	}
	return Kind(w)
}

// finish ends an answer before its end.
func (x *exchange) finish(how Kind) {
	if how == Stall {
		_ = x.flush() // the client may be gone, which the next line sees
		<-x.ctx.Done()
		return
	}
	x.end(Broken)
	if how == End {
		return
	}
	_ = x.flush() // what is cut off is gone either way
	if how == Reset {
		x.conn.reset(x.ctx)
	}
	panic(http.ErrAbortHandler) // how net/http is told to close the connection
}

// due is when each event leaves, after the request has been read. What frames a piece of
// the answer leaves with it, what comes after the last with that.
func (t *timeline) due(p Pace, h *holes) []time.Duration {
	out := make([]time.Duration, len(t.events))
	if p == (Pace{}) {
		return out
	}
	random := rand.New(rand.NewPCG(h.seed, h.n^0x9e3779b97f4a7c15))
	var at time.Duration
	pieces, from := 0, 0 // the events from there have no time yet
	for i, e := range t.events {
		if !e.content {
			continue
		}
		at = p.First + time.Duration(pieces)*p.Every
		if p.Jitter > 0 {
			at += time.Duration(random.Int64N(int64(p.Jitter)))
		}
		pieces++
		for ; from <= i; from++ {
			out[from] = at
		}
	}
	if pieces == 0 {
		at = p.First
	}
	for ; from < len(out); from++ {
		out[from] = at
	}
	return out
}
