package provider

import (
	"context"
	"net"
	"sync"
	"time"
)

// conn is a client's connection. It is kept beside net/http to be reset.
type conn struct {
	net.Conn
	mu  sync.Mutex
	was *exchange // whose answer is leaving

	// until is when a write fails. It belongs to the handler.
	until time.Time
}

// deadline gives the writes that follow at least so much time, and half as much again at
// most: to move a deadline costs more than many a write.
func (c *conn) deadline(timeout time.Duration) {
	if now := time.Now(); c.until.Sub(now) < timeout {
		c.until = now.Add(timeout + timeout/2)
		_ = c.SetWriteDeadline(c.until) // a connection without deadlines writes without
	}
}

type connKey struct{}

func connOf(ctx context.Context) *conn {
	return ctx.Value(connKey{}).(*conn) // the server has no others
}

// listener hands out connections of that kind.
type listener struct{ net.Listener }

func (l listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &conn{Conn: c}, nil
}

func (c *conn) serve(x *exchange) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.was = x
}

// left tells the exchange that the last byte of its answer has been written.
func (c *conn) left() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.was != nil {
		c.was.leave()
		c.was = nil
	}
}

// lingerer is a connection that can be closed by a reset.
type lingerer interface{ SetLinger(sec int) error }

// reset closes the connection so that the client sees a reset. What was written before
// is acknowledged first where the system tells, so that the reset does not overtake it.
func (c *conn) reset(ctx context.Context) {
	l, ok := c.Conn.(lingerer)
	if !ok {
		return // a pipe in memory is closed; it has no other end
	}
	for unsent(c.Conn) > 0 && ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-time.After(time.Millisecond):
		}
	}
	_ = l.SetLinger(0) // a connection that is gone already needs none
}
