package executortest

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"
	. "github.com/onsi/gomega"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/contract/executor/verify"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// useTool plays a run that calls one tool, with or without its result.
func (t *T) useTool(ctx context.Context, command, out string, failed, answered bool) *Observer {
	live := t.Start(ctx, t.Opts("s"))
	o := t.Observe(ctx, live.Handle)
	input, _ := jsontext.AppendQuote(nil, command)
	live.Say(ctx, append(live.Hello(), fakes.ToolCall{ID: "t1", Name: "shell", Input: `{"command":` + string(input) + `}`})...)
	if answered {
		live.Say(ctx, fakes.Result{ID: "t1", Name: "shell", Out: out, Error: failed})
	}
	live.Say(ctx, live.Text("finished "+t.Word()), live.Ok())
	o.Done(ctx)
	live.Shown(o)
	return o
}

func tools() []check.Check {
	needs := []check.Feature{fakes.Tools}
	return []check.Check{
		// A tool call of the runtime is one whole tool-call event with an id that is not
		// empty, the tool's name and its input.
		{
			ID: "executor.tools.call", Case: "events-round-trip", Clause: "executor#tool-ids",
			Level: check.Must, Provenance: check.Implied, Needs: needs,
			Codes: []check.Code{"tool-call-lost", "tool-call-id-empty", "tool-call-name-empty", "tool-call-repeated", "tool-call-input-lost", "tool-call-input-invalid"},
			Title: "delivers a tool call once, with id, name and input",
			Run: with(func(ctx context.Context, t *T) {
				word := t.Word()
				o := t.useTool(ctx, "list "+word, "a.txt", false, true)
				t.report(verify.Tools(o.Events), verify.CallIDEmpty, verify.CallNameEmpty, verify.CallIDRepeated, verify.CallInputInvalid)
				var whole []executor.ToolCall
				for _, c := range All[executor.ToolCall](o) {
					if !c.Partial {
						whole = append(whole, c)
					}
				}
				t.Code("tool-call-lost").Expect(whole).NotTo(BeEmpty())
				t.Code("tool-call-repeated").Expect(whole).To(HaveLen(1))
				t.Code("tool-call-input-lost").Expect(string(whole[0].Input)).To(ContainSubstring(word))
			}),
		},
		// Its result is one tool-result event with the id of the call, after it, with
		// the tool's output.
		{
			ID: "executor.tools.result", Case: "events-round-trip", Clause: "executor#tool-results",
			Level: check.Must, Provenance: check.Stated, Needs: needs,
			Codes: []check.Code{"tool-result-lost", "tool-result-unknown", "tool-result-repeated", "tool-result-early", "tool-result-output-lost", "tool-output-as-text"},
			Title: "delivers a tool's result once, after its call and under its id",
			Run: with(func(ctx context.Context, t *T) {
				word := t.Word()
				o := t.useTool(ctx, "list", "found "+word, false, true)
				t.report(verify.Tools(o.Events), verify.ResultUnknown, verify.ResultRepeated, verify.ResultNotCallable)
				r, ok := First[executor.ToolResult](o)
				t.Code("tool-result-lost").Expect(ok).To(BeTrue())
				t.Code("tool-result-output-lost").Expect(r.Output).To(ContainSubstring(word))
				t.Code("tool-output-as-text").Expect(o.Text()).NotTo(ContainSubstring(word))
			}),
		},
		// A result names the tool of its call, be it that the runtime repeats the name or not.
		{
			ID: "executor.tools.result-name", Case: "events-round-trip", Clause: "executor#tool-result-name",
			Level: check.Should, Provenance: check.Implied, Needs: needs,
			Codes: []check.Code{"tool-result-lost", "tool-result-name-wrong"},
			Title: "names the tool in a result as in its call",
			Run: with(func(ctx context.Context, t *T) {
				o := t.useTool(ctx, "list "+t.Word(), "a.txt", false, true)
				names := map[string]string{}
				for _, c := range All[executor.ToolCall](o) {
					names[c.ID] = c.Name
				}
				r, ok := First[executor.ToolResult](o)
				t.Code("tool-result-lost").Expect(ok).To(BeTrue())
				t.Code("tool-result-name-wrong").Expect(r.Name).To(Equal(names[r.ID]))
			}),
		},
		// Whether a tool failed is what the runtime says, not what its output sounds like.
		{
			ID: "executor.tools.is-error", Case: "events-round-trip", Clause: "executor#tool-is-error",
			Level: check.Must, Provenance: check.Implied, Needs: needs,
			Codes: []check.Code{"tool-failure-hidden", "tool-failure-invented"},
			Title: "says that a tool failed exactly if it did",
			Run: with(func(ctx context.Context, t *T) {
				failed, _ := First[executor.ToolResult](t.useTool(ctx, "false", "all is well", true, true))
				t.Code("tool-failure-hidden").Expect(failed.IsError).To(BeTrue())
				right := build(ctx, t.C)
				passed, ok := First[executor.ToolResult](right.useTool(ctx, "true", "error: 0 errors found", false, true))
				t.Expect(ok).To(BeTrue())
				t.Code("tool-failure-invented").Expect(passed.IsError).To(BeFalse())
			}),
		},
		// A call that has no result when its run ends is closed by an error result
		// before the done.
		{
			ID: "executor.tools.open-call", Case: "events-round-trip", Clause: "executor#tool-open",
			Level: check.Should, Provenance: check.Decided, Needs: needs,
			Codes: []check.Code{"tool-call-open", "tool-call-closed-as-success"},
			Title: "closes a call without a result by an error result before done",
			Run: with(func(ctx context.Context, t *T) {
				o := t.useTool(ctx, "sleep", "", false, false)
				o.Rest(ctx)
				_, announced := First[executor.ToolCall](o)
				t.Expect(announced).To(BeTrue())
				t.report(verify.OpenCalls(o.Events), verify.CallOpenAtDone)
				t.Stop()
				r, _ := First[executor.ToolResult](o)
				t.Code("tool-call-closed-as-success").Expect(r.IsError).To(BeTrue())
			}),
		},
		// An input is the value that the tool gets, not the text of that value.
		{
			ID: "executor.tools.input-value", Case: "events-round-trip", Clause: "executor#tool-input",
			Level: check.Should, Provenance: check.Decided, Needs: needs,
			Codes: []check.Code{"tool-call-input-text"},
			Title: "gives a tool's input as a value, not as its text",
			Run: with(func(ctx context.Context, t *T) {
				o := t.useTool(ctx, "list", "a", false, true)
				_, announced := First[executor.ToolCall](o)
				t.Expect(announced).To(BeTrue())
				t.report(verify.InputText(o.Events), verify.CallInputText)
			}),
		},
		// A streamed input ends in one whole call with all of it.
		{
			ID: "executor.tools.streamed-input", Case: "events-round-trip", Clause: "executor#tool-partial",
			Level: check.Must, Provenance: check.Stated, Needs: []check.Feature{fakes.Tools, fakes.PartialInput},
			Codes: []check.Code{"tool-call-unsettled", "tool-call-repeated", "tool-call-partial-late", "tool-call-input-lost", "tool-call-input-invalid"},
			Title: "ends a streamed tool input in one whole call",
			Run: with(func(ctx context.Context, t *T) {
				live := t.Start(ctx, t.Opts("s"))
				o := t.Observe(ctx, live.Handle)
				word, other := t.Word(), t.Word()
				live.Say(ctx, append(live.Hello(),
					fakes.CallPart{Index: 0, ID: "t1", Name: "write", Fragment: `{"p":`},
					fakes.CallPart{Index: 1, ID: "t2", Name: "write", Fragment: `{"q":`},
					fakes.CallPart{Index: 0, Fragment: `"` + word + `"}`},
					fakes.CallPart{Index: 1, Fragment: `"` + other + `"}`},
					fakes.Result{ID: "t1", Name: "write", Out: "ok"}, fakes.Result{ID: "t2", Name: "write", Out: "ok"}, live.Ok())...)
				o.Done(ctx)
				t.report(verify.Tools(o.Events), verify.CallIDRepeated, verify.PartialAfterWhole, verify.CallInputInvalid)
				t.report(verify.OpenCalls(o.Events), verify.PartialNotSettled)
				whole := map[string]executor.JSON{}
				for _, c := range All[executor.ToolCall](o) {
					if !c.Partial {
						whole[c.ID] = c.Input
					}
				}
				t.Code("tool-call-unsettled").Expect(whole).To(HaveLen(2))
				inputs := string(whole["t1"] + whole["t2"])
				t.Code("tool-call-input-lost").Expect(inputs).To(And(ContainSubstring(word), ContainSubstring(other)))
			}),
		},
	}
}
