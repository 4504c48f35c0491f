package executortest

import (
	"context"

	. "github.com/onsi/gomega"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/contract/executor/verify"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// play starts a run, says hello, a word of text and the frames, and reads to the
// done.
func (t *T) play(ctx context.Context, frames ...fakes.Frame) (*Live, *Observer) {
	live := t.Start(ctx, t.Opts("s"))
	o := t.Observe(ctx, live.Handle)
	live.Say(ctx, append(live.Hello(), live.Text("so far "+t.Word()))...)
	live.Say(ctx, frames...)
	o.Done(ctx)
	live.Shown(o)
	return live, o
}

func terminal() []check.Check {
	return []check.Check{
		// A run that the runtime ends well has exactly one done, success, and nothing
		// after it.
		{
			ID: "executor.terminal.success", Case: "events-round-trip", Clause: "executor#one-terminal",
			Level: check.Must, Provenance: check.Stated,
			Codes: []check.Code{"done-missing", "done-repeated", "event-after-done", "done-reason-wrong", "error-invented"},
			Title: "ends a run that went well in one done(success)",
			Run: with(func(ctx context.Context, t *T) {
				live := t.Start(ctx, t.Opts("s"))
				o := t.Observe(ctx, live.Handle)
				live.Say(ctx, append(live.Hello(), live.Text("fine "+t.Word()), live.Ok())...)
				done := o.MustDone(ctx, "done-missing")
				o.Rest(ctx)
				live.Shown(o)
				t.Code("done-reason-wrong").Expect(done.Reason).To(Equal(executor.ReasonSuccess))
				t.report(verify.Order(o.Events), verify.DoneRepeated, verify.EventAfterDone)
				t.Code("error-invented").Expect(All[executor.Error](o)).To(BeEmpty())
			}),
		},
		// A failure that the runtime reports as the end is done(error), and an error
		// event that tells of it is fatal.
		{
			ID: "executor.terminal.failure", Case: "events-round-trip", Clause: "executor#fatal",
			Level: check.Must, Provenance: check.Stated,
			Codes: []check.Code{"done-missing", "fatal-without-done", "failure-hidden", "error-not-fatal", "fatal-repeated", "done-repeated", "event-after-done"},
			Title: "ends a run that failed in one done(error)",
			Run: with(func(ctx context.Context, t *T) {
				_, o := t.play(ctx, fakes.Failure{Code: "quota", Message: "quota used up", Fatal: true})
				errs := All[executor.Error](o)
				done, ended := verify.Last(o.Events, "")
				if !ended && len(errs) > 0 {
					t.Fail("fatal-without-done", "an error and no done")
				}
				t.Code("done-missing").Expect(ended).To(BeTrue())
				t.Code("failure-hidden").Expect(done.Reason).To(Equal(executor.ReasonError))
				if len(errs) > 0 { // that there is one is executor.terminal.error-announced
					t.Code("error-not-fatal").Expect(errs[len(errs)-1].Fatal).To(BeTrue())
				}
				o.Rest(ctx)
				t.report(verify.Order(o.Events), verify.FatalRepeated, verify.DoneRepeated, verify.EventAfterDone)
			}),
		},
		// What the runtime still says after a fatal error changes nothing.
		{
			ID: "executor.terminal.fatal-is-final", Case: "events-round-trip", Clause: "executor#fatal",
			Level: check.Must, Provenance: check.Decided, Needs: []check.Feature{fakes.TerminalFrame, fakes.Deltas},
			Codes: []check.Code{"done-missing", "failure-hidden", "done-repeated", "event-after-done", "output-after-fatal"},
			Title: "does not take back a fatal error",
			Run: with(func(ctx context.Context, t *T) {
				live := t.Start(ctx, t.Opts("s"))
				o := t.Observe(ctx, live.Handle)
				live.Say(ctx, append(live.Hello(), live.Text("so far "+t.Word()), fakes.Failure{Code: "tool-init", Message: "cannot start", Fatal: true}, live.Text("late"), live.Ok())...)
				done := o.MustDone(ctx, "done-missing")
				o.Rest(ctx)
				live.Shown(o)
				t.Code("failure-hidden").Expect(done.Reason).To(Equal(executor.ReasonError))
				t.report(verify.Order(o.Events), verify.DoneRepeated, verify.EventAfterDone, verify.OutputAfterFatal)
			}),
		},
		// A done(error) says why: a fatal error comes before it.
		{
			ID: "executor.terminal.error-announced", Case: "events-round-trip", Clause: "executor#error-announced",
			Level: check.Should, Provenance: check.Decided,
			Codes: []check.Code{"done-error-unannounced", "done-missing"},
			Title: "announces done(error) by a fatal error",
			Run: with(func(ctx context.Context, t *T) {
				_, o := t.play(ctx, fakes.Failure{Code: "quota", Message: "quota used up", Fatal: true})
				_, ended := verify.Last(o.Events, "")
				t.Code("done-missing").Expect(ended).To(BeTrue())
				t.report(verify.Announced(o.Events), verify.DoneErrorUnprefaced)
			}),
		},
		// An error that is not fatal neither ends nor fails nor silences the run.
		{
			ID: "executor.terminal.mild-error", Case: "events-round-trip", Clause: "executor#mild-error",
			Level: check.Must, Provenance: check.Decided, Needs: []check.Feature{fakes.MildErrors},
			Codes: []check.Code{"done-missing", "run-failed-by-mild-error", "text-lost-after-mild-error", "error-fatal"},
			Title: "goes on after an error that the runtime recovers from",
			Run: with(func(ctx context.Context, t *T) {
				live := t.Start(ctx, t.Opts("s"))
				o := t.Observe(ctx, live.Handle)
				word := t.Word()
				live.Say(ctx, append(live.Hello(), fakes.Failure{Code: "503", Message: "try again"}, live.Text(word), live.Ok())...)
				done := o.MustDone(ctx, "done-missing")
				t.Code("run-failed-by-mild-error").Expect(done.Reason).To(Equal(executor.ReasonSuccess))
				t.Code("text-lost-after-mild-error").Expect(o.Text()).To(ContainSubstring(word))
				for _, e := range All[executor.Error](o) {
					t.Code("error-fatal").Expect(e.Fatal).To(BeFalse())
				}
			}),
		},
		// Frames that come after the end of a run make no event.
		{
			ID: "executor.terminal.late-frames", Case: "events-round-trip", Clause: "executor#one-terminal",
			Level: check.Must, Provenance: check.Implied, Needs: []check.Feature{fakes.TerminalFrame, fakes.Deltas},
			Codes: []check.Code{"done-missing", "event-after-done", "done-repeated"},
			Title: "makes nothing of frames that come after the end",
			Run: with(func(ctx context.Context, t *T) {
				live := t.Start(ctx, t.Opts("s"))
				o := t.Observe(ctx, live.Handle)
				live.Say(ctx, append(live.Hello(), live.Text("fine "+t.Word()), live.Ok(), live.Text("late"),
					fakes.ToolCall{ID: "t9", Name: "shell", Input: "{}"}, live.Ok())...)
				o.MustDone(ctx, "done-missing")
				o.Rest(ctx)
				live.Shown(o)
				t.report(verify.Order(o.Events), verify.EventAfterDone, verify.DoneRepeated)
			}),
		},
		// A wire that ends without its terminal frame is a failure, and ends the run.
		{
			ID: "executor.terminal.truncated", Case: "events-round-trip", Clause: "executor#truncated",
			Level: check.Must, Provenance: check.Decided, Needs: []check.Feature{fakes.CutStream, fakes.TerminalFrame},
			Codes: []check.Code{"done-missing", "truncation-hidden", "text-lost"},
			Title: "ends a run whose wire was cut in done(error)",
			Run: with(func(ctx context.Context, t *T) {
				word := t.Word()
				live := t.Start(ctx, t.Opts("s"))
				o := t.Observe(ctx, live.Handle)
				live.Say(ctx, append(live.Hello(), live.Text(word))...)
				live.Say(ctx, fakes.Cut{})
				done := o.MustDone(ctx, "done-missing")
				t.Code("truncation-hidden").Expect(done.Reason).To(Equal(executor.ReasonError))
				t.Code("text-lost").Expect(o.Text()).To(ContainSubstring(word))
			}),
		},
		// A run that was stopped by a limit on its turns says so.
		{
			ID: "executor.terminal.max-turns", Case: "events-round-trip", Clause: "executor#max-turns",
			Level: check.Must, Provenance: check.Stated, Needs: []check.Feature{fakes.MaxTurns},
			Codes: []check.Code{"done-missing", "max-turns-lost", "max-turns-as-failure"},
			Title: "tells a turn limit from a failure and from success",
			Run: with(func(ctx context.Context, t *T) {
				live := t.Start(ctx, t.Opts("s"))
				o := t.Observe(ctx, live.Handle)
				live.Say(ctx, append(live.Hello(), live.Text("step "+t.Word()), fakes.End{Reason: fakes.EndMaxTurns})...)
				done := o.MustDone(ctx, "done-missing")
				live.Shown(o)
				t.Code("max-turns-as-failure").Expect(done.Reason).NotTo(Equal(executor.ReasonError))
				t.Code("max-turns-lost").Expect(done.Reason).To(Equal(executor.ReasonMaxTurns))
			}),
		},
		// An answer that was cut by a length limit is not a success.
		{
			ID: "executor.terminal.token-limit", Case: "events-round-trip", Clause: "executor#token-limit",
			Level: check.Must, Provenance: check.Decided, Needs: []check.Feature{fakes.TokenLimit},
			Codes: []check.Code{"done-missing", "token-limit-hidden"},
			Title: "does not call an answer a success that a length limit cut",
			Run: with(func(ctx context.Context, t *T) {
				live := t.Start(ctx, t.Opts("s"))
				o := t.Observe(ctx, live.Handle)
				live.Say(ctx, append(live.Hello(), live.Text("half of "+t.Word()), fakes.End{Reason: fakes.EndLength})...)
				done := o.MustDone(ctx, "done-missing")
				live.Shown(o)
				t.Code("token-limit-hidden").Expect(done.Reason).NotTo(Equal(executor.ReasonSuccess))
			}),
		},
		// Nor is a refusal to answer, whatever words it comes in.
		{
			ID: "executor.terminal.refusal", Case: "events-round-trip", Clause: "executor#token-limit",
			Level: check.Must, Provenance: check.Decided, Needs: []check.Feature{fakes.TokenLimit},
			Codes: []check.Code{"done-missing", "refusal-hidden"},
			Title: "does not call it a success that the model would not answer",
			Run: with(func(ctx context.Context, t *T) {
				live := t.Start(ctx, t.Opts("s"))
				o := t.Observe(ctx, live.Handle)
				refusal := []fakes.Frame{live.Text("I cannot help with " + t.Word()), fakes.End{Reason: fakes.EndRefusal}}
				if !live.Try(ctx, append(live.Hello(), refusal...)...) {
					t.Unobserved(fakes.TokenLimit) // not every wire that tells of the one tells of the other
				}
				done := o.MustDone(ctx, "done-missing")
				live.Shown(o)
				t.Code("refusal-hidden").Expect(done.Reason).NotTo(Equal(executor.ReasonSuccess))
			}),
		},
		// An error flag in a terminal frame beats the frame's label.
		{
			ID: "executor.terminal.error-flag", Case: "events-round-trip", Clause: "executor#error-flag",
			Level: check.Must, Provenance: check.Decided, Needs: []check.Feature{fakes.TerminalFrame},
			Codes: []check.Code{"done-missing", "failure-hidden"},
			Title: "believes a terminal frame's error flag before its label",
			Run: with(func(ctx context.Context, t *T) {
				live := t.Start(ctx, t.Opts("s"))
				o := t.Observe(ctx, live.Handle)
				live.Say(ctx, append(live.Hello(), live.Text("so far "+t.Word()), fakes.End{Reason: fakes.EndOK, Error: true, Text: "quota used up"})...)
				done := o.MustDone(ctx, "done-missing")
				live.Shown(o)
				t.Code("failure-hidden").Expect(done.Reason).To(Equal(executor.ReasonError))
			}),
		},
		// The done of a run that delivered text has a summary: the runtime's own final
		// text, or the last message.
		{
			ID: "executor.terminal.summary", Case: "events-round-trip", Clause: "executor#summary",
			Level: check.Should, Provenance: check.Decided,
			Codes: []check.Code{"done-missing", "summary-empty", "summary-foreign"},
			Title: "sums up what the run said last",
			Run: with(func(ctx context.Context, t *T) {
				live := t.Start(ctx, t.Opts("s"))
				o := t.Observe(ctx, live.Handle)
				word := t.Word()
				live.Say(ctx, append(live.Hello(), live.Text("in short: "+word), live.Ok())...)
				done := o.MustDone(ctx, "done-missing")
				t.Code("summary-empty").Expect(done.Summary).NotTo(BeEmpty())
				t.Code("summary-foreign").Expect(done.Summary).To(ContainSubstring(word))
			}),
		},
		// A run that a turn limit stopped is summed up by what it said, for the session
		// that goes on in its place.
		{
			ID: "executor.terminal.max-turns-summary", Case: "events-round-trip", Clause: "executor#summary",
			Level: check.Should, Provenance: check.Decided, Needs: []check.Feature{fakes.MaxTurns},
			Codes: []check.Code{"done-missing", "summary-empty", "summary-foreign"},
			Title: "sums up what a run said that a turn limit stopped",
			Run: with(func(ctx context.Context, t *T) {
				live := t.Start(ctx, t.Opts("s"))
				o := t.Observe(ctx, live.Handle)
				word := t.Word()
				live.Say(ctx, append(live.Hello(), live.Text("so far: "+word), fakes.End{Reason: fakes.EndMaxTurns})...)
				done := o.MustDone(ctx, "done-missing")
				t.Code("summary-empty").Expect(done.Summary).NotTo(BeEmpty())
				t.Code("summary-foreign").Expect(done.Summary).To(ContainSubstring(word))
			}),
		},
		// Frames of types that nobody knows are skipped.
		{
			ID: "executor.terminal.unknown-frames", Case: "events-round-trip", Clause: "executor#unknown-frames",
			Level: check.Must, Provenance: check.Decided, Needs: []check.Feature{fakes.UnknownFrames},
			Codes: []check.Code{"done-missing", "run-ended-by-unknown-frame", "text-lost", "unknown-frame-as-text"},
			Title: "lets no unknown frame end or silence a run",
			Run: with(func(ctx context.Context, t *T) {
				live := t.Start(ctx, t.Opts("s"))
				o := t.Observe(ctx, live.Handle)
				word, other := t.Word(), t.Word()
				live.Say(ctx, append(live.Hello(), fakes.Native{Type: "limit_heartbeat", Fields: `{"status":"fine"}`},
					fakes.Native{Type: "brand_new_2031", Fields: `{"payload":{"x":1},"text":"` + other + `"}`}, live.Text(word), live.Ok())...)
				done := o.MustDone(ctx, "done-missing")
				t.Code("run-ended-by-unknown-frame").Expect(done.Reason).To(Equal(executor.ReasonSuccess))
				t.Code("text-lost").Expect(o.Text()).To(ContainSubstring(word))
				t.Code("unknown-frame-as-text").Expect(o.Text()).NotTo(ContainSubstring(other))
			}),
		},
	}
}
