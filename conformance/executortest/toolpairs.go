package executortest

import (
	"context"
	"strings"

	. "github.com/onsi/gomega"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/contract/executor/verify"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// shell is a call of a tool that every wire has a form for.
func shell(id, command string) fakes.Frame {
	return fakes.ToolCall{ID: id, Name: "shell", Input: `{"command":"` + command + `"}`}
}

func answer(id, out string) fakes.Frame { return fakes.Result{ID: id, Name: "shell", Out: out} }

// wholeCalls lists the calls that a host may act on.
func wholeCalls(o *Observer) []executor.ToolCall {
	var whole []executor.ToolCall
	for _, c := range All[executor.ToolCall](o) {
		if !c.Partial {
			whole = append(whole, c)
		}
	}
	return whole
}

// toolPairs holds the checks of calls and results that come in odd ways.
func toolPairs() []check.Check {
	needs := []check.Feature{fakes.Tools}
	streamed := []check.Feature{fakes.Tools, fakes.PartialInput}
	return []check.Check{
		// Calls that are open at once keep their ids: each gets its own result.
		{
			ID: "executor.tools.parallel", Case: "events-round-trip", Clause: "executor#tool-results",
			Level: check.Must, Provenance: check.Stated, Needs: needs,
			Codes: []check.Code{"tool-call-lost", "tool-result-lost", "tool-result-swapped", "tool-result-unknown", "tool-result-repeated", "tool-call-repeated"},
			Title: "gives calls that are open at once their own results",
			Run: with(func(ctx context.Context, t *T) {
				a, b := t.Word(), t.Word()
				o := t.tell(ctx, shell("t1", "first "+a), shell("t2", "second "+b), answer("t2", "out "+b), answer("t1", "out "+a))
				t.report(verify.Tools(o.Events), verify.ResultUnknown, verify.ResultRepeated, verify.CallIDRepeated)
				t.Stop()
				id := map[string]string{}
				for _, c := range wholeCalls(o) {
					for _, word := range []string{a, b} {
						if strings.Contains(string(c.Input), word) {
							id[c.ID] = word
						}
					}
				}
				t.Code("tool-call-lost").Expect(id).To(HaveLen(2))
				results := All[executor.ToolResult](o)
				t.Code("tool-result-lost").Expect(results).To(HaveLen(2))
				for _, r := range results {
					t.Code("tool-result-swapped").Expect(r.Output).To(ContainSubstring(id[r.ID]))
				}
			}),
		},
		// A call that the runtime announces again is announced to the host once.
		{
			ID: "executor.tools.call-restated", Case: "events-round-trip", Clause: "executor#tool-ids",
			Level: check.Must, Provenance: check.Implied, Needs: streamed,
			Codes: []check.Code{"tool-call-repeated", "tool-call-lost"},
			Title: "announces a call once that the runtime tells of again",
			Run: with(func(ctx context.Context, t *T) {
				word := t.Word()
				o := t.tell(ctx, shell("t1", word), shell("t1", word), answer("t1", "done"), shell("t1", word))
				whole := wholeCalls(o)
				t.Code("tool-call-lost").Expect(whole).NotTo(BeEmpty())
				t.Code("tool-call-lost").Expect(string(whole[0].Input)).To(ContainSubstring(word))
				t.Code("tool-call-repeated").Expect(whole).To(HaveLen(1))
			}),
		},
		// A call that the runtime gives no id has one all the same, of its own.
		{
			ID: "executor.tools.nameless", Case: "events-round-trip", Clause: "executor#tool-ids",
			Level: check.Must, Provenance: check.Implied, Needs: needs,
			Codes: []check.Code{"tool-call-lost", "tool-call-id-empty", "tool-call-id-shared", "tool-result-unknown"},
			Title: "gives a call an id that the runtime gave none",
			Run: with(func(ctx context.Context, t *T) {
				a, b := t.Word(), t.Word()
				o := t.tell(ctx, shell("", a), shell("", b))
				t.report(verify.Tools(o.Events), verify.CallIDEmpty, verify.ResultUnknown)
				t.Stop()
				whole := wholeCalls(o)
				t.Code("tool-call-lost").Expect(whole).To(HaveLen(2))
				t.Code("tool-call-lost").Expect(string(whole[0].Input + whole[1].Input)).To(And(ContainSubstring(a), ContainSubstring(b)))
				t.Code("tool-call-id-shared").Expect(whole[0].ID).NotTo(Equal(whole[1].ID))
			}),
		},
		// A result that comes before its call does not answer it backward: no result
		// stands before its call.
		{
			ID: "executor.tools.result-before-call", Case: "events-round-trip", Clause: "executor#tool-results",
			Level: check.Must, Provenance: check.Stated, Needs: needs,
			Codes: []check.Code{"tool-call-lost", "tool-result-unknown", "tool-result-early"},
			Title: "delivers no result before its call",
			Run: with(func(ctx context.Context, t *T) {
				word := t.Word()
				o := t.tell(ctx, answer("t1", "early"), shell("t1", word))
				t.report(verify.Tools(o.Events), verify.ResultUnknown, verify.ResultNotCallable)
				t.Stop()
				found := false
				for _, c := range wholeCalls(o) {
					found = found || strings.Contains(string(c.Input), word)
				}
				t.Code("tool-call-lost").Expect(found).To(BeTrue())
			}),
		},
		// A second result of a call is left out.
		{
			ID: "executor.tools.result-twice", Case: "events-round-trip", Clause: "executor#tool-results",
			Level: check.Must, Provenance: check.Stated, Needs: needs,
			Codes: []check.Code{"tool-result-lost", "tool-result-repeated", "tool-result-replaced"},
			Title: "delivers the first of two results",
			Run: with(func(ctx context.Context, t *T) {
				word, again := t.Word(), t.Word()
				o := t.tell(ctx, shell("t1", "list"), answer("t1", "first "+word), answer("t1", "second "+again))
				t.report(verify.Tools(o.Events), verify.ResultRepeated)
				r, ok := First[executor.ToolResult](o)
				t.Code("tool-result-lost").Expect(ok).To(BeTrue())
				t.Code("tool-result-replaced").Expect(r.Output).To(ContainSubstring(word))
			}),
		},
		// A result of a call that nobody announced is not given to another one.
		{
			ID: "executor.tools.result-of-nothing", Case: "events-round-trip", Clause: "executor#tool-results",
			Level: check.Must, Provenance: check.Stated, Needs: needs,
			Codes: []check.Code{"tool-result-lost", "tool-result-unknown", "tool-result-relabelled"},
			Title: "gives no call the result of an unknown one",
			Run: with(func(ctx context.Context, t *T) {
				word, ghost := t.Word(), t.Word()
				o := t.tell(ctx, shell("t1", word), answer("ghost", "out of nothing "+ghost), answer("t1", "out of it "+word))
				t.report(verify.Tools(o.Events), verify.ResultUnknown)
				t.Stop()
				id := ""
				for _, c := range wholeCalls(o) {
					if strings.Contains(string(c.Input), word) {
						id = c.ID
					}
				}
				var outputs []string
				for _, r := range All[executor.ToolResult](o) {
					if r.ID == id {
						outputs = append(outputs, r.Output)
					}
				}
				all := strings.Join(outputs, "\n")
				t.Code("tool-result-relabelled").Expect(all).NotTo(ContainSubstring(ghost))
				t.Code("tool-result-lost").Expect(all).To(ContainSubstring(word))
			}),
		},
		// A call whose input never became whole is never callable, and its run is no
		// success.
		{
			ID: "executor.tools.half-input", Case: "events-round-trip", Clause: "executor#tool-partial",
			Level: check.Must, Provenance: check.Stated, Needs: append([]check.Feature{fakes.CutStream}, streamed...),
			Codes: []check.Code{"half-call-callable", "half-call-answered", "half-call-as-success", "done-missing"},
			Title: "never makes a call callable whose input was cut off",
			Run: with(func(ctx context.Context, t *T) {
				live := t.Start(ctx, t.Opts("s"))
				o := t.Observe(ctx, live.Handle)
				live.Say(ctx, append(live.Hello(), live.Text("writing "+t.Word()), fakes.CallPart{ID: "t1", Name: "write", Fragment: `{"text":"half a sent`})...)
				live.Say(ctx, fakes.Cut{})
				done := o.MustDone(ctx, "done-missing")
				live.Shown(o)
				t.Code("half-call-callable").Expect(wholeCalls(o)).To(BeEmpty())
				for _, r := range All[executor.ToolResult](o) {
					t.Code("half-call-answered").Expect(r.IsError).To(BeTrue())
				}
				t.Code("half-call-as-success").Expect(done.Reason).NotTo(Equal(executor.ReasonSuccess))
			}),
		},
		// A place in the stream that a new call takes belongs to it from then on.
		{
			ID: "executor.tools.index-reused", Case: "events-round-trip", Clause: "executor#tool-partial",
			Level: check.Must, Provenance: check.Stated, Needs: streamed,
			Codes: []check.Code{"tool-call-lost", "tool-call-input-mixed", "tool-call-repeated"},
			Title: "tells two streamed calls apart that use one place after the other",
			Run: with(func(ctx context.Context, t *T) {
				a, b := t.Word(), t.Word()
				o := t.tell(ctx, fakes.CallPart{ID: "t1", Name: "read", Fragment: `{"p":"` + a + `"}`}, fakes.CallPart{ID: "t2", Name: "read", Fragment: `{"p":"`},
					fakes.CallPart{Fragment: b + `"}`}, fakes.Result{ID: "t1", Name: "read", Out: "A"}, fakes.Result{ID: "t2", Name: "read", Out: "B"})
				t.report(verify.Tools(o.Events), verify.CallIDRepeated)
				whole := wholeCalls(o)
				t.Code("tool-call-lost").Expect(whole).To(HaveLen(2))
				for _, c := range whole {
					both := strings.Contains(string(c.Input), a) && strings.Contains(string(c.Input), b)
					none := !strings.Contains(string(c.Input), a) && !strings.Contains(string(c.Input), b)
					t.Code("tool-call-input-mixed").Expect(both || none).To(BeFalse())
				}
			}),
		},
	}
}
