package executortest

import (
	"context"

	. "github.com/onsi/gomega"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/fakes"
)

func lateObservers() []check.Check {
	return []check.Check{
		// An observer that comes while the run is live gets the run from its start.
		{
			ID: "executor.stream.late-observer", Case: "late-binding", Clause: "executor#late-observers",
			Level: check.Should, Provenance: check.Decided, Needs: []check.Feature{fakes.Observers},
			Codes: []check.Code{"late-observer-misses-start", "observers-differ"},
			Title: "gives a late observer the run from its start",
			Run: with(func(ctx context.Context, t *T) {
				live := t.Start(ctx, t.Opts("s"))
				o := t.Observe(ctx, live.Handle)
				early, late := live.speak(ctx, o, "early "), t.Word()
				second := t.Observe(ctx, live.Handle)
				live.Say(ctx, live.Text(" late "+late), live.Ok())
				o.Done(ctx)
				second.Done(ctx)
				t.Expect(second.Text()).To(ContainSubstring(late))
				t.Code("late-observer-misses-start").Expect(second.Text()).To(ContainSubstring(early))
				t.Code("observers-differ").Expect(outline(second.Events)).To(Equal(outline(o.Events)))
			}),
		},
		// The first observer of a handle gets its run even if it is over by then.
		{
			ID: "executor.stream.first-after-end", Case: "late-binding", Clause: "executor#late-observers",
			Level: check.Should, Provenance: check.Decided,
			Codes: []check.Code{"ended-run-lost", "done-missing"},
			Title: "keeps a run that is over for its first observer",
			Run: with(func(ctx context.Context, t *T) {
				live := t.Start(ctx, t.Opts("s"))
				word := t.Word()
				live.Say(ctx, append(live.Hello(), live.Text("short "+word), live.Ok())...)
				live.Released(ctx)
				o := t.Observe(ctx, live.Handle)
				ended := o.Done(ctx)
				t.Code("ended-run-lost").Expect(o.Text()).To(ContainSubstring(word))
				t.Code("done-missing").Expect(ended).To(BeTrue())
			}),
		},
		// A run that is over and was observed is not played again.
		{
			ID: "executor.stream.no-replay", Case: "late-binding", Clause: "executor#late-observers",
			Level: check.Should, Provenance: check.Decided,
			Codes: []check.Code{"ended-run-replayed"},
			Title: "does not play a run again that is over",
			Run: with(func(ctx context.Context, t *T) {
				live := t.Start(ctx, t.Opts("s"))
				o := t.Observe(ctx, live.Handle)
				live.Say(ctx, append(live.Hello(), live.Text("once "+t.Word()), live.Ok())...)
				o.Done(ctx)
				live.Shown(o)
				o.Rest(ctx)
				again := t.Observe(ctx, live.Handle)
				again.Rest(ctx)
				t.Code("ended-run-replayed").Expect(again.Events).To(BeEmpty())
			}),
		},
	}
}
