package executortest

import (
	"context"
	"slices"
	"strings"

	. "github.com/onsi/gomega"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
)

func start() []check.Check {
	return []check.Check{
		// The handle names the adapter that gave it out and the session that the host
		// asked for.
		{
			ID: "executor.start.handle", Case: "start", Clause: "executor#start-handle",
			Level: check.Must, Provenance: check.Stated,
			Codes: []check.Code{"handle-adapter-id", "handle-session-key"},
			Title: "gives a handle with its own id and the session key of the request",
			Run: with(func(ctx context.Context, t *T) {
				key := "session-" + t.Word()
				h := t.Start(ctx, t.Opts(key)).Handle
				t.Code("handle-adapter-id").Expect(h.AdapterID()).To(Equal(t.Adapter.ID()))
				t.Code("handle-session-key").Expect(h.SessionKey()).To(Equal(key))
			}),
		},
		// A fresh handle has no run id: the runtime has not spoken yet.
		{
			ID: "executor.start.unbound", Case: "start", Clause: "executor#start-unbound",
			Level: check.Must, Provenance: check.Stated,
			Codes: []check.Code{"run-id-bound-at-start"},
			Title: "gives an unbound handle",
			Run: with(func(ctx context.Context, t *T) {
				live := t.Start(ctx, t.Opts("s"))
				_, bound := live.Handle.ID()
				t.Code("run-id-bound-at-start").Expect(bound).To(BeFalse())
			}),
		},
		// The message reaches the runtime unchanged, with the context before it.
		{
			ID: "executor.start.message", Case: "start", Clause: "executor#start-message",
			Level: check.Must, Provenance: check.Implied,
			Codes: []check.Code{"message-lost", "message-altered", "context-lost", "context-order"},
			Title: "delivers message and context to the runtime",
			Run: with(func(ctx context.Context, t *T) {
				o := t.Opts("s")
				o.Message = "- list  two things:\n\t\"a\" & ñ 漢 🦜 " + t.Word()
				o.Context = "background " + t.Word()
				got := t.Start(ctx, o).begun().Message
				word := strings.Fields(o.Message)
				t.Code("message-lost").Expect(got).To(ContainSubstring(word[len(word)-1]))
				t.Code("message-altered").Expect(got).To(HaveSuffix(o.Message))
				t.Code("context-lost").Expect(got).To(ContainSubstring(o.Context))
				t.Code("context-order").Expect(strings.Index(got, o.Context)).To(BeNumerically("<", strings.Index(got, o.Message)))
			}),
		},
		// A model that the host asks for reaches the runtime, and so do the tools that
		// it forbids, unless the adapter declares that its wire cannot carry them.
		{
			ID: "executor.start.options", Case: "start", Clause: "executor#start-options",
			Level: check.Must, Provenance: check.Implied, Needs: []check.Feature{fakes.StartOptions},
			Codes: []check.Code{"model-lost", "blocklist-lost"},
			Title: "delivers model and tool blocklist to the runtime",
			Run: with(func(ctx context.Context, t *T) {
				o := t.Opts("s")
				o.Model = "model-" + t.Word()
				o.ChildToolBlocklist = []string{"tool-" + t.Word()}
				begun := t.Start(ctx, o).begun()
				t.Code("model-lost").Expect(mentions(begun, o.Model)).To(BeTrue())
				if t.Subject.Declares.Blocklist != check.Undeliverable {
					arrived := slices.Contains(begun.Blocklist, o.ChildToolBlocklist[0]) || strings.Contains(strings.Join(begun.Args, "\x00"), o.ChildToolBlocklist[0])
					t.Code("blocklist-lost").Expect(arrived).To(BeTrue())
				}
			}),
		},
		// Start returns when the run has begun; it does not wait for the run.
		{
			ID: "executor.start.returns", Case: "start", Clause: "executor#start-returns",
			Level: check.Must, Provenance: check.Implied,
			Codes: []check.Code{"start-waits-for-run"},
			Title: "returns from start without waiting for the run",
			Run: with(func(ctx context.Context, t *T) {
				h := check.Call(ctx, t.C, "start-waits-for-run", t.Budgets.Call, func(ctx context.Context) (*executor.Run, error) {
					return t.Adapter.Start(ctx, executor.TaskHandle{}, t.Opts("s"))
				})
				t.Expect(h).NotTo(BeNil())
				_, err := check.Await(ctx, t.C, t.Budgets.FirstEvent, t.Runtime.Next)
				t.Expect(err).NotTo(HaveOccurred())
			}),
		},
		// Two starts are two runs: each has a handle of its own.
		{
			ID: "executor.start.distinct-handles", Case: "start", Clause: "executor#start-handle",
			Level: check.Must, Provenance: check.Implied, Needs: []check.Feature{fakes.Sessions},
			Codes: []check.Code{"handle-shared"},
			Title: "gives each run a handle of its own",
			Run: with(func(ctx context.Context, t *T) {
				a, b := t.Start(ctx, t.Opts("a")), t.Start(ctx, t.Opts("b"))
				t.Code("handle-shared").Expect(a.Handle != b.Handle).To(BeTrue())
				t.Code("handle-shared").Expect(a.Handle.SessionKey()).NotTo(Equal(b.Handle.SessionKey()))
			}),
		},
		// A start that the runtime refuses is an error, and leaves the session free.
		{
			ID: "executor.start.refused", Case: "start", Clause: "executor#start-refused",
			Level: check.Must, Provenance: check.Stated, Needs: []check.Feature{fakes.Refuse},
			Codes: []check.Code{"refusal-hidden", "refusal-sticks"},
			Title: "reports a refused start and accepts the next one",
			Run: with(func(ctx context.Context, t *T) {
				t.Fault(ctx, fakes.FaultRefuse)
				try := func() error {
					_, err := check.Await(ctx, t.C, t.Budgets.Call, func(ctx context.Context) (*executor.Run, error) {
						return t.Adapter.Start(ctx, executor.TaskHandle{}, t.Opts("s"))
					})
					return err
				}
				t.Code("refusal-hidden").Expect(try()).To(HaveOccurred())
				t.Code("refusal-sticks").Expect(try()).To(Succeed())
			}),
		},
		// The context of a start bounds the call. When it ends the run goes on.
		{
			ID: "executor.start.context", Case: "start", Clause: "executor#start-context",
			Level: check.Must, Provenance: check.Decided,
			Codes: []check.Code{"run-ended-with-start-context"},
			Title: "lets a run outlive the context of its start",
			Run: with(func(ctx context.Context, t *T) {
				short, cancel := context.WithCancel(ctx)
				live := t.Start(short, t.Opts("s"))
				o := t.Observe(ctx, live.Handle)
				cancel()
				o.Rest(ctx) // a run that ends with the context does so now
				_, over := First[executor.Done](o)
				t.Code("run-ended-with-start-context").Expect(over).To(BeFalse())
				word := t.Word()
				live.Say(ctx, append(live.Hello(), live.Text(word), live.Ok())...)
				done := o.MustDone(ctx, "run-ended-with-start-context")
				t.Code("run-ended-with-start-context").Expect(done.Reason).To(Equal(executor.ReasonSuccess))
				t.Code("run-ended-with-start-context").Expect(o.Text()).To(ContainSubstring(word))
			}),
		},
	}
}
