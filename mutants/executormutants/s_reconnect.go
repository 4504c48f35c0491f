package executormutants

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// onLoss is a twist of an event that tells of a loss and of all that follows it, with the
// text before it.
func onLoss(loss func(e executor.Event, said string) []executor.Event, after func(executor.Event) []executor.Event) twist {
	return rewriting(func() func(executor.Event) []executor.Event {
		lost, said := false, ""
		return func(e executor.Event) []executor.Event {
			if lost {
				return after(e)
			}
			switch e := e.(type) {
			case executor.TextDelta:
				said += e.Text
			case executor.Error:
				if lost = !e.Fatal; lost {
					return loss(e, said)
				}
			}
			return one(e)
		}
	})
}

// afterLoss is onLoss for what follows alone.
func afterLoss(after func(executor.Event) []executor.Event) twist {
	return onLoss(func(e executor.Event, _ string) []executor.Event { return one(e) }, after)
}

// nothing is no event.
func nothing(executor.Event) []executor.Event { return nil }

// dones is a change of the done alone.
func dones(change func(executor.Done) []executor.Event) func(executor.Event) []executor.Event {
	return func(e executor.Event) []executor.Event {
		if d, is := e.(executor.Done); is {
			return change(d)
		}
		return one(e)
	}
}

func twice(e executor.Done) []executor.Event { return []executor.Event{e, e} }

// textless leaves out text.
func textless(e executor.Event) []executor.Event {
	if e.Kind() == executor.KindTextDelta {
		return nil
	}
	return one(e)
}

// again says what was said once more.
func again(e executor.Event, said string) []executor.Event {
	return []executor.Event{e, executor.TextDelta{Text: said}}
}

// piece is a twist of the increment of that number, from 1.
func piece(number int, change func(executor.Event) []executor.Event) twist {
	return rewriting(func() func(executor.Event) []executor.Event {
		n := 0
		return func(e executor.Event) []executor.Event {
			if e.Kind() == executor.KindTextDelta {
				if n++; n == number {
					return change(e)
				}
			}
			return one(e)
		}
	})
}

// gap is a twist of an adapter whose wire has a gap. What it makes of a frame that does
// not come is there in its place.
func gap(instead ...fakes.Frame) twist {
	return func(*right) hooks {
		var mu sync.Mutex
		losing := false
		return hooks{
			fault: func(kind fakes.FaultKind) bool {
				mu.Lock()
				defer mu.Unlock()
				losing = losing || kind == fakes.FaultLose
				return kind == fakes.FaultLose
			},
			hear: func(_ string, f fakes.Frame) []fakes.Frame {
				mu.Lock()
				defer mu.Unlock()
				if losing {
					losing = false
					return instead
				}
				return []fakes.Frame{f}
			},
		}
	}
}

// unacknowledged is a twist of a start that nobody acknowledges: what the host gets in
// place of the error.
func unacknowledged(events ...executor.Event) twist {
	return func(r *right) hooks {
		var mu sync.Mutex
		given := map[*executor.Run]bool{}
		return hooks{
			start: func(ctx context.Context, o executor.StartOpts) (*executor.Run, error) {
				run, err := r.adapter.Start(ctx, executor.TaskHandle{}, o)
				if !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
					return run, err
				}
				run = executor.NewRun(r.adapter.ID(), o.SessionKey)
				mu.Lock()
				defer mu.Unlock()
				given[run] = true
				return run, nil
			},
			events: func(run *executor.Run) executor.Stream {
				mu.Lock()
				defer mu.Unlock()
				if !given[run] {
					return r.adapter.Events(run)
				}
				q := executor.NewQueue(executor.QueueOptions{})
				for i, e := range events {
					run.Bind("run-never-begun")
					q.Push(e.WithHead(executor.Envelope{RunID: "run-never-begun", TS: time.Now().UnixMilli(), Seq: int64(i)}))
				}
				q.End()
				return neverEnding(r, q)
			},
		}
	}
}

// hasty gives a start that nobody acknowledges up well within the shortest budgets.
func hasty(r *recipe) { r.options.Request = 100 * time.Millisecond }

func reconnectMutants() []Mutant {
	const recovered, unseen, final = "executor.reconnect.recovered", "executor.reconnect.ended-unseen", "executor.reconnect.final"
	asError := func(e executor.Done) []executor.Event {
		e.Reason = executor.ReasonError
		return one(e)
	}
	isFatal := func(e executor.Error) bool { return e.Fatal }
	return []Mutant{
		linked("x-loss-untold", recovered, "loss-silent", "tells nobody that it was away", drop(func(e executor.Error) bool { return !e.Fatal })),
		linked("x-loss-told-twice", recovered, "loss-repeated", "tells of each loss when it comes and when it is over", edit(func(e executor.Error) []executor.Event {
			return []executor.Event{e, e}
		})),
		linked("x-loss-is-the-end", recovered, "loss-fatal", "gives a run up with its connection", onLoss(func(e executor.Event, _ string) []executor.Event {
			failure := e.(executor.Error)
			failure.Fatal = true
			return []executor.Event{failure, executor.Done{Reason: executor.ReasonError}}
		}, nothing)),
		linked("x-away-text-lost", recovered, "text-lost", "goes on with what comes, and does not read up what it missed", func(*right) hooks {
			return hooks{rewrite: func(*executor.Run) func(executor.Event) []executor.Event {
				lost, missed := false, false
				return func(e executor.Event) []executor.Event {
					_, failed := e.(executor.Error)
					lost = lost || failed
					if lost && !missed && e.Kind() == executor.KindTextDelta {
						missed = true
						return nil
					}
					return one(e)
				}
			}}
		}),
		linked("x-read-from-start", recovered, "text-doubled", "reads a run again from its start", onLoss(again, one)),
		linked("x-deaf-after-loss", recovered, "done-missing", "connects again and follows nothing", afterLoss(nothing)),
		linked("x-ends-twice-after-loss", recovered, "done-repeated", "ends a run that it took up again twice", afterLoss(dones(twice))),

		linked("x-unseen-end-missed", unseen, "done-missing", "waits for an end that came while it was away", afterLoss(dones(func(executor.Done) []executor.Event { return nil }))),
		linked("x-unseen-end-as-error", unseen, "success-lost", "calls a run failed whose end it did not see", afterLoss(dones(asError))),
		linked("x-unseen-text-lost", unseen, "text-lost", "learns how a run ended, and not what it said", afterLoss(textless)),
		linked("x-unseen-from-start", unseen, "text-doubled", "reads a run that is over from its start", onLoss(again, one)),
		linked("x-unseen-end-twice", unseen, "done-repeated", "ends a run by the history and by the answer", afterLoss(dones(twice))),

		linked("R24", final, "done-missing", "leaves a run open whose connection is gone", rewrites(func(e executor.Event) []executor.Event {
			if e.Kind() == executor.KindDone || e.Kind() == executor.KindError {
				return nil
			}
			return one(e)
		})),
		linked("x-loss-as-success", final, "failure-hidden", "takes the end of the connection for the end of the run", ended(executor.ReasonSuccess)),
		linked("x-loss-unannounced", final, "fatal-missing", "fails a run whose connection is gone without a word", drop(isFatal)),
		linked("x-open-after-loss", final, "stream-open-after-loss", "leaves a stream open that nothing can come on", streams(func(r *right, in executor.Stream) executor.Stream { return neverEnding(r, in) })),
		linked("x-loss-ends-twice", final, "done-repeated", "ends a run at the loss and when it gives up", ends(twice)),
	}
}

func restartMutants() []Mutant {
	const restart, lost, start, under = "executor.reconnect.restart", "executor.reconnect.gap", "executor.reconnect.unacknowledged", "executor.dispose.during-start"
	failed := func(e executor.Done) bool { return e.Reason == executor.ReasonError }
	return []Mutant{
		linked("x-restart-unnoticed", restart, "done-missing", "waits for a run that a restart has lost", drop(failed)),
		linked("x-restart-as-success", restart, "failure-hidden", "takes a run for done that nobody knows any more", ended(executor.ReasonSuccess)),
		linked("x-restart-begins-again", restart, "run-begun-again", "sends the message again to a runtime that has forgotten it", func(r *right) hooks {
			return hooks{rewrite: func(run *executor.Run) func(executor.Event) []executor.Event {
				return dones(func(e executor.Done) []executor.Event {
					if e.Reason == executor.ReasonError {
						_, _ = r.adapter.Start(context.Background(), executor.TaskHandle{}, executor.StartOpts{SessionKey: run.SessionKey()})
					}
					return one(e)
				})
			}}
		}),
		linked("x-restart-sticks", restart, "session-stuck", "keeps a session taken whose run a restart has lost", takesOnce),
		linked("x-restart-forgets-next", restart, "next-run-lost", "accepts the run after a restart and forgets it", forgetsFrom(2)),

		linked("R73", lost, "gap-silent", "does not look at the numbers of frames", gap()),
		linked("x-gap-silences", lost, "text-lost", "reads up what was missing, and nothing behind it", piece(3, nothing)),
		linked("x-gap-read-twice", lost, "text-doubled", "reads up more than was missing", piece(2, func(e executor.Event) []executor.Event { return []executor.Event{e, e} })),
		linked("x-gap-undone", lost, "done-missing", "waits for ever for the frames that it missed", undone),

		linked("x-unacknowledged-hangs", start, "start-hung", "waits for an acknowledgement for ever", func(r *right) hooks {
			return hooks{start: func(ctx context.Context, o executor.StartOpts) (*executor.Run, error) {
				run, err := r.adapter.Start(ctx, executor.TaskHandle{}, o)
				if err != nil {
					<-ctx.Done()
				}
				return run, err
			}}
		}, hasty),
		linked("R22", start, "done-missing", "takes a message that nobody acknowledged for a run, and waits", unacknowledged(), hasty),
		linked("x-unacknowledged-success", start, "failure-hidden", "takes a message that nobody acknowledged for one that needs no answer", unacknowledged(executor.Done{Reason: executor.ReasonSuccess}), hasty),

		mutant("x-dispose-waits-for-start", under, "dispose-hung", "waits in dispose for a start that waits for it", func(*right) hooks {
			return hooks{dispose: func(ctx context.Context) error {
				<-ctx.Done()
				return ctx.Err()
			}}
		}),
		mutant("R72", under, "start-hung", "never settles a start that is disposed of under it", func(r *right) hooks {
			var once sync.Once
			disposed := make(chan struct{})
			return hooks{
				start: func(ctx context.Context, o executor.StartOpts) (*executor.Run, error) {
					timer := time.NewTimer(lag)
					defer timer.Stop()
					select {
					case <-timer.C:
					case <-disposed:
						<-ctx.Done()
						return nil, ctx.Err()
					}
					return r.adapter.Start(ctx, executor.TaskHandle{}, o)
				},
				dispose: func(ctx context.Context) error {
					once.Do(func() { close(disposed) })
					return r.adapter.Dispose(ctx)
				},
			}
		}),
		mutant("x-start-outlives-dispose", under, "run-open-after-dispose", "begins a run that it is disposed of under, and keeps it", func(*right) hooks {
			return hooks{dispose: func(context.Context) error { return nil }}
		}),
	}
}
