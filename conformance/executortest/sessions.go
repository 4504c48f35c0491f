package executortest

import (
	"context"

	. "github.com/onsi/gomega"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/contract/executor/verify"
	"github.com/adaptercheck/adaptercheck/fakes"
)

func sessions() []check.Check {
	return []check.Check{
		// Two sessions that run at once do not mix: text, summary, run id and numbers of
		// each are its own.
		{
			ID: "executor.sessions.apart", Case: "events-round-trip", Clause: "executor#sessions-apart",
			Level: check.Must, Provenance: check.Implied, Needs: []check.Feature{fakes.Sessions},
			Codes: []check.Code{"done-missing", "session-text-mixed", "session-summary-mixed", "session-run-id-shared", "session-usage-mixed", "seq-not-increasing"},
			Title: "keeps sessions that run at once apart",
			Run: with(func(ctx context.Context, t *T) {
				a, b := t.Start(ctx, t.Opts("a")), t.Start(ctx, t.Opts("b"))
				oa, ob := t.Observe(ctx, a.Handle), t.Observe(ctx, b.Handle)
				wa, wb := t.Word(), t.Word()
				a.Say(ctx, append(a.Hello(), a.Text("one "+wa))...)
				b.Say(ctx, append(b.Hello(), b.Text("one "+wb))...)
				a.Say(ctx, a.Text(" two "+wa))
				b.Say(ctx, b.Text(" two "+wb))
				if t.Offers(fakes.UsageFrames) {
					a.Say(ctx, tokens(fakes.UsageTurn, 100, 10))
					b.Say(ctx, tokens(fakes.UsageTurn, 7, 3))
				}
				a.Say(ctx, a.Ok())
				b.Say(ctx, b.Ok())
				for _, side := range []struct {
					live  *Live
					o     *Observer
					other string
					out   int64
				}{{a, oa, wb, 10}, {b, ob, wa, 3}} {
					done := side.o.MustDone(ctx, "done-missing")
					side.live.Shown(side.o)
					t.Code("session-text-mixed").Expect(side.o.Text()).NotTo(ContainSubstring(side.other))
					t.Code("session-summary-mixed").Expect(done.Summary).NotTo(ContainSubstring(side.other))
					t.report(verify.Seq(side.o.Events), verify.SeqNotIncreasing)
					if t.Offers(fakes.UsageFrames) {
						used, _ := verify.Spend(side.o.Events, "")
						t.Code("session-usage-mixed").Expect(used.OutputTokens).To(Equal(side.out))
					}
				}
				ida, _ := a.Handle.ID()
				idb, _ := b.Handle.ID()
				t.Code("session-run-id-shared").Expect(ida).NotTo(Equal(idb))
			}),
		},
		// Nothing of an earlier run is in a later one of the session.
		{
			ID: "executor.sessions.fresh-run", Case: "events-round-trip", Clause: "executor#sessions-apart",
			Level: check.Must, Provenance: check.Implied, Needs: []check.Feature{fakes.SecondRun},
			Codes: []check.Code{"done-missing", "earlier-run-in-text", "earlier-run-in-summary", "abort-hung", "abort-failed", "abort-without-done", "abort-reason-wrong"},
			Title: "begins each run of a session with nothing of the last one",
			Run: with(func(ctx context.Context, t *T) {
				native := nativeSession(t)
				begin := func() (*Live, *Observer, string) {
					live := t.Start(ctx, t.Opts("s"))
					live.NativeSession = native
					o := t.Observe(ctx, live.Handle)
					return live, o, live.speak(ctx, o, "said ")
				}
				first, o, earlier := begin()
				first.Say(ctx, first.Ok())
				o.MustDone(ctx, "done-missing")
				t.Expect(o.Text()).To(ContainSubstring(earlier))

				second, o, word := begin()
				second.Say(ctx, second.Ok())
				done := o.MustDone(ctx, "done-missing")
				t.Expect(o.Text()).To(ContainSubstring(word))
				t.Code("earlier-run-in-text").Expect(o.Text()).NotTo(ContainSubstring(earlier))
				t.Code("earlier-run-in-summary").Expect(done.Summary).NotTo(ContainSubstring(earlier))

				third, o, _ := begin()
				t.Code("abort-failed").Expect(t.stop(ctx, third.Handle)).To(Succeed())
				t.aborted(ctx, o)
				done, _ = verify.Last(o.Events, "")
				for _, old := range []string{earlier, word} {
					t.Code("earlier-run-in-summary").Expect(done.Summary).NotTo(ContainSubstring(old))
				}
			}),
		},
		// After the end of a run, however it ended, the session takes the next one.
		{
			ID: "executor.sessions.next-run", Case: "start", Clause: "executor#sessions-apart",
			Level: check.Must, Provenance: check.Implied, Needs: []check.Feature{fakes.SecondRun},
			Codes: []check.Code{"done-missing", "session-stuck", "next-run-lost", "next-run-fails"},
			Title: "takes the next run of a session after one that ended or failed",
			Run: with(func(ctx context.Context, t *T) {
				native := nativeSession(t)
				play := func(lost check.Code, end func(*Live) fakes.Frame) executor.Done {
					h, err := check.Await(ctx, t.C, t.Budgets.Call, func(ctx context.Context) (*executor.Run, error) {
						return t.Adapter.Start(ctx, executor.TaskHandle{}, t.Opts("s"))
					})
					t.Code("session-stuck").Expect(err).NotTo(HaveOccurred())
					live := t.Arrived(ctx, h, "next-run-lost")
					live.NativeSession = native
					o := t.Observe(ctx, h)
					live.Say(ctx, append(live.Hello(), live.Text("said "+t.Word()), end(live))...)
					done := o.MustDone(ctx, lost)
					live.Shown(o)
					return done
				}
				ok := func(l *Live) fakes.Frame { return l.Ok() }
				play("done-missing", ok)
				play("next-run-lost", func(*Live) fakes.Frame {
					return fakes.Failure{Code: "quota", Message: "quota used up", Fatal: true}
				})
				done := play("next-run-lost", ok)
				t.Code("next-run-fails").Expect(done.Reason).To(Equal(executor.ReasonSuccess))
			}),
		},
	}
}
