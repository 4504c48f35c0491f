package executormutants

import (
	"context"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// rewriter is a stream that gives other events than the one beneath it. Several
// pulls may wait at once.
type rewriter struct {
	in     executor.Stream
	change func(executor.Event) []executor.Event
	stamp  func(executor.Event) executor.Event
	before func(n int)

	lock   chan struct{} // guards what follows, and the order of pulls
	held   []executor.Event
	seq    int64
	handed int
}

// Next pulls until there is something to give.
func (s *rewriter) Next(ctx context.Context) (executor.Event, error) {
	select {
	case s.lock <- struct{}{}:
		defer func() { <-s.lock }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	for len(s.held) == 0 {
		e, err := s.in.Next(ctx)
		if err != nil {
			return e, err
		}
		s.held = s.make(e)
	}
	e := s.held[0]
	s.held = s.held[1:]
	if s.before != nil {
		s.before(s.handed)
	}
	s.handed++
	return e, nil
}

// make is what the stream gives for one event.
func (s *rewriter) make(e executor.Event) []executor.Event {
	out := []executor.Event{e}
	if s.change != nil {
		out = s.change(e)
		for i, made := range out {
			head := made.Head()
			if head == (executor.Envelope{}) {
				head = e.Head()
			}
			s.seq++
			head.Seq = s.seq
			out[i] = made.WithHead(head)
		}
	}
	if s.stamp != nil {
		for i, made := range out {
			out[i] = s.stamp(made)
		}
	}
	return out
}

// Close closes the stream beneath.
func (s *rewriter) Close() error { return s.in.Close() }

// The kinds of twist that most mutants are.

// one is a list of one event.
func one(e executor.Event) []executor.Event { return []executor.Event{e} }

// rewrites is a twist of every event, without state.
func rewrites(change func(executor.Event) []executor.Event) twist {
	return rewriting(func() func(executor.Event) []executor.Event { return change })
}

// rewriting is a twist of every event, with state per stream.
func rewriting(begin func() func(executor.Event) []executor.Event) twist {
	return func(*right) hooks {
		return hooks{rewrite: func(*executor.Run) func(executor.Event) []executor.Event { return begin() }}
	}
}

// edit is a twist of the events of one kind.
func edit[E executor.Event](change func(E) []executor.Event) twist {
	return rewrites(func(e executor.Event) []executor.Event {
		if e, ok := e.(E); ok {
			return change(e)
		}
		return one(e)
	})
}

// drop is a twist that leaves out the events of one kind for which the predicate
// holds.
func drop[E executor.Event](is func(E) bool) twist {
	return edit(func(e E) []executor.Event {
		if is(e) {
			return nil
		}
		return one(e)
	})
}

// any of a kind.
func every[E executor.Event](E) bool { return true }

// stamps is a twist of envelopes, without state.
func stamps(change func(*executor.Envelope)) twist {
	return stamping(func(*executor.Run) func(*executor.Envelope) { return change })
}

// stamping is a twist of envelopes, with state per stream.
func stamping(begin func(run *executor.Run) func(*executor.Envelope)) twist {
	return func(*right) hooks {
		return hooks{stamp: func(run *executor.Run) func(executor.Event) executor.Event {
			change := begin(run)
			return func(e executor.Event) executor.Event {
				head := e.Head()
				change(&head)
				return e.WithHead(head)
			}
		}}
	}
}

// hears is a twist of how the frames of one word are understood.
func hears[F fakes.Frame](change func(F) []fakes.Frame) twist {
	return func(*right) hooks {
		return hooks{hear: func(_ string, f fakes.Frame) []fakes.Frame {
			if f, ok := f.(F); ok {
				return change(f)
			}
			return []fakes.Frame{f}
		}}
	}
}

// streams is a twist of the stream as a whole.
func streams(wrap func(r *right, in executor.Stream) executor.Stream) twist {
	return func(r *right) hooks {
		return hooks{stream: func(_ *executor.Run, in executor.Stream) executor.Stream { return wrap(r, in) }}
	}
}

// streamFuncs is a stream of two functions; nil passes on to the stream beneath.
type streamFuncs struct {
	executor.Stream
	next  func(ctx context.Context) (executor.Event, error)
	close func() error
}

func (s streamFuncs) Next(ctx context.Context) (executor.Event, error) {
	if s.next != nil {
		return s.next(ctx)
	}
	return s.Stream.Next(ctx)
}

func (s streamFuncs) Close() error {
	if s.close != nil {
		return s.close()
	}
	return s.Stream.Close()
}
