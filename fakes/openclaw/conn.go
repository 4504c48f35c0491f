package openclaw

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// errSevered ends the writing to a connection that a fault or a close has ended.
var errSevered = errors.New("the connection has ended")

// conn is one client's connection.
type conn struct {
	gateway *Runtime
	ws      *websocket.Conn
	socket  *socket
	origin  string
	id      string
	gone    chan struct{} // closed when the connection has ended

	// Who the client is. Set once, under the gateway's lock.
	nonce   string
	known   bool // it is connected
	client  string
	mode    string
	scopes  set
	caps    set
	watches set // sessions whose messages it asked for
	lists   bool
	seq     int64 // of the last event

	mu     sync.Mutex
	queue  []parcel
	queued int           // bytes in the queue
	more   chan struct{} // has one when the queue is not empty
	over   bool          // nothing is taken any more

	// Of the writer alone.
	said      int // frames that have left
	scratch   []byte
	crlf      bool
	armed     []armed
	losing    int
	reversing int
	waiting   [][]byte // responses that wait for each other
}

// parcel is something that leaves a connection in its turn.
type parcel struct {
	// text of a frame; one of an event lacks its last brace and is numbered.
	text     []byte
	seq      int64 // 0 is none
	event    bool
	response bool
	// close, when not 0, ends the connection.
	close  websocket.StatusCode
	reason string
	sever  Kind
	tear   bool // into bytes, from here on
	crlf   bool // line ends after messages, from here on
	piece  int  // bytes of one write, for this frame alone
	// arm, when it can strike, is a fault that waits from here on.
	arm armed
	// fence, when not nil, is closed when the client has read all that came before.
	fence chan<- struct{}
}

type set map[string]bool

func setOf(items []string) set {
	s := set{}
	for _, i := range items {
		s[i] = true
	}
	return s
}

// post puts a parcel in the queue.
func (c *conn) post(p parcel) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return
	}
	c.queued += len(p.text)
	if c.queued > c.gateway.buffer { // it does not read
		p, c.queue, c.queued = parcel{close: websocket.StatusPolicyViolation, reason: "slow consumer"}, nil, 0
	}
	c.over = p.close != 0 || p.sever != ""
	c.queue = append(c.queue, p)
	select {
	case c.more <- struct{}{}:
	default:
	}
}

// event numbers and posts an event for this connection. The gateway's lock is held.
// A text may go to many connections; nobody changes it.
func (c *conn) event(text []byte, numbered bool) {
	p := parcel{text: text, event: true}
	if numbered {
		c.seq++
		p.seq = c.seq
	}
	if !c.gateway.losing {
		c.post(p)
	}
}

// write is the life of the goroutine that writes to the connection.
func (c *conn) write() {
	defer c.end()
	for {
		select {
		case <-c.more:
		case <-c.gone:
			return
		}
		c.mu.Lock()
		batch := c.queue
		c.queue, c.queued = nil, 0
		c.mu.Unlock()
		c.socket.hold()
		for _, p := range batch {
			if c.say(p) != nil {
				return
			}
		}
		if c.socket.release() != nil {
			return
		}
	}
}

// say lets a parcel leave, or what faults make of it.
func (c *conn) say(p parcel) error {
	switch {
	case p.close != 0:
		_ = c.socket.release()
		_ = c.ws.Close(p.close, cutReason(p.reason)) // it waits for the other side, which may be gone
		return errSevered
	case p.sever != "":
		return c.sever(Fault{Kind: p.sever}, []byte("{}"))
	case p.tear:
		c.socket.tear(1)
		return nil
	case p.crlf:
		c.crlf = true
		return nil
	case p.arm.struck != nil:
		c.arm(p.arm)
		return nil
	case p.fence != nil:
		go c.ping(p.fence)
		return nil
	}
	if p.piece > 0 {
		return c.pieces(p)
	}
	text := c.compose(p)
	if c.crlf {
		text = append(text[:len(text):len(text)], "\r\n"...)
	}
	times := 1
	for _, f := range c.due() {
		var err error
		if text, times, err = c.strike(f, text, times); err != nil {
			return err
		}
	}
	c.said++
	if c.losing > 0 {
		c.losing--
		return nil
	}
	if c.reversing > 0 && p.response {
		return c.reverse(text)
	}
	for range times {
		if err := c.put(text); err != nil {
			return err
		}
	}
	return nil
}

// pieces lets a frame leave in pieces of its own.
func (c *conn) pieces(p parcel) error {
	if err := c.socket.release(); err != nil {
		return err
	}
	c.socket.tear(p.piece)
	defer c.socket.tear(0)
	p.piece = 0
	err := c.say(p)
	c.socket.hold()
	return err
}

// reverse keeps a response until as many wait as shall leave in reverse order.
func (c *conn) reverse(text []byte) error {
	c.waiting = append(c.waiting, append([]byte(nil), text...))
	if len(c.waiting) < c.reversing {
		return nil
	}
	waiting := c.waiting
	c.waiting, c.reversing = nil, 0
	for i := range waiting {
		if err := c.put(waiting[len(waiting)-1-i]); err != nil {
			return err
		}
	}
	return nil
}

// compose writes the text of a parcel as this connection gets it.
func (c *conn) compose(p parcel) []byte {
	if !p.event {
		return p.text
	}
	if cap(c.scratch) > keep {
		c.scratch = nil
	}
	c.scratch = append(c.scratch[:0], p.text...)
	if p.seq > 0 {
		c.scratch = append(c.scratch, `,"seq":`...)
		c.scratch = strconv.AppendInt(c.scratch, p.seq, 10)
	}
	c.scratch = append(c.scratch, '}')
	return c.scratch
}

// put writes one WebSocket message.
func (c *conn) put(text []byte) error {
	if err := c.ws.Write(context.Background(), websocket.MessageText, text); err != nil {
		return errSevered
	}
	if c.socket.size() > keep {
		err := c.socket.release()
		c.socket.hold()
		return err
	}
	return nil
}

// ping asks the client for a sign that it has read all that came before.
func (c *conn) ping(fence chan<- struct{}) {
	_ = c.ws.Ping(context.Background()) // ends with the connection, which then holds nothing back
	close(fence)
}

// pause lets time pass, as long as the connection lives.
func (c *conn) pause(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-c.gone:
	}
}

// end ends the connection at once.
func (c *conn) end() {
	c.mu.Lock()
	c.over = true
	c.queue, c.queued = nil, 0
	c.mu.Unlock()
	_ = c.socket.Conn.Close() // a closing handshake that is under way waits for nobody
	_ = c.ws.CloseNow()
}

// cutReason shortens a reason to what a close frame has room for.
func cutReason(reason string) string {
	const most = 123
	if len(reason) <= most {
		return reason
	}
	end := most
	for end > 0 && reason[end]&0xc0 == 0x80 { // not inside a character
		end--
	}
	return reason[:end]
}
