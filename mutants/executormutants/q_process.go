package executormutants

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// ended is a twist of how runs end, whatever came of them.
func ended(reason executor.Reason) twist {
	return ends(func(e executor.Done) []executor.Event {
		e.Reason = reason
		return one(e)
	})
}

// undone is a twist that never ends a run.
var undone = drop(every[executor.Done])

// keeps is a twist of an adapter that does not end a process when it should: it is
// there from the frame on.
func keeps(is func(fakes.Frame) bool) twist {
	return func(r *right) hooks {
		return hooks{hear: func(_ string, f fakes.Frame) []fakes.Frame {
			if is(f) {
				r.tap.children.Add(1)
			}
			return []fakes.Frame{f}
		}}
	}
}

func processMutants() []Mutant {
	const topic = "executor.process."
	const lingers, exit, killed, silent, beats = topic + "lingers", topic + "exit", topic + "killed", topic + "silent-exit", topic + "end-beats-exit"
	const descendants, stderr, environment = topic + "descendants", topic + "stderr", topic + "environment"
	errAbort := errors.New("abort: no such process")
	word := func(w string) func(fakes.Frame) bool { return func(f fakes.Frame) bool { return f.Word() == w } }
	// loud takes the second channel for the first.
	loud := func(change func(fakes.Stderr) []fakes.Frame) twist { return hears(change) }
	return []Mutant{
		process("x-lingering-undone", lingers, "done-missing", "waits for ever for a process that stays after its result", undone),
		process("x-lingering-failed", lingers, "success-lost", "calls a run failed whose process had to be ended", ended(executor.ReasonError)),
		process("x-lingering-left", lingers, "process-left", "leaves a process alone that stays after its result", keeps(word("silent"))),
		process("R51", exit, "exit-as-success", "takes an exit without an end for a success", ended(executor.ReasonSuccess)),
		process("x-exit-as-abort", exit, "exit-as-abort", "takes an exit without an end for an abort", ended(executor.ReasonAborted)),
		process("R45", exit, "done-missing", "waits for the end that a process took with it", undone),
		process("R53", killed, "death-as-abort", "takes any signal for the host's abort", ended(executor.ReasonAborted)),
		process("x-death-as-success", killed, "death-as-success", "takes a killed process for one that is done", ended(executor.ReasonSuccess)),
		process("x-death-undone", killed, "done-missing", "waits for ever for a process that was killed", undone),
		process("x-silence-as-abort", silent, "silence-as-abort", "takes a run that said nothing for an aborted one", ended(executor.ReasonAborted)),
		process("x-silence-undone", silent, "done-missing", "waits for a word of a process that is gone", undone),
		process("x-exit-beats-end", beats, "success-lost", "believes the exit code before the runtime", ended(executor.ReasonError)),
		process("x-exit-error-invented", beats, "error-invented", "reports an exit code that the runtime's end explains", ends(func(e executor.Done) []executor.Event {
			return []executor.Event{executor.Error{Message: "exit code 1", Fatal: true}, e}
		})),
		process("x-exit-code-undone", beats, "done-missing", "waits for an exit code of 0", undone),
		process("x-descendants-left", descendants, "descendant-left", "ends the process and not what it started", keeps(word("child"))),
		process("x-tree-abort-hangs", descendants, "abort-hung", "an abort waits for the descendants", aborts(func(ctx context.Context, _ *right, _ *executor.Run) error {
			<-ctx.Done()
			return ctx.Err()
		})),
		process("x-tree-abort-fails", descendants, "abort-failed", "an abort fails where there are descendants", aborts(func(context.Context, *right, *executor.Run) error { return errAbort })),
		process("x-tree-undone", descendants, "abort-without-done", "does not end a run that had descendants", undone),
		process("x-tree-as-error", descendants, "abort-reason-wrong", "calls a run failed whose tree was ended", ended(executor.ReasonError)),
		process("x-stderr-unread", stderr, "done-missing", "does not read the second channel, and hangs when it is full", undone),
		process("x-stderr-fails", stderr, "stderr-fails-run", "calls a run failed that printed a warning", ended(executor.ReasonError)),
		process("x-stderr-as-text", stderr, "stderr-as-text", "takes the second channel for the answer", loud(func(f fakes.Stderr) []fakes.Frame {
			text := f.Text
			return []fakes.Frame{fakes.Final{Text: &text}}
		})),
		process("x-environment-passed", environment, "environment-passed", "gives a process all that the host has", func(*right) hooks {
			return hooks{begun: func(c fakes.Call) fakes.Call {
				c.Env = hostNames()
				return c
			}}
		}),
		process("x-environment-empty", environment, "environment-empty", "gives a process no environment at all", func(*right) hooks {
			return hooks{begun: func(c fakes.Call) fakes.Call {
				c.Env = nil
				return c
			}}
		}),
	}
}

func framingMutants() []Mutant {
	const malformed, tail = "executor.framing.malformed", "executor.framing.tail"
	bad := func(e executor.Error) bool { return e.Code != nil && *e.Code == executor.CodeMalformedFrame }
	// after is a twist of everything that follows a line which could not be read.
	after := func(change func(executor.Event) []executor.Event) twist {
		return rewriting(func() func(executor.Event) []executor.Event {
			broken := false
			return func(e executor.Event) []executor.Event {
				if err, ok := e.(executor.Error); ok && bad(err) {
					broken = true
				}
				if broken {
					return change(e)
				}
				return one(e)
			}
		})
	}
	raw := func(change func(fakes.Raw) []fakes.Frame) twist { return hears(change) }
	return []Mutant{
		process("x-bad-line-fails", malformed, "run-failed-by-bad-line", "fails the run at a line that it cannot read", after(func(e executor.Event) []executor.Event {
			if d, ok := e.(executor.Done); ok {
				d.Reason = executor.ReasonError
				return one(d)
			}
			return one(e)
		})),
		process("x-bad-line-hangs", malformed, "done-missing", "stops reading at a line that it cannot read", after(func(executor.Event) []executor.Event { return nil })),
		process("x-bad-line-silences", malformed, "text-lost", "drops the line after one that it cannot read", after(func(e executor.Event) []executor.Event {
			if e.Kind() == executor.KindTextDelta {
				return nil
			}
			return one(e)
		})),
		process("R52", malformed, "text-lost", "drops the line after the first one", rewriting(func() func(executor.Event) []executor.Event {
			n := 0
			return func(e executor.Event) []executor.Event {
				if e.Kind() == executor.KindTextDelta {
					if n++; n == 1 {
						return nil
					}
				}
				return one(e)
			}
		})),
		process("x-bad-line-as-text", malformed, "bad-line-as-text", "takes a line that is no frame for the answer", raw(func(f fakes.Raw) []fakes.Frame {
			if f.Line == "" || strings.ContainsRune(f.Line, 0) {
				return []fakes.Frame{f}
			}
			text := f.Line
			return []fakes.Frame{fakes.Final{Text: &text}}
		})),
		process("x-tail-fails", tail, "run-failed-by-tail", "fails a run that ends in an unfinished line", ended(executor.ReasonError)),
		process("x-tail-hangs", tail, "done-missing", "waits for the rest of a line", undone),
		process("x-tail-loses", tail, "text-lost", "gives up the whole output for its unfinished end", drop(every[executor.TextDelta])),
	}
}

// hostNames are the names of all variables of this process.
func hostNames() []string {
	var names []string
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		names = append(names, name)
	}
	return names
}
