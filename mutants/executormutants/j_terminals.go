package executormutants

import (
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// ends is a twist of the done.
func ends(change func(executor.Done) []executor.Event) twist { return edit(change) }

func terminalMutants() []Mutant {
	const topic = "executor.terminal."
	const success, failure, late = topic + "success", topic + "failure", topic + "late-frames"
	fatal := func(change func(fakes.Failure) []fakes.Frame) twist {
		return hears(func(f fakes.Failure) []fakes.Frame {
			if f.Fatal {
				return change(f)
			}
			return []fakes.Frame{f}
		})
	}
	return []Mutant{
		mutant("x-done-lost", success, "done-missing", "drops the done", drop(every[executor.Done])),
		mutant("J07", success, "done-repeated", "ends every run twice", ends(func(e executor.Done) []executor.Event { return []executor.Event{e, e} })),
		mutant("x-status-after-done", success, "event-after-done", "reports progress after the done", ends(func(e executor.Done) []executor.Event {
			return []executor.Event{e, executor.Status{Phase: executor.PhaseTurnComplete}}
		})),
		mutant("x-success-as-limit", success, "done-reason-wrong", "takes a success for a turn limit", ends(func(e executor.Done) []executor.Event {
			if e.Reason == executor.ReasonSuccess {
				e.Reason = executor.ReasonMaxTurns
			}
			return one(e)
		})),
		mutant("x-error-invented", success, "error-invented", "reports an error in a run that went well", ends(func(e executor.Done) []executor.Event {
			return []executor.Event{executor.Error{Message: "stderr was not empty"}, e}
		})),

		mutant("J01", failure, "done-missing", "ignores the runtime's failure", fatal(func(fakes.Failure) []fakes.Frame { return nil })),
		mutant("J02", failure, "fatal-without-done", "reports a failure and no done", drop(func(e executor.Done) bool { return e.Reason == executor.ReasonError })),
		mutant("J04", failure, "failure-hidden", "takes a failure for a success", fatal(func(fakes.Failure) []fakes.Frame {
			return []fakes.Frame{fakes.End{Reason: fakes.EndOK}}
		})),
		mutant("J05", failure, "error-not-fatal", "calls a failure not fatal that ends the run", edit(func(e executor.Error) []executor.Event {
			e.Fatal = false
			return one(e)
		})),
		mutant("x-failure-done-twice", failure, "done-repeated", "ends a failed run twice", ends(func(e executor.Done) []executor.Event {
			if e.Reason == executor.ReasonError {
				return []executor.Event{e, e}
			}
			return one(e)
		})),
		mutant("x-error-after-done", failure, "event-after-done", "reports the failure after the done", rewriting(func() func(executor.Event) []executor.Event {
			var held executor.Event
			return func(e executor.Event) []executor.Event {
				switch e := e.(type) {
				case executor.Error:
					held = e
					return []executor.Event{e}
				case executor.Done:
					if held != nil {
						return []executor.Event{e, held}
					}
				}
				return one(e)
			}
		})),
		mutant("x-error-unannounced", topic+"error-announced", "done-error-unannounced", "ends in done(error) without a word", drop(every[executor.Error])),

		mutant("J08", late, "event-after-done", "passes on text that comes after the end", ends(func(e executor.Done) []executor.Event {
			return []executor.Event{e, executor.TextDelta{Text: "late"}}
		})),
		mutant("J13", late, "done-repeated", "a second round of tools after the done reopens the run", ends(func(e executor.Done) []executor.Event {
			return []executor.Event{e, executor.ToolCall{ID: "t9", Name: "shell", Input: "{}"}, executor.ToolResult{ID: "t9", Name: "shell"}, e}
		})),
	}
}

// endingMutants misread how a run ended.
func endingMutants() []Mutant {
	const topic = "executor.terminal."
	const final = topic + "fatal-is-final"
	ok := fakes.End{Reason: fakes.EndOK}
	end := func(change func(fakes.End) []fakes.Frame) twist { return hears(change) }
	return []Mutant{
		mutant("x-fatal-forgiven", final, "failure-hidden", "believes a success that follows a fatal error", hears(func(f fakes.Failure) []fakes.Frame {
			f.Fatal = false
			return []fakes.Frame{f}
		})),
		mutant("x-fatal-goes-on", final, "output-after-fatal", "goes on with text after a fatal error", edit(func(e executor.Error) []executor.Event {
			return []executor.Event{e, executor.TextDelta{Text: "late"}}
		})),
		mutant("x-fatal-late-text", final, "event-after-done", "goes on with text after done(error)", ends(func(e executor.Done) []executor.Event {
			return []executor.Event{e, executor.TextDelta{Text: "late"}}
		})),
		mutant("x-fatal-two-dones", final, "done-repeated", "ends in done(error) and then in done(success)", ends(func(e executor.Done) []executor.Event {
			return []executor.Event{e, executor.Done{Reason: executor.ReasonSuccess, Summary: e.Summary}}
		})),

		mutant("x-mild-ends", topic+"mild-error", "run-failed-by-mild-error", "ends at an error that the runtime recovers from", hears(func(f fakes.Failure) []fakes.Frame {
			f.Fatal = true
			return []fakes.Frame{f}
		})),
		mutant("x-mild-silences", topic+"mild-error", "text-lost-after-mild-error", "drops the text after an error", func(*right) hooks {
			failed := false
			return hooks{hear: func(_ string, f fakes.Frame) []fakes.Frame {
				switch f.(type) {
				case fakes.Failure:
					failed = true
				case fakes.Delta, fakes.Final:
					if failed {
						return nil
					}
				}
				return []fakes.Frame{f}
			}}
		}),
		mutant("x-mild-called-fatal", topic+"mild-error", "error-fatal", "calls an error fatal and goes on", edit(func(e executor.Error) []executor.Event {
			e.Fatal = true
			return one(e)
		})),
		mutant("x-mild-done-lost", topic+"mild-error", "done-missing", "waits for ever after an error", func(*right) hooks {
			failed := false
			return hooks{hear: func(_ string, f fakes.Frame) []fakes.Frame {
				_, is := f.(fakes.Failure)
				failed = failed || is
				if f.Word() == "end" && failed {
					return nil
				}
				return []fakes.Frame{f}
			}}
		}),

		mutant("x-cut-as-success", topic+"truncated", "truncation-hidden", "takes the end of the wire for a success", hears(func(fakes.Cut) []fakes.Frame { return []fakes.Frame{ok} })),
		mutant("x-cut-hangs", topic+"truncated", "done-missing", "waits for ever for a wire that was cut", hears(func(fakes.Cut) []fakes.Frame { return nil })),
		mutant("J14", topic+"max-turns", "max-turns-as-failure", "takes a turn limit for a failure", end(func(f fakes.End) []fakes.Frame {
			if f.Reason == fakes.EndMaxTurns {
				return []fakes.Frame{fakes.Failure{Code: "error_max_turns", Message: "turn limit", Fatal: true}}
			}
			return []fakes.Frame{f}
		})),
		mutant("x-limit-as-success", topic+"max-turns", "max-turns-lost", "takes a turn limit for a success", end(func(fakes.End) []fakes.Frame { return []fakes.Frame{ok} })),
		mutant("x-refusal-as-success", topic+"refusal", "refusal-hidden", "takes a refusal for an answer", end(func(f fakes.End) []fakes.Frame {
			if f.Reason == fakes.EndRefusal {
				return []fakes.Frame{ok}
			}
			return []fakes.Frame{f}
		})),
		mutant("x-length-as-success", topic+"token-limit", "token-limit-hidden", "takes an answer that was cut for a success", end(func(fakes.End) []fakes.Frame { return []fakes.Frame{ok} })),
		mutant("x-flag-ignored", topic+"error-flag", "failure-hidden", "reads the label of a terminal frame and not its error flag", end(func(f fakes.End) []fakes.Frame {
			f.Error = false
			return []fakes.Frame{f}
		})),
		mutant("J10", topic+"summary", "summary-empty", "never sums up", ends(func(e executor.Done) []executor.Event {
			e.Summary = ""
			return one(e)
		})),
		mutant("J11", topic+"summary", "summary-foreign", "sums up every run as undefined", ends(func(e executor.Done) []executor.Event {
			e.Summary = "undefined"
			return one(e)
		})),
		mutant("x-limit-unsummed", topic+"max-turns-summary", "summary-empty", "does not sum up what a turn limit stopped", ends(func(e executor.Done) []executor.Event {
			if e.Reason == executor.ReasonMaxTurns {
				e.Summary = ""
			}
			return one(e)
		})),
		mutant("x-unknown-ends", topic+"unknown-frames", "run-ended-by-unknown-frame", "ends the run at a frame that it does not know", hears(func(f fakes.Native) []fakes.Frame {
			return []fakes.Frame{fakes.Failure{Message: "unknown frame " + f.Type, Fatal: true}}
		})),
		mutant("x-unknown-silences", topic+"unknown-frames", "text-lost", "drops everything after a frame that it does not know but the end", func(*right) hooks {
			lost := false
			return hooks{hear: func(_ string, f fakes.Frame) []fakes.Frame {
				_, unknown := f.(fakes.Native)
				lost = lost || unknown
				if lost && f.Word() != "end" {
					return nil
				}
				return []fakes.Frame{f}
			}}
		}),
		mutant("x-unknown-hangs", topic+"unknown-frames", "done-missing", "stops reading at a frame that it does not know", func(*right) hooks {
			stuck := false
			return hooks{hear: func(_ string, f fakes.Frame) []fakes.Frame {
				_, unknown := f.(fakes.Native)
				if stuck = stuck || unknown; stuck {
					return nil
				}
				return []fakes.Frame{f}
			}}
		}),
	}
}
