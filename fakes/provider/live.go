package provider

import (
	"context"
	"fmt"
	"net/http"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/wire"
)

// Call is a request that a test answers itself, as it goes along.
type Call struct {
	x    *exchange
	does chan func()   // what the handler shall do
	gone chan struct{} // closed when the handler is gone

	// Of the handler alone.
	speaker *speaker
	said    []fakes.Frame
	holes   *holes
	host    *host
	out     bent
	begun   bool // by Begin
	headed  bool
	over    bool
}

// Next returns the next request that a live rule took, in order of arrival. It waits for
// one or for ctx.
func (s *Space) Next(ctx context.Context) (*Call, error) {
	select {
	case c := <-s.calls:
		return c, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("fake provider: no request came for a live rule: %w", ctx.Err())
	}
}

// live hands a request to whoever calls [Space.Next], and does what it is told.
func (x *exchange) live(q *request, h *holes) {
	c := &Call{x: x, does: make(chan func()), gone: make(chan struct{}), holes: h, speaker: newSpeaker(q), host: &host{x: x}}
	c.out = bent{wire.NewWriter(flushed{x}, nil, c.host)}
	defer close(c.gone)
	x.head(q.dialect, h)
	select {
	case x.space.calls <- c:
	default:
		x.refuse(q.dialect, Refusal{Status: 529, Message: "adaptercheck: nobody takes the requests of a live rule"})
		return
	}
	for !c.over {
		select {
		case do := <-c.does:
			do()
		case <-x.ctx.Done():
			return
		}
	}
	if c.headed {
		x.account(c.out)
	}
	if c.host.ending != "" {
		x.finish(c.host.ending)
	}
}

// do lets the handler do something, and waits for it.
func (c *Call) do(ctx context.Context, f func()) error {
	done := make(chan struct{})
	select {
	case c.does <- func() { defer close(done); f() }:
		<-done
		return nil
	case <-c.gone:
		return fakes.ErrGone
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Exchange is the request, and what has become of it so far.
func (c *Call) Exchange() Exchange { return c.x.show(c.x.space.server.options.Keys) }

// Begin sends what comes before anything is said: the head, and the events that begin the
// answer. A body that is no stream has none. What is said begins an answer as well; but an
// error before that is a status, and after it an event.
func (c *Call) Begin(ctx context.Context) (fakes.Receipt, error) {
	var receipt fakes.Receipt
	var err error
	failed := c.do(ctx, func() {
		if c.speaker.ask.stream {
			c.begun = true
			c.speaker.start()
			receipt, err = c.emit(nil)
		}
	})
	if failed != nil {
		return fakes.Receipt{}, failed
	}
	return receipt, err
}

// Emit says frames. It returns when they have been written, whether or not anybody
// reads them; the receipt says what left. Of an answer that is no stream everything
// leaves at its end. A frame that the dialect has no form for is [fakes.ErrUnplayable],
// and nothing of the call leaves; after an end, and when the client is gone, it is
// [fakes.ErrGone].
func (c *Call) Emit(ctx context.Context, frames ...fakes.Frame) (fakes.Receipt, error) {
	var receipt fakes.Receipt
	var err error
	if failed := c.do(ctx, func() { receipt, err = c.emit(frames) }); failed != nil {
		return fakes.Receipt{}, failed
	}
	return receipt, err
}

// Refuse answers with an error instead. It is possible only before anything was said.
func (c *Call) Refuse(ctx context.Context, r Refusal) error {
	var err error
	failed := c.do(ctx, func() {
		if c.speaker.began {
			err = unplayable("a status in the middle of an answer")
			return
		}
		c.over = true
		c.x.space.limit.told(c.x.key, r)
		c.x.refuse(c.speaker.ask.dialect, r)
	})
	if failed != nil {
		return failed
	}
	return err
}

// Fault lets a fault of the bytes strike before the next event, whatever its Event says.
// One that ends the answer strikes at once.
func (c *Call) Fault(ctx context.Context, f Fault) error {
	if err := f.check(); err != nil {
		return fmt.Errorf("fake provider: %w", err)
	}
	if onWire[f.Kind] == "" {
		return unplayable("the fault %s in an answer that is given as it goes along", f.Kind)
	}
	return c.do(ctx, func() {
		switch f.Kind {
		case End, FIN, Reset, Stall:
			if f.Byte == 0 {
				c.begin()
				c.host.ending, c.over = f.Kind, true
				c.x.strike(Strike{f.Kind, c.out.Receipt().Bytes})
				return
			}
		}
		c.out.Add(f.wire())
	})
}

// Gone waits until the client has let go, or the answer is over.
func (c *Call) Gone(ctx context.Context) error {
	select {
	case <-c.gone:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (x *exchange) strike(s Strike) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.strikes = append(x.strikes, s)
}

// begin sends the head of the answer, once.
func (c *Call) begin() {
	if c.headed {
		return
	}
	c.headed = true
	header := c.x.w.Header()
	header.Set("Content-Type", "application/json")
	if c.speaker.ask.stream {
		header.Set("Content-Type", "text/event-stream; charset=utf-8")
		header.Set("Cache-Control", "no-cache")
	}
	c.x.mu.Lock()
	c.x.status = http.StatusOK
	c.x.mu.Unlock()
	c.x.w.WriteHeader(http.StatusOK)
}

func (c *Call) emit(frames []fakes.Frame) (fakes.Receipt, error) {
	before := c.out.Receipt()
	if err := c.hear(frames); err != nil {
		return fakes.Receipt{}, err
	}
	s := c.speaker
	events := s.take()
	if s.refusal != nil {
		c.over = true
		c.x.space.limit.told(c.x.key, *s.refusal)
		c.x.refuse(s.ask.dialect, *s.refusal)
		return fakes.Receipt{}, nil
	}
	switch {
	case s.ask.stream:
	case s.over && !s.cut && !s.quiet:
		events = []event{{parts(jsonText(s.voice.whole())), true}}
	default:
		events = nil
	}
	if len(events) > 0 || s.over {
		c.begin()
	}
	for _, e := range events {
		if err := c.out.Frame(e.fill(nil, c.holes)); err != nil {
			return c.since(before), fakes.ErrGone
		}
	}
	if err := c.out.Flush(); err != nil {
		return c.since(before), fakes.ErrGone
	}
	if s.over && c.host.ending == "" {
		switch {
		case s.cut:
			c.host.ending = FIN
		case s.quiet:
			c.host.ending = Stall
		default:
			_ = c.out.Close() // what strikes at the end; a write that fails is noted
		}
	}
	c.over = s.over || c.host.ending != ""
	return c.since(before), nil
}

// hear renders frames, all or none.
func (c *Call) hear(frames []fakes.Frame) error {
	if c.speaker.over {
		return fakes.ErrGone
	}
	err := c.speaker.hear(frames)
	if err == nil {
		c.said = append(c.said, frames...)
		return nil
	}
	c.speaker = newSpeaker(c.speaker.ask) // as it was before
	if c.begun {
		c.speaker.start()
	}
	_ = c.speaker.hear(c.said) // it was heard once
	c.speaker.take()
	return err
}

func (c *Call) since(before fakes.Receipt) fakes.Receipt {
	now := c.out.Receipt()
	return fakes.Receipt{Frames: now.Frames - before.Frames, Bytes: now.Bytes - before.Bytes}
}
