package executortest

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"slices"

	. "github.com/onsi/gomega"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// exits plays a run that says hello, a word, and the frames in one piece, and reads
// to the done.
func (t *T) exits(ctx context.Context, frames ...fakes.Frame) (*Live, *Observer, executor.Done) {
	live := t.Start(ctx, t.Opts("s"))
	o := t.Observe(ctx, live.Handle)
	live.Say(ctx, slices.Concat(live.Hello(), []fakes.Frame{live.Text("so far " + t.Word())}, frames)...)
	done := o.MustDone(ctx, "done-missing")
	live.Shown(o)
	return live, o, done
}

// processes holds the checks of a runtime that is a process.
func processes() []check.Check {
	exits := []check.Feature{fakes.Process, fakes.ExitCodes, fakes.TerminalFrame}
	return []check.Check{
		// A process that does not exit after its result is ended by the adapter, and its
		// run stays a success.
		{
			ID: "executor.process.lingers", Case: "events-round-trip", Clause: "executor#process-run",
			Level: check.Must, Provenance: check.Decided, Needs: []check.Feature{fakes.Process, fakes.SilentRun, fakes.TerminalFrame},
			Codes: []check.Code{"done-missing", "success-lost", "process-left"},
			Title: "ends a process that stays after its result",
			Run: with(func(ctx context.Context, t *T) {
				live, _, done := t.exits(ctx, fakes.End{Reason: fakes.EndOK}, fakes.Silent{})
				t.Code("success-lost").Expect(done.Reason).To(Equal(executor.ReasonSuccess))
				t.seesResidue()
				t.Code("process-left").Expect(live.Released(ctx)).To(BeTrue())
				wait, cancel := context.WithTimeout(ctx, t.Budgets.Terminal)
				defer cancel()
				t.Code("process-left").Expect(poll(wait, func() bool { return t.Runtime.Residue().Children == 0 })).To(BeTrue())
			}),
		},
		// An exit without the terminal frame that the wire has is a failure, whatever the
		// exit code.
		{
			ID: "executor.process.exit", Case: "events-round-trip", Clause: "executor#truncated",
			Level: check.Must, Provenance: check.Decided, Needs: exits,
			Codes: []check.Code{"done-missing", "exit-as-success", "exit-as-abort"},
			Title: "calls a run failed whose process exits without an end",
			Run: with(func(ctx context.Context, t *T) {
				for _, code := range []int{0, 3} {
					t := build(ctx, t.C)
					_, _, done := t.exits(ctx, fakes.Exit{Code: code})
					t.Code("exit-as-success").Expect(done.Reason).NotTo(BeElementOf(executor.ReasonSuccess, executor.ReasonMaxTurns))
					t.Code("exit-as-abort").Expect(done.Reason).To(Equal(executor.ReasonError))
				}
			}),
		},
		// A process that is killed by somebody else has failed; nobody aborted it.
		{
			ID: "executor.process.killed", Case: "events-round-trip", Clause: "executor#truncated",
			Level: check.Must, Provenance: check.Decided, Needs: exits,
			Codes: []check.Code{"done-missing", "death-as-success", "death-as-abort"},
			Title: "calls a run failed that a foreign signal ended",
			Run: with(func(ctx context.Context, t *T) {
				_, _, done := t.exits(ctx, fakes.Exit{Signal: "KILL"})
				t.Code("death-as-success").Expect(done.Reason).NotTo(BeElementOf(executor.ReasonSuccess, executor.ReasonMaxTurns))
				t.Code("death-as-abort").Expect(done.Reason).To(Equal(executor.ReasonError))
			}),
		},
		// A process that exits without a word has failed, also if it calls that a success.
		{
			ID: "executor.process.silent-exit", Case: "events-round-trip", Clause: "executor#exit-terminal",
			Level: check.Must, Provenance: check.Decided, Needs: []check.Feature{fakes.Process, fakes.ExitCodes},
			Codes: []check.Code{"done-missing", "silence-as-success", "silence-as-abort"},
			Title: "calls a run failed that exits with 0 and said nothing",
			Run: with(func(ctx context.Context, t *T) {
				t.sees(ctx) // an adapter that always fails would pass for nothing
				live := t.Start(ctx, t.Opts("s"))
				o := t.Observe(ctx, live.Handle)
				live.Say(ctx, fakes.Exit{})
				done := o.MustDone(ctx, "done-missing")
				t.Code("silence-as-success").Expect(done.Reason).NotTo(BeElementOf(executor.ReasonSuccess, executor.ReasonMaxTurns))
				t.Code("silence-as-abort").Expect(done.Reason).To(Equal(executor.ReasonError))
			}),
		},
		// A terminal frame beats the exit code.
		{
			ID: "executor.process.end-beats-exit", Case: "events-round-trip", Clause: "executor#exit-terminal",
			Level: check.Must, Provenance: check.Decided, Needs: exits,
			Codes: []check.Code{"done-missing", "success-lost", "error-invented"},
			Title: "believes the runtime's end before the exit code",
			Run: with(func(ctx context.Context, t *T) {
				_, o, done := t.exits(ctx, fakes.End{Reason: fakes.EndOK}, fakes.Exit{Code: 1})
				t.Code("success-lost").Expect(done.Reason).To(Equal(executor.ReasonSuccess))
				for _, e := range All[executor.Error](o) {
					t.Code("error-invented").Expect(e.Fatal).To(BeFalse())
				}
			}),
		},
		// When a process is ended, so are the descendants that it had, in whatever session
		// they sit.
		{
			ID: "executor.process.descendants", Case: "abort", Clause: "executor#abort-descendants",
			Level: check.Must, Provenance: check.Decided, Needs: []check.Feature{fakes.Process},
			Codes: []check.Code{"abort-hung", "abort-failed", "abort-without-done", "abort-reason-wrong", "descendant-left"},
			Title: "ends the descendants of an aborted run",
			Run: with(func(ctx context.Context, t *T) {
				t.seesResidue()
				live, o := t.speaking(ctx, "s")
				// The process itself does not look after them on the first signal.
				live.Say(ctx, fakes.Child{OwnSession: true}, fakes.Child{}, fakes.Ignore{Signal: "INT"})
				begun, cancel := context.WithTimeout(ctx, t.Budgets.FirstEvent)
				defer cancel()
				if !poll(begun, func() bool { return t.Runtime.Residue().Children >= 3 }) {
					t.Cannot(fmt.Errorf("the fake runtime started no descendants"))
				}
				t.Code("abort-failed").Expect(t.stop(ctx, live.Handle)).To(Succeed())
				t.aborted(ctx, o)
				wait, cancel := context.WithTimeout(ctx, t.Budgets.Abort)
				defer cancel()
				t.Code("descendant-left").Expect(poll(wait, func() bool { return t.Runtime.Residue().Children == 0 })).To(BeTrue())
			}),
		},
		// What a process prints on its second channel is read, and is no answer.
		{
			ID: "executor.process.stderr", Case: "events-round-trip", Clause: "executor#second-channel",
			Level: check.Must, Provenance: check.Decided, Needs: []check.Feature{fakes.Process},
			Codes: []check.Code{"done-missing", "stderr-fails-run", "stderr-as-text"},
			Title: "reads the second channel and takes it for no answer",
			Run: with(func(ctx context.Context, t *T) {
				noise, word := t.Word(), t.Word()
				live := t.Start(ctx, t.Opts("s"))
				o := t.Observe(ctx, live.Handle)
				live.Say(ctx, live.Hello()...)
				live.Say(ctx, fakes.Stderr{Text: "warning: error in " + noise + "\n"}, fakes.Stderr{N: 300_000}) // more than a pipe holds
				live.Say(ctx, live.Text("answer "+word), live.Ok())
				done := o.MustDone(ctx, "done-missing")
				live.Shown(o)
				t.Code("stderr-as-text").Expect(o.Text()).NotTo(ContainSubstring(noise))
				t.Code("stderr-fails-run").Expect(done.Reason).To(Equal(executor.ReasonSuccess))
			}),
		},
		// A process is given the variables that it needs, not all that the host has.
		{
			ID: "executor.process.environment", Case: "start", Clause: "executor#environment",
			Level: check.Should, Provenance: check.Decided, Needs: []check.Feature{fakes.Process, fakes.InProcess},
			Codes: []check.Code{"environment-passed", "environment-empty"},
			Title: "keeps the host's environment from the runtime",
			Run: with(func(ctx context.Context, t *T) {
				// The name is this execution's own, so that those which run at once do not meet.
				name := "AC_" + rand.Text() + "_API_KEY"
				if err := os.Setenv(name, t.Word()); err != nil {
					t.Cannot(fmt.Errorf("set a variable for the check: %w", err))
				}
				t.Cleanup(func(context.Context) error { return os.Unsetenv(name) })
				begun := t.Start(ctx, t.Opts("s")).begun()
				t.Code("environment-empty").Expect(begun.Env).NotTo(BeEmpty())
				t.Code("environment-passed").Expect(begun.Env).NotTo(ContainElement(name))
			}),
		},
	}
}

// framing holds the checks of a wire of lines.
func framing() []check.Check {
	needs := []check.Feature{fakes.Framed, fakes.TerminalFrame}
	return []check.Check{
		// A line that cannot be read costs that line, and the run goes on.
		{
			ID: "executor.framing.malformed", Case: "events-round-trip", Clause: "executor#malformed-frame",
			Level: check.Must, Provenance: check.Decided, Needs: needs,
			Codes: []check.Code{"done-missing", "run-failed-by-bad-line", "text-lost", "bad-line-as-text"},
			Title: "skips a line that it cannot read",
			Run: with(func(ctx context.Context, t *T) {
				junk := t.Word()
				live := t.Start(ctx, t.Opts("s"))
				o := t.Observe(ctx, live.Handle)
				live.Say(ctx, live.Hello()...)
				var words []string
				for _, line := range []fakes.Raw{
					{Line: `{"type":"half`}, {Line: "panic: " + junk}, {}, {Line: "   "}, {EOL: fakes.EOLCRLF}, {Line: "[1,2]", EOL: fakes.EOLCRLF},
					{Line: "null"}, {Line: "\x00\xff\xfe"}, {Line: `{"type":7}`}, {Line: `"` + junk + `"`},
				} {
					words = append(words, t.Word())
					live.Say(ctx, line, live.Text("after it "+words[len(words)-1]))
				}
				live.Say(ctx, live.Ok())
				done := o.MustDone(ctx, "done-missing")
				for _, word := range words {
					t.Code("text-lost").Expect(o.Text()).To(ContainSubstring(word))
				}
				t.Code("bad-line-as-text").Expect(o.Text()).NotTo(ContainSubstring(junk))
				t.Code("run-failed-by-bad-line").Expect(done.Reason).To(Equal(executor.ReasonSuccess))
			}),
		},
		// What comes after the terminal frame without a line's end costs nothing either.
		{
			ID: "executor.framing.tail", Case: "events-round-trip", Clause: "executor#malformed-frame",
			Level: check.Must, Provenance: check.Decided, Needs: needs,
			Codes: []check.Code{"done-missing", "run-failed-by-tail", "text-lost"},
			Title: "takes no harm from an unfinished line at the end",
			Run: with(func(ctx context.Context, t *T) {
				word := t.Word()
				live := t.Start(ctx, t.Opts("s"))
				o := t.Observe(ctx, live.Handle)
				live.Say(ctx, append(live.Hello(), live.Text("fine "+word), live.Ok(), fakes.Raw{Line: `{"type":"item.st`, EOL: fakes.EOLNone})...)
				done := o.MustDone(ctx, "done-missing")
				t.Code("text-lost").Expect(o.Text()).To(ContainSubstring(word))
				t.Code("run-failed-by-tail").Expect(done.Reason).To(Equal(executor.ReasonSuccess))
			}),
		},
	}
}
