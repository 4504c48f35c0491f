package executormutants

import (
	"strings"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// quoted is the last session that a text names, empty if it names none.
func quoted(text string) string {
	id := ""
	for _, line := range quotedSession().FindAllStringSubmatch(text, -1) {
		id = line[1]
	}
	return id
}

// quotedMutants take what the answer quotes for what the runtime says.
func quotedMutants() []Mutant {
	const alike = "executor.text.look-alike"
	return []Mutant{
		mutant("x-lines-folded", alike, "text-altered", "makes one line of the answer", says(func(text string) string { return strings.ReplaceAll(text, "\n", " ") })),
		mutant("x-quoted-end", alike, "success-lost", "takes a result that the answer quotes for the runtime's own", rewriting(func() func(executor.Event) []executor.Event {
			ended := false
			return func(e executor.Event) []executor.Event {
				switch e := e.(type) {
				case executor.TextDelta:
					ended = ended || strings.Contains(e.Text, `"type":"result"`)
				case executor.Done:
					if ended {
						e.Reason = executor.ReasonError
						return one(e)
					}
				}
				return one(e)
			}
		})),
		mutant("x-quoted-session", alike, "session-id-foreign", "names the session as the answer does", rewriting(func() func(executor.Event) []executor.Event {
			named := ""
			return func(e executor.Event) []executor.Event {
				if d, ok := e.(executor.TextDelta); ok && quoted(d.Text) != "" {
					named = quoted(d.Text)
				}
				head := e.Head()
				if named != "" {
					head.SessionID = &named
				}
				return one(e.WithHead(head))
			}
		})),
		mutant("x-quoted-session-resumed", alike, "wrong-session-resumed", "goes on with the session that the answer names", func(*right) hooks {
			named := ""
			return hooks{
				hear: func(_ string, f fakes.Frame) []fakes.Frame {
					if f, ok := f.(fakes.Delta); ok {
						named = quoted(f.Text)
					}
					return []fakes.Frame{f}
				},
				begun: func(c fakes.Call) fakes.Call {
					if named != "" {
						c.Resume = named
					}
					return c
				},
			}
		}),
	}
}

// nestedMutants take what a nested agent says for the answer.
func nestedMutants() []Mutant {
	const nested = "executor.text.nested"
	return []Mutant{
		mutant("x-nested-as-answer", nested, "nested-as-answer", "takes what a nested agent says for the answer", hears(func(f fakes.Final) []fakes.Frame {
			f.Parent = ""
			return []fakes.Frame{f}
		})),
		mutant("x-nested-thought", nested, "nested-as-answer", "takes what a nested agent thinks for the answer", hears(func(f fakes.Think) []fakes.Frame {
			if f.Parent == "" {
				return []fakes.Frame{f}
			}
			return []fakes.Frame{fakes.Final{Text: &f.Text}}
		})),
		mutant("x-nested-as-summary", nested, "nested-as-summary", "sums a run up by what a nested agent said last", func(*right) hooks {
			last := ""
			return hooks{
				hear: func(_ string, f fakes.Frame) []fakes.Frame {
					if f, ok := f.(fakes.Final); ok && f.Parent != "" {
						last = value(f.Text)
					}
					return []fakes.Frame{f}
				},
				rewrite: func(*executor.Run) func(executor.Event) []executor.Event {
					return func(e executor.Event) []executor.Event {
						if d, ok := e.(executor.Done); ok && last != "" {
							d.Summary = last
							return one(d)
						}
						return one(e)
					}
				},
			}
		}),
		mutant("x-nested-silences", nested, "answer-lost", "gives nothing more once a nested agent has spoken", func(*right) hooks {
			spoken := false
			return hooks{hear: func(_ string, f fakes.Frame) []fakes.Frame {
				if f, ok := f.(fakes.Final); ok {
					if spoken {
						return nil
					}
					spoken = f.Parent != ""
				}
				return []fakes.Frame{f}
			}}
		}),
	}
}
