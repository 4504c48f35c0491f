package memory

import (
	"context"
	"errors"
	"io"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// ErrLost is what a client gets from a connection that has ended under its run. The run
// goes on: see [Conn.Resume].
var ErrLost = errors.New("connection lost")

// ErrForgotten is what a client gets that comes back for a run which the runtime does not
// know any more, as it was restarted.
var ErrForgotten = errors.New("the runtime was restarted and knows no such run")

// Conn is a client's end of one run. One goroutine reads it.
type Conn struct {
	runtime *Runtime
	run     *Run
	place   int // how many frames of the run were read, or lost on the way
	known   int // frames up to here are read from what the runtime has kept

	// Guarded by the run's lock.
	dropped bool
	carried int // what had left when the connection was dropped
}

// Next returns the next frame, or io.EOF when no more come. A connection that ends under
// its run is [ErrLost].
func (c *Conn) Next(ctx context.Context) (fakes.Frame, error) {
	for {
		f, changed, err := c.take()
		if f != nil || err != nil {
			return f, err
		}
		select {
		case <-changed:
		case <-c.run.gone:
			return nil, io.EOF
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// take is the next frame if there is one, or why there is none, or what to wait for.
func (c *Conn) take() (fakes.Frame, <-chan struct{}, error) {
	r := c.run
	r.mu.Lock()
	defer r.mu.Unlock()
	carried := len(r.said)
	if c.dropped {
		carried = min(carried, c.carried)
	}
	for c.place < carried {
		s := r.said[c.place]
		c.place++
		if !s.lost || c.place <= c.known {
			return s.frame, nil, nil
		}
	}
	switch {
	case c.dropped:
		return nil, nil, ErrLost
	case r.ended:
		return nil, nil, io.EOF
	}
	return nil, r.changed, nil
}

// Place is the number, among all that the run has said, of the frame that Next gave last,
// from 1. One that is not by one above the last shows that frames were lost on the way.
func (c *Conn) Place() int { return c.place }

// Resume takes the run up again over a new connection, which begins after the frame of
// that place. The connection at hand must not be used any more. A runtime that is down is
// [ErrDown], one that was restarted [ErrForgotten].
func (c *Conn) Resume(ctx context.Context, place int) (*Conn, error) {
	r := c.runtime
	if err := r.reach(ctx); err != nil {
		return nil, err
	}
	next := &Conn{runtime: r, run: c.run, place: place}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch { // since the runtime was reached
	case r.down || r.closed:
		return nil, ErrDown
	case c.run.forgotten():
		return nil, ErrForgotten
	}
	c.run.mu.Lock()
	next.known = len(c.run.said)
	c.run.mu.Unlock()
	delete(r.conns, c)
	r.conns[next] = struct{}{}
	return next, nil
}

// drop ends the connection under its run.
func (c *Conn) drop() {
	c.run.mu.Lock()
	defer c.run.mu.Unlock()
	c.dropped, c.carried = true, len(c.run.said)
	c.run.wake()
}

// reach is that of the runtime, over this connection.
func (c *Conn) reach(ctx context.Context) error {
	c.run.mu.Lock()
	dropped := c.dropped
	c.run.mu.Unlock()
	if dropped {
		return ErrLost
	}
	return c.runtime.reach(ctx)
}

// Cancel asks the runtime to stop the run.
func (c *Conn) Cancel(ctx context.Context) error {
	if err := c.reach(ctx); err != nil {
		return err
	}
	c.run.cancel()
	return nil
}

// Answer answers an approval question.
func (c *Conn) Answer(ctx context.Context, question string, allow bool) error {
	if err := c.reach(ctx); err != nil {
		return err
	}
	c.run.record(fakes.Call{Method: fakes.MethodAnswer, Session: c.run.begun.Session, Question: question, Allow: allow})
	return nil
}

// Close lets go of the run. It is idempotent.
func (c *Conn) Close() error {
	c.runtime.mu.Lock()
	delete(c.runtime.conns, c)
	c.runtime.mu.Unlock()
	c.run.leave()
	return nil
}
