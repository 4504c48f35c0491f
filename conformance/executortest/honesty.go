package executortest

import (
	"context"
	"errors"

	. "github.com/onsi/gomega"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// streams says one increment and reports whether it was heard before anything else
// came.
func (t *T) streams(ctx context.Context) bool {
	live := t.Start(ctx, t.Opts("s"))
	o := t.Observe(ctx, live.Handle)
	word := t.Word()
	live.Say(ctx, append(live.Hello(), fakes.Delta{Text: "first " + word})...)
	early := o.Hears(ctx, word)
	live.Say(ctx, fakes.Delta{Text: " second"}, live.Ok())
	o.Done(ctx)
	live.Shown(o)
	return early
}

// honesty holds the checks of claims that the suite can see through.
func honesty() []check.Check {
	return []check.Check{
		// An adapter that claims to stream gives increments while the message is not whole.
		{
			ID: "executor.capabilities.streaming-honest", Case: "capabilities", Clause: "executor#capabilities-honest",
			Level: check.Must, Provenance: check.Decided, Needs: []check.Feature{fakes.Deltas},
			Codes: []check.Code{"streaming-untrue"},
			Title: "gives increments if it claims to stream",
			Run: with(func(ctx context.Context, t *T) {
				if !t.Adapter.Capabilities().Streaming {
					t.Unobserved(fakes.Deltas)
				}
				t.Code("streaming-untrue").Expect(t.streams(ctx)).To(BeTrue())
			}),
		},
		// One that gives increments says that it streams.
		{
			ID: "executor.capabilities.streaming-claimed", Case: "capabilities", Clause: "executor#capabilities-honest",
			Level: check.Should, Provenance: check.Decided, Needs: []check.Feature{fakes.Deltas},
			Codes: []check.Code{"streaming-unclaimed"},
			Title: "claims to stream if it gives increments",
			Run: with(func(ctx context.Context, t *T) {
				if !t.streams(ctx) {
					t.Unobserved(fakes.Deltas)
				}
				t.Code("streaming-unclaimed").Expect(t.Adapter.Capabilities().Streaming).To(BeTrue())
			}),
		},
		// An adapter that claims tool approval passes the runtime's questions on, and
		// takes answers.
		{
			ID: "executor.capabilities.approval-honest", Case: "capabilities", Clause: "executor#capabilities-honest",
			Level: check.Must, Provenance: check.Decided, Needs: []check.Feature{fakes.Approvals},
			Codes: []check.Code{"approval-untrue", "approval-without-approver"},
			Title: "asks and takes answers if it claims tool approval",
			Run: with(func(ctx context.Context, t *T) {
				if !t.Adapter.Capabilities().ToolApproval {
					t.Unobserved(fakes.Approvals)
				}
				id := "q-" + t.Word()
				live, o := t.asks(ctx, id)
				t.Code("approval-untrue").Expect(questions(o)).NotTo(BeEmpty())
				a, ok := t.Adapter.(executor.Approver)
				t.Code("approval-without-approver").Expect(ok).To(BeTrue())
				_, err := check.Await(ctx, t.C, t.Budgets.Call, func(ctx context.Context) (any, error) { return nil, a.Approve(ctx, live.Handle, id, true) })
				t.Code("approval-without-approver").Expect(errors.Is(err, errors.ErrUnsupported)).To(BeFalse())
			}),
		},
		// A context window that is told is one that a model could have.
		{
			ID: "executor.capabilities.window-plausible", Case: "capabilities", Clause: "executor#context-window",
			Level: check.Should, Provenance: check.Decided,
			Codes: []check.Code{"context-window-implausible"},
			Title: "tells a context window in tokens, if it tells one",
			Run: with(func(_ context.Context, t *T) {
				window := t.Adapter.Capabilities().ContextWindowTokens
				if window == 0 {
					t.Unobserved(fakes.UsageFrames)
				}
				const least, most = 1000, 1_000_000_000
				t.Code("context-window-implausible").Expect(window >= least && window <= most).To(BeTrue())
			}),
		},
	}
}
