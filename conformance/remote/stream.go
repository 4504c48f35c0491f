package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// Events opens a stream in the subject. One that cannot be opened fails at the
// first pull.
func (a *adapter) Events(run *executor.Run) executor.Stream {
	at, h := a.ref(run)
	r, err := a.s.ask(a.life, "stream/open", runOnly{a.name, at})
	if err == nil && textOf(r.Stream) == "" {
		err = badReply("stream/open", "stream")
	}
	if err != nil {
		return failed{err}
	}
	a.refresh(a.life, h)
	return &stream{a: a, h: h, name: r.Stream}
}

// failed is a stream that could not be opened.
type failed struct{ err error }

func (f failed) Next(context.Context) (executor.Event, error) { return nil, f.err }
func (failed) Close() error                                   { return nil }

// stream is one stream of the subject's. Each pull is one request. Whoever pulled
// may stop waiting; the pull itself cannot be taken back, and its event belongs to
// the next who pulls: the subject sees one pull for each event that it gives.
type stream struct {
	a    *adapter
	h    *handle
	name jsontext.Value

	mu    sync.Mutex
	pulls int     // made so far
	idle  []*pull // pulls that nobody waits for, in their order
	over  error   // why the stream is over
}

// pull is one request for an event.
type pull struct {
	n     int
	done  chan struct{}
	event executor.Event
	err   error
}

type streamParams struct {
	Instance string         `json:"instance"`
	Stream   jsontext.Value `json:"stream"`
}

// Next pulls one event. An event that cannot be read is an [*executor.EventError].
func (s *stream) Next(ctx context.Context) (executor.Event, error) {
	p, over := s.take()
	if over != nil {
		return nil, over
	}
	select {
	case <-p.done:
		return p.event, p.err
	default:
	}
	select {
	case <-p.done:
		return p.event, p.err
	case <-ctx.Done():
		s.leave(p)
		return nil, fmt.Errorf("stream/next: %w", ctx.Err())
	}
}

// take is the oldest pull that nobody waits for, or a new one.
func (s *stream) take() (*pull, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.idle) > 0 {
		p := s.idle[0]
		s.idle = s.idle[1:]
		return p, nil
	}
	if s.over != nil {
		return nil, s.over
	}
	s.pulls++
	p := &pull{n: s.pulls, done: make(chan struct{})}
	go s.run(p)
	return p, nil
}

// leave gives a pull to whoever comes next.
func (s *stream) leave(p *pull) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, _ := slices.BinarySearchFunc(s.idle, p, func(a, b *pull) int { return a.n - b.n })
	s.idle = slices.Insert(s.idle, i, p)
}

// run makes the request. The handle shows what came with the answer before anybody
// sees the event.
func (s *stream) run(p *pull) {
	defer close(p.done)
	r, err := s.a.s.ask(s.a.life, "stream/next", streamParams{s.a.name, s.name})
	if s.h != nil {
		s.h.show(r)
	}
	switch {
	case err != nil:
		p.err = err
	case r.Event != nil:
		p.event, p.err = readEvent(r.Event)
		return
	case isTrue(r.End):
		p.err = io.EOF
	default:
		p.err = badReply("stream/next", "event, end or rejected")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over == nil {
		s.over = p.err
	}
}

// Close ends the iteration in the subject, each time that it is called.
func (s *stream) Close() error {
	_, err := s.a.s.ask(s.a.life, "stream/close", streamParams{s.a.name, s.name})
	if errors.Is(err, context.Canceled) && s.a.life.Err() != nil {
		return nil // the instance is closed, and its streams with it
	}
	return err
}

// readEvent reads an event as it stands. A tool input that JSON cannot carry is not
// one.
func readEvent(raw jsontext.Value) (executor.Event, error) {
	e, err := executor.UnmarshalEvent(raw)
	if err != nil {
		return nil, err
	}
	if call, ok := e.(executor.ToolCall); ok && bytes.Contains(raw, []byte(tokenKey)) && holdsToken(jsontext.Value(call.Input)) {
		return nil, &executor.EventError{Kind: call.Kind(), Field: "input", Problem: executor.ProblemType, Want: "a value that JSON can carry"}
	}
	return e, nil
}
