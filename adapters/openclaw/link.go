package openclaw

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// link is the connection to the gateway over time: one at a time, made when it is
// needed first, and again when it is needed after a loss.
type link struct {
	options  *Options
	listener listener

	mu       sync.Mutex
	now      *conn    // nil while there is none
	making   *attempt // nil while none is made
	closed   bool
	identity identity
	known    bool // identity is there
	boot     text // of the gateway's life, empty where it does not tell
	epoch    int
	greeted  time.Time // when the last hello came
	work     sync.WaitGroup
	ctx      context.Context // ends with the link
	cancel   context.CancelFunc
}

// attempt is a connection that is being made, for all who wait for one.
type attempt struct {
	done chan struct{}
	conn *conn
	err  error
}

func newLink(o *Options, l listener) *link {
	ctx, cancel := context.WithCancel(context.Background())
	return &link{options: o, listener: l, ctx: ctx, cancel: cancel}
}

// current is the connection that there is, nil for none.
func (l *link) current() *conn {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.now == nil || !l.now.alive() {
		return nil
	}
	return l.now
}

// get returns the connection, and makes one where there is none. ctx bounds the wait
// alone.
func (l *link) get(ctx context.Context) (*conn, error) {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return nil, errLost
	}
	if l.now != nil && l.now.alive() {
		defer l.mu.Unlock()
		return l.now, nil
	}
	a := l.making
	if a == nil {
		a = &attempt{done: make(chan struct{})}
		l.making = a
		l.work.Go(func() { l.make(a) })
	}
	l.mu.Unlock()
	select {
	case <-a.done:
		return a.conn, a.err
	case <-ctx.Done():
		return nil, fmt.Errorf("connect: %w", ctx.Err())
	}
}

// make makes a connection for an attempt.
func (l *link) make(a *attempt) {
	ctx, cancel := context.WithTimeout(l.ctx, l.options.ConnectTimeout)
	defer cancel()
	s, h, err := l.greet(ctx)

	l.mu.Lock()
	defer l.mu.Unlock()
	defer close(a.done)
	l.making = nil
	switch {
	case err != nil:
		a.err = err
	case l.closed:
		_ = s.ws.CloseNow()
		a.err = errLost
	default:
		l.age(h)
		a.conn = open(l.options, s, h, l.epoch, l.listener)
		l.now = a.conn
	}
}

// greet dials and shakes hands.
func (l *link) greet(ctx context.Context) (*socket, *hello, error) {
	id, err := l.device()
	if err != nil {
		return nil, nil, err
	}
	s, err := dial(ctx, l.options)
	if err != nil {
		return nil, nil, err
	}
	h, err := shake(ctx, s, l.options, id)
	if err != nil {
		_ = s.ws.CloseNow()
		if ctx.Err() != nil {
			err = fmt.Errorf("connect: %w: %w", errUnanswered, ctx.Err())
		}
		return nil, nil, err
	}
	return s, h, nil
}

// device is the identity, read or made when it is needed first.
func (l *link) device() (identity, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.known {
		return l.identity, nil
	}
	id, err := identity{}, error(nil)
	if l.options.IdentityDir == "" {
		id, err = newIdentity()
	} else {
		id, err = loadIdentity(l.options.IdentityDir)
	}
	l.identity, l.known = id, err == nil
	return id, err
}

// age notes whether the gateway has begun a new life since the last hello: it says so
// now, it said so when it closed the last connection, or it has been up for less time
// than has passed. The lock is held.
func (l *link) age(h *hello) {
	now := time.Now()
	boot, uptime := h.Server.is.Boot, time.Duration(h.Snapshot.is.Uptime)*time.Millisecond
	switch {
	case l.greeted.IsZero():
	case boot != "" && l.boot != "":
		if boot != l.boot {
			l.epoch++
		}
	case l.now.restarted(), uptime > 0 && uptime < now.Sub(l.greeted):
		l.epoch++
	}
	l.boot, l.greeted = boot, now
}

// close ends the connection and every attempt at one, and waits for them.
func (l *link) close() {
	l.mu.Lock()
	l.closed = true
	c := l.now
	l.now = nil
	l.mu.Unlock()
	l.cancel()
	if c != nil {
		c.close(min(l.options.Grace, time.Second))
	}
	l.work.Wait()
}
