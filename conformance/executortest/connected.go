package executortest

import (
	"context"

	. "github.com/onsi/gomega"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/contract/executor/verify"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// connects ends the check unless the adapter says that its runtime is connected: what it
// does over such a wire as a one-shot one is judged as that.
func (t *T) connects() {
	if t.Adapter.Capabilities().OneShot() {
		t.Unobserved(fakes.Connected)
	}
}

// runThrough plays a whole run and returns its word, when the observer has seen its done.
func (t *T) runThrough(ctx context.Context, live *Live, o *Observer) string {
	word := live.speak(ctx, o, "said ")
	live.Say(ctx, live.Ok())
	if !o.Done(ctx) {
		t.Fail(t.notSeen(), "no done within the budget; events: %v", kinds(o.Events))
	}
	return word
}

// next starts another run of a session.
func (l *Live) next(ctx context.Context) *Live {
	later := l.t.Start(ctx, l.t.Opts(l.Handle.SessionKey()))
	later.NativeSession = l.NativeSession
	return later
}

// connected holds the checks of streams that outlive their runs.
func connected() []check.Check {
	needs := []check.Feature{fakes.Connected, fakes.SecondRun, fakes.LiveText}
	return []check.Check{
		// A stream carries the runs of its session, one after the other, each with its own
		// id, text and done, and numbers them on and on.
		{
			ID: "executor.connected.many-runs", Case: "events-round-trip", Clause: "executor#connected-stream",
			Level: check.Must, Provenance: check.Stated, Needs: needs,
			Codes: []check.Code{"stream-ended-with-run", "next-run-unseen", "run-id-reused", "earlier-run-in-text", "text-lost", "done-repeated", "event-after-done", "seq-not-increasing"},
			Title: "carries the runs of a session in one stream",
			Run: with(func(ctx context.Context, t *T) {
				t.connects()
				first := t.Start(ctx, t.Opts("s"))
				o := t.Observe(ctx, first.Handle)
				one := t.runThrough(ctx, first, o)
				id := o.Events[0].Head().RunID

				second := first.next(ctx)
				two := t.Word()
				second.Say(ctx, append(second.Hello(), second.Text("said "+two))...)
				second.Say(ctx, second.Ok())
				later := func(e executor.Event) bool { return isDone(e) && e.Head().RunID != id }
				if !o.until(ctx, t.Budgets.Terminal, later) {
					t.Code("stream-ended-with-run").Expect(o.Ended).To(BeFalse())
					t.Code("run-id-reused").Expect(o.Text()).NotTo(ContainSubstring(two))
					t.Fail("next-run-unseen", "nothing of the next run came; events: %v", kinds(o.Events))
				}
				o.Rest(ctx)
				next := o.Events[len(o.Events)-1].Head().RunID
				t.Code("text-lost").Expect(verify.Text(o.Events, next, executor.Assistant)).To(ContainSubstring(two))
				t.Code("earlier-run-in-text").Expect(verify.Text(o.Events, next, executor.Assistant)).NotTo(ContainSubstring(one))
				t.report(verify.Order(o.Events), verify.DoneRepeated, verify.EventAfterDone)
				t.report(verify.Seq(o.Events), verify.SeqNotIncreasing)
			}),
		},
		// A handle stands for its run alone while its stream goes on to the next one.
		{
			ID: "executor.connected.handles", Case: "late-binding", Clause: "executor#run-id-constant",
			Level: check.Must, Provenance: check.Decided, Needs: append([]check.Feature{fakes.Observers}, needs...),
			Codes: []check.Code{"run-id-changed", "run-id-unbound", "run-id-differs", "later-run-cancelled", "abort-hung", "abort-failed", "abort-not-sent", "abort-without-done", "abort-reason-wrong"},
			Title: "keeps each handle to its own run while a stream carries several",
			Run: with(func(ctx context.Context, t *T) {
				t.connects()
				first := t.Start(ctx, t.Opts("s"))
				o1 := t.Observe(ctx, first.Handle)
				t.runThrough(ctx, first, o1)
				id, _ := first.Handle.ID()

				second := first.next(ctx)
				o2 := t.Observe(ctx, second.Handle)
				word := second.speak(ctx, o2, "more ")
				t.Expect(o1.Hears(ctx, word)).To(BeTrue())
				now, _ := first.Handle.ID()
				t.Code("run-id-changed").Expect(now).To(Equal(id))
				own, bound := second.Handle.ID()
				t.Code("run-id-unbound").Expect(bound).To(BeTrue())
				for _, e := range o2.Events {
					t.Code("run-id-differs").Expect(e.Head().RunID).To(Equal(own))
				}

				_ = t.stop(ctx, first.Handle) // it is over: nothing is to be stopped
				word = t.Word()
				second.Say(ctx, second.Text(" on "+word))
				t.Code("later-run-cancelled").Expect(o2.Hears(ctx, word)).To(BeTrue())
				t.Code("later-run-cancelled").Expect(count(second.Native.Calls(), fakes.MethodCancel)).To(BeZero())

				t.Code("abort-failed").Expect(t.stop(ctx, second.Handle)).To(Succeed())
				t.Code("abort-not-sent").Expect(second.Cancelled(ctx)).To(BeTrue())
				t.aborted(ctx, o2)
			}),
		},
		// An observer that comes with the handle of a later run gets that run from its
		// start, and nothing of those before it.
		{
			ID: "executor.connected.own-beginning", Case: "late-binding", Clause: "executor#late-observers",
			Level: check.Should, Provenance: check.Decided, Needs: append([]check.Feature{fakes.Observers}, needs...),
			Codes: []check.Code{"late-observer-misses-start", "ended-run-replayed"},
			Title: "begins a stream with the run of its handle",
			Run: with(func(ctx context.Context, t *T) {
				t.connects()
				first := t.Start(ctx, t.Opts("s"))
				o := t.Observe(ctx, first.Handle)
				one := t.runThrough(ctx, first, o)

				second := first.next(ctx)
				early, late := t.Word(), t.Word()
				second.Say(ctx, append(second.Hello(), second.Text("early "+early))...)
				t.Expect(o.Hears(ctx, early)).To(BeTrue())
				own := t.Observe(ctx, second.Handle)
				second.Say(ctx, second.Text(" late "+late), second.Ok())
				own.Done(ctx)
				t.Expect(own.Text()).To(ContainSubstring(late))
				t.Code("late-observer-misses-start").Expect(own.Text()).To(ContainSubstring(early))
				t.Code("ended-run-replayed").Expect(own.Text()).NotTo(ContainSubstring(one))
			}),
		},
		// What other runs say and how they end, of this session and of others, is nothing to
		// a run that is heard over the same connection.
		{
			ID: "executor.connected.foreign", Case: "events-round-trip", Clause: "executor#sessions-apart",
			Level: check.Must, Provenance: check.Implied, Needs: []check.Feature{fakes.Connected, fakes.Sessions, fakes.LiveText},
			Codes: []check.Code{"foreign-text", "foreign-end", "run-id-changed", "run-id-differs", "text-lost", "done-missing"},
			Title: "makes nothing of what other runs say on its connection",
			Run: with(func(ctx context.Context, t *T) {
				t.connects()
				live, o := t.speaking(ctx, "a")
				id, _ := live.Handle.ID()
				foreign, stranger := t.Word(), "R-"+t.Word()

				other := t.Start(ctx, t.Opts("b"))
				other.Say(ctx, append(other.Hello(), other.Text("other "+foreign))...)
				other.Say(ctx, other.Ok())
				for _, f := range []fakes.Frame{ // where the wire has a form for them
					fakes.Delta{Text: "strange " + foreign, Run: stranger},
					fakes.Failure{Code: "quota", Message: "quota used up", Fatal: true, Run: stranger},
					fakes.End{Reason: fakes.EndOK, Run: stranger},
				} {
					live.Try(ctx, f)
				}
				word := t.Word()
				live.Say(ctx, live.Text(" on "+word))
				heard := o.Hears(ctx, word)
				_, over := First[executor.Done](o)
				t.Code("foreign-end").Expect(over).To(BeFalse())
				t.Code("text-lost").Expect(heard).To(BeTrue())
				now, _ := live.Handle.ID()
				t.Code("run-id-changed").Expect(now).To(Equal(id))
				live.Say(ctx, live.Ok())
				done := o.MustDone(ctx, "done-missing")
				t.Code("foreign-end").Expect(done.Reason).To(Equal(executor.ReasonSuccess))
				t.Code("foreign-text").Expect(o.Text()).NotTo(ContainSubstring(foreign))
				for _, e := range o.Events {
					t.Code("run-id-differs").Expect(e.Head().RunID).To(Equal(id))
				}
			}),
		},
	}
}
