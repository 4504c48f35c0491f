package executortest

import (
	"context"
	"slices"

	. "github.com/onsi/gomega"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/contract/executor/verify"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// lives holds the checks of processes whose life has another length than their run's.
func lives() []check.Check {
	return []check.Check{
		// A process that fails before it says anything is one failed run, however often its
		// end is noticed.
		{
			ID: "executor.process.stillborn", Case: "events-round-trip", Clause: "executor#truncated",
			Level: check.Must, Provenance: check.Decided, Needs: []check.Feature{fakes.Process, fakes.HealthDown},
			Codes: []check.Code{"done-missing", "failure-hidden", "done-repeated", "fatal-repeated", "event-after-done"},
			Title: "fails a run once whose process never came to speak",
			Run: with(func(ctx context.Context, t *T) {
				t.Fault(ctx, fakes.FaultDown)
				handle, err := check.Await(ctx, t.C, t.Budgets.Call, func(ctx context.Context) (*executor.Run, error) {
					return t.Adapter.Start(ctx, executor.TaskHandle{}, t.Opts("s"))
				})
				if err != nil {
					t.Unobserved(fakes.HealthDown) // a start that looks first is right to refuse
				}
				o := t.Observe(ctx, handle)
				done := o.MustDone(ctx, "done-missing")
				o.Rest(ctx)
				t.Code("failure-hidden").Expect(done.Reason).To(Equal(executor.ReasonError))
				t.report(verify.Order(o.Events), verify.DoneRepeated, verify.FatalRepeated, verify.EventAfterDone)
			}),
		},
		// A process that has several results is one run: the later ones add to it.
		{
			ID: "executor.process.two-results", Case: "events-round-trip", Clause: "executor#process-run",
			Level: check.Must, Provenance: check.Decided, Needs: []check.Feature{fakes.Process, fakes.TerminalFrame, fakes.InitFrame},
			Codes: []check.Code{"done-missing", "success-lost", "text-lost", "done-repeated", "event-after-done"},
			Title: "makes one run of a process with two results",
			Run: with(func(ctx context.Context, t *T) {
				live := t.Start(ctx, t.Opts("s"))
				o := t.Observe(ctx, live.Handle)
				first, second := t.Word(), t.Word()
				turn := func(word string) []fakes.Frame { return append(live.Hello(), live.Text("turn "+word), live.Ok()) }
				// In one piece, so that no adapter has ended the process in between.
				live.Say(ctx, slices.Concat(turn(first), turn(second))...)
				done := o.MustDone(ctx, "done-missing")
				o.Rest(ctx)
				t.Code("text-lost").Expect(o.Text()).To(And(ContainSubstring(first), ContainSubstring(second)))
				t.Code("success-lost").Expect(done.Reason).To(Equal(executor.ReasonSuccess))
				t.report(verify.Order(o.Events), verify.DoneRepeated, verify.EventAfterDone)
			}),
		},
	}
}
