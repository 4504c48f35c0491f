package executortest

import (
	"context"

	. "github.com/onsi/gomega"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/contract/executor/verify"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// abortEdges holds the checks of aborts that meet something else.
func abortEdges() []check.Check {
	common := []check.Code{"abort-hung", "abort-failed", "abort-without-done", "abort-reason-wrong"}
	codes := func(more ...check.Code) []check.Code { return append(more, common...) }
	return []check.Check{
		// An abort of a run that waits for its session takes it out of the queue; its
		// consumer gets done(aborted) and the runtime never sees it.
		{
			ID: "executor.abort.pending", Case: "abort", Clause: "executor#abort-pending",
			Level: check.Must, Provenance: check.Decided,
			Codes: codes("pending-run-started", "first-run-lost"),
			Title: "takes an aborted run out of the queue and ends it",
			Run: with(func(ctx context.Context, t *T) {
				if t.Subject.Declares.SecondStart == check.Refuses {
					t.Unobserved(fakes.SecondRun)
				}
				live, o := t.speaking(ctx, "s")
				h, err := check.Await(ctx, t.C, t.Budgets.Call, func(ctx context.Context) (*executor.Run, error) {
					return t.Adapter.Start(ctx, executor.TaskHandle{}, t.Opts("s"))
				})
				if err != nil {
					t.Unobserved(fakes.SecondRun)
				}
				waiting := t.Observe(ctx, h)
				t.Code("abort-failed").Expect(t.stop(ctx, h)).To(Succeed())
				t.aborted(ctx, waiting)
				live.Late(ctx, live.Ok()) // a backstop may have ended it as well
				t.Code("first-run-lost").Expect(o.Done(ctx)).To(BeTrue())
				done, _ := verify.Last(o.Events, "")
				t.Code("first-run-lost").Expect(done.Reason).To(BeElementOf(executor.ReasonSuccess, executor.ReasonAborted))
				_, err = check.Await(ctx, t.C, t.Budgets.Quiet, t.Runtime.Next)
				t.Code("pending-run-started").Expect(err).To(HaveOccurred())
			}),
		},
		// Calls that an abort leaves open are closed like those of any other run.
		{
			ID: "executor.abort.open-calls", Case: "abort", Clause: "executor#tool-open",
			Level: check.Should, Provenance: check.Decided, Needs: []check.Feature{fakes.Tools},
			Codes: codes("tool-call-lost", "tool-call-open", "tool-call-closed-as-success"),
			Title: "closes the open calls of an aborted run by error results",
			Run: with(func(ctx context.Context, t *T) {
				live, o := t.speaking(ctx, "s")
				live.Say(ctx, shell("t1", "sleep "+t.Word()))
				early := t.Offers(fakes.LiveText)
				if early {
					t.Code("tool-call-lost").Expect(o.Kind(ctx, executor.KindToolCall)).To(BeTrue())
				}
				t.Code("abort-failed").Expect(t.stop(ctx, live.Handle)).To(Succeed())
				t.aborted(ctx, o)
				o.Rest(ctx)
				if _, announced := First[executor.ToolCall](o); !announced && !early {
					t.Unobserved(fakes.LiveText) // the abort came before the wire could tell of it
				}
				t.report(verify.OpenCalls(o.Events), verify.CallOpenAtDone)
				t.Stop()
				r, _ := First[executor.ToolResult](o)
				t.Code("tool-call-closed-as-success").Expect(r.IsError).To(BeTrue())
			}),
		},
		// A runtime that does not heed the cancel and goes on makes no event after
		// done(aborted).
		{
			ID: "executor.abort.deaf-runtime", Case: "abort", Clause: "executor#one-terminal",
			Level: check.Must, Provenance: check.Implied, Needs: []check.Feature{fakes.SilentRun},
			Codes: []check.Code{"abort-hung", "abort-without-done", "abort-reason-wrong", "event-after-done", "done-repeated"},
			Title: "ends an aborted run for good although the runtime goes on",
			Run: with(func(ctx context.Context, t *T) {
				live, o := t.speaking(ctx, "s")
				live.Fault(ctx, fakes.FaultDeaf)
				_ = t.stop(ctx, live.Handle) // an error is right: the runtime did not heed it
				live.Late(ctx, live.Text(" working on"))
				t.aborted(ctx, o)
				live.Late(ctx, live.Text(" and on"), live.Ok())
				o.Rest(ctx)
				t.report(verify.Order(o.Events), verify.EventAfterDone, verify.DoneRepeated)
			}),
		},
		// An abort that cannot reach the runtime ends the run all the same.
		{
			ID: "executor.abort.down-runtime", Case: "abort", Clause: "executor#abort-silent",
			Level: check.Must, Provenance: check.Decided, Needs: []check.Feature{fakes.HealthDown},
			Codes: []check.Code{"abort-hung", "abort-without-done", "abort-reason-wrong"},
			Title: "ends an aborted run although the runtime cannot be reached",
			Run: with(func(ctx context.Context, t *T) {
				live, o := t.speaking(ctx, "s")
				t.Fault(ctx, fakes.FaultDown)
				_ = t.stop(ctx, live.Handle) // an error is right: the cancel was not heard
				t.aborted(ctx, o)
			}),
		},
	}
}
