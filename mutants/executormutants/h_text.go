package executormutants

import (
	"strings"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// says is a twist of the answer's increments.
func says(change func(string) string) twist {
	return edit(func(e executor.TextDelta) []executor.Event {
		if !e.OnReasoning() {
			e.Text = change(e.Text)
		}
		return one(e)
	})
}

// swapped gives pairs of increments in reverse order.
func swapped() func(executor.Event) []executor.Event {
	var held executor.Event
	return func(e executor.Event) []executor.Event {
		_, text := e.(executor.TextDelta)
		before := held
		switch {
		case text && before == nil:
			held = e
			return nil
		case before != nil:
			held = nil
			return []executor.Event{e, before}
		default:
			return one(e)
		}
	}
}

// latin1 reads UTF-8 as if each byte were a character.
func latin1(s string) string {
	var b strings.Builder
	for i := range len(s) {
		b.WriteRune(rune(s[i]))
	}
	return b.String()
}

// value is the text, or nothing for null.
func value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func textMutants() []Mutant {
	const topic = "executor.text."
	return []Mutant{
		mutant("H01", topic+"increments", "text-lost", "every increment is empty", says(func(string) string { return "" })),
		mutant("H02", topic+"increments", "text-altered", "reads UTF-8 as Latin-1", says(latin1)),
		mutant("x-text-trimmed", topic+"increments", "text-altered", "trims the white space of increments", says(strings.TrimSpace)),
		mutant("H07", topic+"increments", "text-lost", "drops every third increment", rewriting(func() func(executor.Event) []executor.Event {
			n := 0
			return func(e executor.Event) []executor.Event {
				if e.Kind() == executor.KindTextDelta {
					if n++; n%3 == 0 {
						return nil
					}
				}
				return one(e)
			}
		})),
		mutant("x-text-cumulative", topic+"increments", "text-doubled", "gives all of the text so far as each increment", rewriting(func() func(executor.Event) []executor.Event {
			all := ""
			return func(e executor.Event) []executor.Event {
				if d, ok := e.(executor.TextDelta); ok {
					all += d.Text
					d.Text = all
					return one(d)
				}
				return one(e)
			}
		})),
		mutant("x-text-swapped", topic+"increments", "text-disordered", "gives pairs of increments in reverse", rewriting(swapped)),
		mutant("H05", topic+"restated", "text-doubled", "says again what a whole message restates", hears(func(f fakes.Final) []fakes.Frame {
			return []fakes.Frame{f, fakes.Delta{Text: value(f.Text)}}
		})),
		mutant("x-rest-lost", topic+"restated", "text-lost", "ignores a whole message after increments", func(*right) hooks {
			spoken := false
			return hooks{hear: func(_ string, f fakes.Frame) []fakes.Frame {
				switch f.(type) {
				case fakes.Delta:
					spoken = true
				case fakes.Final:
					if spoken {
						return nil
					}
				}
				return []fakes.Frame{f}
			}}
		}),
		mutant("x-whole-ignored", topic+"whole-message", "text-missing", "gives no increment for a whole message", hears(func(fakes.Final) []fakes.Frame { return nil })),
		mutant("x-whole-cut", topic+"whole-message", "text-lost", "gives the first words of a whole message", hears(func(f fakes.Final) []fakes.Frame {
			short := value(f.Text)
			short = short[:min(10, len(short))]
			return []fakes.Frame{fakes.Final{Text: &short}}
		})),
		mutant("H08", topic+"prompt", "text-buffered", "keeps the text until the run is over", rewriting(func() func(executor.Event) []executor.Event {
			var held []executor.Event
			return func(e executor.Event) []executor.Event {
				switch e.Kind() {
				case executor.KindTextDelta:
					held = append(held, e)
					return nil
				case executor.KindDone:
					return append(held, e)
				default:
					return one(e)
				}
			}
		})),
		mutant("H04", topic+"reasoning", "answer-in-reasoning", "puts the answer on the reasoning channel", edit(func(e executor.TextDelta) []executor.Event {
			e.Channel = executor.Reasoning
			return one(e)
		})),
		mutant("x-reasoning-as-answer", topic+"reasoning", "reasoning-in-answer", "puts reasoning on the assistant channel", edit(func(e executor.TextDelta) []executor.Event {
			e.Channel = ""
			return one(e)
		})),
		mutant("x-reasoning-lost", topic+"reasoning", "reasoning-lost", "drops reasoning", drop(executor.TextDelta.OnReasoning)),
		mutant("x-answer-lost", topic+"reasoning", "answer-lost", "drops the answer that follows reasoning", rewriting(func() func(executor.Event) []executor.Event {
			thought := false
			return func(e executor.Event) []executor.Event {
				if d, ok := e.(executor.TextDelta); ok {
					thought = thought || d.OnReasoning()
					if thought && !d.OnReasoning() {
						return nil
					}
				}
				return one(e)
			}
		})),
	}
}
