package executortest

import (
	"context"

	. "github.com/onsi/gomega"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/executor/verify"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// conversation plays a run with everything that the wire has, and returns what
// its observer saw up to the done.
func (t *T) conversation(ctx context.Context) (*Live, *Observer) {
	live, o := t.converses(ctx)
	o.MustDone(ctx, t.Generic("assertion-failed"))
	o.Rest(ctx)
	live.Shown(o)
	return live, o
}

// converses plays such a run, and its observer has read nothing yet.
func (t *T) converses(ctx context.Context) (*Live, *Observer) {
	live := t.Start(ctx, t.Opts("s"))
	o := t.Observe(ctx, live.Handle)
	live.Say(ctx, live.Hello()...)
	live.Say(ctx, live.Text("one "+t.Word()))
	if t.Offers(fakes.ReasoningText) {
		live.Say(ctx, fakes.Think{Text: "thought " + t.Word()})
	}
	if t.Offers(fakes.Tools) {
		live.Say(ctx, fakes.ToolCall{ID: "t1", Name: "shell", Input: `{"command":"list"}`}, fakes.Result{ID: "t1", Name: "shell", Out: "a.txt"})
	}
	live.Say(ctx, live.Text("two "+t.Word()))
	if t.Offers(fakes.UsageFrames) {
		in, out := int64(100), int64(10)
		live.Say(ctx, fakes.Usage{Kind: fakes.UsageTurn, In: &in, Out: &out})
	}
	live.Say(ctx, live.Ok())
	return live, o
}

func envelope() []check.Check {
	return []check.Check{
		// Each event has a whole number from 0 up that rises strictly over the life of
		// its stream.
		{
			ID: "executor.events.seq-increasing", Case: "events-round-trip", Clause: "executor#seq",
			Level: check.Must, Provenance: check.Stated,
			Codes: []check.Code{"seq-not-increasing", "seq-negative"},
			Title: "numbers every event of a stream strictly upward from 0 or more",
			Run: with(func(ctx context.Context, t *T) {
				_, o := t.conversation(ctx)
				t.report(verify.Seq(o.Events), verify.SeqNotIncreasing, verify.SeqNegative)
			}),
		},
		// All events of a run carry one run id, the handle's, and it is not empty.
		{
			ID: "executor.events.run-id", Case: "events-round-trip", Clause: "executor#run-id",
			Level: check.Must, Provenance: check.Implied,
			Codes: []check.Code{"run-id-empty", "run-id-differs"},
			Title: "puts the handle's run id on every event of the run",
			Run: with(func(ctx context.Context, t *T) {
				live, o := t.conversation(ctx)
				t.report(verify.RunIDs(o.Events), verify.RunIDEmpty)
				id, _ := live.Handle.ID()
				for i, e := range o.Events {
					if e.Head().RunID != id && e.Head().RunID != "" {
						t.Notef("run-id-differs", "event %d", i)
					}
				}
			}),
		},
		// The session of an event is null, the session key, or the runtime's own id for
		// it; another session's is wrong, and a known one does not change.
		{
			ID: "executor.events.session-id", Case: "events-round-trip", Clause: "executor#session-id",
			Level: check.Must, Provenance: check.Decided,
			Codes: []check.Code{"session-id-empty", "session-id-changed", "session-id-foreign"},
			Title: "names no other session than its own",
			Run: with(func(ctx context.Context, t *T) {
				live, o := t.conversation(ctx)
				t.report(verify.Sessions(o.Events), verify.SessionEmpty, verify.SessionChanged)
				for i, e := range o.Events {
					if id := e.Head().SessionID; id != nil && *id != "" && *id != live.Handle.SessionKey() && *id != live.NativeSession {
						t.Notef("session-id-foreign", "event %d", i)
					}
				}
			}),
		},
		// A time is whole milliseconds since the epoch. It need not rise.
		{
			ID: "executor.events.ts", Case: "events-round-trip", Clause: "executor#ts",
			Level: check.Must, Provenance: check.Stated,
			Codes: []check.Code{"ts-invalid"},
			Title: "stamps every event with a time after the epoch",
			Run: with(func(ctx context.Context, t *T) {
				_, o := t.conversation(ctx)
				t.report(verify.Times(o.Events), verify.TimeInvalid)
			}),
		},
		// An event is one of the seven kinds, can be read, and its closed fields hold
		// words of their sets.
		{
			ID: "executor.events.well-formed", Case: "events-round-trip", Clause: "executor#kinds",
			Level: check.Must, Provenance: check.Stated,
			Codes: []check.Code{"event-malformed", "text-empty", "channel-unknown", "status-phase-unknown", "done-reason-unknown"},
			Title: "speaks in the seven kinds and their closed words",
			Run: with(func(ctx context.Context, t *T) {
				live, o := t.converses(ctx)
				ended := o.Done(ctx)
				t.Code("event-malformed").Expect(o.Malformed).To(BeZero())
				t.Expect(ended).To(BeTrue())
				live.Shown(o)
				t.report(verify.Values(o.Events), verify.TextEmpty, verify.ChannelUnknown, verify.PhaseUnknown, verify.ReasonUnknown)
			}),
		},
	}
}
