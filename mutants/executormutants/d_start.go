package executormutants

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/adaptercheck/adaptercheck/adapters/memory"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// asks is a twist of the start options.
func asks(change func(*executor.StartOpts)) twist {
	return func(r *right) hooks {
		return hooks{start: func(ctx context.Context, o executor.StartOpts) (*executor.Run, error) {
			change(&o)
			return r.adapter.Start(ctx, executor.TaskHandle{}, o)
		}}
	}
}

// hands is a twist of the handle that the host gets.
func hands(handle func(inner *executor.Run) *executor.Run) twist {
	return func(*right) hooks { return hooks{handle: handle} }
}

func startMutants() []Mutant {
	const topic = "executor.start."
	return []Mutant{
		mutant("D01", topic+"message", "message-lost", "sends nothing of message and context", asks(func(o *executor.StartOpts) { o.Message, o.Context = "", "" })),
		mutant("x-message-trimmed", topic+"message", "message-altered", "folds the message's white space", asks(func(o *executor.StartOpts) {
			o.Message = strings.Join(strings.Fields(o.Message), " ")
		})),
		mutant("x-context-lost", topic+"message", "context-lost", "sends no context", asks(func(o *executor.StartOpts) { o.Context = "" })),
		mutant("x-context-after", topic+"message", "context-order", "puts the context after the message and the message again", asks(func(o *executor.StartOpts) {
			o.Message += "\n\n" + o.Context + "\n\n" + o.Message
			o.Context = ""
		})),
		mutant("D10", topic+"options", "model-lost", "ignores model and blocklist", asks(func(o *executor.StartOpts) { o.Model, o.ChildToolBlocklist = "", nil })),
		mutant("x-blocklist-lost", topic+"options", "blocklist-lost", "ignores the blocklist", asks(func(o *executor.StartOpts) { o.ChildToolBlocklist = nil })),
		mutant("D02", topic+"unbound", "run-id-bound-at-start", "gives a handle that is bound", hands(func(in *executor.Run) *executor.Run {
			in.Bind("run-1")
			return in
		})),
		mutant("D04", "executor.binding.first-event", "run-id-unbound", "gives a copy of the handle that it binds", func(*right) hooks {
			return hooks{bind: func(_, _ *executor.Run, _ int) {}}
		}),
		mutant("D05", topic+"handle", "handle-session-key", "gives a handle with the runtime's form of the session key", hands(func(in *executor.Run) *executor.Run {
			return executor.NewRun(memory.ID, "agent:main:"+in.SessionKey())
		})),
		mutant("x-handle-adapter", topic+"handle", "handle-adapter-id", "gives a handle with another adapter's id", hands(func(in *executor.Run) *executor.Run {
			return executor.NewRun("memory2", in.SessionKey())
		})),
		mutant("D07", topic+"distinct-handles", "handle-shared", "gives the same handle for every start", func(*right) hooks {
			var mu sync.Mutex
			var first *executor.Run
			return hooks{handle: func(in *executor.Run) *executor.Run {
				mu.Lock()
				defer mu.Unlock()
				if first == nil {
					first = in
				}
				return first
			}}
		}),
		mutant("D08", topic+"returns", "start-waits-for-run", "returns from start when the run is over", func(r *right) hooks {
			return hooks{start: func(ctx context.Context, o executor.StartOpts) (*executor.Run, error) {
				run, err := r.adapter.Start(ctx, executor.TaskHandle{}, o)
				if err != nil {
					return nil, err
				}
				s := r.adapter.Events(run)
				defer func() { _ = s.Close() }()
				for _, err := range executor.All(ctx, s) {
					if err != nil {
						return nil, err
					}
				}
				return run, nil
			}}
		}),
		mutant("x-refusal-hidden", topic+"refused", "refusal-hidden", "gives a handle for a start that was refused", func(r *right) hooks {
			return hooks{start: func(ctx context.Context, o executor.StartOpts) (*executor.Run, error) {
				run, err := r.adapter.Start(ctx, executor.TaskHandle{}, o)
				if err != nil {
					return executor.NewRun(memory.ID, o.SessionKey), nil
				}
				return run, nil
			}}
		}),
		mutant("x-refusal-sticks", topic+"refused", "refusal-sticks", "holds a session for busy after a refused start", func(r *right) hooks {
			var refused atomic.Bool
			return hooks{start: func(ctx context.Context, o executor.StartOpts) (*executor.Run, error) {
				if refused.Load() {
					return nil, executor.ErrBusy
				}
				run, err := r.adapter.Start(ctx, executor.TaskHandle{}, o)
				refused.Store(err != nil)
				return run, err
			}}
		}),
		mutant("x-start-context", topic+"context", "run-ended-with-start-context", "ends the run with the context of its start", func(r *right) hooks {
			var life atomic.Value // of func() error
			return hooks{
				start: func(ctx context.Context, o executor.StartOpts) (*executor.Run, error) {
					life.Store(ctx.Err)
					return r.adapter.Start(ctx, executor.TaskHandle{}, o)
				},
				hear: func(_ string, f fakes.Frame) []fakes.Frame {
					if over := life.Load().(func() error); over() != nil {
						return []fakes.Frame{fakes.Cut{}}
					}
					return []fakes.Frame{f}
				},
			}
		}),
		mutant("D11", "executor.stream.early-frames", "early-frames-lost", "hears nothing before the first observer", func(r *right) hooks {
			var observed atomic.Bool
			return hooks{
				events: func(run *executor.Run) executor.Stream {
					observed.Store(true)
					return r.adapter.Events(run)
				},
				hear: func(_ string, f fakes.Frame) []fakes.Frame {
					if !observed.Load() {
						return nil
					}
					return []fakes.Frame{f}
				},
			}
		}),
	}
}

// second is a twist of what a start does on a session that has a live run.
func second(busy func(ctx context.Context, r *right, o executor.StartOpts) (*executor.Run, error)) twist {
	return func(r *right) hooks {
		return hooks{start: func(ctx context.Context, o executor.StartOpts) (*executor.Run, error) {
			run, err := r.adapter.Start(ctx, executor.TaskHandle{}, o)
			if errors.Is(err, executor.ErrBusy) {
				return busy(ctx, r, o)
			}
			return run, err
		}}
	}
}

func secondStartMutants() []Mutant {
	const goesOn = "executor.second-start.first-goes-on"
	forget := second(func(_ context.Context, _ *right, o executor.StartOpts) (*executor.Run, error) {
		return executor.NewRun(memory.ID, o.SessionKey), nil
	})
	return []Mutant{
		mutant("D13", goesOn, "first-run-lost", "a second start silences the first run's stream", func(r *right) hooks {
			var silenced atomic.Pointer[executor.Run]
			h := second(func(_ context.Context, r *right, o executor.StartOpts) (*executor.Run, error) {
				silenced.Store(r.runs()[0])
				return executor.NewRun(memory.ID, o.SessionKey), nil
			})(r)
			h.rewrite = func(run *executor.Run) func(executor.Event) []executor.Event {
				return func(e executor.Event) []executor.Event {
					if silenced.Load() == run {
						return nil
					}
					return one(e)
				}
			}
			return h
		}, secondStart("")),
		mutant("x-second-kills-first", goesOn, "first-run-cancelled", "a second start ends the first run", second(func(ctx context.Context, r *right, o executor.StartOpts) (*executor.Run, error) {
			first := r.runs()[0]
			s := r.adapter.Events(first)
			defer func() { _ = s.Close() }()
			if err := r.adapter.Abort(ctx, first); err != nil {
				return nil, err
			}
			for _, err := range executor.All(ctx, s) {
				if err != nil {
					return nil, err
				}
			}
			return r.adapter.Start(ctx, executor.TaskHandle{}, o)
		}), secondStart("")),
		mutant("x-second-forgotten", goesOn, "second-start-lost", "a second start is accepted and forgotten", forget, secondStart("")),
		mutant("x-second-not-queued", goesOn, "second-start-undeclared", "declares to queue a second start and refuses it", nil, secondStart("queues")),
		mutant("x-second-not-refused", goesOn, "second-start-undeclared", "declares to refuse a second start and accepts it", forget),
	}
}
