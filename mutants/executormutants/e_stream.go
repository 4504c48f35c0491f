package executormutants

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
)

var errStream = errors.New("stream broken")

func streamMutants() []Mutant {
	const topic = "executor.stream."
	return []Mutant{
		mutant("E01", topic+"subscribes", "subscribed-late", "subscribes at the first pull", func(*right) hooks {
			var pulled atomic.Bool
			return hooks{
				stream: func(_ *executor.Run, in executor.Stream) executor.Stream {
					return streamFuncs{Stream: in, next: func(ctx context.Context) (executor.Event, error) {
						pulled.Store(true)
						return in.Next(ctx)
					}}
				},
				hear: func(_ string, f fakes.Frame) []fakes.Frame {
					if !pulled.Load() {
						return nil
					}
					return []fakes.Frame{f}
				},
			}
		}),
		mutant("E04", "executor.residue.closed-stream", "subscription-leaked", "a closed stream stays subscribed", func(r *right) hooks {
			return hooks{stream: func(_ *executor.Run, in executor.Stream) executor.Stream {
				r.tap.leaked.Add(1)
				return in
			}}
		}),
		mutant("E05", topic+"close", "pull-hung-after-close", "closing does nothing", streams(func(_ *right, in executor.Stream) executor.Stream {
			return streamFuncs{Stream: in, close: func() error { return nil }}
		})),
		mutant("E07", topic+"close", "close-failed", "closing fails", streams(func(_ *right, in executor.Stream) executor.Stream {
			return streamFuncs{Stream: in, close: func() error { return errors.Join(errStream, in.Close()) }}
		})),
		mutant("x-close-twice", topic+"close", "close-failed", "closing again fails", streams(func(_ *right, in executor.Stream) executor.Stream {
			var closed atomic.Bool
			return streamFuncs{Stream: in, close: func() error {
				if closed.Swap(true) {
					return errStream
				}
				return in.Close()
			}}
		})),
		mutant("x-close-waits", topic+"close", "close-hung", "closing waits for the end of everything", streams(func(r *right, in executor.Stream) executor.Stream {
			return streamFuncs{Stream: in, close: func() error {
				<-r.closed
				return in.Close()
			}}
		})),
		mutant("E08", topic+"ends", "stream-open-after-done", "a one-shot stream stays open after its done", streams(func(r *right, in executor.Stream) executor.Stream { return neverEnding(r, in) })),
		mutant("O04", topic+"ends", "stream-failed-after-done", "the pull after the done fails", streams(func(_ *right, in executor.Stream) executor.Stream {
			return streamFuncs{Stream: in, next: func(ctx context.Context) (executor.Event, error) {
				e, err := in.Next(ctx)
				if errors.Is(err, io.EOF) {
					return nil, errStream
				}
				return e, err
			}}
		})),
		mutant("E17", topic+"unknown-handle", "unknown-handle-hung", "a handle that it does not know has a stream that never ends", func(r *right) hooks {
			return hooks{events: func(run *executor.Run) executor.Stream { return neverEnding(r, r.adapter.Events(run)) }}
		}),
		mutant("x-unknown-handle", topic+"unknown-handle", "unknown-handle-events", "a handle that it does not know shows another run", func(r *right) hooks {
			return hooks{events: func(run *executor.Run) executor.Stream {
				in := r.adapter.Events(run)
				if _, unknown := in.(executor.Ended); !unknown {
					return in
				}
				q := executor.NewQueue(executor.QueueOptions{})
				q.Push(executor.Status{Envelope: executor.Envelope{RunID: "run-0", TS: 1, Seq: 1}, Phase: executor.PhaseRunning})
				q.End()
				return q
			}}
		}),
		mutant("E20", "executor.terminal.failure", "done-missing", "the stream breaks at an error of the runtime", streams(func(_ *right, in executor.Stream) executor.Stream {
			return streamFuncs{Stream: in, next: func(ctx context.Context) (executor.Event, error) {
				e, err := in.Next(ctx)
				if err == nil && e.Kind() == executor.KindError {
					return nil, errStream
				}
				return e, err
			}}
		})),
	}
}

// neverEnding waits where the stream beneath ends.
func neverEnding(r *right, in executor.Stream) executor.Stream {
	var closed sync.Once
	gone := make(chan struct{})
	return streamFuncs{
		Stream: in,
		next: func(ctx context.Context) (executor.Event, error) {
			e, err := in.Next(ctx)
			if !errors.Is(err, io.EOF) {
				return e, err
			}
			select {
			case <-gone:
			case <-r.closed:
			case <-ctx.Done():
				return nil, ctx.Err()
			}
			return nil, io.EOF
		},
		close: func() error {
			closed.Do(func() { close(gone) })
			return in.Close()
		},
	}
}

func observerMutants() []Mutant {
	const two, pulls = "executor.stream.two-observers", "executor.stream.concurrent-pulls"
	// shared gives every observer of a run the same stream.
	shared := func(close func(in executor.Stream) error) twist {
		return func(r *right) hooks {
			var mu sync.Mutex
			byRun := map[*executor.Run]executor.Stream{}
			return hooks{events: func(run *executor.Run) executor.Stream {
				mu.Lock()
				defer mu.Unlock()
				in := byRun[run]
				if in == nil {
					in = r.adapter.Events(run)
					byRun[run] = in
				}
				return streamFuncs{Stream: in, close: func() error { return close(in) }}
			}}
		}
	}
	return []Mutant{
		mutant("E10", two, "observers-differ", "two observers steal from each other", shared(func(executor.Stream) error { return nil })),
		mutant("x-close-all", two, "observer-silenced-by-close", "closing one observer closes all", func(r *right) hooks {
			var mu sync.Mutex
			var open []executor.Stream
			return hooks{stream: func(_ *executor.Run, in executor.Stream) executor.Stream {
				mu.Lock()
				defer mu.Unlock()
				open = append(open, in)
				return streamFuncs{Stream: in, close: func() error {
					mu.Lock()
					defer mu.Unlock()
					for _, s := range open {
						_ = s.Close()
					}
					return nil
				}}
			}}
		}),
		mutant("x-observers-reordered", two, "observers-differ", "the second observer gets pairs of deltas in reverse", func(*right) hooks {
			var observers atomic.Int64
			return hooks{rewrite: func(*executor.Run) func(executor.Event) []executor.Event {
				if observers.Add(1) != 2 {
					return one
				}
				return swapped()
			}}
		}),
		mutant("E11", pulls, "pull-lost", "a pull takes the place of the one that waits", streams(func(_ *right, in executor.Stream) executor.Stream {
			return &singleWaiter{Stream: in}
		})),
		mutant("x-event-shared", pulls, "event-shared", "gives each event to two pulls", func(*right) hooks {
			return hooks{
				rewrite: func(*executor.Run) func(executor.Event) []executor.Event {
					return func(e executor.Event) []executor.Event { return []executor.Event{e, e} }
				},
				stamp: func(*executor.Run) func(executor.Event) executor.Event {
					return func(e executor.Event) executor.Event {
						head := e.Head()
						head.Seq = (head.Seq + 1) / 2 // as before they were doubled
						return e.WithHead(head)
					}
				},
			}
		}),
	}
}

// singleWaiter has room for one pull that waits: the next one takes its place, and
// it never gets an answer.
type singleWaiter struct {
	executor.Stream
	mu   sync.Mutex
	over func() // tells the pull that waits that it was replaced
}

// lag is how long a pull waits for another one to take its place: long enough for
// pulls that are made at once, on a busy machine as well.
const lag = 50 * time.Millisecond

func (s *singleWaiter) Next(ctx context.Context) (executor.Event, error) {
	replaced, over := context.WithCancel(ctx)
	defer over()
	s.mu.Lock()
	if s.over != nil {
		s.over()
	}
	s.over = over
	s.mu.Unlock()
	timer := time.NewTimer(lag)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-replaced.Done():
		<-ctx.Done()
		return nil, ctx.Err()
	}
	s.mu.Lock()
	s.over = nil
	s.mu.Unlock()
	return s.Stream.Next(ctx)
}
