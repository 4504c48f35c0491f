package executortest

import (
	"context"
	"strings"

	. "github.com/onsi/gomega"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// afflicted plays a run whose output suffers from the fault, and returns what was to
// be read, the word in it that nobody could know, and how the run ended.
func (t *T) afflicted(ctx context.Context, kind fakes.FaultKind) (o *Observer, said, word string, done executor.Done) {
	live := t.Start(ctx, t.Opts("s"))
	o = t.Observe(ctx, live.Handle)
	live.Fault(ctx, kind)
	word = t.Word()
	said = "ñandú 漢字 🦜 é " + word
	live.Say(ctx, append(live.Hello(), live.Text(said), live.Ok())...)
	return o, said, word, o.MustDone(ctx, "done-missing")
}

// pipes holds the checks of how the output of a process arrives.
func pipes() []check.Check {
	return []check.Check{
		// A line is read whole, in however many pieces it comes and however it ends.
		{
			ID: "executor.framing.pieces", Case: "events-round-trip", Clause: "executor#lines",
			Level: check.Must, Provenance: check.Decided, Needs: []check.Feature{fakes.Framed, fakes.TerminalFrame},
			Codes: []check.Code{"done-missing", "text-lost", "text-altered", "success-lost"},
			Title: "reads lines that come byte by byte, and lines that end in CR LF",
			Run: with(func(ctx context.Context, t *T) {
				for _, kind := range []fakes.FaultKind{fakes.FaultTorn, fakes.FaultCRLF} {
					t := build(ctx, t.C)
					o, said, word, done := t.afflicted(ctx, kind)
					t.Code("text-lost").Expect(o.Text()).To(ContainSubstring(word))
					t.Code("text-altered").Expect(strings.Trim(o.Text(), " \n")).To(Equal(said))
					t.Code("success-lost").Expect(done.Reason).To(Equal(executor.ReasonSuccess))
				}
			}),
		},
		// A descendant that keeps the output open does not hold the run.
		{
			ID: "executor.process.held-output", Case: "events-round-trip", Clause: "executor#process-run",
			Level: check.Must, Provenance: check.Decided, Needs: []check.Feature{fakes.Process, fakes.TerminalFrame},
			Codes: []check.Code{"done-missing", "text-lost", "success-lost"},
			Title: "ends a run although a descendant keeps its output open",
			Run: with(func(ctx context.Context, t *T) {
				o, _, word, done := t.afflicted(ctx, fakes.FaultHeld)
				t.Code("text-lost").Expect(o.Text()).To(ContainSubstring(word))
				t.Code("success-lost").Expect(done.Reason).To(Equal(executor.ReasonSuccess))
			}),
		},
	}
}
