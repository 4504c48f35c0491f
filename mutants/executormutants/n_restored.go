package executormutants

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/adaptercheck/adaptercheck/adapters/memory"
	"github.com/adaptercheck/adaptercheck/contract/executor"
)

func restoredMutants() []Mutant {
	const handle, before, own, totals = "executor.codec.restored-handle", "executor.codec.before-frames", "executor.codec.own-session", "executor.codec.totals"
	errBlob := errors.New("serialize: no session yet")
	serializes := func(f func(ctx context.Context, r *right, run *executor.Run) (string, error)) twist {
		return func(r *right) hooks {
			return hooks{serialize: func(ctx context.Context, run *executor.Run) (string, error) { return f(ctx, r, run) }}
		}
	}
	fails := serializes(func(context.Context, *right, *executor.Run) (string, error) { return "", errBlob })
	unreadable := serializes(func(context.Context, *right, *executor.Run) (string, error) { return "not a session", nil })
	// restoredStream changes the streams of handles that were restored.
	restoredStream := func(make func(r *right, run *executor.Run) executor.Stream) twist {
		return func(r *right) hooks {
			var mu sync.Mutex
			known := map[*executor.Run]bool{}
			return hooks{
				restore: func(ctx context.Context, blob string) (*executor.Run, error) {
					run, err := r.adapter.Restore(ctx, blob)
					mu.Lock()
					defer mu.Unlock()
					known[run] = true
					return run, err
				},
				events: func(run *executor.Run) executor.Stream {
					mu.Lock()
					defer mu.Unlock()
					if known[run] {
						return make(r, run)
					}
					return r.adapter.Events(run)
				},
			}
		}
	}
	// stamped changes the text of a blob.
	stamped := func(change func(blob string, run *executor.Run) string) twist {
		return serializes(func(ctx context.Context, r *right, run *executor.Run) (string, error) {
			blob, err := r.adapter.Serialize(ctx, run)
			return change(blob, run), err
		})
	}
	return []Mutant{
		mutant("x-restored-hung", handle, "restored-stream-hung", "waits for a run of a restored handle", restoredStream(func(r *right, _ *executor.Run) executor.Stream {
			return neverEnding(r, executor.Ended{})
		})),
		mutant("x-restored-live", handle, "restored-stream-events", "shows a restored handle a run that it has not", restoredStream(func(_ *right, run *executor.Run) executor.Stream {
			q := executor.NewQueue(executor.QueueOptions{})
			q.Push(executor.Status{Envelope: executor.Envelope{RunID: "run-0", TS: 1, Seq: 1}, Phase: executor.PhaseInit})
			q.End()
			return q
		})),
		mutant("x-restored-unserialized", handle, "serialize-failed", "cannot write a session down whose run is over", fails),
		mutant("x-restored-unreadable", handle, "restore-failed", "cannot read what it wrote", unreadable),
		mutant("R30", before, "native-session-invented", "writes its session key down for the runtime's session", stamped(func(blob string, run *executor.Run) string {
			return strings.Replace(blob, `"session":""`, `"session":"`+run.SessionKey()+`"`, 1)
		})),
		mutant("x-early-serialize-fails", before, "serialize-failed", "cannot write a session down before it has spoken", fails),
		mutant("x-early-restore-fails", before, "restore-failed", "cannot read a session that has not spoken", unreadable),
		mutant("x-restores-latest", own, "wrong-session-resumed", "writes down the session that spoke last", serializes(func(ctx context.Context, r *right, run *executor.Run) (string, error) {
			runs := r.runs()
			blob, err := r.adapter.Serialize(ctx, runs[len(runs)-1])
			return strings.Replace(blob, `"sessionKey":"`+runs[len(runs)-1].SessionKey()+`"`, `"sessionKey":"`+run.SessionKey()+`"`, 1), err
		})),
		mutant("x-restores-other-key", own, "restored-handle-wrong", "restores whatever session it wrote down last", serializes(func(ctx context.Context, r *right, _ *executor.Run) (string, error) {
			runs := r.runs()
			return r.adapter.Serialize(ctx, runs[len(runs)-1])
		})),
		mutant("x-restores-nothing-of-two", own, "session-not-resumed", "writes down the key and forgets the runtime's session", stamped(func(blob string, _ *executor.Run) string {
			_, rest, _ := strings.Cut(blob, `"session":"`)
			native, _, _ := strings.Cut(rest, `"`)
			return strings.Replace(blob, native, "", 1)
		})),
		mutant("x-two-sessions-unserialized", own, "serialize-failed", "cannot write a session down beside another one", fails),
		mutant("x-two-sessions-unreadable", own, "restore-failed", "cannot read a session beside another one", unreadable),
		mutant("x-totals-forgotten", totals, "usage-cumulative", "forgets the totals of a session that it writes down", stamped(func(blob string, _ *executor.Run) string {
			head, _, _ := strings.Cut(blob, `"totals":`)
			return head + `"totals":{"in":0,"out":0,"usd":0}}`
		})),
		mutant("x-restored-unbilled", totals, "usage-lost", "does not bill the runs of a restored session", func(r *right) hooks {
			var restored sync.Map
			return hooks{
				restore: func(ctx context.Context, blob string) (*executor.Run, error) {
					run, err := r.adapter.Restore(ctx, blob)
					restored.Store(memory.ID, true)
					return run, err
				},
				rewrite: func(*executor.Run) func(executor.Event) []executor.Event {
					return func(e executor.Event) []executor.Event {
						if _, ok := restored.Load(memory.ID); ok && e.Kind() == executor.KindCost {
							return nil
						}
						return one(e)
					}
				},
			}
		}),
		mutant("x-totals-unserialized", totals, "serialize-failed", "cannot write totals down", fails),
		mutant("x-totals-unreadable", totals, "restore-failed", "cannot read totals", unreadable),
	}
}
