package historytest

import (
	"context"
	"errors"
	"os"
	"slices"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/adaptercheck/adaptercheck/fakes"
)

func diagnosticsChecks() []check.Check {
	return []check.Check{
		// Diagnostics are read by people who must not read the conversation.
		{
			ID: "history.diagnostics.metadata-only", Case: "privacy", Clause: "history#diagnostics-metadata",
			Level: check.Must, Provenance: check.Stated, Codes: codes("diagnostics-leak", "diagnostics-show-path", "diagnostic-message-unbounded"),
			Title: "keeps content out of its diagnostics",
			Run: with(func(ctx context.Context, t *T) {
				t.alive(ctx)
				private := t.provoke(ctx)
				private = append(private, t.contents()...)
				t.shutdown(ctx)
				got := t.diagnostics(ctx)
				t.require(len(got) > 0, "there are no diagnostics")
				t.withheld(texts(got), private, "diagnostics-leak", "")
				t.withheld(texts(got), []string{t.Base, t.Root}, "diagnostics-show-path", "")
				for _, d := range got {
					t.expect(units(d.Message) <= maxMessageUnits, "diagnostic-message-unbounded", "%s: %d", d.Code, units(d.Message))
				}
			}),
		},
		// An adapter runs for weeks; its diagnostics do not grow with them.
		{
			ID: "history.diagnostics.bounded", Case: "fallback", Clause: "history#diagnostics-bounded",
			Level: check.Must, Provenance: check.Stated, Codes: codes("diagnostics-unbounded"),
			Title: "bounds its list of diagnostics",
			Run: with(func(ctx context.Context, t *T) {
				t.flood(ctx, 1200)
				n := len(t.diagnostics(ctx))
				t.require(n > 0, "there are no diagnostics")
				t.demand(n <= 1000, "diagnostics-unbounded", "%d diagnostics of 1200 failures", n)
			}),
		},
		// The contract's own bound is a hundred, and the newest are kept.
		{
			ID: "history.diagnostics.newest", Case: "fallback", Clause: "history#diagnostics-newest",
			Level: check.Should, Provenance: check.Implied, Codes: codes("diagnostics-over-hundred", "diagnostics-newest-dropped"),
			Title: "keeps the newest hundred diagnostics",
			Run: with(func(ctx context.Context, t *T) {
				t.flood(ctx, history.MaxDiagnostics+30)
				_, err := t.ask(ctx, "", "")
				t.NoError(err)
				got := t.diagnostics(ctx)
				t.require(len(got) > 0, "there are no diagnostics")
				t.expect(len(got) <= history.MaxDiagnostics, "diagnostics-over-hundred", "%d", len(got))
				t.expect(got[len(got)-1].Code == history.CodeCompletionInvalid, "diagnostics-newest-dropped", "the newest is %s", got[len(got)-1].Code)
			}),
		},
		// A severity is one of three, and that of a known code is the contract's.
		{
			ID: "history.diagnostics.severity", Case: "fallback", Clause: "history#diagnostic-severity",
			Level: check.Must, Provenance: check.Implied, Codes: codes("diagnostic-code-blank", "diagnostic-severity-unknown", "diagnostic-severity-wrong"),
			Title: "weighs diagnostics as the contract does",
			Run: with(func(ctx context.Context, t *T) {
				t.alive(ctx)
				t.provoke(ctx)
				t.shutdown(ctx)
				got := t.diagnostics(ctx)
				t.require(len(got) > 0, "there are no diagnostics")
				for _, d := range got {
					t.expect(!blank(string(d.Code)), "diagnostic-code-blank", "%+v", d)
					t.expect(slices.Contains([]history.Severity{history.Info, history.Warning, history.Failure}, d.Severity), "diagnostic-severity-unknown", "%s: %q", d.Code, d.Severity)
					want := d.Code.Severity()
					t.expect(want == "" || d.Severity == want, "diagnostic-severity-wrong", "%s: %q", d.Code, d.Severity)
				}
			}),
		},
		// What went wrong or was done is on record under the contract's codes.
		{
			ID: "history.diagnostics.records", Case: "rebuild", Clause: "history#events-diagnosed",
			Level: check.Should, Provenance: check.Implied, Codes: codes("rebuild-undiagnosed", "invalid-request-undiagnosed", "privacy-failure-undiagnosed"),
			Title: "keeps a record of rebuilds and refused requests",
			Run: with(func(ctx context.Context, t *T) {
				t.alive(ctx)
				t.provoke(ctx)
				for code, missing := range map[history.DiagnosticCode]check.Code{
					history.CodeDerivedStateRebuilt: "rebuild-undiagnosed", history.CodeCompletionInvalid: "invalid-request-undiagnosed",
					history.CodePrivacyFailed: "privacy-failure-undiagnosed",
				} {
					t.expect(len(t.diagnosed(ctx, code)) > 0, missing, "%s", code)
				}
			}),
		},
		// So is a source that was refused.
		{
			ID: "history.diagnostics.refusal", Case: "canonical-history", Clause: "history#events-diagnosed",
			Level: check.Should, Provenance: check.Implied, Needs: []check.Feature{fakes.Source}, Codes: codes("refusal-undiagnosed", "refusal-diagnostics-leak"),
			Title: "keeps a record of a refused source",
			Run: with(func(ctx context.Context, t *T) {
				s := t.stamp()
				t.alive(ctx)
				t.overwrite(s.path, garbled(s.bytes), 0)
				_, err := t.trySnapshot(ctx)
				t.require(err != nil, "a corrupt source is accepted")
				if err := os.Remove(s.path); err != nil {
					t.Cannot(err)
				}
				_, err = t.tryRebuild(ctx)
				t.require(err != nil, "a missing source is accepted")
				got := slices.Concat(t.diagnosed(ctx, history.CodeHistoryReadFailed), t.diagnosed(ctx, history.CodeHistoryInvalid), t.diagnosed(ctx, history.CodeHistoryIdentityMismatch))
				t.expect(len(got) > 1, "refusal-undiagnosed", "%d diagnostics of 2 refusals", len(got))
				t.withheld(texts(t.diagnostics(ctx)), append(t.contents(), t.Base, t.Root), "refusal-diagnostics-leak", "")
			}),
		},
		// The list belongs to whoever asked for it.
		{
			ID: "history.diagnostics.owned", Case: "fallback", Clause: "history#ownership",
			Level: check.Should, Provenance: check.Decided, Needs: []check.Feature{fakes.InProcess}, Codes: codes("diagnostics-shared"),
			Title: "gives each caller a list of its own",
			Run: with(func(ctx context.Context, t *T) {
				t.provoke(ctx)
				mine := t.diagnostics(ctx)
				was := slices.Clone(mine)
				t.require(len(mine) > 0, "there are no diagnostics")
				for i := range mine {
					mine[i] = history.Diagnostic{Code: "changed"}
				}
				t.demand(slices.Equal(t.diagnostics(ctx), was), "diagnostics-shared", "a change by the caller came back")
			}),
		},
	}
}

// provoke makes an adapter write what it writes: a completion, every failure, a
// rebuild. It returns everything that must not be in there.
func (t *T) provoke(ctx context.Context) (private []string) {
	p, said, answer := t.private(), t.word(), t.word()
	t.Transport.Then(answering("answer "+answer), failing(errors.New("provider: "+said)))
	t.complete(ctx, p.Payload)
	r := t.complete(ctx, p.Payload)
	t.require(r.Status == history.Fallback, "a failed transport is not answered with a fallback")
	t.complete(ctx, map[string]any{"text": p.Private[0], "messages": hostile{}})
	t.complete(ctx, map[string]any{"text": map[any]any{p.Private[0]: func() {}}})
	_, err := t.ask(ctx, " ", "")
	t.NoError(err)
	t.rebuild(ctx)
	t.negotiate(ctx, askAll(true)...)
	return append(append(p.Private, p.Public...), said, answer)
}

// flood makes n completions fail.
func (t *T) flood(ctx context.Context, n int) {
	plans := make([]behaviour, n)
	for i := range plans {
		plans[i] = failing(errors.New("provider says no"))
	}
	t.Transport.Then(plans...)
	payload := map[string]any{"messages": []any{map[string]any{"role": "user", "content": "hello"}}}
	_, err := check.Await(ctx, t.C, t.Budgets.Check, func(ctx context.Context) (struct{}, error) {
		for range n {
			if _, err := t.Adapter.Complete(ctx, t.request(payload)); err != nil {
				return struct{}{}, err
			}
		}
		return struct{}{}, nil
	})
	if errors.Is(err, check.ErrHung) {
		t.Hung()
	}
	t.NoError(err)
}
