package executortest

import (
	"context"
	"strings"

	. "github.com/onsi/gomega"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/contract/executor/verify"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// tell plays a run of the frames and its end, and reads to the done.
func (t *T) tell(ctx context.Context, frames ...fakes.Frame) *Observer {
	live := t.Start(ctx, t.Opts("s"))
	o := t.Observe(ctx, live.Handle)
	live.Say(ctx, append(live.Hello(), frames...)...)
	live.Say(ctx, live.Ok())
	o.Done(ctx)
	return o
}

// cumulative holds the checks of wires that say text again, or place it, or take it
// back.
func cumulative() []check.Check {
	codes := []check.Code{"text-lost", "text-doubled", "text-disordered", "text-altered"}
	needs := []check.Feature{fakes.Retract, fakes.Deltas}
	return []check.Check{
		// A runtime that sends the whole text so far is turned into increments.
		{
			ID: "executor.text.snapshots", Case: "events-round-trip", Clause: "executor#text-increments",
			Level: check.Must, Provenance: check.Decided, Needs: needs,
			Codes: codes,
			Title: "turns text that comes as a whole each time into increments",
			Run: with(func(ctx context.Context, t *T) {
				a, b, c := t.Word(), " "+t.Word()+"\n", t.Word()
				o := t.tell(ctx, fakes.Snapshot{Part: "p", Text: a}, fakes.Snapshot{Part: "p", Text: a + b}, fakes.Snapshot{Part: "p", Text: a + b},
					fakes.Snapshot{Part: "p", Text: a + b + c})
				t.judgeText(o, []string{a, b, c})
			}),
		},
		// An increment that names its place says again what is there already: only what
		// is new in it is said.
		{
			ID: "executor.text.placed", Case: "events-round-trip", Clause: "executor#text-increments",
			Level: check.Must, Provenance: check.Decided, Needs: needs,
			Codes: codes,
			Title: "says nothing twice of increments that overlap",
			Run: with(func(ctx context.Context, t *T) {
				a, b, c := t.Word(), " "+t.Word(), " "+t.Word()
				at := func(pos int, text string) fakes.Frame { return fakes.Delta{Part: "p", At: &pos, Text: text} }
				o := t.tell(ctx, at(0, a), at(len(a), b), at(len(a), b), at(0, a+b+c))
				t.judgeText(o, []string{a, b, c})
			}),
		},
		// Text that is said again on purpose is no restatement.
		{
			ID: "executor.text.same-again", Case: "events-round-trip", Clause: "executor#text-increments",
			Level: check.Must, Provenance: check.Decided, Needs: []check.Feature{fakes.Tools, fakes.LiveText},
			Codes: []check.Code{"text-lost", "text-doubled"},
			Title: "delivers two equal messages as two",
			Run: with(func(ctx context.Context, t *T) {
				word := t.Word()
				whole := func(msg string) fakes.Frame {
					text := "step " + word + " done. "
					return fakes.Final{Text: &text, Msg: msg}
				}
				frames := []fakes.Frame{whole("m1"), fakes.ToolCall{ID: "t1", Name: "shell", Input: `{"command":"list"}`}, fakes.Result{ID: "t1", Name: "shell", Out: "a.txt"}, whole("m2")}
				want := 2
				if t.Offers(fakes.Deltas) {
					frames = append(frames, fakes.Delta{Text: word}, fakes.Delta{Text: word})
					want += 2
				}
				o := t.tell(ctx, frames...)
				got := strings.Count(o.Text(), word)
				t.Expect(got).To(BeNumerically(">", 0))
				t.Code("text-lost").Expect(got).To(BeNumerically(">=", want))
				t.Code("text-doubled").Expect(got).To(Equal(want))
			}),
		},
		// An item that equals the last one after a reconnect notice is a restatement.
		{
			ID: "executor.text.reconnect", Case: "events-round-trip", Clause: "executor#text-increments",
			Level: check.Must, Provenance: check.Decided, Needs: []check.Feature{fakes.Retract},
			Codes: codes,
			Title: "says an item once that a reconnect made the runtime say twice",
			Run: with(func(ctx context.Context, t *T) {
				first, last := "before "+t.Word(), " after "+t.Word()
				o := t.tell(ctx, fakes.Final{Text: &first, Msg: "m1"}, fakes.Turn{State: "retry", Text: "stream lost"}, fakes.Final{Text: &first, Msg: "m1"},
					fakes.Final{Text: &last, Msg: "m2"})
				t.judgeMessages(o, []string{first, last})
			}),
		},
		// When a runtime takes text back, a status says so first; then comes the new text
		// whole, and the summary says what counts.
		{
			ID: "executor.text.retracted", Case: "events-round-trip", Clause: "executor#text-retracted",
			Level: check.Must, Provenance: check.Decided, Needs: needs,
			Codes: []check.Code{"restart-unmarked", "restart-late", "restart-invented", "text-lost", "summary-retracted"},
			Title: "marks text that replaces what was said",
			Run: with(func(ctx context.Context, t *T) {
				kept, old, fresh := t.Word(), t.Word(), t.Word()
				o := t.tell(ctx, fakes.Snapshot{Part: "p", Text: kept + " I will " + old}, fakes.Snapshot{Part: "p", Text: kept + " No, rather " + fresh},
					fakes.Snapshot{Part: "p", Text: kept + " No, rather " + fresh + "!"})
				marked, at := 0, -1
				text := ""
				for i, e := range o.Events {
					switch e := e.(type) {
					case executor.Status:
						if e.Detail == executor.DetailTextRestarted {
							marked, at = marked+1, i
						}
					case executor.TextDelta:
						text += e.Text
						if at < 0 && strings.Contains(text, fresh) {
							t.Code("restart-unmarked").Expect(marked).To(BeNumerically(">", 0))
						}
					}
				}
				t.Code("text-lost").Expect(text).To(ContainSubstring(fresh))
				t.Code("restart-unmarked").Expect(marked).To(BeNumerically(">", 0))
				t.Code("restart-invented").Expect(marked).To(Equal(1))
				// What follows the mark is the new text whole: its beginning is said again.
				t.Code("restart-late").Expect(verify.Text(o.Events[:at], "", executor.Assistant)).NotTo(ContainSubstring("No"))
				t.Code("text-lost").Expect(verify.Text(o.Events[at:], "", executor.Assistant)).To(Equal(kept + " No, rather " + fresh + "!"))
				done, _ := verify.Last(o.Events, "")
				t.Code("summary-retracted").Expect(done.Summary).NotTo(ContainSubstring(old))
			}),
		},
		// A long message is delivered whole, whatever pieces the wire cuts it into.
		{
			ID: "executor.text.long", Case: "events-round-trip", Clause: "executor#text-increments",
			Level: check.Must, Provenance: check.Decided,
			Flood: true,
			Codes: []check.Code{"done-missing", "text-cut", "text-altered"},
			Title: "delivers a message of a megabyte whole",
			Run: with(func(ctx context.Context, t *T) {
				// No power of two divides the length of the unit: reads end inside characters.
				unit := "漢字🦜\u2028é"
				head, tail := t.Word(), t.Word()
				body := strings.Repeat(unit, 1<<20/len(unit))
				live := t.Start(ctx, t.Opts("s"))
				o := t.Observe(ctx, live.Handle)
				live.Say(ctx, append(live.Hello(), live.Text(head+body+tail), live.Ok())...)
				o.MustDone(ctx, "done-missing")
				got := o.Text()
				t.Code("text-cut").Expect(strings.Contains(got, head) && strings.Contains(got, tail)).To(BeTrue())
				if strings.TrimSpace(got) != head+body+tail {
					t.Fail("text-altered", "%d bytes of %d, not the same", len(got), len(head+body+tail))
				}
			}),
		},
	}
}
