package executortest

import (
	"context"
	"errors"
	"strings"

	. "github.com/onsi/gomega"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/contract/executor/verify"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// underWay starts a run that has said its first word, and is not over.
func (t *T) underWay(ctx context.Context) (*Live, *Observer, string) {
	live := t.Start(ctx, t.Opts("s"))
	o := t.Observe(ctx, live.Handle)
	return live, o, live.speak(ctx, o, "one ")
}

// away loses the connection, for as long as the runtime is down.
func (t *T) away(ctx context.Context) {
	t.Fault(ctx, fakes.FaultDown)
	t.Fault(ctx, fakes.FaultDrop)
}

// once judges that each word of a run was heard, once.
func (t *T) once(o *Observer, words ...string) {
	for _, word := range words {
		n := strings.Count(o.Text(), word)
		t.Code("text-lost").Expect(n).NotTo(BeZero())
		t.Code("text-doubled").Expect(n).To(Equal(1))
	}
}

// losses counts the errors that a run lived through.
func losses(o *Observer) int {
	n := 0
	for _, e := range All[executor.Error](o) {
		if !e.Fatal {
			n++
		}
	}
	return n
}

// tells reports whether something was said of what did not come: an error, or a status
// with a detail.
func tells(o *Observer) bool {
	for _, e := range o.Events {
		switch e := e.(type) {
		case executor.Error:
			return true
		case executor.Status:
			if e.Detail != "" {
				return true
			}
		}
	}
	return false
}

// reconnect holds the checks of connections that are lost, whole or in part.
func reconnect() []check.Check {
	needs := []check.Feature{fakes.Connected, fakes.Reconnect, fakes.LiveText}
	return []check.Check{
		// A connection that is lost and comes back is one error that is not fatal. The run
		// goes on, with all of its text and none of it twice.
		{
			ID: "executor.reconnect.recovered", Case: "events-round-trip", Clause: "executor#connection-loss",
			Level: check.Must, Provenance: check.Decided, Needs: needs,
			Codes: []check.Code{"loss-silent", "loss-repeated", "loss-fatal", "text-lost", "text-doubled", "done-missing", "done-repeated"},
			Title: "takes a run up again whose connection was lost",
			Run: with(func(ctx context.Context, t *T) {
				t.connects()
				live, o, one := t.underWay(ctx)
				two, three := t.Word(), t.Word()
				t.Fault(ctx, fakes.FaultDrop)
				live.Say(ctx, live.Text(" two "+two)) // it may be heard or be read up again
				told := o.Kind(ctx, executor.KindError)
				live.Say(ctx, live.Text(" three "+three), live.Ok())
				done := o.MustDone(ctx, "done-missing")
				o.Rest(ctx)
				t.Code("loss-fatal").Expect(done.Reason).To(Equal(executor.ReasonSuccess))
				t.once(o, one, two, three)
				t.Code("loss-silent").Expect(told).To(BeTrue())
				t.Code("loss-repeated").Expect(losses(o)).To(BeNumerically("<", 2))
				t.report(verify.Order(o.Events), verify.DoneRepeated)
			}),
		},
		// A run that ended while its connection was away ends when that is back, as it did
		// end, and with what it had said by then.
		{
			ID: "executor.reconnect.ended-unseen", Case: "events-round-trip", Clause: "executor#connection-loss",
			Level: check.Must, Provenance: check.Decided, Needs: needs,
			Codes: []check.Code{"done-missing", "success-lost", "text-lost", "text-doubled", "done-repeated"},
			Title: "ends a run that ended while its connection was away",
			Run: with(func(ctx context.Context, t *T) {
				t.connects()
				live, o, one := t.underWay(ctx)
				two := t.Word()
				t.away(ctx)
				live.Say(ctx, live.Text(" two "+two), live.Ok())
				t.Fault(ctx, fakes.FaultUp)
				done := o.MustDone(ctx, "done-missing")
				o.Rest(ctx)
				t.Code("success-lost").Expect(done.Reason).To(Equal(executor.ReasonSuccess))
				t.once(o, one, two)
				t.report(verify.Order(o.Events), verify.DoneRepeated)
			}),
		},
		// A connection that does not come back within the adapter's budget is a fatal error,
		// ends the run in done(error), and ends the stream.
		{
			ID: "executor.reconnect.final", Case: "events-round-trip", Clause: "executor#connection-loss",
			Level: check.Must, Provenance: check.Decided, Needs: needs,
			Codes: []check.Code{"done-missing", "failure-hidden", "fatal-missing", "stream-open-after-loss", "done-repeated"},
			Title: "ends run and stream when the connection does not come back",
			Run: with(func(ctx context.Context, t *T) {
				t.connects()
				_, o := t.speaking(ctx, "s")
				t.away(ctx)
				done := o.MustDone(ctx, "done-missing")
				t.Code("failure-hidden").Expect(done.Reason).To(Equal(executor.ReasonError))
				fatal := false
				for _, e := range All[executor.Error](o) {
					fatal = fatal || e.Fatal
				}
				t.Code("fatal-missing").Expect(fatal).To(BeTrue())
				for len(o.Events)+o.Malformed < maxEvents && o.next(ctx, t.Budgets.Terminal) {
				}
				t.report(verify.Order(o.Events), verify.DoneRepeated)
				t.Code("stream-open-after-loss").Expect(o.Ended).To(BeTrue())
			}),
		},
		// A runtime that is restarted has lost what it was at: the run fails, is not begun a
		// second time, and the session takes the next one.
		{
			ID: "executor.reconnect.restart", Case: "events-round-trip", Clause: "executor#connection-loss",
			Level: check.Must, Provenance: check.Decided, Needs: append([]check.Feature{fakes.SecondRun}, needs...),
			Codes: []check.Code{"done-missing", "failure-hidden", "run-begun-again", "session-stuck", "next-run-lost"},
			Title: "ends a run that a restart of the runtime lost, and takes the next one",
			Run: with(func(ctx context.Context, t *T) {
				t.connects()
				live, o := t.speaking(ctx, "s")
				t.Fault(ctx, fakes.FaultRestart)
				ended := o.Done(ctx)
				if _, err := check.Await(ctx, t.C, t.Budgets.Quiet, t.Runtime.Next); err == nil {
					t.Fail("run-begun-again", "the runtime was asked for a run that no one started")
				}
				if !ended {
					t.Fail("done-missing", "no done within the budget; events: %v", kinds(o.Events))
				}
				done, _ := verify.Last(o.Events, "")
				t.Code("failure-hidden").Expect(done.Reason).To(Equal(executor.ReasonError))

				h, err := check.Await(ctx, t.C, t.Budgets.Call, func(ctx context.Context) (*executor.Run, error) {
					return t.Adapter.Start(ctx, executor.TaskHandle{}, t.Opts("s"))
				})
				t.Code("session-stuck").Expect(err).NotTo(HaveOccurred())
				next := t.Arrived(ctx, h, "next-run-lost")
				next.NativeSession = live.NativeSession
				o = t.Observe(ctx, h)
				word := t.Word()
				next.Say(ctx, append(next.Hello(), next.Text("back "+word), next.Ok())...)
				done = o.MustDone(ctx, "next-run-lost")
				t.Code("next-run-lost").Expect(done.Reason).To(Equal(executor.ReasonSuccess))
				t.Code("next-run-lost").Expect(o.Text()).To(ContainSubstring(word))
			}),
		},
		// Frames that are lost on a connection which goes on are read up again, or the host
		// is told. Text is never lost in silence.
		{
			ID: "executor.reconnect.gap", Case: "events-round-trip", Clause: "executor#lost-frames",
			Level: check.Must, Provenance: check.Decided, Needs: needs,
			Codes: []check.Code{"gap-silent", "text-lost", "text-doubled", "done-missing"},
			Title: "loses no text in silence when frames do not come",
			Run: with(func(ctx context.Context, t *T) {
				t.connects()
				live, o, one := t.underWay(ctx)
				two, three := t.Word(), t.Word()
				live.Fault(ctx, fakes.FaultLose)
				live.Say(ctx, live.Text(" two "+two))
				live.Say(ctx, live.Text(" three "+three), live.Ok())
				o.MustDone(ctx, "done-missing")
				if !strings.Contains(o.Text(), two) {
					t.Code("gap-silent").Expect(tells(o)).To(BeTrue())
				} else {
					t.once(o, two)
				}
				t.once(o, one, three)
			}),
		},
		// A start that is never acknowledged fails, or its run does, in time.
		{
			ID: "executor.reconnect.unacknowledged", Case: "start", Clause: "executor#start-unacknowledged",
			Level: check.Must, Provenance: check.Decided, Needs: append([]check.Feature{fakes.Sessions}, needs...),
			Codes: []check.Code{"start-hung", "done-missing", "failure-hidden"},
			Title: "gives a start up that the runtime never acknowledges",
			Run: with(func(ctx context.Context, t *T) {
				t.connects()
				t.sees(ctx) // or an adapter that starts nothing would pass
				t.Fault(ctx, fakes.FaultSwallow)
				h, err := check.Await(ctx, t.C, t.Budgets.Call, func(ctx context.Context) (*executor.Run, error) {
					return t.Adapter.Start(ctx, executor.TaskHandle{}, t.Opts("s"))
				})
				t.Code("start-hung").Expect(errors.Is(err, check.ErrHung)).To(BeFalse())
				if err != nil {
					return
				}
				o := t.Observe(ctx, h)
				done := o.MustDone(ctx, "done-missing")
				t.Code("failure-hidden").Expect(done.Reason).To(Equal(executor.ReasonError))
			}),
		},
	}
}
