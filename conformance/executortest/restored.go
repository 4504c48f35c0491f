package executortest

import (
	"context"

	. "github.com/onsi/gomega"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// restored holds the checks of what a session is after it was written down.
func restored() []check.Check {
	needs := []check.Feature{fakes.Codec, fakes.NativeSession}
	return []check.Check{
		// A restored handle has no live run, and its stream ends at once.
		{
			ID: "executor.codec.restored-handle", Case: "start", Clause: "executor#restored-handle",
			Level: check.Should, Provenance: check.Decided, Needs: needs,
			Codes: []check.Code{"serialize-failed", "restore-failed", "restored-stream-hung", "restored-stream-events"},
			Title: "gives a restored handle a stream that ends at once",
			Run: with(func(ctx context.Context, t *T) {
				live, o := t.speaking(ctx, "s")
				live.Say(ctx, live.Ok())
				o.Done(ctx)
				blob := t.serialize(ctx, live.Handle)
				fresh := t.another(ctx)
				again := fresh.Observe(ctx, fresh.restore(ctx, blob))
				t.Code("restored-stream-events").Expect(again.next(ctx, t.Budgets.Call)).To(BeFalse())
				t.Code("restored-stream-hung").Expect(again.Ended).To(BeTrue())
			}),
		},
		// A session that is written down before the runtime has spoken has no native
		// session: nothing is asked for in its place.
		{
			ID: "executor.codec.before-frames", Case: "start", Clause: "executor#resume",
			Level: check.Should, Provenance: check.Stated, Needs: needs,
			Codes: []check.Code{"serialize-failed", "restore-failed", "native-session-invented"},
			Title: "does not take its own session key for the runtime's session",
			Run: with(func(ctx context.Context, t *T) {
				live := t.Start(ctx, t.Opts("s"))
				blob := t.serialize(ctx, live.Handle)
				// The runtime does speak, else a session would be nothing to write down.
				word := t.Word()
				live.Say(ctx, live.Text(word), live.Ok())
				o := t.Observe(ctx, live.Handle)
				t.Expect(o.Hears(ctx, word)).To(BeTrue())
				o.Done(ctx)
				late := t.serialize(ctx, live.Handle)
				for _, b := range []string{blob, late} {
					fresh := t.another(ctx)
					fresh.restore(ctx, b)
					next := fresh.Start(ctx, fresh.Opts("s"))
					asked := next.begun().Resume
					id, _ := live.Handle.ID()
					t.Code("native-session-invented").Expect(asked == "s" || asked != "" && asked == id).To(BeFalse())
					next.Say(ctx, next.Ok())
					next.Released(ctx)
				}
			}),
		},
		// A blob is of one session: it restores that one, whatever else is open.
		{
			ID: "executor.codec.own-session", Case: "start", Clause: "executor#resume",
			Level: check.Should, Provenance: check.Stated, Needs: append([]check.Feature{fakes.Sessions}, needs...),
			Codes: []check.Code{"serialize-failed", "restore-failed", "restored-handle-wrong", "session-not-resumed", "wrong-session-resumed"},
			Title: "restores the session that was written down, and no other",
			Run: with(func(ctx context.Context, t *T) {
				a, oa := t.speaking(ctx, "a")
				b, ob := t.speaking(ctx, "b")
				a.named()
				early := t.Offers(fakes.InitFrame) // else the session may be named at the end
				blob := ""
				if early {
					blob = t.serialize(ctx, a.Handle)
				}
				for _, end := range []struct {
					l *Live
					o *Observer
				}{{a, oa}, {b, ob}} {
					end.l.Say(ctx, end.l.Ok())
					end.o.Done(ctx)
				}
				if !early {
					blob = t.serialize(ctx, a.Handle)
				}
				fresh := t.another(ctx)
				h := fresh.restore(ctx, blob)
				t.Code("restored-handle-wrong").Expect([]string{h.AdapterID(), h.SessionKey()}).To(Equal([]string{t.Adapter.ID(), "a"}))
				resumed := fresh.Start(ctx, fresh.Opts("a")).begun().Resume
				t.Code("wrong-session-resumed").Expect(resumed).NotTo(Equal(b.NativeSession))
				t.Code("session-not-resumed").Expect(resumed).To(Equal(a.NativeSession))
			}),
		},
		// A running total goes on over a restore: earlier runs are not billed again.
		{
			ID: "executor.codec.totals", Case: "events-round-trip", Clause: "executor#cost-increments",
			Level: check.Must, Provenance: check.Decided, Needs: append([]check.Feature{fakes.UsageFrames, fakes.SecondRun}, needs...),
			Codes: []check.Code{"serialize-failed", "restore-failed", "usage-lost", "usage-cumulative"},
			Title: "does not bill earlier runs again after a restore",
			Run: with(func(ctx context.Context, t *T) {
				native := nativeSession(t)
				live := t.Start(ctx, t.Opts("s"))
				live.NativeSession = native
				o := t.Observe(ctx, live.Handle)
				live.Say(ctx, append(live.Hello(), live.Text("one "+t.Word()), tokens(fakes.UsageTotal, 5000, 10), live.Ok())...)
				o.Done(ctx)
				live.Shown(o)
				blob := t.serialize(ctx, live.Handle)
				fresh := t.another(ctx)
				fresh.restore(ctx, blob)
				again := fresh.spend(ctx, "s", native, tokens(fakes.UsageTotal, 5400, 15))
				costs := All[executor.Cost](again)
				t.Code("usage-lost").Expect(costs).NotTo(BeEmpty())
				sum := int64(0)
				for _, c := range costs {
					sum += c.Usage.InputTokens
				}
				t.Code("usage-cumulative").Expect(sum).To(BeNumerically("<", 5000))
			}),
		},
	}
}
