package historytest

import (
	"context"
	"errors"
	"slices"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
)

func fallbackChecks() []check.Check {
	return []check.Check{
		// A provider that fails is answered with a fallback, never with an error and
		// never with an invented answer; the same request may succeed later.
		{
			ID: "history.completion.transport-failure", Case: "fallback", Clause: "history#complete-never-rejects",
			Level: check.Must, Provenance: check.Stated,
			Codes: codes("completion-rejected", "output-invented", "fallback-code-wrong", "transport-retried", "transport-not-called"),
			Title: "falls back when the provider fails",
			Run: with(func(ctx context.Context, t *T) {
				r := t.failed(ctx, failing(errors.New("provider says no")))
				t.demand(r.Status == history.Fallback && r.Output == nil, "output-invented", "status %q, output %v", r.Status, r.Output)
				t.expect(r.Code == history.FallbackTransport, "fallback-code-wrong", "got %q", r.Code)
				t.expect(t.Transport.Count() >= 1, "transport-not-called", "no call")
				t.expect(t.Transport.Count() <= 1, "transport-retried", "%d calls", t.Transport.Count())
			}),
		},
		// Only a failed transport is worth another try.
		{
			ID: "history.completion.retryable", Case: "fallback", Clause: "history#fallback-retryable",
			Level: check.Must, Provenance: check.Stated, Codes: codes("completion-rejected", "transport-failure-not-retryable", "invalid-request-retryable"),
			Title: "says truly whether another try can help",
			Run: with(func(ctx context.Context, t *T) {
				r := t.failed(ctx, failing(errors.New("provider says no")))
				t.require(r.Status == history.Fallback, "a failed transport is not answered with a fallback")
				t.expect(r.Retryable, "transport-failure-not-retryable", "code %q", r.Code)
				r, err := t.ask(ctx, " ", t.Fixture.Model.ID)
				t.demand(err == nil, "completion-rejected", "%v", err)
				t.expect(!r.Retryable, "invalid-request-retryable", "code %q", r.Code)
			}),
		},
		// A transport may fail in any way that code can fail.
		{
			ID: "history.completion.transport-panic", Case: "fallback", Clause: "history#complete-never-rejects",
			Level: check.Must, Provenance: check.Stated, Codes: codes("transport-panic-escaped", "output-invented", "fallback-code-wrong"),
			Title: "falls back when its transport panics",
			Run: with(func(ctx context.Context, t *T) {
				for _, value := range []any{"provider broke", errors.New("provider broke")} {
					t.Transport.Then(panicking(value))
					r, err := try(ctx, t, tame(func(ctx context.Context) (history.CompletionResult, error) {
						return t.Adapter.Complete(ctx, t.request(t.harmless().Payload))
					}))
					t.demand(err == nil, "transport-panic-escaped", "%v", err)
					t.demand(r.Status == history.Fallback && r.Output == nil, "output-invented", "status %q", r.Status)
					t.expect(r.Code == history.FallbackTransport, "fallback-code-wrong", "got %q", r.Code)
				}
				t.require(t.Transport.Count() > 0, "the transport is not called")
			}),
		},
		// One failure is one failure: the next completion starts afresh.
		{
			ID: "history.completion.recovers", Case: "fallback", Clause: "history#failure-isolated",
			Level: check.Must, Provenance: check.Implied, Codes: codes("completion-rejected", "failure-sticks"),
			Title: "goes on after a failure",
			Run: with(func(ctx context.Context, t *T) {
				for range 3 {
					t.failed(ctx, failing(errors.New("provider says no")))
				}
				r, err := t.tryComplete(ctx, t.harmless().Payload)
				t.demand(err == nil && r.Status == history.Completed, "failure-sticks", "after a transport failure: %q %v", r.Code, err)
				t.complete(ctx, map[string]any{"messages": hostile{}})
				r, err = t.tryComplete(ctx, t.harmless().Payload)
				t.demand(err == nil && r.Status == history.Completed, "failure-sticks", "after a privacy failure: %q %v", r.Code, err)
				s, err := t.trySnapshot(ctx)
				t.demand(err == nil && equalIDs(t.Fixture.Messages, s.Messages), "failure-sticks", "the history cannot be read: %v", err)
			}),
		},
		// A reason is a fixed short text. It repeats neither the request nor the
		// provider.
		{
			ID: "history.completion.reason", Case: "fallback", Clause: "history#fallback-reason",
			Level: check.Must, Provenance: check.Implied, Codes: codes("completion-rejected", "fallback-reason-missing", "fallback-reason-unbounded", "fallback-reason-leaks"),
			Title: "gives a short reason that repeats nothing",
			Run: with(func(ctx context.Context, t *T) {
				t.talks(ctx)
				said := t.word()
				p := t.private()
				t.Transport.Then(failing(errors.New("provider: "+said)), panicking("provider: "+said))
				for range 2 {
					r, err := t.tryComplete(ctx, p.Payload)
					t.demand(err == nil, "completion-rejected", "%v", err)
					t.require(r.Status == history.Fallback, "a failed transport is not answered with a fallback")
					t.expect(!blank(r.Reason), "fallback-reason-missing", "got %q", r.Reason)
					t.expect(units(r.Reason) <= history.MaxReasonUnits, "fallback-reason-unbounded", "%d", units(r.Reason))
					t.withheld(texts(r), append(append(p.Private, p.Public...), said), "fallback-reason-leaks", "")
				}
			}),
		},
		// A request that names no provider or no model is not sent.
		{
			ID: "history.completion.invalid-request", Case: "fallback", Clause: "history#invalid-request",
			Level: check.Must, Provenance: check.Stated, Codes: codes("completion-rejected", "invalid-request-sent", "invalid-request-completed", "invalid-request-code-wrong"),
			Title: "falls back when a request names no provider or model",
			Run: with(func(ctx context.Context, t *T) {
				for _, to := range [][2]string{{"", t.Fixture.Model.ID}, {t.Fixture.Model.Provider, ""}, {" \t", t.Fixture.Model.ID}, {t.Fixture.Model.Provider, "\n "}, {"", ""}} {
					r, err := t.ask(ctx, to[0], to[1])
					t.demand(t.Transport.Count() == 0, "invalid-request-sent", "%q", to)
					t.demand(err == nil, "completion-rejected", "%v", err)
					t.demand(r.Status == history.Fallback, "invalid-request-completed", "status %q", r.Status)
					t.expect(r.Code == history.FallbackInvalid, "invalid-request-code-wrong", "got %q", r.Code)
				}
			}),
		},
		// A failed transport is on record as a warning about no capability.
		{
			ID: "history.completion.failure-diagnosed", Case: "fallback", Clause: "history#failure-diagnosed",
			Level: check.Must, Provenance: check.Stated, Codes: codes("completion-rejected", "failure-undiagnosed", "failure-diagnosed-again", "failure-capability-wrong"),
			Title: "keeps a record of a failed transport",
			Run: with(func(ctx context.Context, t *T) {
				r := t.failed(ctx, failing(errors.New("provider says no")))
				t.require(r.Status == history.Fallback, "a failed transport is not answered with a fallback")
				got := t.diagnosed(ctx, history.CodeTransportFailed)
				t.demand(len(got) > 0, "failure-undiagnosed", "no diagnostic")
				t.expect(len(got) < 2, "failure-diagnosed-again", "%d diagnostics", len(got))
				t.expect(got[0].Capability == "", "failure-capability-wrong", "got %q", got[0].Capability)
			}),
		},
	}
}

// failed completes a harmless request over a transport that behaves so.
func (t *T) failed(ctx context.Context, plan behaviour) history.CompletionResult {
	t.Transport.Then(plan)
	r, err := t.tryComplete(ctx, t.harmless().Payload)
	t.demand(err == nil, "completion-rejected", "%v", err)
	return r
}

// ask completes a harmless request for a provider and a model.
func (t *T) ask(ctx context.Context, provider, model string) (history.CompletionResult, error) {
	return try(ctx, t, func(ctx context.Context) (history.CompletionResult, error) {
		return t.Adapter.Complete(ctx, history.CompletionRequest{Provider: provider, Model: model, Payload: t.harmless().Payload})
	})
}

// diagnosed lists the diagnostics with a code.
func (t *T) diagnosed(ctx context.Context, code history.DiagnosticCode) []history.Diagnostic {
	return slices.DeleteFunc(slices.Clone(t.diagnostics(ctx)), func(d history.Diagnostic) bool { return d.Code != code })
}
