// Package idle puts a limit on silence: it wraps a stream so that a runtime that
// says nothing for too long is told to stop, gets a grace to say its last words,
// and is then given up.
//
//	stream := idle.WithTimeout(adapter.Events(run), idle.Options{
//		OnIdle: func() { adapter.Abort(ctx, run) },
//	})
//	defer stream.Close()
//
// It imports the contract only.
package idle

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// The windows that a zero [Options] stands for.
const (
	DefaultIdle  = 30 * time.Minute
	DefaultGrace = 5 * time.Second
)

// Options says how long silence may last. The zero value means the defaults and
// no one to tell.
type Options struct {
	// Idle is how long a pull may wait; 0 or less means DefaultIdle.
	Idle time.Duration
	// Grace is how long it may go on waiting after that; 0 or less means
	// DefaultGrace. Close waits for the source no longer than this either.
	Grace time.Duration
	// OnIdle is called when Idle has passed, once for each silence, in a goroutine
	// of its own that nothing waits for: it may block, and may use the stream. May
	// be nil.
	OnIdle func()
}

// WithTimeout limits the silence of a stream. Each event opens the full window
// again, also one that comes in the grace (executor#pure-helpers). When Idle has
// passed without one, OnIdle is called and the stream waits on for Grace; when
// that has passed too, the stream ends with io.EOF and closes its source. The end
// of the source and its errors are passed on; an [*executor.EventError] counts as
// an event.
//
// A window runs from the pull that opened it. A consumer that does not pull is
// not the runtime's silence: nothing expires then. There is one pull of the
// source at a time, and it outlives the Next that began it: when that Next gives
// up, a later one gets its event, and the window runs on.
func WithTimeout(source executor.Stream, o Options) executor.Stream {
	if o.Idle <= 0 {
		o.Idle = DefaultIdle
	}
	if o.Grace <= 0 {
		o.Grace = DefaultGrace
	}
	return &stream{
		source:    source,
		o:         o,
		turn:      make(chan struct{}, 1),
		over:      make(chan struct{}),
		letGo:     make(chan struct{}),
		endPull:   func() {},
		pullEnded: closedChan(),
	}
}

func closedChan() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}

// stream is the wrapped stream.
type stream struct {
	source executor.Stream
	o      Options

	// turn holds a token while a Next is at work; the others wait in line.
	turn chan struct{}
	// window is the business of the Next whose turn it is.
	window window

	over  chan struct{} // closed at the end, whoever brought it about
	letGo chan struct{} // closed when the source is closed and its pull back

	mu        sync.Mutex
	ended     bool
	endPull   context.CancelFunc
	pullEnded chan struct{} // closed when the pull in flight is back
	closeBy   time.Time     // when Close stops waiting

	// What closing the source gave; read after letGo.
	err      error
	panicked any
}

// window is a pull in flight and how long it may take. The zero value is none.
type window struct {
	answer   chan answer
	deadline time.Time
	grace    bool // Idle has passed and OnIdle was called
}

// answer is what a pull of the source gave.
type answer struct {
	event    executor.Event
	err      error
	panicked any
}

// errNoAnswer is what a pull gives whose goroutine the source ended.
var errNoAnswer = errors.New("idle: the source ended the goroutine of its pull")

// Next returns the source's next event within the limits of silence.
func (s *stream) Next(ctx context.Context) (executor.Event, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-s.over:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if !s.pull(ctx) {
		return nil, io.EOF
	}
	return s.wait(ctx)
}

// pull begins a pull of the source and opens its window, unless one is in flight.
// It returns false when the stream is over.
func (s *stream) pull(ctx context.Context) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended || s.window.answer != nil {
		return !s.ended
	}
	// The pull outlives this Next, so it must not end with its context.
	pulling, cancel := context.WithCancel(context.WithoutCancel(ctx))
	got, back := make(chan answer, 1), make(chan struct{})
	go func() {
		defer close(back)
		defer cancel()
		a := answer{err: errNoAnswer}
		defer func() {
			a.panicked = recover()
			got <- a
		}()
		a.event, a.err = s.source.Next(pulling)
	}()
	s.endPull, s.pullEnded = cancel, back
	s.window = window{answer: got, deadline: time.Now().Add(s.o.Idle)}
	return true
}

// wait waits for the pull in flight, for as long as its window is open.
func (s *stream) wait(ctx context.Context) (executor.Event, error) {
	for {
		timer := time.NewTimer(time.Until(s.window.deadline))
		select {
		case a := <-s.window.answer:
			timer.Stop()
			return s.take(a)
		case <-s.over:
			timer.Stop()
			return nil, io.EOF
		case <-ctx.Done():
			timer.Stop()
			return nil, ctx.Err()
		case <-timer.C:
		}
		select {
		case a := <-s.window.answer: // it came with the expiry, so it is not late
			return s.take(a)
		default:
		}
		if s.window.grace {
			s.end()
			return nil, io.EOF
		}
		s.window.grace = true
		s.window.deadline = time.Now().Add(s.o.Grace)
		if s.o.OnIdle != nil {
			go s.o.OnIdle()
		}
	}
}

// take hands on what the pull gave and shuts its window. A panic of the source
// goes on in the consumer, where it would have been without this package.
func (s *stream) take(a answer) (executor.Event, error) {
	s.window = window{}
	if a.panicked != nil {
		s.end()
		panic(a.panicked)
	}
	var malformed *executor.EventError
	if a.err != nil && !errors.As(a.err, &malformed) {
		s.end()
	}
	return a.event, a.err
}

// end ends the stream, calls back the pull in flight and closes the source, once,
// without waiting for either.
func (s *stream) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return
	}
	s.ended = true
	s.closeBy = time.Now().Add(s.o.Grace)
	close(s.over)
	s.endPull()
	pullEnded := s.pullEnded
	go func() {
		defer close(s.letGo)
		defer func() {
			s.panicked = recover()
			<-pullEnded
		}()
		s.err = s.source.Close()
	}()
}

// Close ends the stream and closes its source. It is idempotent. It returns when
// the source is closed and its pull is back, with the source's error if it has
// one, or with an error Grace after the end, so that a source that hangs cannot
// hold up its consumer for ever.
func (s *stream) Close() error {
	s.end()
	timer := time.NewTimer(time.Until(s.closeBy))
	defer timer.Stop()
	select {
	case <-s.letGo:
		return s.closed()
	case <-timer.C:
	}
	select {
	case <-s.letGo:
		return s.closed()
	default:
		return fmt.Errorf("idle: the source did not close within %s: %w", s.o.Grace, context.DeadlineExceeded)
	}
}

// closed is what closing the source gave.
func (s *stream) closed() error {
	if s.panicked != nil {
		panic(s.panicked)
	}
	return s.err
}
