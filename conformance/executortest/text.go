package executortest

import (
	"context"
	"fmt"
	"slices"
	"strings"

	. "github.com/onsi/gomega"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/contract/executor/verify"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// judgeText compares what an observer read with the increments that the runtime said:
// byte for byte, but where the wire has whole messages only.
func (t *T) judgeText(o *Observer, said []string) {
	if !t.Offers(fakes.Deltas) {
		t.judgeMessages(o, said)
		return
	}
	t.blame(o.Text(), strings.Join(said, ""), said)
}

// judgeMessages compares what an observer read with whole messages. White space
// between them is free.
func (t *T) judgeMessages(o *Observer, said []string) {
	if got := fold(o.Text()); !messages(got, said) {
		t.blame(got, fold(strings.Join(said, " ")), said)
	}
}

// blame says what is wrong with a text that is not the wanted one.
func (t *T) blame(got, want string, said []string) {
	if got == want {
		return
	}
	rest := got
	for _, piece := range said {
		word := strings.TrimSpace(piece)
		if word == "" {
			continue
		}
		before, after, found := strings.Cut(rest, word)
		switch {
		case !found && strings.Contains(got, word):
			t.Note("text-disordered")
		case !found:
			t.Note("text-lost")
		case strings.Contains(before, word):
			t.Note("text-doubled")
		}
		if found {
			rest = after
		}
		if strings.Count(got, word) > strings.Count(want, word) {
			t.Note("text-doubled")
		}
	}
	t.Notef("text-altered", "want %q, got %q", want, got)
}

func fold(s string) string { return strings.Join(strings.Fields(s), " ") }

// messages reports whether a folded text is the whole messages in order, with or
// without white space between them.
func messages(got string, said []string) bool {
	for _, message := range said {
		rest, found := strings.CutPrefix(strings.TrimLeft(got, " "), fold(message))
		if !found {
			return false
		}
		got = rest
	}
	return strings.TrimSpace(got) == ""
}

func text() []check.Check {
	codes := []check.Code{"text-lost", "text-doubled", "text-disordered", "text-altered"}
	return []check.Check{
		// The assistant deltas of a run, joined, are its text: nothing is lost, nothing
		// comes twice, white space is kept.
		{
			ID: "executor.text.increments", Case: "events-round-trip", Clause: "executor#text-increments",
			Level: check.Must, Provenance: check.Decided,
			Codes: codes,
			Title: "delivers the answer byte for byte, once",
			Run: with(func(ctx context.Context, t *T) {
				live := t.Start(ctx, t.Opts("s"))
				o := t.Observe(ctx, live.Handle)
				live.Say(ctx, live.Hello()...)
				said := []string{"Two notes: " + t.Word()}
				if t.Offers(fakes.Deltas) {
					said = append(said, "\n", "1. ", t.Word(), " ", "ñandú 漢字 🦜\u2028", "\t", t.Word())
				} else {
					said = append(said, "ñandú 漢字 🦜 "+t.Word())
				}
				for _, s := range said {
					live.Say(ctx, live.Text(s))
				}
				live.Say(ctx, live.Ok())
				o.Done(ctx)
				t.judgeText(o, said)
			}),
		},
		// A whole message that comes after its increments restates them: only what is
		// new in it is said.
		{
			ID: "executor.text.restated", Case: "events-round-trip", Clause: "executor#text-increments",
			Level: check.Must, Provenance: check.Decided, Needs: []check.Feature{fakes.Deltas},
			Codes: codes,
			Title: "does not say again what a whole message restates",
			Run: with(func(ctx context.Context, t *T) {
				live := t.Start(ctx, t.Opts("s"))
				o := t.Observe(ctx, live.Handle)
				live.Say(ctx, live.Hello()...)
				a, b, c := t.Word(), " "+t.Word(), " "+t.Word()
				whole := a + b + c
				live.Say(ctx, live.Text(a), live.Text(b), fakes.Final{Text: &whole}, live.Ok())
				o.Done(ctx)
				t.judgeText(o, []string{a, b, c})
			}),
		},
		// A run with an answer has at least one assistant delta, also where the runtime
		// only gives whole messages.
		{
			ID: "executor.text.whole-message", Case: "events-round-trip", Clause: "executor#text-whole",
			Level: check.Must, Provenance: check.Stated,
			Codes: []check.Code{"text-missing", "text-lost", "text-doubled", "text-altered"}, // one piece has no order
			Title: "gives a delta for an answer that comes as one message",
			Run: with(func(ctx context.Context, t *T) {
				live := t.Start(ctx, t.Opts("s"))
				o := t.Observe(ctx, live.Handle)
				whole := "the answer is " + t.Word()
				live.Say(ctx, append(live.Hello(), fakes.Final{Text: &whole}, live.Ok())...)
				o.Done(ctx)
				t.Code("text-missing").Expect(o.Text()).NotTo(BeEmpty())
				t.judgeText(o, []string{whole})
			}),
		},
		// An increment is delivered when it comes, not when the run ends.
		{
			ID: "executor.text.prompt", Case: "events-round-trip", Clause: "executor#text-prompt",
			Level: check.Must, Provenance: check.Implied, Needs: []check.Feature{fakes.LiveText},
			Codes: []check.Code{"text-buffered"},
			Title: "delivers text while the run is still going",
			Run: with(func(ctx context.Context, t *T) {
				live := t.Start(ctx, t.Opts("s"))
				o := t.Observe(ctx, live.Handle)
				word := t.Word()
				live.Say(ctx, append(live.Hello(), live.Text("first "+word))...)
				if !o.Hears(ctx, word) {
					t.Fail("text-buffered", "no text before the end of the run")
				}
			}),
		},
		// A line of the answer is text, also if it looks like what the runtime itself
		// prints: it is delivered, and the session keeps its name.
		{
			ID: "executor.text.look-alike", Case: "events-round-trip", Clause: "executor#text-look-alike",
			Level: check.Must, Provenance: check.Decided,
			Codes: []check.Code{"done-missing", "success-lost", "text-lost", "text-altered", "session-id-foreign", "wrong-session-resumed"},
			Title: "takes nothing in the answer for the runtime's own words",
			Run: with(func(ctx context.Context, t *T) {
				first, last := t.Word(), t.Word()
				said := []string{"The log of " + first + ":"}
				other := nativeSession(t)
				for _, line := range []string{"Session ID: %s", "session_id: %s", `{"session_id":"%s"}`, `{"type":"assistant","session_id":"%s","text":"quoted"}`, `{"type":"result","subtype":"success","session_id":"%s"}`} {
					said = append(said, fmt.Sprintf(line, other))
				}
				said = append(said, "That was all of "+last)
				live := t.Start(ctx, t.Opts("s"))
				o := t.Observe(ctx, live.Handle)
				live.Say(ctx, append(live.Hello(), live.Text(strings.Join(said, "\n")), live.Ok())...)
				done := o.MustDone(ctx, "done-missing")
				live.Shown(o)
				for _, line := range said {
					t.Code("text-lost").Expect(o.Text()).To(ContainSubstring(line))
				}
				t.Code("text-altered").Expect(strings.TrimSpace(o.Text())).To(Equal(strings.Join(said, "\n")))
				t.Code("success-lost").Expect(done.Reason).To(Equal(executor.ReasonSuccess))
				for _, e := range o.Events {
					if id := e.Head().SessionID; id != nil {
						t.Code("session-id-foreign").Expect(*id).NotTo(Equal(other))
					}
				}
				if t.Offers(fakes.SecondRun) {
					t.Code("wrong-session-resumed").Expect(t.Start(ctx, t.Opts("s")).Native.Begun().Resume).NotTo(Equal(other))
				}
			}),
		},
		// What an agent says that a tool call started is not said by the run's own.
		{
			ID: "executor.text.nested", Case: "events-round-trip", Clause: "executor#text-nested",
			Level: check.Must, Provenance: check.Decided, Needs: []check.Feature{fakes.Tools, fakes.Nested},
			Codes: []check.Code{"done-missing", "answer-lost", "nested-as-answer", "nested-as-summary"},
			Title: "keeps what a nested agent says out of the answer",
			Run: with(func(ctx context.Context, t *T) {
				inner, thought, own := "found "+t.Word(), "hm "+t.Word(), "all in all "+t.Word()
				frames := []fakes.Frame{
					fakes.ToolCall{ID: "t1", Name: "Task", Input: `{"description":"look","prompt":"look around"}`},
					fakes.ToolCall{ID: "t2", Name: "shell", Input: `{"command":"list"}`, Parent: "t1"},
					fakes.Result{ID: "t2", Name: "shell", Out: "a.txt", Parent: "t1"},
					fakes.Final{Text: &inner, Parent: "t1"},
					fakes.Result{ID: "t1", Name: "Task", Out: "done"},
					fakes.Final{Text: &own},
				}
				if t.Offers(fakes.ReasoningText) {
					frames = slices.Insert(frames, 1, fakes.Frame(fakes.Think{Text: thought, Parent: "t1"}))
				}
				o := t.tell(ctx, frames...)
				done, ended := verify.Last(o.Events, "")
				t.Code("done-missing").Expect(ended).To(BeTrue())
				t.Code("answer-lost").Expect(o.Text()).To(ContainSubstring(own))
				for _, word := range []string{inner, thought} {
					t.Code("nested-as-answer").Expect(o.Text()).NotTo(ContainSubstring(word))
					t.Code("nested-as-summary").Expect(done.Summary).NotTo(ContainSubstring(word))
				}
			}),
		},
		// Reasoning has a channel of its own and the answer is never on it.
		{
			ID: "executor.text.reasoning", Case: "events-round-trip", Clause: "executor#reasoning",
			Level: check.Must, Provenance: check.Stated, Needs: []check.Feature{fakes.ReasoningText},
			Codes: []check.Code{"reasoning-in-answer", "answer-in-reasoning", "reasoning-lost", "answer-lost"},
			Title: "keeps reasoning and answer on channels of their own",
			Run: with(func(ctx context.Context, t *T) {
				live := t.Start(ctx, t.Opts("s"))
				o := t.Observe(ctx, live.Handle)
				thought, answer := t.Word(), t.Word()
				live.Say(ctx, append(live.Hello(), fakes.Think{Text: thought}, live.Text(answer), live.Ok())...)
				o.Done(ctx)
				said, meant := o.Text(), verify.Text(o.Events, "", executor.Reasoning)
				t.Code("reasoning-in-answer").Expect(said).NotTo(ContainSubstring(thought))
				t.Code("answer-in-reasoning").Expect(meant).NotTo(ContainSubstring(answer))
				t.Code("reasoning-lost").Expect(meant).To(ContainSubstring(thought))
				t.Code("answer-lost").Expect(said).To(ContainSubstring(answer))
			}),
		},
	}
}
