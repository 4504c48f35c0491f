package executormutants

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// pending describes an adapter that queues a second start and does something wrong
// with it.
func pending(id string, code check.Code, note string, bad badQueue) Mutant {
	id = "executor-" + id
	return Mutant{ID: id, Note: note, Check: "executor.abort.pending", Code: code, Subject: func() check.Subject { return queueingBadly(id, bad) }}
}

func abortEdgeMutants() []Mutant {
	const open, deaf, down = "executor.abort.open-calls", "executor.abort.deaf-runtime", "executor.abort.down-runtime"
	errDown := errors.New("abort: runtime down")
	hangs := aborts(func(ctx context.Context, _ *right, _ *executor.Run) error {
		<-ctx.Done()
		return ctx.Err()
	})
	failed := aborted(func(e executor.Done) []executor.Event {
		e.Reason = executor.ReasonError
		return one(e)
	})
	return []Mutant{
		pending("x-pending-deaf", "abort-without-done", "an abort of a run that waits does nothing", badQueue{deaf: true}),
		pending("x-pending-hangs", "abort-hung", "an abort of a run that waits never returns", badQueue{hangs: true}),
		pending("x-pending-fails", "abort-failed", "an abort of a run that waits fails", badQueue{fails: true}),
		pending("x-pending-undone", "abort-without-done", "an aborted run that waited ends without a done", badQueue{undone: true}),
		pending("x-pending-as-error", "abort-reason-wrong", "an aborted run that waited has failed", badQueue{reason: executor.ReasonError}),
		pending("x-pending-rises", "pending-run-started", "an aborted run begins when its session is free", badQueue{zombie: true}),
		pending("x-pending-takes-live", "first-run-lost", "an abort of a run that waits silences the live one", badQueue{last: true}),

		mutant("R60", open, "tool-call-open", "leaves the calls of an aborted run open", drop(func(e executor.ToolResult) bool { return e.IsError })),
		mutant("x-aborted-call-success", open, "tool-call-closed-as-success", "closes the calls of an aborted run as if they had gone well", answered(func(e *executor.ToolResult) { e.IsError = false })),
		mutant("x-aborted-call-lost", open, "tool-call-lost", "announces calls with their results", rewriting(func() func(executor.Event) []executor.Event {
			var held executor.Event
			return func(e executor.Event) []executor.Event {
				switch e.Kind() {
				case executor.KindToolCall:
					held = e
					return nil
				case executor.KindToolResult:
					return []executor.Event{held, e}
				default:
					return one(e)
				}
			}
		})),
		mutant("x-open-calls-hung", open, "abort-hung", "an abort waits for the tools that are running", hangs),
		mutant("x-open-calls-failed", open, "abort-failed", "an abort fails while a tool is running", aborts(func(ctx context.Context, r *right, run *executor.Run) error {
			return errors.Join(errDown, r.adapter.Abort(ctx, run))
		})),

		mutant("x-deaf-goes-on", deaf, "event-after-done", "passes on what an aborted run still says", func(*right) hooks {
			return hooks{rewrite: func(*executor.Run) func(executor.Event) []executor.Event {
				return func(e executor.Event) []executor.Event {
					if e.Kind() == executor.KindDone {
						return []executor.Event{e, executor.TextDelta{Text: " and on"}}
					}
					return one(e)
				}
			}}
		}),
		mutant("x-deaf-second-done", deaf, "done-repeated", "ends an aborted run again when the runtime does", aborted(func(e executor.Done) []executor.Event {
			again := e
			again.Reason = executor.ReasonSuccess
			return []executor.Event{e, again}
		})),
		mutant("x-deaf-hangs", deaf, "abort-hung", "an abort waits for the runtime to heed it", hangs),
		mutant("x-deaf-undone", deaf, "abort-without-done", "waits for ever for a runtime that goes on", nil, noGrace),
		mutant("x-deaf-as-error", deaf, "abort-reason-wrong", "calls a run failed that had to be ended", failed),

		mutant("x-down-undone", down, "abort-without-done", "gives a run up that it cannot cancel, and does not end it", aborts(func(ctx context.Context, r *right, run *executor.Run) error {
			if h, _ := r.adapter.Health(ctx); !h.OK {
				return errDown
			}
			return r.adapter.Abort(ctx, run)
		})),
		mutant("R23", down, "abort-without-done", "swallows that a cancel failed, and waits", nil, noGrace),
		mutant("x-down-hangs", down, "abort-hung", "an abort waits for the runtime to come back", hangs),
		mutant("x-down-as-error", down, "abort-reason-wrong", "calls a run failed that it could not cancel", failed),
	}
}

func sessionMutants() []Mutant {
	const apart, fresh, next = "executor.sessions.apart", "executor.sessions.fresh-run", "executor.sessions.next-run"
	// remembered sums up the text of whatever is told apart by the key.
	remembered := func(key func(*executor.Run) string) twist {
		return func(*right) hooks {
			shared := newShelf()
			return hooks{rewrite: func(run *executor.Run) func(executor.Event) []executor.Event {
				return func(e executor.Event) []executor.Event {
					switch e := e.(type) {
					case executor.TextDelta:
						shared.add(key(run), e.Text)
					case executor.Done:
						e.Summary = shared.get(key(run))
						return one(e)
					}
					return one(e)
				}
			}}
		}
	}
	everywhere := func(*executor.Run) string { return "" }
	return []Mutant{
		mutant("x-summary-shared", apart, "session-summary-mixed", "sums up the text of all sessions together", remembered(everywhere)),
		mutant("x-text-shared", apart, "session-text-mixed", "gives each session what the others say", func(*right) hooks {
			shared := newShelf()
			return hooks{
				hear: func(_ string, f fakes.Frame) []fakes.Frame {
					if d, ok := f.(fakes.Delta); ok {
						shared.add("", d.Text)
						return []fakes.Frame{fakes.Delta{Text: shared.get("")}}
					}
					return []fakes.Frame{f}
				},
			}
		}),
		mutant("x-run-id-shared", apart, "session-run-id-shared", "gives runs that are live at once one id", sharedRunID),
		mutant("x-usage-shared", apart, "session-usage-mixed", "bills each session for all of them", func(*right) hooks {
			var in, out atomic.Int64
			return hooks{hear: func(_ string, f fakes.Frame) []fakes.Frame {
				if u, ok := f.(fakes.Usage); ok {
					i, o := in.Add(*u.In), out.Add(*u.Out)
					u.In, u.Out = &i, &o
					return []fakes.Frame{u}
				}
				return []fakes.Frame{f}
			}}
		}),
		mutant("x-seq-shared", apart, "seq-not-increasing", "takes the number of the other session's last event", func(*right) hooks {
			var last atomic.Int64
			return hooks{stamp: func(run *executor.Run) func(executor.Event) executor.Event {
				return func(e executor.Event) executor.Event {
					head := e.Head()
					if run.SessionKey() == "a" {
						last.Store(head.Seq)
					} else {
						head.Seq = last.Load()
					}
					return e.WithHead(head)
				}
			}}
		}),
		mutant("x-second-session-undone", apart, "done-missing", "ends the session that is over first, and no other", func(*right) hooks {
			var over atomic.Bool
			return hooks{rewrite: func(*executor.Run) func(executor.Event) []executor.Event {
				return func(e executor.Event) []executor.Event {
					if e.Kind() == executor.KindDone && over.Swap(true) {
						return nil
					}
					return one(e)
				}
			}}
		}),

		mutant("R16", fresh, "earlier-run-in-summary", "sums up the earlier runs of a session as well", remembered((*executor.Run).SessionKey)),
		mutant("x-earlier-text", fresh, "earlier-run-in-text", "begins a run with the text of the last one", func(*right) hooks {
			shared := newShelf()
			return hooks{hear: func(session string, f fakes.Frame) []fakes.Frame {
				if d, ok := f.(fakes.Delta); ok {
					before := shared.get(session)
					shared.add(session, d.Text)
					return []fakes.Frame{fakes.Delta{Text: before + d.Text}}
				}
				return []fakes.Frame{f}
			}}
		}),
		mutant("x-next-run-undone", fresh, "done-missing", "ends the first run of a session only", func(*right) hooks {
			var over atomic.Bool
			return hooks{rewrite: func(*executor.Run) func(executor.Event) []executor.Event {
				return func(e executor.Event) []executor.Event {
					if e.Kind() == executor.KindDone && over.Swap(true) {
						return nil
					}
					return one(e)
				}
			}}
		}),
		mutant("x-third-run-unstoppable", fresh, "abort-without-done", "aborts the first run of a session whichever is meant", aborts(func(ctx context.Context, r *right, _ *executor.Run) error {
			return r.adapter.Abort(ctx, r.runs()[0])
		})),
		mutant("x-session-once", next, "session-stuck", "takes one run for each session", takesOnce),
		mutant("x-session-lost-after-failure", next, "next-run-lost", "accepts the run after a failure and forgets it", forgetsFrom(3)),
		mutant("x-session-stays-failed", next, "next-run-fails", "calls every run failed after one that did", func(*right) hooks {
			var failed atomic.Bool
			return hooks{rewrite: func(*executor.Run) func(executor.Event) []executor.Event {
				return func(e executor.Event) []executor.Event {
					if d, ok := e.(executor.Done); ok {
						if failed.Load() {
							d.Reason = executor.ReasonError
						}
						failed.Store(d.Reason == executor.ReasonError)
						return one(d)
					}
					return one(e)
				}
			}}
		}),
		mutant("x-first-run-undone", next, "done-missing", "ends no run but by a failure", drop(func(e executor.Done) bool { return e.Reason == executor.ReasonSuccess })),
	}
}

// takesOnce is a twist that takes one run and refuses every later one.
func takesOnce(r *right) hooks {
	var taken atomic.Bool
	return hooks{start: func(ctx context.Context, o executor.StartOpts) (*executor.Run, error) {
		if taken.Swap(true) {
			return nil, executor.ErrBusy
		}
		return r.adapter.Start(ctx, executor.TaskHandle{}, o)
	}}
}

// forgetsFrom is a twist that accepts the run of that number, from 1, and every later
// one, and begins none of them.
func forgetsFrom(number int64) twist {
	return func(r *right) hooks {
		var n atomic.Int64
		return hooks{start: func(ctx context.Context, o executor.StartOpts) (*executor.Run, error) {
			if n.Add(1) >= number {
				return executor.NewRun(r.adapter.ID(), o.SessionKey), nil
			}
			return r.adapter.Start(ctx, executor.TaskHandle{}, o)
		}}
	}
}
