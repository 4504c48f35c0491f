package executormutants

import (
	"sync"
	"sync/atomic"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
)

func lateMutants() []Mutant {
	const topic = "executor.stream."
	// over tells which sessions' runs have ended, by what the runtime said.
	over := func(h *hooks) func(session string) bool {
		var mu sync.Mutex
		ended := map[string]bool{}
		h.hear = func(session string, f fakes.Frame) []fakes.Frame {
			mu.Lock()
			defer mu.Unlock()
			ended[session] = f.Word() == "end"
			return []fakes.Frame{f}
		}
		return func(session string) bool {
			mu.Lock()
			defer mu.Unlock()
			return ended[session]
		}
	}
	// recorded keeps what each run's first observer was given.
	recorded := func(replay func(r *right, run *executor.Run, seen []executor.Event) executor.Stream) twist {
		return func(r *right) hooks {
			var mu sync.Mutex
			seen := map[*executor.Run][]executor.Event{}
			return hooks{
				events: func(run *executor.Run) executor.Stream {
					mu.Lock()
					defer mu.Unlock()
					if events := seen[run]; len(events) > 0 {
						return replay(r, run, events)
					}
					return r.adapter.Events(run)
				},
				rewrite: func(run *executor.Run) func(executor.Event) []executor.Event {
					return func(e executor.Event) []executor.Event {
						mu.Lock()
						defer mu.Unlock()
						seen[run] = append(seen[run], e)
						return one(e)
					}
				},
			}
		}
	}
	return []Mutant{
		mutant("x-late-observer-live-only", topic+"late-observer", "late-observer-misses-start", "gives a late observer only what comes from now on", func(*right) hooks {
			var observers, handed atomic.Int64
			return hooks{rewrite: func(*executor.Run) func(executor.Event) []executor.Event {
				if observers.Add(1) == 1 {
					return func(e executor.Event) []executor.Event {
						handed.Add(1)
						return one(e)
					}
				}
				before := handed.Load()
				return func(e executor.Event) []executor.Event {
					if before--; before >= 0 {
						return nil
					}
					return one(e)
				}
			}}
		}),
		mutant("R35", topic+"late-observer", "late-observer-misses-start", "plays its buffer to the first observer alone", func(*right) hooks {
			var observers atomic.Int64
			return hooks{rewrite: func(*executor.Run) func(executor.Event) []executor.Event {
				first := observers.Add(1) == 1
				texts := 0
				return func(e executor.Event) []executor.Event {
					if e.Kind() == executor.KindTextDelta {
						if texts++; texts == 1 && !first {
							return nil
						}
					}
					return one(e)
				}
			}}
		}),
		mutant("x-late-observer-reasons", topic+"late-observer", "observers-differ", "puts what a late observer missed into one piece", func(*right) hooks {
			var observers atomic.Int64
			return hooks{rewrite: func(*executor.Run) func(executor.Event) []executor.Event {
				if observers.Add(1) == 1 {
					return one
				}
				var held executor.TextDelta
				return func(e executor.Event) []executor.Event {
					d, ok := e.(executor.TextDelta)
					switch {
					case ok && held.Text == "":
						held = d
						return nil
					case ok:
						d.Text = held.Text + d.Text
						return one(d)
					default:
						return one(e)
					}
				}
			}}
		}),
		mutant("x-ended-run-lost", topic+"first-after-end", "ended-run-lost", "forgets a run when it is over, seen or not", func(r *right) hooks {
			var h hooks
			ended := over(&h)
			h.events = func(run *executor.Run) executor.Stream {
				if ended(run.SessionKey()) {
					return executor.Ended{}
				}
				return r.adapter.Events(run)
			}
			return h
		}),
		mutant("x-ended-run-undone", topic+"first-after-end", "done-missing", "keeps the text of a run that nobody saw, and not its end", func(r *right) hooks {
			var h hooks
			ended := over(&h)
			h.rewrite = func(run *executor.Run) func(executor.Event) []executor.Event {
				late := ended(run.SessionKey())
				return func(e executor.Event) []executor.Event {
					if late && e.Kind() == executor.KindDone {
						return nil
					}
					return one(e)
				}
			}
			return h
		}),
		mutant("E19", topic+"no-replay", "ended-run-replayed", "plays a run from its start to everybody who asks", recorded(func(_ *right, _ *executor.Run, seen []executor.Event) executor.Stream {
			q := executor.NewQueue(executor.QueueOptions{})
			for _, e := range seen {
				q.Push(e)
			}
			q.End()
			return q
		})),
	}
}
