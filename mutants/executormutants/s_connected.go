package executormutants

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/subjects"
)

// connected makes the subject one of a connected substrate.
func connected(r *recipe) {
	over(subjects.MemoryConnected)(r)
	r.options.Connected = true
	r.options.Reconnect = 300 * time.Millisecond
	r.options.Request = time.Second
}

// linked describes a wrong adapter of a connected substrate.
func linked(id, checkID string, code check.Code, note string, t twist, changes ...change) Mutant {
	return mutant(id, checkID, code, note, t, append([]change{connected}, changes...)...)
}

// later is a twist of what a stream gives of the runs after its first one, with the text
// of the earlier ones.
func later(change func(e executor.Event, earlier string) []executor.Event) twist {
	return rewriting(func() func(executor.Event) []executor.Event {
		first, text := "", ""
		return func(e executor.Event) []executor.Event {
			if first == "" {
				first = e.Head().RunID
			}
			if e.Head().RunID != first {
				return change(e, text)
			}
			if d, is := e.(executor.TextDelta); is {
				text += d.Text
			}
			return one(e)
		}
	})
}

// follows is a twist of a handle that shows whatever id was heard last.
func follows(*right) hooks {
	var mu sync.Mutex
	latest := map[*executor.Run]string{}
	return hooks{
		rewrite: func(run *executor.Run) func(executor.Event) []executor.Event {
			return func(e executor.Event) []executor.Event {
				mu.Lock()
				defer mu.Unlock()
				latest[run] = e.Head().RunID
				return one(e)
			}
		},
		bind: func(outer, inner *executor.Run, _ int) {
			mu.Lock()
			defer mu.Unlock()
			outer.Mirror(latest[inner], true)
		},
	}
}

func connectedMutants() []Mutant {
	const many, handles, own = "executor.connected.many-runs", "executor.connected.handles", "executor.connected.own-beginning"
	return []Mutant{
		linked("x-stream-ends-with-run", many, "stream-ended-with-run", "ends a stream with the run that it began with", streams(func(_ *right, in executor.Stream) executor.Stream {
			var over atomic.Bool
			return streamFuncs{Stream: in, next: func(ctx context.Context) (executor.Event, error) {
				if over.Load() {
					return executor.Ended{}.Next(ctx)
				}
				e, err := in.Next(ctx)
				over.Store(err == nil && e.Kind() == executor.KindDone)
				return e, err
			}}
		})),
		linked("x-next-run-unseen", many, "next-run-unseen", "shows a stream its first run alone", later(func(executor.Event, string) []executor.Event { return nil })),
		linked("x-session-one-run", many, "run-id-reused", "takes all that a session says for one run", sharedRunID),
		linked("x-text-goes-on", many, "earlier-run-in-text", "goes on with the text of the run before", later(func(e executor.Event, earlier string) []executor.Event {
			if d, is := e.(executor.TextDelta); is {
				d.Text = earlier + d.Text
				return one(d)
			}
			return one(e)
		})),
		linked("x-next-run-mute", many, "text-lost", "hears how the next run ends, and not what it says", later(func(e executor.Event, _ string) []executor.Event {
			if e.Kind() == executor.KindTextDelta {
				return nil
			}
			return one(e)
		})),
		linked("x-runs-end-twice", many, "done-repeated", "ends each run on both streams that tell of it", ends(func(e executor.Done) []executor.Event {
			return []executor.Event{e, e}
		})),
		linked("x-turn-after-run", many, "event-after-done", "tells of the turn's end after the run's", ends(func(e executor.Done) []executor.Event {
			return []executor.Event{e, executor.Status{Phase: executor.PhaseTurnComplete}}
		})),
		linked("F04", many, "seq-not-increasing", "numbers each run of a stream from the start", stamping(func(*executor.Run) func(*executor.Envelope) {
			run, n := "", int64(0)
			return func(h *executor.Envelope) {
				if h.RunID != run {
					run, n = h.RunID, 0
				}
				n++
				h.Seq = n
			}
		})),

		linked("x-handle-follows-stream", handles, "run-id-changed", "binds a handle anew to each run that its stream comes to", follows),
		linked("x-later-handle-unbound", handles, "run-id-unbound", "binds the first handle of a session only", bindsFirst),
		linked("x-later-events-first-id", handles, "run-id-differs", "puts the first run's id on the events of all", func(*right) hooks {
			var mu sync.Mutex
			first := ""
			return hooks{stamp: func(*executor.Run) func(executor.Event) executor.Event {
				return func(e executor.Event) executor.Event {
					mu.Lock()
					defer mu.Unlock()
					head := e.Head()
					if first == "" {
						first = head.RunID
					}
					head.RunID = first
					return e.WithHead(head)
				}
			}}
		}),
		linked("x-abort-session", handles, "later-run-cancelled", "aborts whatever its session is at", aborts(func(ctx context.Context, r *right, _ *executor.Run) error {
			runs := r.runs()
			return r.adapter.Abort(ctx, runs[len(runs)-1])
		})),

		linked("x-later-run-from-here", own, "late-observer-misses-start", "shows a later observer what comes from now on", func(*right) hooks {
			var observers atomic.Int64
			return hooks{rewrite: func(*executor.Run) func(executor.Event) []executor.Event {
				missed := observers.Add(1) == 1
				return func(e executor.Event) []executor.Event {
					if e.Kind() == executor.KindTextDelta && !missed {
						missed = true
						return nil
					}
					return one(e)
				}
			}}
		}),
		linked("x-session-replayed", own, "ended-run-replayed", "plays a later observer the session from its start", func(*right) hooks {
			said := newShelf()
			var observers atomic.Int64
			return hooks{rewrite: func(*executor.Run) func(executor.Event) []executor.Event {
				replay := observers.Add(1) > 1
				return func(e executor.Event) []executor.Event {
					if replay {
						replay = false
						return []executor.Event{executor.TextDelta{Text: said.get("")}, e}
					}
					if d, is := e.(executor.TextDelta); is {
						said.add("", d.Text)
					}
					return one(e)
				}
			}}
		}),
	}
}

// stranger is the run that a frame names, where it is another than the one it came with.
func stranger(f fakes.Frame) string {
	switch f := f.(type) {
	case fakes.Delta:
		return f.Run
	case fakes.Failure:
		return f.Run
	case fakes.End:
		return f.Run
	}
	return ""
}

// follow is a twist of an adapter that hears frames of other runs. What follows them is
// told which run that was.
func follow(change func(f fakes.Frame, other string) []fakes.Frame) twist {
	return func(*right) hooks {
		heard := newShelf()
		return hooks{hear: func(session string, f fakes.Frame) []fakes.Frame {
			if run := stranger(f); run != "" {
				heard.set(session, run)
				return []fakes.Frame{f}
			}
			if run := heard.get(session); run != "" {
				return change(f, run)
			}
			return []fakes.Frame{f}
		}}
	}
}

func foreignMutants() []Mutant {
	const foreign = "executor.connected.foreign"
	silenced := func(word string) twist {
		return follow(func(f fakes.Frame, _ string) []fakes.Frame {
			if f.Word() == word {
				return nil
			}
			return []fakes.Frame{f}
		})
	}
	// renamed is a twist of runs that take the name of another one which they heard.
	renamed := func(hooked func(name func(session, own string) string) hooks) twist {
		return func(*right) hooks {
			heard := newShelf()
			h := hooked(func(session, own string) string {
				if other := heard.get(session); other != "" {
					return other
				}
				return own
			})
			h.hear = func(session string, f fakes.Frame) []fakes.Frame {
				if run := stranger(f); run != "" {
					heard.set(session, run)
				}
				return []fakes.Frame{f}
			}
			return h
		}
	}
	return []Mutant{
		linked("x-foreign-text", foreign, "foreign-text", "takes in what any run of the session says", hears(func(f fakes.Delta) []fakes.Frame {
			f.Run = ""
			return []fakes.Frame{f}
		})),
		linked("x-foreign-end", foreign, "foreign-end", "ends with any run of the session", hears(func(f fakes.End) []fakes.Frame {
			f.Run = ""
			return []fakes.Frame{f}
		})),
		linked("R17", foreign, "run-id-changed", "binds its handle to any run that is heard on the session", renamed(func(name func(session, own string) string) hooks {
			return hooks{bind: func(outer, inner *executor.Run, _ int) {
				own, _ := inner.ID()
				outer.Mirror(name(outer.SessionKey(), own), true)
			}}
		})),
		linked("x-foreign-id", foreign, "run-id-differs", "puts the name of any run that is heard on the session on its events", renamed(func(name func(session, own string) string) hooks {
			return hooks{stamp: func(run *executor.Run) func(executor.Event) executor.Event {
				return func(e executor.Event) executor.Event {
					head := e.Head()
					head.RunID = name(run.SessionKey(), head.RunID)
					return e.WithHead(head)
				}
			}}
		})),
		linked("x-foreign-silences", foreign, "text-lost", "listens to another run of the session from its first word on", silenced("delta")),
		linked("x-foreign-end-taken", foreign, "done-missing", "waits for the end of the run that it heard last", silenced("end")),
	}
}
