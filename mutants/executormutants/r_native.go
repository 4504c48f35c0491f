package executormutants

import (
	"context"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/subjects"
)

// nativeMutants are defects of the published native runtime, over the provider that its
// adapter asks.
func nativeMutants() []Mutant {
	const forbidden = "executor.tools.forbidden"
	native := func(id, checkID string, code check.Code, note string, t twist) Mutant {
		return mutant(id, checkID, code, note, t, over(subjects.Native))
	}
	return []Mutant{
		native("R59", forbidden, "forbidden-tool-called", "keeps a forbidden tool from nobody", func(r *right) hooks {
			return hooks{start: func(ctx context.Context, o executor.StartOpts) (*executor.Run, error) {
				o.ChildToolBlocklist = nil
				return r.adapter.Start(ctx, executor.TaskHandle{}, o)
			}}
		}),
		native("x-forbidden-as-success", forbidden, "forbidden-tool-succeeded", "answers the call of a forbidden tool as if it had been made", edit(func(e executor.ToolResult) []executor.Event {
			e.IsError = false
			return one(e)
		})),
		native("x-forbidden-ends", forbidden, "run-ended-by-forbidden-tool", "fails a run whose model names a forbidden tool", rewriting(func() func(executor.Event) []executor.Event {
			failed := false
			return func(e executor.Event) []executor.Event {
				if r, is := e.(executor.ToolResult); is && r.IsError {
					failed = true
				}
				if d, is := e.(executor.Done); is && failed {
					d.Reason = executor.ReasonError
					return []executor.Event{executor.Error{Message: "the model named a forbidden tool", Fatal: true}, d}
				}
				return one(e)
			}
		})),
		native("x-forbidden-undone", forbidden, "done-missing", "never ends a run whose model names a forbidden tool", drop(every[executor.Done])),
	}
}
