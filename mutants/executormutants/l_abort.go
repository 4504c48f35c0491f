package executormutants

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// aborts is a twist of abort.
func aborts(f func(ctx context.Context, r *right, run *executor.Run) error) twist {
	return func(r *right) hooks {
		return hooks{abort: func(ctx context.Context, run *executor.Run) error { return f(ctx, r, run) }}
	}
}

// aborted is a twist of the done of an aborted run.
func aborted(change func(executor.Done) []executor.Event) twist {
	return ends(func(e executor.Done) []executor.Event {
		if e.Reason == executor.ReasonAborted {
			return change(e)
		}
		return one(e)
	})
}

func abortMutants() []Mutant {
	const topic = "executor.abort."
	const stops, twice, silent = topic + "stops", topic + "twice", topic + "silent-runtime"
	nothing := func(context.Context, *right, *executor.Run) error { return nil }
	errAgain := errors.New("abort: already aborted")
	return []Mutant{
		mutant("L01", stops, "abort-not-sent", "abort does nothing", aborts(nothing)),
		mutant("L02", stops, "abort-not-sent", "abort tells the runtime that it was ignored", aborts(func(ctx context.Context, r *right, run *executor.Run) error {
			return r.runtime.WriteContext(ctx, run.SessionKey(), "log", "abort-ignored")
		})),
		mutant("L04", topic+"own-session", "foreign-run-cancelled", "abort ends the runs of every session", aborts(func(ctx context.Context, r *right, _ *executor.Run) error {
			var all error
			for _, run := range r.runs() {
				all = errors.Join(all, r.adapter.Abort(ctx, run))
			}
			return all
		})),
		mutant("L05", topic+"unbound", "abort-not-sent", "abort does nothing while the handle is unbound", aborts(func(ctx context.Context, r *right, run *executor.Run) error {
			if _, bound := run.ID(); !bound {
				return nil
			}
			return r.adapter.Abort(ctx, run)
		})),
		mutant("L07", stops, "abort-hung", "abort never returns", aborts(func(ctx context.Context, _ *right, _ *executor.Run) error {
			<-ctx.Done()
			return ctx.Err()
		})),
		mutant("x-abort-fails", stops, "abort-failed", "abort does its work and fails", aborts(func(ctx context.Context, r *right, run *executor.Run) error {
			return errors.Join(errAgain, r.adapter.Abort(ctx, run))
		})),
		mutant("L08", twice, "abort-twice-failed", "a second abort fails", func(r *right) hooks {
			var done atomic.Bool
			return hooks{abort: func(ctx context.Context, run *executor.Run) error {
				if done.Swap(true) {
					return errAgain
				}
				return r.adapter.Abort(ctx, run)
			}}
		}),
		mutant("L10", topic+"beats-success", "abort-reason-wrong", "believes the runtime's success after an abort", func(*right) hooks {
			var well atomic.Bool
			return hooks{
				hear: func(_ string, f fakes.Frame) []fakes.Frame {
					if end, ok := f.(fakes.End); ok && end.Reason == fakes.EndOK {
						well.Store(true)
					}
					return []fakes.Frame{f}
				},
				rewrite: func(*executor.Run) func(executor.Event) []executor.Event {
					return func(e executor.Event) []executor.Event {
						if d, ok := e.(executor.Done); ok && well.Load() {
							d.Reason = executor.ReasonSuccess
							return one(d)
						}
						return one(e)
					}
				},
			}
		}),
		mutant("L11", topic+"summary", "summary-empty", "forgets the text of an aborted run", aborted(func(e executor.Done) []executor.Event {
			e.Summary = ""
			return one(e)
		})),
		mutant("L13", stops, "error-invented", "an aborted run is a fatal error as well", aborted(func(e executor.Done) []executor.Event {
			return []executor.Event{executor.Error{Message: "aborted", Fatal: true}, e}
		})),
		mutant("L14", stops, "cancel-unasked", "cancels each run at its start", func(*right) hooks {
			return hooks{calls: func(calls []fakes.Call) []fakes.Call {
				return append([]fakes.Call{{Method: fakes.MethodCancel}}, calls...)
			}}
		}),
		mutant("x-aborted-as-error", stops, "abort-reason-wrong", "ends an aborted run in done(error)", aborted(func(e executor.Done) []executor.Event {
			e.Reason = executor.ReasonError
			return one(e)
		})),
		mutant("x-aborted-undone", stops, "abort-without-done", "cancels the run and never ends it", aborted(func(executor.Done) []executor.Event { return nil })),
		mutant("x-aborted-twice", stops, "done-repeated", "ends an aborted run twice", aborted(func(e executor.Done) []executor.Event { return []executor.Event{e, e} })),
		mutant("x-aborted-goes-on", stops, "event-after-done", "goes on after done(aborted)", aborted(func(e executor.Done) []executor.Event {
			return []executor.Event{e, executor.TextDelta{Text: "late"}}
		})),
		mutant("x-abort-twice-nothing", twice, "abort-not-sent", "neither the first abort nor the second does anything", aborts(nothing)),
		mutant("x-abort-later-run", topic+"after-end", "later-run-cancelled", "abort of a run that is over ends the session's next one", aborts(func(ctx context.Context, r *right, run *executor.Run) error {
			var all error
			for _, other := range r.runs() {
				if other.SessionKey() == run.SessionKey() {
					all = errors.Join(all, r.adapter.Abort(ctx, other))
				}
			}
			return all
		})),
		mutant("x-abort-after-end", topic+"after-end", "abort-after-end-failed", "abort of a run that is over fails", aborts(func(ctx context.Context, r *right, run *executor.Run) error {
			return errors.Join(errAgain, r.adapter.Abort(ctx, run))
		})),
		mutant("x-abort-waits-for-runtime", silent, "abort-without-done", "waits for ever for the runtime's word", nil, noGrace),
		mutant("x-abort-hangs-silent", silent, "abort-hung", "abort returns when the runtime confirms", aborts(func(ctx context.Context, r *right, run *executor.Run) error {
			if err := r.adapter.Abort(ctx, run); err != nil {
				return err
			}
			<-ctx.Done()
			return ctx.Err()
		})),
		mutant("x-session-stuck", topic+"next-start", "session-stuck-after-abort", "holds a session for busy after an abort", func(r *right) hooks {
			var mu sync.Mutex
			stuck := map[string]bool{}
			return hooks{
				start: func(ctx context.Context, o executor.StartOpts) (*executor.Run, error) {
					mu.Lock()
					defer mu.Unlock()
					if stuck[o.SessionKey] {
						return nil, executor.ErrBusy
					}
					return r.adapter.Start(ctx, executor.TaskHandle{}, o)
				},
				abort: func(ctx context.Context, run *executor.Run) error {
					mu.Lock()
					stuck[run.SessionKey()] = true
					mu.Unlock()
					return r.adapter.Abort(ctx, run)
				},
			}
		}),
		mutant("x-next-run-aborted", topic+"next-start", "session-stuck-after-abort", "takes the next run of an aborted session for aborted", func(r *right) hooks {
			var over atomic.Bool
			return hooks{rewrite: func(*executor.Run) func(executor.Event) []executor.Event {
				return func(e executor.Event) []executor.Event {
					if d, ok := e.(executor.Done); ok {
						if over.Load() {
							d.Reason = executor.ReasonAborted
						}
						over.Store(d.Reason == executor.ReasonAborted)
						return one(d)
					}
					return one(e)
				}
			}}
		}),
	}
}
