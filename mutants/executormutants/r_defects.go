package executormutants

import (
	"context"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// defectMutants are defects that published adapters had and that no mutant of
// another group is. [Elsewhere] says what became of the others.
func defectMutants() []Mutant {
	return []Mutant{
		mutant("R06", "executor.terminal.failure", "fatal-repeated", "reports a failure on each channel on which it comes", edit(func(e executor.Error) []executor.Event {
			return []executor.Event{e, e}
		})),
		mutant("R11", "executor.tools.result", "tool-output-as-text", "gives the output of a tool as text of the answer too", edit(func(e executor.ToolResult) []executor.Event {
			return []executor.Event{e, executor.TextDelta{Text: e.Output}}
		})),
		mutant("R12", "executor.text.reasoning", "reasoning-in-answer", "takes reasoning between tags that are not closed for text of the answer", hears(func(f fakes.Think) []fakes.Frame {
			return []fakes.Frame{f, fakes.Delta{Text: "<think>" + f.Text}}
		})),
		mutant("R27", "executor.text.increments", "text-altered", "takes the user's own message for text of the answer", func(r *right) hooks {
			said := newShelf()
			return hooks{
				start: func(ctx context.Context, o executor.StartOpts) (*executor.Run, error) {
					said.set(o.SessionKey, o.Message)
					return r.adapter.Start(ctx, executor.TaskHandle{}, o)
				},
				rewrite: func(run *executor.Run) func(executor.Event) []executor.Event {
					begun := false
					return func(e executor.Event) []executor.Event {
						if begun {
							return one(e)
						}
						begun = true
						return []executor.Event{e, executor.TextDelta{Text: said.get(run.SessionKey())}}
					}
				},
			}
		}),
		mutant("R15", "executor.terminal.unknown-frames", "unknown-frame-as-text", "takes a frame that it does not know for text", hears(func(f fakes.Native) []fakes.Frame {
			return []fakes.Frame{fakes.Delta{Text: f.Fields}}
		})),
		mutant("R47", "executor.tools.result", "tool-result-lost", "takes a result for another call", edit(func(e executor.ToolResult) []executor.Event {
			return one(executor.ToolCall{ID: e.ID + "-output", Name: e.Name, Input: `{}`})
		})),
		mutant("R28", "executor.binding.native-after-text", "run-id-not-native", "takes the session key for the run id when text comes first", lateID(func(outer *executor.Run) {
			outer.Bind(outer.SessionKey())
		})),
		mutant("x-late-id-unbound", "executor.binding.native-after-text", "run-id-unbound", "does not bind a handle whose run is named late", lateID(func(*executor.Run) {})),
		mutant("x-early-text-dropped", "executor.binding.native-after-text", "text-lost", "drops what comes before the run has a name", func(*right) hooks {
			named := false
			return hooks{hear: func(_ string, f fakes.Frame) []fakes.Frame {
				named = named || f.Word() == "init"
				if !named {
					return nil
				}
				return []fakes.Frame{f}
			}}
		}),
	}
}

// lateID is a twist of how a handle is bound where text came before the run's name.
func lateID(bind func(outer *executor.Run)) twist {
	return func(*right) hooks {
		early, named := false, false
		return hooks{
			hear: func(_ string, f fakes.Frame) []fakes.Frame {
				named = named || f.Word() == "init"
				early = early || !named
				return []fakes.Frame{f}
			},
			bind: func(outer, inner *executor.Run, _ int) {
				if early {
					bind(outer)
					return
				}
				id, _ := inner.ID()
				outer.Bind(id)
			},
		}
	}
}
