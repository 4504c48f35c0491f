package executortest

import (
	"context"
	"slices"
	"strings"

	. "github.com/onsi/gomega"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/contract/executor/verify"
	"github.com/adaptercheck/adaptercheck/fakes"
)

func status() []check.Check {
	return []check.Check{
		// A status is progress in one of four phases. None of them ends the run: after
		// turn-complete the next turn may come.
		{
			ID: "executor.status.progress", Case: "events-round-trip", Clause: "executor#status-progress",
			Level: check.Must, Provenance: check.Decided,
			Codes: []check.Code{"status-phase-unknown", "run-ended-by-status", "done-missing"},
			Title: "takes a change of phase for progress, never for the end",
			Run: with(func(ctx context.Context, t *T) {
				live := t.Start(ctx, t.Opts("s"))
				o := t.Observe(ctx, live.Handle)
				live.Say(ctx, append(live.Hello(), live.Text("first "+t.Word()))...)
				for _, state := range []string{"thinking", "running", "turn-complete"} {
					live.Try(ctx, fakes.Turn{State: state})
				}
				word := t.Word()
				live.Say(ctx, live.Text(" second "+word), live.Ok())
				o.MustDone(ctx, "done-missing")
				live.Shown(o)
				t.report(verify.Values(o.Events), verify.PhaseUnknown)
				t.Code("run-ended-by-status").Expect(o.Text()).To(ContainSubstring(word))
			}),
		},
		// The detail of a status is a code, with an id after a colon where it has one. A
		// status never carries the runtime's text.
		{
			ID: "executor.status.detail", Case: "events-round-trip", Clause: "executor#status-detail",
			Level: check.Should, Provenance: check.Decided,
			Codes: []check.Code{"status-carries-text", "status-detail-prose"},
			Title: "reports progress in codes, without the runtime's words",
			Run: with(func(ctx context.Context, t *T) {
				live := t.Start(ctx, t.Opts("s"))
				o := t.Observe(ctx, live.Handle)
				live.Say(ctx, append(live.Hello(), live.Text("first "+t.Word()))...)
				live.Try(ctx, fakes.Turn{State: "thinking"})
				live.Try(ctx, fakes.Turn{State: "retry", Text: "stream lost while saying " + t.Word()})
				live.Say(ctx, live.Text(" second "+t.Word()), live.Ok())
				o.Done(ctx)
				live.Shown(o)
				all := All[executor.Status](o)
				if len(all) == 0 {
					t.Unobserved(fakes.InitFrame)
				}
				for _, s := range all {
					t.Code("status-carries-text").Expect(s.Detail + s.Model).NotTo(ContainSubstring(t.Canary))
					code, _, _ := strings.Cut(s.Detail, ":")
					t.Code("status-detail-prose").Expect(strings.ContainsAny(code, " \t\r\n")).To(BeFalse())
				}
			}),
		},
		// The status init comes before what the run says, where the runtime says hello
		// first.
		{
			ID: "executor.status.init-first", Case: "events-round-trip", Clause: "executor#status-init",
			Level: check.Should, Provenance: check.Decided, Needs: []check.Feature{fakes.InitFrame},
			Codes: []check.Code{"init-late", "init-repeated"},
			Title: "reports init once, before the run's output",
			Run: with(func(ctx context.Context, t *T) {
				_, o := t.conversation(ctx)
				isInit := func(e executor.Event) bool {
					s, ok := e.(executor.Status)
					return ok && s.Phase == executor.PhaseInit
				}
				first := slices.IndexFunc(o.Events, isInit)
				if first < 0 {
					t.Unobserved(fakes.InitFrame)
				}
				for _, e := range o.Events[:first] {
					t.Code("init-late").Expect(e.Kind()).To(Equal(executor.KindStatus))
				}
				t.Code("init-repeated").Expect(slices.ContainsFunc(o.Events[first+1:], isInit)).To(BeFalse())
			}),
		},
	}
}
