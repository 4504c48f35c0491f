package executortest

import (
	"context"
	"errors"

	. "github.com/onsi/gomega"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/contract/executor/verify"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// stop aborts a run and returns the call's error.
func (t *T) stop(ctx context.Context, h *executor.Run) error {
	_, err := check.Await(ctx, t.C, t.Budgets.Abort, func(ctx context.Context) (any, error) { return nil, t.Adapter.Abort(ctx, h) })
	if errors.Is(err, check.ErrHung) {
		t.Fail("abort-hung", "abort did not return")
	}
	return err
}

// aborted reads to the done and judges it.
func (t *T) aborted(ctx context.Context, o *Observer) {
	if !o.until(ctx, t.Budgets.Abort, isDone) {
		t.Fail("abort-without-done", "no done after an abort; events: %v", kinds(o.Events))
	}
	done, _ := verify.Last(o.Events, "")
	t.Code("abort-reason-wrong").Expect(done.Reason).To(Equal(executor.ReasonAborted))
}

// speaking starts a run that has said its first word, and is not over.
func (t *T) speaking(ctx context.Context, session string) (*Live, *Observer) {
	live := t.Start(ctx, t.Opts(session))
	o := t.Observe(ctx, live.Handle)
	live.speak(ctx, o, "work ")
	return live, o
}

// speak lets a run say hello and the text with a word behind it, which it returns. It ends
// the check unless the run is then seen to be live: the word is heard; or, on a wire that
// tells nothing before the end, the runtime has taken it and there is no end.
func (l *Live) speak(ctx context.Context, o *Observer, text string) (word string) {
	word = l.t.Word()
	l.Say(ctx, append(l.Hello(), l.Text(text+word))...)
	if l.t.Offers(fakes.LiveText) {
		if !o.Hears(ctx, word) {
			l.t.Fail(l.t.notSeen(), "the run's text never came")
		}
		return word
	}
	o.Glance(ctx)
	if _, over := First[executor.Done](o); over {
		l.t.Fail(l.t.notSeen(), "a run was over that had not ended")
	}
	return word
}

func abort() []check.Check {
	common := []check.Code{"abort-hung", "abort-failed", "abort-not-sent", "abort-without-done", "abort-reason-wrong"}
	codes := func(more ...check.Code) []check.Code { return append(more, common...) }
	return []check.Check{
		// An abort reaches the runtime and ends the run in done(aborted); nothing is
		// cancelled before.
		{
			ID: "executor.abort.stops", Case: "abort", Clause: "executor#abort",
			Level: check.Must, Provenance: check.Stated,
			Codes: codes("cancel-unasked", "error-invented", "event-after-done", "done-repeated"),
			Title: "cancels the run in the runtime and ends it in done(aborted)",
			Run: with(func(ctx context.Context, t *T) {
				live, o := t.speaking(ctx, "s")
				t.Code("cancel-unasked").Expect(count(live.Native.Calls(), fakes.MethodCancel)).To(BeZero())
				t.Code("abort-failed").Expect(t.stop(ctx, live.Handle)).To(Succeed())
				t.Code("abort-not-sent").Expect(live.Cancelled(ctx)).To(BeTrue())
				t.aborted(ctx, o)
				o.Rest(ctx)
				for _, e := range All[executor.Error](o) {
					t.Code("error-invented").Expect(e.Fatal).To(BeFalse())
				}
				t.report(verify.Order(o.Events), verify.EventAfterDone, verify.DoneRepeated)
			}),
		},
		// An abort works from the moment start returned, also while the handle is
		// unbound.
		{
			ID: "executor.abort.unbound", Case: "abort", Clause: "executor#abort-unbound",
			Level: check.Must, Provenance: check.Decided,
			Codes: codes(),
			Title: "cancels a run whose id is not known yet",
			Run: with(func(ctx context.Context, t *T) {
				live := t.Start(ctx, t.Opts("s"))
				o := t.Observe(ctx, live.Handle)
				o.Rest(ctx)
				_, over := First[executor.Done](o)
				t.Expect(over).To(BeFalse()) // else the end is not the abort's work
				t.Code("abort-failed").Expect(t.stop(ctx, live.Handle)).To(Succeed())
				t.Code("abort-not-sent").Expect(live.Cancelled(ctx)).To(BeTrue())
				t.aborted(ctx, o)
			}),
		},
		// A second abort is right and changes nothing.
		{
			ID: "executor.abort.twice", Case: "abort", Clause: "executor#abort-idempotent",
			Level: check.Must, Provenance: check.Decided,
			Codes: codes("abort-twice-failed"),
			Title: "takes a second abort as well as the first",
			Run: with(func(ctx context.Context, t *T) {
				live, o := t.speaking(ctx, "s")
				t.Code("abort-failed").Expect(t.stop(ctx, live.Handle)).To(Succeed())
				t.Code("abort-twice-failed").Expect(t.stop(ctx, live.Handle)).To(Succeed())
				t.Code("abort-not-sent").Expect(live.Cancelled(ctx)).To(BeTrue())
				t.aborted(ctx, o)
			}),
		},
		// An abort of a run that is over does nothing: it cancels no later run of the
		// session.
		{
			ID: "executor.abort.after-end", Case: "abort", Clause: "executor#abort-after-end",
			Level: check.Must, Provenance: check.Decided, Needs: []check.Feature{fakes.SecondRun},
			Codes: []check.Code{"abort-hung", "abort-after-end-failed", "later-run-cancelled"},
			Title: "does nothing when the run is over, least of all to the next one",
			Run: with(func(ctx context.Context, t *T) {
				first, o1 := t.speaking(ctx, "s")
				first.Say(ctx, first.Ok())
				t.Expect(o1.Done(ctx)).To(BeTrue())
				second := t.Start(ctx, t.Opts("s"))
				second.NativeSession = first.NativeSession
				o2 := t.Observe(ctx, second.Handle)
				second.speak(ctx, o2, "two ")
				t.Code("abort-after-end-failed").Expect(t.stop(ctx, first.Handle)).To(Succeed())
				second.Say(ctx, second.Text(" three"), second.Ok())
				t.Code("later-run-cancelled").Expect(o2.Done(ctx)).To(BeTrue())
				done, _ := verify.Last(o2.Events, "")
				t.Code("later-run-cancelled").Expect(done.Reason).To(Equal(executor.ReasonSuccess))
				t.Code("later-run-cancelled").Expect(count(second.Native.Calls(), fakes.MethodCancel)).To(BeZero())
			}),
		},
		// The run ends in time although the runtime says nothing after the cancel.
		{
			ID: "executor.abort.silent-runtime", Case: "abort", Clause: "executor#abort-silent",
			Level: check.Must, Provenance: check.Decided, Needs: []check.Feature{fakes.SilentRun},
			Codes: []check.Code{"abort-hung", "abort-not-sent", "abort-without-done", "abort-reason-wrong"},
			Title: "ends an aborted run although the runtime stays silent",
			Run: with(func(ctx context.Context, t *T) {
				live, o := t.speaking(ctx, "s")
				live.Fault(ctx, fakes.FaultSilent)
				_ = t.stop(ctx, live.Handle) // an error is right: the runtime did not answer
				t.Code("abort-not-sent").Expect(live.Cancelled(ctx)).To(BeTrue())
				t.aborted(ctx, o)
			}),
		},
		// When the runtime calls an aborted run a success, the host's word stands.
		{
			ID: "executor.abort.beats-success", Case: "abort", Clause: "executor#abort-reason",
			Level: check.Must, Provenance: check.Decided, Needs: []check.Feature{fakes.TerminalFrame},
			Codes: codes(),
			Title: "calls an aborted run aborted although the runtime says ok",
			Run: with(func(ctx context.Context, t *T) {
				live, o := t.speaking(ctx, "s")
				live.Fault(ctx, fakes.FaultHold)
				t.Code("abort-failed").Expect(t.stop(ctx, live.Handle)).To(Succeed())
				t.Code("abort-not-sent").Expect(live.Cancelled(ctx)).To(BeTrue())
				_, _ = live.Native.Emit(ctx, live.Ok()) // it may be gone already
				t.aborted(ctx, o)
			}),
		},
		// An abort ends its own session's run, nobody else's.
		{
			ID: "executor.abort.own-session", Case: "abort", Clause: "executor#abort-own-session",
			Level: check.Must, Provenance: check.Decided, Needs: []check.Feature{fakes.Sessions},
			Codes: codes("foreign-run-cancelled"),
			Title: "leaves the runs of other sessions alone",
			Run: with(func(ctx context.Context, t *T) {
				a, oa := t.speaking(ctx, "a")
				b, ob := t.speaking(ctx, "b")
				t.Code("abort-failed").Expect(t.stop(ctx, a.Handle)).To(Succeed())
				t.Code("abort-not-sent").Expect(a.Cancelled(ctx)).To(BeTrue())
				t.aborted(ctx, oa)
				t.Code("foreign-run-cancelled").Expect(count(b.Native.Calls(), fakes.MethodCancel)).To(BeZero())
				_, err := b.Native.Emit(ctx, b.Text(" on"), b.Ok())
				t.Code("foreign-run-cancelled").Expect(err).NotTo(HaveOccurred())
				ob.Done(ctx)
				done, _ := verify.Last(ob.Events, "")
				t.Code("foreign-run-cancelled").Expect(done.Reason).To(Equal(executor.ReasonSuccess))
			}),
		},
		// After done(aborted) the session takes the next run.
		{
			ID: "executor.abort.next-start", Case: "abort", Clause: "executor#abort-next-start",
			Level: check.Must, Provenance: check.Implied, Needs: []check.Feature{fakes.SecondRun},
			Codes: []check.Code{"abort-hung", "abort-failed", "abort-without-done", "abort-reason-wrong", "session-stuck-after-abort"},
			Title: "starts the next run of a session after an abort",
			Run: with(func(ctx context.Context, t *T) {
				live, o := t.speaking(ctx, "s")
				t.Code("abort-failed").Expect(t.stop(ctx, live.Handle)).To(Succeed())
				t.aborted(ctx, o)
				h, err := check.Await(ctx, t.C, t.Budgets.Call, func(ctx context.Context) (*executor.Run, error) {
					return t.Adapter.Start(ctx, executor.TaskHandle{}, t.Opts("s"))
				})
				t.Code("session-stuck-after-abort").Expect(err).NotTo(HaveOccurred())
				native, err := check.Await(ctx, t.C, t.Budgets.FirstEvent, t.Runtime.Next)
				t.Code("session-stuck-after-abort").Expect(err).NotTo(HaveOccurred())
				next := t.live(h, native)
				next.NativeSession = live.NativeSession
				o2 := t.Observe(ctx, h)
				next.Say(ctx, append(next.Hello(), next.Text("two "+t.Word()), next.Ok())...)
				o2.Done(ctx)
				next.Shown(o2)
				done, _ := verify.Last(o2.Events, "")
				t.Code("session-stuck-after-abort").Expect(done.Reason).To(Equal(executor.ReasonSuccess))
			}),
		},
		// The text that came before the abort stays in the summary.
		{
			ID: "executor.abort.summary", Case: "abort", Clause: "executor#summary",
			Level: check.Should, Provenance: check.Decided, Needs: []check.Feature{fakes.LiveText},
			Codes: []check.Code{"abort-hung", "abort-failed", "abort-without-done", "abort-reason-wrong", "summary-empty"},
			Title: "sums up an aborted run by the text so far",
			Run: with(func(ctx context.Context, t *T) {
				live, o := t.speaking(ctx, "s")
				t.Code("abort-failed").Expect(t.stop(ctx, live.Handle)).To(Succeed())
				t.aborted(ctx, o)
				done, _ := verify.Last(o.Events, "")
				t.Code("summary-empty").Expect(done.Summary).NotTo(BeEmpty())
			}),
		},
	}
}
