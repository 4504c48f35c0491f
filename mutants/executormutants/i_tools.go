package executormutants

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// called is a twist of tool calls.
func called(change func(*executor.ToolCall)) twist {
	return edit(func(e executor.ToolCall) []executor.Event {
		change(&e)
		return one(e)
	})
}

// answered is a twist of tool results.
func answered(change func(*executor.ToolResult)) twist {
	return edit(func(e executor.ToolResult) []executor.Event {
		change(&e)
		return one(e)
	})
}

func toolMutants() []Mutant {
	const call, streamed = "executor.tools.call", "executor.tools.streamed-input"
	return []Mutant{
		mutant("I01", call, "tool-call-lost", "drops tool calls and their results", rewrites(func(e executor.Event) []executor.Event {
			if e.Kind() == executor.KindToolCall || e.Kind() == executor.KindToolResult {
				return nil
			}
			return one(e)
		})),
		mutant("I02", call, "tool-call-id-empty", "leaves the ids of tool calls empty", called(func(e *executor.ToolCall) { e.ID = "" })),
		mutant("x-call-nameless", call, "tool-call-name-empty", "leaves out the tool's name", called(func(e *executor.ToolCall) { e.Name = "" })),
		mutant("x-call-repeated", call, "tool-call-repeated", "announces each call twice", edit(func(e executor.ToolCall) []executor.Event {
			return []executor.Event{e, e}
		})),
		mutant("x-call-doubled", call, "tool-call-repeated", "announces each call again under an id of its own", edit(func(e executor.ToolCall) []executor.Event {
			again := e
			again.ID += "-2"
			return []executor.Event{e, again}
		})),
		mutant("x-call-empty", call, "tool-call-input-lost", "gives every call an empty input", called(func(e *executor.ToolCall) { e.Input = "{}" })),
		mutant("x-call-cut", call, "tool-call-input-invalid", "cuts the last byte of the input", called(func(e *executor.ToolCall) { e.Input = e.Input[:max(0, len(e.Input)-1)] })),
		mutant("I04", "executor.tools.input-value", "tool-call-input-text", "gives the input as a string of its text", called(func(e *executor.ToolCall) {
			text, _ := jsontext.AppendQuote(nil, string(e.Input))
			e.Input = executor.JSON(text)
		})),

		mutant("x-result-named-none", "executor.tools.result-name", "tool-result-lost", "keeps results to itself", drop(every[executor.ToolResult])),

		mutant("I05", streamed, "tool-call-unsettled", "a streamed call never becomes whole", drop(func(e executor.ToolCall) bool { return !e.Partial })),
		mutant("x-part-late", streamed, "tool-call-partial-late", "a piece comes after the whole call", edit(func(e executor.ToolCall) []executor.Event {
			late := e
			late.Partial = true
			return []executor.Event{e, late}
		})),
		mutant("x-streamed-repeated", streamed, "tool-call-repeated", "a streamed call becomes whole twice", edit(func(e executor.ToolCall) []executor.Event {
			return []executor.Event{e, e}
		})),
		mutant("x-streamed-last-piece", streamed, "tool-call-input-lost", "a streamed call has no more than its last piece", called(func(e *executor.ToolCall) {
			if !e.Partial && strings.Contains(string(e.Input), `"p"`) {
				e.Input = `"}"`
			}
		})),
		mutant("x-streamed-glued", streamed, "tool-call-input-invalid", "a streamed call has the pieces of two", called(func(e *executor.ToolCall) {
			if !e.Partial {
				e.Input += `1}`
			}
		})),
	}
}

func resultMutants() []Mutant {
	const result, failed, open = "executor.tools.result", "executor.tools.is-error", "executor.tools.open-call"
	invented := func(e executor.ToolResult) bool { return e.Output == "the run ended before the tool did" }
	return []Mutant{
		mutant("x-result-lost", result, "tool-result-lost", "drops tool results", drop(every[executor.ToolResult])),
		mutant("x-result-unnamed", result, "tool-result-unknown", "leaves the ids of results empty", answered(func(e *executor.ToolResult) { e.ID = "" })),
		mutant("x-result-first", result, "tool-result-unknown", "gives the result before its call", rewriting(func() func(executor.Event) []executor.Event {
			var call executor.Event
			return func(e executor.Event) []executor.Event {
				switch e.Kind() {
				case executor.KindToolCall:
					call = e
					return nil
				case executor.KindToolResult:
					return []executor.Event{e, call}
				default:
					return one(e)
				}
			}
		})),
		mutant("x-result-repeated", result, "tool-result-repeated", "gives each result twice", edit(func(e executor.ToolResult) []executor.Event {
			return []executor.Event{e, e}
		})),
		mutant("x-result-early", result, "tool-result-early", "gives a result to a call that is not whole yet", called(func(e *executor.ToolCall) { e.Partial = true })),
		mutant("x-result-empty", result, "tool-result-output-lost", "drops the output of tools", answered(func(e *executor.ToolResult) { e.Output = "" })),
		mutant("x-failure-hidden", failed, "tool-failure-hidden", "calls every result a success", answered(func(e *executor.ToolResult) { e.IsError = false })),
		mutant("x-failure-guessed", failed, "tool-failure-invented", "takes an output that speaks of errors for one", answered(func(e *executor.ToolResult) {
			e.IsError = e.IsError || strings.Contains(e.Output, "error")
		})),
		mutant("I07", open, "tool-call-open", "leaves a call open when the run ends", drop(invented)),
		mutant("x-open-as-success", open, "tool-call-closed-as-success", "closes an open call as if it had gone well", answered(func(e *executor.ToolResult) {
			if invented(*e) {
				e.IsError = false
			}
		})),
	}
}
