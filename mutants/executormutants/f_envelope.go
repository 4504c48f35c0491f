package executormutants

import (
	"context"
	"sync/atomic"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

func envelopeMutants() []Mutant {
	const topic = "executor.events."
	session := func(id string) *string { return &id }
	return []Mutant{
		mutant("F01", topic+"seq-increasing", "seq-negative", "numbers from -1000 up", stamps(func(h *executor.Envelope) { h.Seq -= 1000 })),
		mutant("F02", topic+"seq-increasing", "seq-not-increasing", "gives every event the same number", stamps(func(h *executor.Envelope) { h.Seq = 1 })),
		mutant("x-seq-swapped", topic+"seq-increasing", "seq-not-increasing", "numbers pairs in reverse", stamps(func(h *executor.Envelope) { h.Seq ^= 1 })),
		mutant("F05", topic+"run-id", "run-id-empty", "leaves the run id of events empty", stamps(func(h *executor.Envelope) { h.RunID = "" })),
		mutant("x-run-id-of-session", topic+"run-id", "run-id-differs", "puts the session key in the place of the run id", stamping(func(run *executor.Run) func(*executor.Envelope) {
			return func(h *executor.Envelope) { h.RunID = run.SessionKey() }
		})),
		mutant("F07", topic+"session-id", "session-id-foreign", "names another session", stamps(func(h *executor.Envelope) { h.SessionID = session("someone-else") })),
		mutant("x-session-empty", topic+"session-id", "session-id-empty", "names an empty session", stamps(func(h *executor.Envelope) { h.SessionID = session("") })),
		mutant("x-session-changes", topic+"session-id", "session-id-changed", "forgets the session in mid-run", stamping(func(*executor.Run) func(*executor.Envelope) {
			n := 0
			return func(h *executor.Envelope) {
				if n++; n > 2 {
					h.SessionID = nil
				}
			}
		})),
		mutant("F08", topic+"ts", "ts-invalid", "stamps every event with the epoch", stamps(func(h *executor.Envelope) { h.TS = 0 })),
		mutant("x-ts-negative", topic+"ts", "ts-invalid", "stamps events with times before the epoch", stamps(func(h *executor.Envelope) { h.TS = -h.TS })),
	}
}

func valueMutants() []Mutant {
	const formed = "executor.events.well-formed"
	return []Mutant{
		mutant("F10", formed, "event-malformed", "puts events of kinds of its own between", streams(func(_ *right, in executor.Stream) executor.Stream {
			var odd atomic.Int64
			return streamFuncs{Stream: in, next: func(ctx context.Context) (executor.Event, error) {
				if odd.Add(1)%2 == 0 {
					return nil, &executor.EventError{Problem: executor.ProblemKind}
				}
				return in.Next(ctx)
			}}
		})),
		mutant("x-text-empty", formed, "text-empty", "begins every text with an increment of nothing", edit(func(e executor.TextDelta) []executor.Event {
			return []executor.Event{executor.TextDelta{}, e}
		})),
		mutant("x-channel-unknown", formed, "channel-unknown", "puts the answer on a channel of its own", edit(func(e executor.TextDelta) []executor.Event {
			if e.Channel == "" {
				e.Channel = "final"
			}
			return one(e)
		})),
		mutant("x-phase-unknown", formed, "status-phase-unknown", "reports a phase of its own", edit(func(e executor.Status) []executor.Event {
			e.Phase = "warming-up"
			return one(e)
		})),
		mutant("x-reason-unknown", formed, "done-reason-unknown", "ends for a reason of its own", edit(func(e executor.Done) []executor.Event {
			e.Reason = "completed"
			return one(e)
		})),
	}
}
