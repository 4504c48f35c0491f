package executormutants

import (
	"context"
	"errors"
	"os"
	"sync"
	"sync/atomic"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// leaks is a twist of an adapter that keeps one thing more with each run.
func leaks(what func(*tap) *atomic.Int64) twist {
	return func(r *right) hooks {
		return hooks{start: func(ctx context.Context, o executor.StartOpts) (*executor.Run, error) {
			what(r.tap).Add(1)
			return r.adapter.Start(ctx, executor.TaskHandle{}, o)
		}}
	}
}

func residueMutants() []Mutant {
	const topic = "executor.residue."
	const runEnd, aborting, goroutines, files = topic + "run-end", topic + "abort", topic + "goroutines", topic + "descriptors"
	subscriptions := leaks(func(t *tap) *atomic.Int64 { return &t.leaked })
	children := leaks(func(t *tap) *atomic.Int64 { return &t.children })
	temporary := leaks(func(t *tap) *atomic.Int64 { return &t.files })
	connections := leaks(func(t *tap) *atomic.Int64 { return &t.connections })
	errAbort := errors.New("abort: busy")
	return []Mutant{
		mutant("R33", runEnd, "subscription-left", "keeps every run that it ever had", subscriptions),
		mutant("x-process-left", runEnd, "process-left", "does not reap what it started", children),
		mutant("x-file-left", runEnd, "file-left", "leaves the files that it made for a run", temporary),
		mutant("x-connection-left", runEnd, "connection-left", "opens a connection for each run and keeps it", connections),
		mutant("x-aborted-subscription-left", aborting, "subscription-left", "stays subscribed to a run that was aborted", subscriptions),
		mutant("x-aborted-process-left", aborting, "process-left", "does not reap a process that it aborted", children),
		mutant("x-aborted-file-left", aborting, "file-left", "leaves the files of a run that was aborted", temporary),
		mutant("x-aborted-connection-left", aborting, "connection-left", "keeps the connection of a run that was aborted", connections),
		mutant("x-residue-abort-hangs", aborting, "abort-hung", "an abort waits until everything is gone", aborts(func(ctx context.Context, _ *right, _ *executor.Run) error {
			<-ctx.Done()
			return ctx.Err()
		})),
		mutant("x-residue-abort-fails", aborting, "abort-failed", "an abort fails and cleans up", aborts(func(ctx context.Context, r *right, run *executor.Run) error {
			return errors.Join(errAbort, r.adapter.Abort(ctx, run))
		})),
		mutant("x-residue-abort-undone", aborting, "abort-without-done", "an abort cleans up and ends nothing", aborted(func(executor.Done) []executor.Event { return nil })),
		mutant("x-residue-abort-error", aborting, "abort-reason-wrong", "an abort cleans up and the run has failed", aborted(func(e executor.Done) []executor.Event {
			e.Reason = executor.ReasonError
			return one(e)
		})),
		mutant("x-goroutines-gather", goroutines, "goroutines-gather", "leaves a goroutine behind with each run", func(r *right) hooks {
			return hooks{start: func(ctx context.Context, o executor.StartOpts) (*executor.Run, error) {
				r.watch.Go(func() { <-r.closed })
				return r.adapter.Start(ctx, executor.TaskHandle{}, o)
			}}
		}),
		mutant("x-descriptors-gather", files, "descriptors-gather", "leaves a pipe open with each run", func(r *right) hooks {
			var mu sync.Mutex
			var open []*os.File
			return hooks{
				start: func(ctx context.Context, o executor.StartOpts) (*executor.Run, error) {
					read, write, err := os.Pipe()
					if err != nil {
						return nil, err
					}
					mu.Lock()
					open = append(open, read, write)
					mu.Unlock()
					return r.adapter.Start(ctx, executor.TaskHandle{}, o)
				},
				close: func(context.Context) error {
					mu.Lock()
					defer mu.Unlock()
					var all error
					for _, f := range open {
						all = errors.Join(all, f.Close())
					}
					return all
				},
			}
		}),
	}
}
