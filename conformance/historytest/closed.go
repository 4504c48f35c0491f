package historytest

import (
	"context"
	"errors"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
)

func closedChecks() []check.Check {
	return []check.Check{
		// After shutdown the history is not read any more.
		{
			ID: "history.lifecycle.reads-refused", Case: "lifecycle", Clause: "history#shutdown",
			Level: check.Must, Provenance: check.Stated, Codes: codes("snapshot-after-close", "rebuild-after-close"),
			Title: "refuses to read the history after it was closed",
			Run: with(func(ctx context.Context, t *T) {
				t.alive(ctx)
				t.rebuild(ctx)
				t.shutdown(ctx)
				_, err := t.trySnapshot(ctx)
				t.expect(err != nil, "snapshot-after-close", "no error")
				_, err = t.tryRebuild(ctx)
				t.expect(err != nil, "rebuild-after-close", "no error")
			}),
		},
		// After shutdown completions fall back, with the code that says so, and nothing
		// is sent.
		{
			ID: "history.lifecycle.completions-fall-back", Case: "lifecycle", Clause: "history#shutdown",
			Level: check.Must, Provenance: check.Stated,
			Codes: codes("completion-after-close", "completion-rejected", "closed-code-wrong", "closed-retryable", "transport-after-close"),
			Title: "answers completions with a fallback after it was closed",
			Run: with(func(ctx context.Context, t *T) {
				t.talks(ctx)
				t.shutdown(ctx)
				before := t.Transport.Count()
				// Being closed comes first: an invalid request is told so too.
				for _, req := range []history.CompletionRequest{t.request(t.harmless().Payload), t.request(t.private().Payload), {Provider: " ", Model: ""}, t.request(map[string]any{"messages": hostile{}})} {
					r, err := try(ctx, t, tame(func(ctx context.Context) (history.CompletionResult, error) { return t.Adapter.Complete(ctx, req) }))
					t.expect(t.Transport.Count() == before, "transport-after-close", "%d calls", t.Transport.Count()-before)
					t.demand(err == nil, "completion-rejected", "%v", err)
					t.demand(r.Status == history.Fallback, "completion-after-close", "status %q", r.Status)
					t.expect(r.Code == history.FallbackClosed, "closed-code-wrong", "got %q", r.Code)
					t.expect(!r.Retryable, "closed-retryable", "got retryable")
				}
			}),
		},
		// The rest of what reads the runtime refuses too.
		{
			ID: "history.lifecycle.rest-refused", Case: "lifecycle", Clause: "history#closed-rest",
			Level: check.Should, Provenance: check.Decided, Codes: codes("model-after-close", "root-after-close", "privacy-after-close"),
			Title: "refuses everything that reads the runtime after it was closed",
			Run: with(func(ctx context.Context, t *T) {
				t.alive(ctx)
				t.model(ctx)
				t.root(ctx)
				t.screens(ctx)
				t.shutdown(ctx)
				_, err := t.tryModel(ctx)
				t.expect(err != nil, "model-after-close", "no error")
				_, err = t.tryRoot(ctx)
				t.expect(err != nil, "root-after-close", "no error")
				_, err = t.tryEnforce(ctx, t.harmless().Payload)
				t.expect(err != nil, "privacy-after-close", "no error")
			}),
		},
		// What describes the adapter itself can still be asked for: whoever writes the
		// post-mortem needs it.
		{
			ID: "history.lifecycle.metadata-remains", Case: "lifecycle", Clause: "history#closed-metadata",
			Level: check.Should, Provenance: check.Implied, Codes: codes("declarations-after-close-changed", "negotiation-after-close-changed", "diagnostics-after-close-lost"),
			Title: "still describes itself after it was closed",
			Run: with(func(ctx context.Context, t *T) {
				t.alive(ctx)
				t.Transport.Then(failing(errors.New("provider says no")))
				t.complete(ctx, t.harmless().Payload)
				declared, negotiated, said := t.declarations(ctx), t.negotiate(ctx, askAll(true)...), t.diagnostics(ctx)
				t.require(len(declared) > 0 && len(negotiated.Statuses) > 0 && len(said) > 0, "the adapter does not describe itself")
				t.shutdown(ctx)
				t.expect(sameSet(declared, t.declarations(ctx)), "declarations-after-close-changed", "after shutdown")
				t.expect(sameSet(negotiated.Statuses, t.negotiate(ctx, askAll(true)...).Statuses), "negotiation-after-close-changed", "after shutdown")
				t.expect(len(t.diagnostics(ctx)) >= len(said), "diagnostics-after-close-lost", "after shutdown")
			}),
		},
	}
}
