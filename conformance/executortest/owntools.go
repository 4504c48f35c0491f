package executortest

import (
	"context"
	"slices"

	. "github.com/onsi/gomega"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// used reports whether the call of the id came to its tool.
func (l *Live) used(id string) bool {
	return slices.ContainsFunc(l.Native.Calls(), func(c fakes.Call) bool { return c.Method == fakes.MethodTool && c.Value == id })
}

// ownTools holds the checks of adapters that call the tools themselves.
func ownTools() []check.Check {
	return []check.Check{
		// A tool that the host forbade is not called, also if the model names it. The call
		// is answered by an error, and the run goes on.
		{
			ID: "executor.tools.forbidden", Case: "events-round-trip", Clause: "executor#tool-forbidden",
			Level: check.Must, Provenance: check.Stated, Needs: []check.Feature{fakes.OwnTools, fakes.Tools},
			Codes: []check.Code{"done-missing", "forbidden-tool-called", "forbidden-tool-succeeded", "run-ended-by-forbidden-tool"},
			Title: "calls no tool that the host forbade",
			Run: with(func(ctx context.Context, t *T) {
				opts := t.Opts("s")
				opts.ChildToolBlocklist = []string{"shell"}
				live := t.Start(ctx, opts)
				o := t.Observe(ctx, live.Handle)
				last := t.Word()
				live.Say(ctx, append(live.Hello(), live.Text("looking "+t.Word()), shell("t1", "list"), fakes.ToolCall{ID: "t2", Name: "read", Input: `{}`},
					answer("t1", "a.txt"), fakes.Result{ID: "t2", Name: "read", Out: "text"})...)
				live.Say(ctx, live.Text("done "+last), live.Ok())
				done := o.MustDone(ctx, "done-missing")
				t.Expect(live.used("t2")).To(BeTrue()) // else nothing was to be seen
				t.Code("forbidden-tool-called").Expect(live.used("t1")).To(BeFalse())
				for _, r := range All[executor.ToolResult](o) {
					t.Code("forbidden-tool-succeeded").Expect(r.ID == "t1" && !r.IsError).To(BeFalse())
				}
				t.Code("run-ended-by-forbidden-tool").Expect(done.Reason).To(Equal(executor.ReasonSuccess))
				t.Code("run-ended-by-forbidden-tool").Expect(o.Text()).To(ContainSubstring(last))
			}),
		},
	}
}
