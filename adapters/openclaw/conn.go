package openclaw

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/coder/websocket"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// listener is told what comes over a connection, from the goroutine that reads it.
type listener interface {
	// event is an event of the gateway.
	event(c *conn, f *frame)
	// missed says that frames did not come, or could not be read.
	missed(c *conn, unreadable bool)
	// lost says that the connection is over. Nothing comes after it.
	lost(c *conn)
}

// conn is a connection that takes requests.
type conn struct {
	options *Options
	socket  *socket
	// epoch tells lives of the gateway apart: what it kept in memory in an earlier one is
	// gone.
	epoch int

	out    chan []byte
	ctx    context.Context // ends with the connection
	cancel context.CancelFunc
	over   chan struct{}  // closed when nothing of it is at work any more
	quiet  *time.Timer    // runs out when the gateway is silent for too long
	silent time.Duration  // 0 is never
	seen   sequence       // of the reader
	work   sync.WaitGroup // the writer

	mu      sync.Mutex
	asked   int
	pending map[string]chan<- answered
	err     error // why it is over
}

// answered is the response to a request.
type answered struct {
	payload jsontext.Value
	refusal jsontext.Value // of one that is not ok
	err     error
}

var (
	// errLost is in the error of a request whose connection ended before the answer.
	errLost = errors.New("the connection to the gateway was lost")
	// errSilent is why a connection is given up on which nothing comes.
	errSilent = errors.New("the gateway fell silent")
	// errUnanswered is in the error of a request that the gateway did not answer in time.
	errUnanswered = errors.New("no answer in time")
)

const (
	// writeTimeout bounds the sending of one frame.
	writeTimeout = 10 * time.Second
	// outbox is how many requests may wait to be sent.
	outbox = 64
)

// open makes a connection of a socket that has shaken hands, and starts to read it.
func open(o *Options, s *socket, h *hello, epoch int, l listener) *conn {
	ctx, cancel := context.WithCancel(context.Background())
	c := &conn{
		options: o, socket: s, epoch: epoch, out: make(chan []byte, outbox), ctx: ctx, cancel: cancel,
		over: make(chan struct{}), pending: map[string]chan<- answered{},
		// A gateway that lives sends a tick in each interval.
		silent: 2 * time.Duration(h.Policy.is.Tick) * time.Millisecond,
	}
	c.quiet = time.AfterFunc(time.Hour, func() { c.fail(errSilent) })
	c.quiet.Stop()
	c.listen()
	c.work.Go(c.write)
	go c.read(l)
	return c
}

// listen starts the wait for the next frame.
func (c *conn) listen() {
	if c.silent > 0 {
		c.quiet.Reset(c.silent)
	}
}

// fail ends the connection for a reason, once.
func (c *conn) fail(err error) {
	c.mu.Lock()
	if c.err != nil {
		c.mu.Unlock()
		return
	}
	c.err = err
	pending := c.pending
	c.pending = nil
	c.mu.Unlock()
	c.cancel()
	for _, answer := range pending {
		answer <- answered{err: errLost}
	}
}

// alive reports whether requests may be answered.
func (c *conn) alive() bool { return c.ctx.Err() == nil }

// restarted reports whether the gateway ended the connection to start anew.
func (c *conn) restarted() bool {
	if c == nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return websocket.CloseStatus(c.err) == websocket.StatusServiceRestart
}

// read gives what comes to the listener, until the connection ends.
func (c *conn) read(l listener) {
	defer close(c.over)
	for {
		f, err := c.socket.readFrame(c.ctx)
		if err != nil {
			c.fail(err)
			break
		}
		c.listen()
		switch {
		case f == nil:
			l.missed(c, true)
		case f.Type == "res":
			c.response(f)
		case f.Type == "event":
			fresh, gap := c.seen.next(int64(f.Seq))
			if gap {
				l.missed(c, false)
			}
			if fresh {
				l.event(c, f)
			}
		}
	}
	c.quiet.Stop()
	_ = c.socket.ws.CloseNow()
	c.work.Wait()
	l.lost(c)
}

// response gives an answer to who waits for it. One that nobody waits for is late, or
// of nobody.
func (c *conn) response(f *frame) {
	c.mu.Lock()
	answer := c.pending[string(f.ID)]
	delete(c.pending, string(f.ID))
	c.mu.Unlock()
	if answer == nil {
		return
	}
	a := answered{payload: f.Payload}
	if !f.OK {
		a.refusal = f.Error
		if len(a.refusal) == 0 {
			a.refusal = jsontext.Value("null")
		}
	}
	answer <- a
}

// write sends what call puts in the outbox.
func (c *conn) write() {
	for {
		select {
		case text := <-c.out:
			ctx, cancel := context.WithTimeout(c.ctx, writeTimeout)
			err := c.socket.write(ctx, text)
			cancel()
			if err != nil {
				c.fail(err)
				return
			}
		case <-c.ctx.Done():
			return
		}
	}
}

// call sends a request and waits for its answer: for the time given, RequestTimeout
// where that is 0, and for ctx. A refusal is a [*GatewayError], and may have a payload
// as well.
func (c *conn) call(ctx context.Context, method string, params any, within time.Duration) (jsontext.Value, error) {
	if within <= 0 {
		within = c.options.RequestTimeout
	}
	answer := make(chan answered, 1)
	id, err := c.expect(answer)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	defer c.forget(id)
	text, err := json.Marshal(request{Type: "req", ID: id, Method: method, Params: params}, lenient)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	timer := time.NewTimer(within)
	defer timer.Stop()
	out := c.out
	for {
		select {
		case out <- text:
			out = nil
		case a := <-answer:
			switch {
			case a.err != nil:
				return nil, fmt.Errorf("%s: %w", method, a.err)
			case len(a.refusal) > 0:
				return a.payload, c.options.refused(method, a.refusal)
			}
			return a.payload, nil
		case <-timer.C:
			return nil, fmt.Errorf("%s: %w", method, errUnanswered)
		case <-ctx.Done():
			return nil, fmt.Errorf("%s: %w", method, ctx.Err())
		}
	}
}

// expect makes an id whose response goes to answer, which has room for it.
func (c *conn) expect(answer chan<- answered) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return "", errLost
	}
	c.asked++
	id := "r" + strconv.Itoa(c.asked)
	c.pending[id] = answer
	return id, nil
}

func (c *conn) forget(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.pending, id)
}

// close ends the connection politely, and waits until nothing of it is at work.
func (c *conn) close(within time.Duration) {
	c.socket.close(within)
	c.fail(errLost)
	<-c.over
}
