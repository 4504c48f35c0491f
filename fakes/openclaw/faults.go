package openclaw

import (
	"bytes"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
)

// Kind names a fault of a connection.
type Kind string

// The closed set of faults. Those up to [Unanswered] strike at a frame that the
// gateway sends; the challenge is frame 0 of a connection.
const (
	// Drop: the connection ends at byte Byte of the frame, without a closing frame.
	Drop Kind = "drop"
	// Reset: the same, as TCP does it when a process was killed.
	Reset Kind = "reset"
	// Close: the gateway closes the connection before the frame with status N. N 0 is
	// 1001.
	Close Kind = "close"
	// Stall: nothing more leaves, and the connection stays open.
	Stall Kind = "stall"
	// Delay: N milliseconds pass before the frame. N 0 is twenty.
	Delay Kind = "delay"
	// Oversize: the frame is N bytes longer, by a member that means nothing. N 0 is as
	// much as the policy allows for one frame.
	Oversize Kind = "oversize"
	// Garble: the text of the frame is no JSON. Its second half is lost.
	Garble Kind = "garble"
	// Duplicate: the frame comes N times more. N 0 is once more.
	Duplicate Kind = "duplicate"
	// Lose: the frame never leaves, though it was numbered. N frames; 0 is one.
	Lose Kind = "lose"
	// Split: bytes leave in writes of N from here on. N 0 is one.
	Split Kind = "split"
	// Stray: a response to a request that nobody made comes before the frame.
	Stray Kind = "stray"
	// Noise: an event of a kind that nobody knows comes before the frame. It is not
	// numbered.
	Noise Kind = "noise"
	// Reorder: from here on N responses wait for each other and leave in reverse order.
	// N 0 is two.
	Reorder Kind = "reorder"
	// Unanswered: the next request of the method Method gets no response. It has no
	// place.
	Unanswered Kind = "unanswered"
)

var kinds = []Kind{Drop, Reset, Close, Stall, Delay, Oversize, Garble, Duplicate, Lose, Split, Stray, Noise, Reorder, Unanswered}

// Kinds lists the faults in a fixed order.
func Kinds() []Kind { return slices.Clone(kinds) }

// Fault is one fault at one place. It strikes once: on the first connection that comes
// to the place.
type Fault struct {
	Kind Kind
	// Frame is the index, from 0, of the frame on its connection.
	Frame int
	// Byte is how many bytes of the frame leave before Drop or Reset, those of its
	// WebSocket header counted. More than there are is the whole frame.
	Byte int
	// N is a number of the kind's own; 0 is the kind's default.
	N int
	// Method is what is not answered.
	Method string
}

// check reports a fault that is none.
func (f Fault) check() error {
	switch {
	case !slices.Contains(kinds, f.Kind):
		return fmt.Errorf("fake openclaw: unknown fault %q, want one of %q", f.Kind, kinds)
	case f.Frame < 0 || f.Byte < 0 || f.N < 0:
		return fmt.Errorf("fake openclaw: fault %s: frame %d, byte %d and n %d count from 0", f.Kind, f.Frame, f.Byte, f.N)
	case f.Byte > 0 && f.Kind != Drop && f.Kind != Reset:
		return fmt.Errorf("fake openclaw: fault %s: it strikes at a frame, not at byte %d of it", f.Kind, f.Byte)
	case (f.Kind == Unanswered) != (f.Method != ""):
		return fmt.Errorf("fake openclaw: fault %s: a method is what %s has, and nothing else", f.Kind, Unanswered)
	case f.Kind == Close && f.N != 0 && !closable(f.N):
		return fmt.Errorf("fake openclaw: fault %s: no endpoint closes with status %d", f.Kind, f.N)
	}
	return nil
}

// closable reports whether a close frame may carry the status.
func closable(status int) bool {
	switch status {
	case 1004, 1005, 1006, 1015:
		return false
	}
	return status >= 1000 && status < 5000
}

// n is N, or what stands for 0.
func (f Fault) n() int {
	if f.N > 0 {
		return f.N
	}
	switch f.Kind {
	case Close:
		return int(websocket.StatusGoingAway)
	case Delay:
		return 20
	case Oversize:
		return maxPayload
	case Reorder:
		return 2
	}
	return 1
}

// due takes the faults that strike at a frame of the first connection that has it.
func (r *Runtime) due(frame int) []Fault {
	r.faultMu.Lock()
	defer r.faultMu.Unlock()
	var now []Fault
	r.faults = slices.DeleteFunc(r.faults, func(f Fault) bool {
		if f.Kind == Unanswered || f.Frame != frame {
			return false
		}
		now = append(now, f)
		return true
	})
	return now
}

// armed is a fault that waits on open connections, for the first that comes to its place.
type armed struct {
	fault  Fault
	struck *atomic.Bool // on one of them
}

// arm lets a fault wait. Its place is counted from here.
func (c *conn) arm(a armed) {
	a.fault.Frame += c.said
	c.armed = append(c.armed, a)
}

// due takes the faults that strike at the frame that is next.
func (c *conn) due() []Fault {
	now := c.gateway.due(c.said)
	c.armed = slices.DeleteFunc(c.armed, func(a armed) bool {
		if a.fault.Frame == c.said && !a.struck.Swap(true) {
			now = append(now, a.fault)
		}
		return a.fault.Frame <= c.said || a.struck.Load()
	})
	return now
}

// unanswered reports whether a request of the method gets no response.
func (r *Runtime) unanswered(method string) bool {
	r.faultMu.Lock()
	defer r.faultMu.Unlock()
	i := slices.IndexFunc(r.faults, func(f Fault) bool { return f.Kind == Unanswered && f.Method == method })
	if i < 0 {
		return false
	}
	r.faults = slices.Delete(r.faults, i, i+1)
	return true
}

// strike carries out a fault before the frame text leaves. It returns what leaves in
// its place, and how often.
func (c *conn) strike(f Fault, text []byte, times int) ([]byte, int, error) {
	switch f.Kind {
	case Drop, Reset:
		return nil, 0, c.sever(f, text)
	case Close:
		_ = c.socket.release()
		_ = c.ws.Close(websocket.StatusCode(f.n()), "")
		return nil, 0, errSevered
	case Stall:
		_ = c.socket.release()
		<-c.gone
		return nil, 0, errSevered
	case Delay:
		_ = c.socket.release()
		c.pause(time.Duration(f.n()) * time.Millisecond)
		c.socket.hold()
	case Oversize:
		text = grown(text, f.n())
	case Garble:
		text = text[:len(text)/2]
	case Duplicate:
		times += f.n()
	case Lose:
		c.losing = f.n()
	case Split:
		c.socket.tear(f.n())
	case Stray:
		return text, times, c.put([]byte(`{"type":"res","id":"00000000-0000-4000-8000-00000000dead","ok":true,"payload":{"ok":true}}`))
	case Noise:
		return text, times, c.put([]byte(`{"type":"event","event":"adaptercheck.noise","payload":{"means":"nothing"}}`))
	case Reorder:
		c.reversing = f.n()
	}
	return text, times, nil
}

// sever lets the beginning of a frame leave and ends the connection.
func (c *conn) sever(f Fault, text []byte) error {
	before := c.socket.size()
	if err := c.put(text); err != nil {
		return err
	}
	c.socket.cut(before + f.Byte)
	_ = c.socket.release() // the other side may be gone
	if f.Kind == Reset {
		c.socket.reset()
	} else {
		_ = c.socket.Conn.Close()
	}
	return errSevered
}

// grown gives a frame one more member of n bytes.
func grown(text []byte, n int) []byte {
	out := make([]byte, 0, len(text)+n+len(`,"padding":""}`))
	out = append(out, text[:len(text)-1]...)
	out = append(out, `,"padding":"`...)
	out = append(out, bytes.Repeat([]byte("x"), n)...)
	return append(out, `"}`...)
}
