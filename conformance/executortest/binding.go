package executortest

import (
	"context"

	. "github.com/onsi/gomega"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/fakes"
)

func binding() []check.Check {
	return []check.Check{
		// Subscribing binds nothing: the id comes with the runtime's first frame.
		{
			ID: "executor.binding.not-before", Case: "late-binding", Clause: "executor#late-binding",
			Level: check.Must, Provenance: check.Stated,
			Codes: []check.Code{"run-id-bound-early"},
			Title: "leaves the handle unbound until the runtime has spoken",
			Run: with(func(ctx context.Context, t *T) {
				live := t.Start(ctx, t.Opts("s"))
				o := t.Observe(ctx, live.Handle)
				o.next(ctx, t.Budgets.Quiet)
				_, bound := live.Handle.ID()
				t.Code("run-id-bound-early").Expect(bound).To(BeFalse())
				// The same handle is bound in the end, else nothing was shown.
				live.Say(ctx, append(live.Hello(), live.Text(t.Word()), live.Ok())...)
				o.Done(ctx)
				live.Shown(o)
				_, bound = live.Handle.ID()
				t.Expect(bound).To(BeTrue())
			}),
		},
		// Once the first event was delivered the handle shows its run id, which is not
		// empty.
		{
			ID: "executor.binding.first-event", Case: "late-binding", Clause: "executor#late-binding",
			Level: check.Must, Provenance: check.Stated,
			Codes: []check.Code{"run-id-unbound", "run-id-empty", "run-id-differs", "first-event-missing"},
			Title: "binds the handle by the time the first event is delivered",
			Run: with(func(ctx context.Context, t *T) {
				live := t.Start(ctx, t.Opts("s"))
				o := t.Observe(ctx, live.Handle)
				word := t.Word()
				frames := append(live.Hello(), live.Text(word))
				if !t.Offers(fakes.LiveText) {
					frames = append(frames, live.Ok()) // nothing comes before it
				}
				live.Say(ctx, frames...)
				t.Code("first-event-missing").Expect(o.next(ctx, t.Budgets.FirstEvent) && len(o.Events) > 0).To(BeTrue())
				t.Code("run-id-unbound").Expect(o.Bound.bound).To(BeTrue())
				t.Code("run-id-empty").Expect(o.Bound.id).NotTo(BeEmpty())
				t.Code("run-id-differs").Expect(o.Events[0].Head().RunID).To(Equal(o.Bound.id))
				t.Expect(o.Hears(ctx, word)).To(BeTrue())
			}),
		},
		// A handle is one run: its id never changes.
		{
			ID: "executor.binding.constant", Case: "late-binding", Clause: "executor#run-id-constant",
			Level: check.Must, Provenance: check.Decided,
			Codes: []check.Code{"run-id-changed", "run-id-unbound"},
			Title: "never changes the id of a bound handle",
			Run: with(func(ctx context.Context, t *T) {
				live := t.Start(ctx, t.Opts("s"))
				o := t.Observe(ctx, live.Handle)
				live.Say(ctx, append(live.Hello(), live.Text("x"))...)
				rest := []fakes.Frame{live.Text(t.Word()), live.Ok()}
				if !t.Offers(fakes.LiveText) {
					live.Say(ctx, rest...) // nothing comes before it
				}
				o.next(ctx, t.Budgets.FirstEvent)
				first, bound := live.Handle.ID()
				t.Code("run-id-unbound").Expect(bound).To(BeTrue())
				if t.Offers(fakes.LiveText) {
					live.Say(ctx, rest...)
				}
				for o.next(ctx, t.Budgets.Terminal) {
					id, _ := live.Handle.ID()
					t.Code("run-id-changed").Expect(id).To(Equal(first))
					if isDone(o.Events[len(o.Events)-1]) {
						break
					}
				}
				live.Shown(o)
			}),
		},
		// Where the runtime names its runs, the handle has the runtime's name.
		{
			ID: "executor.binding.native", Case: "late-binding", Clause: "executor#run-id-native",
			Level: check.Must, Provenance: check.Stated, Needs: []check.Feature{fakes.NativeRunID, fakes.InitFrame},
			Codes: []check.Code{"run-id-not-native", "run-id-unbound"},
			Title: "takes the run id that the runtime gives",
			Run: with(func(ctx context.Context, t *T) {
				live := t.Start(ctx, t.Opts("s"))
				o := t.Observe(ctx, live.Handle)
				live.Say(ctx, append(live.Hello(), live.Text("x"), live.Ok())...)
				o.Done(ctx)
				id, bound := live.Handle.ID()
				t.Code("run-id-unbound").Expect(bound).To(BeTrue())
				t.Code("run-id-not-native").Expect(id).To(Equal(live.NativeID))
			}),
		},
		// So it has where the runtime says something before it names the run.
		{
			ID: "executor.binding.native-after-text", Case: "late-binding", Clause: "executor#run-id-native",
			Level: check.Should, Provenance: check.Stated, Needs: []check.Feature{fakes.NativeRunID, fakes.InitFrame},
			Codes: []check.Code{"run-id-not-native", "run-id-unbound", "text-lost"},
			Title: "takes the runtime's run id although text comes before it",
			Run: with(func(ctx context.Context, t *T) {
				live := t.Start(ctx, t.Opts("s"))
				o := t.Observe(ctx, live.Handle)
				word := t.Word()
				live.Say(ctx, append([]fakes.Frame{live.Text("early " + word)}, live.Hello()...)...)
				live.Say(ctx, live.Text(" late "+t.Word()), live.Ok())
				o.Done(ctx)
				live.Shown(o)
				t.Code("text-lost").Expect(o.Text()).To(ContainSubstring(word))
				id, bound := live.Handle.ID()
				t.Code("run-id-unbound").Expect(bound).To(BeTrue())
				t.Code("run-id-not-native").Expect(id).To(Equal(live.NativeID))
			}),
		},
		// Each run has an id of its own, also on one session.
		{
			ID: "executor.binding.per-run", Case: "late-binding", Clause: "executor#run-id-per-run",
			Level: check.Should, Provenance: check.Decided, Needs: []check.Feature{fakes.SecondRun},
			Codes: []check.Code{"run-id-reused", "run-id-unbound"},
			Title: "gives the next run of a session another id",
			Run: with(func(ctx context.Context, t *T) {
				native := nativeSession(t)
				one := func() string {
					live := t.Start(ctx, t.Opts("s"))
					live.NativeSession = native
					o := t.Observe(ctx, live.Handle)
					live.Say(ctx, append(live.Hello(), live.Text(t.Word()), live.Ok())...)
					o.Done(ctx)
					live.Shown(o)
					id, bound := live.Handle.ID()
					t.Code("run-id-unbound").Expect(bound).To(BeTrue())
					return id
				}
				first := one()
				t.Code("run-id-reused").Expect(one()).NotTo(Equal(first))
			}),
		},
	}
}
