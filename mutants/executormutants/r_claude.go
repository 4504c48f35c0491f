package executormutants

import (
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// claudeMutants are defects of published adapters of Claude Code, at its own wire.
func claudeMutants() []Mutant {
	return []Mutant{
		claude("R43", "executor.terminal.error-flag", "failure-hidden", "believes a result that says success and is_error", hears(func(f fakes.End) []fakes.Frame {
			f.Error = false
			return []fakes.Frame{f}
		})),
		claude("R44", "executor.terminal.max-turns-summary", "summary-foreign", "sums a run up by the label of its result", ends(func(e executor.Done) []executor.Event {
			if e.Reason == executor.ReasonMaxTurns {
				e.Summary = "error_max_turns"
			}
			return one(e)
		})),
		claude("R46", "executor.tools.result-name", "tool-result-name-wrong", "names no tool in a result, as the wire names none", edit(func(e executor.ToolResult) []executor.Event {
			e.Name = ""
			return one(e)
		})),
		claude("x-guess-as-price", "executor.cost.unknown-money", "cost-invented", "passes on what the runtime only guesses", hears(func(f fakes.Usage) []fakes.Frame {
			f.Model = "" // its own, which has a price
			return []fakes.Frame{f}
		})),
	}
}
