package executortest

import (
	"context"

	. "github.com/onsi/gomega"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/contract/executor/rotation"
	"github.com/adaptercheck/adaptercheck/contract/executor/verify"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// rotate moves the work of a run to a session of its own, as a host does, and plays
// the successor to its end.
func (t *T) rotate(ctx context.Context, live *Live, why rotation.Reason, summary string, used int64) {
	codec := t.codec()
	var record rotation.Record
	handoff := rotation.Handoff{TaskID: "task-1", PredecessorSessionKey: live.Handle.SessionKey(), Reason: why, LastSummary: summary, TokensUsed: used, RotationIndex: 1}
	handle, err := check.Await(ctx, t.C, t.Budgets.Call, func(ctx context.Context) (*executor.Run, error) {
		return rotation.Rotate(ctx, rotation.Rotation{
			Adapter: t.Adapter, Current: live.Handle, Handoff: handoff,
			Restart: func(ctx context.Context, note string) (*executor.Run, error) {
				o := t.Opts(live.Handle.SessionKey() + "-2")
				o.Context = note
				return t.Adapter.Start(ctx, executor.TaskHandle{TaskID: "task-1"}, o)
			},
			Record: func(_ context.Context, r rotation.Record) error { record = r; return nil },
		})
	})
	t.Code("rotation-failed").Expect(err).NotTo(HaveOccurred())
	next := t.Arrived(ctx, handle, "successor-lost")
	begun := next.begun()
	t.Code("handoff-lost").Expect(begun.Message).To(ContainSubstring(handoff.Note()))
	t.Code("successor-resumes").Expect(begun.Resume).To(BeEmpty())
	o := t.Observe(ctx, handle)
	word := t.Word()
	next.Say(ctx, append(next.Hello(), next.Text("going on "+word), next.Ok())...)
	o.Done(ctx)
	t.Code("successor-lost").Expect(o.Text()).To(ContainSubstring(word))
	// The record is written when the successor runs; the old session must be in it.
	t.Code("predecessor-unserialized").Expect(record.Serialized).NotTo(BeNil())
	_, err = check.Await(ctx, t.C, t.Budgets.Call, func(ctx context.Context) (*executor.Run, error) {
		return codec.Restore(ctx, *record.Serialized)
	})
	t.Code("predecessor-unserialized").Expect(err).NotTo(HaveOccurred())
}

func rotations() []check.Check {
	codes := func(more ...check.Code) []check.Code {
		return append(more, "rotation-failed", "successor-lost", "successor-resumes", "handoff-lost", "predecessor-unserialized")
	}
	return []check.Check{
		// A run that came to its turn limit can be followed by a successor in a session of
		// its own.
		{
			ID: "executor.rotation.max-turns", Case: "start", Clause: "executor#rotatable",
			Level: check.Should, Provenance: check.Implied, Needs: []check.Feature{fakes.Codec, fakes.MaxTurns, fakes.NativeSession, fakes.Sessions},
			Codes: codes("rotation-unasked"),
			Title: "hands over to a successor at a turn limit",
			Run: with(func(ctx context.Context, t *T) {
				live, o := t.speaking(ctx, "s")
				live.Say(ctx, fakes.End{Reason: fakes.EndMaxTurns})
				o.Done(ctx)
				done, _ := verify.Last(o.Events, "")
				t.Code("rotation-unasked").Expect(done.Reason).To(Equal(executor.ReasonMaxTurns))
				t.rotate(ctx, live, rotation.MaxTurns, done.Summary, 0)
			}),
		},
		// The cost events of a run tell when its context is nearly full: by the last call,
		// not by their sum.
		{
			ID: "executor.rotation.watermark", Case: "start", Clause: "executor#rotatable",
			Level: check.Should, Provenance: check.Implied, Needs: []check.Feature{fakes.Codec, fakes.UsageFrames, fakes.NativeSession, fakes.Sessions},
			Codes: codes("watermark-early", "watermark-missed"),
			Title: "hands over to a successor when its context is nearly full",
			Run: with(func(ctx context.Context, t *T) {
				window := t.Adapter.Capabilities().ContextWindowTokens
				if window <= 0 {
					t.Unobserved(fakes.UsageFrames) // an adapter without a window is never rotated by it
				}
				live, o := t.speaking(ctx, "s")
				p := rotation.Default()
				var mark rotation.Watermark
				seen := 0
				crossed := func() bool {
					o.Rest(ctx)
					for ; seen < len(o.Events); seen++ {
						mark.Observe(o.Events[seen])
					}
					return rotation.ShouldRotate(mark.Tokens(), window, p.Threshold)
				}
				live.Say(ctx, tokens(fakes.UsageTurn, window*4/10, 1), tokens(fakes.UsageTurn, window/2, 1))
				t.Code("watermark-early").Expect(crossed()).To(BeFalse())
				live.Say(ctx, tokens(fakes.UsageTurn, window*9/10, 1))
				live.Say(ctx, live.Ok())
				o.Done(ctx)
				t.Code("watermark-missed").Expect(crossed()).To(BeTrue())
				t.rotate(ctx, live, rotation.ContextWatermark, "", mark.Tokens())
			}),
		},
	}
}
