package historytest

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"sync/atomic"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
)

func completionChecks() []check.Check {
	return []check.Check{
		// A completion gives back what the provider answered, whatever its shape.
		{
			ID: "history.completion.output", Case: "fallback", Clause: "history#completion-output",
			Level: check.Must, Provenance: check.Stated, Codes: codes("completion-rejected", "not-completed", "output-lost", "output-changed"),
			Title: "gives back the provider's answer",
			Run: with(func(ctx context.Context, t *T) {
				for _, want := range []any{t.Transport.Output, "plain " + t.word(), []any{t.word(), 1.5, nil}, map[string]any{"deep": map[string]any{"list": []any{t.word()}}}, "", false, 0.0} {
					t.Transport.Then(answering(want))
					r := t.answered(ctx)
					t.demand(r.Output != nil, "output-lost", "no output")
					t.demand(reflect.DeepEqual(r.Output, want), "output-changed", "got %v", r.Output)
				}
			}),
		},
		// One completion is one call: a second one is a second bill.
		{
			ID: "history.completion.once", Case: "privacy", Clause: "history#completion-once",
			Level: check.Must, Provenance: check.Stated, Codes: codes("completion-rejected", "not-completed", "transport-not-called", "transport-called-again"),
			Title: "calls its transport once per completion",
			Run: with(func(ctx context.Context, t *T) {
				for i := range 3 {
					t.answered(ctx)
					t.demand(t.Transport.Count() >= i+1, "transport-not-called", "%d calls for %d completions", t.Transport.Count(), i+1)
					t.demand(t.Transport.Count() <= i+1, "transport-called-again", "%d calls for %d completions", t.Transport.Count(), i+1)
				}
			}),
		},
		// A request goes to the provider and the model that it names.
		{
			ID: "history.completion.route", Case: "privacy", Clause: "history#completion-route",
			Level: check.Must, Provenance: check.Implied, Codes: codes("completion-rejected", "not-completed", "transport-not-called", "provider-rerouted", "model-rerouted", "destination-wrong"),
			Title: "passes a request on to the provider and model that it names",
			Run: with(func(ctx context.Context, t *T) {
				for _, to := range [][2]string{{t.Fixture.Model.Provider, t.Fixture.Model.ID}, {"remote-" + t.word(), "model-" + t.word()}} {
					before := t.Transport.Count()
					t.answeredBy(ctx, history.CompletionRequest{Provider: to[0], Model: to[1], Payload: t.harmless().Payload})
					sent := t.Transport.Sent()[before:]
					t.demand(len(sent) > 0, "transport-not-called", "no call")
					t.expect(sent[0].Provider == to[0], "provider-rerouted", "got %q", sent[0].Provider)
					t.expect(sent[0].Model == to[1], "model-rerouted", "got %q", sent[0].Model)
					t.expect(sent[0].Destination == history.Remote, "destination-wrong", "got %q", sent[0].Destination)
				}
			}),
		},
		// The answer is not history until the runtime makes it so.
		{
			ID: "history.completion.not-canonical", Case: "fallback", Clause: "history#completion-not-canonical",
			Level: check.Must, Provenance: check.Stated, Codes: codes("completion-rejected", "not-completed", "completion-became-history"),
			Title: "keeps completions out of the history",
			Run: with(func(ctx context.Context, t *T) {
				first := t.alive(ctx)
				t.answered(ctx)
				t.answered(ctx)
				for _, s := range []history.Snapshot{t.snapshot(ctx), t.rebuild(ctx)} {
					t.demand(sameContent(t.Fixture.Messages, s.Messages) && s.Revision == first.Revision, "completion-became-history", "%d messages", len(s.Messages))
				}
			}),
		},
		// Completions at the same time do not mix.
		{
			ID: "history.completion.concurrent", Case: "fallback", Clause: "history#concurrent-completions",
			Level: check.Must, Provenance: check.Decided, Codes: codes("answers-mixed", "answers-lost", "transport-called-again"),
			Title: "keeps concurrent completions apart",
			Run: with(func(ctx context.Context, t *T) {
				const n = 8
				words := make([]string, n)
				payloads := make([]map[string]any, n)
				echo := func(_ context.Context, req history.TransportRequest) (any, error) {
					in := texts(req.Payload)
					return slices.IndexFunc(words, func(w string) bool { _, is := found(in, []string{w}); return is }), nil
				}
				for i := range n {
					p := t.harmless()
					words[i], payloads[i] = p.Public[0], p.Payload
					t.Transport.Then(echo)
				}
				got := gather(ctx, t, n, func(ctx context.Context, i int) (history.CompletionResult, error) {
					return t.Adapter.Complete(ctx, t.request(payloads[i]))
				})
				for i, r := range got {
					t.demand(r.Status == history.Completed && r.Output != nil, "answers-lost", "%d: %s", i, r.Code)
					t.demand(r.Output == any(i), "answers-mixed", "%d got the answer of %v", i, r.Output)
				}
				t.demand(t.Transport.Count() == n, "transport-called-again", "%d calls", t.Transport.Count())
			}),
		},
		// Whoever waits may stop waiting.
		{
			ID: "history.completion.context", Case: "fallback", Clause: "history#completion-context",
			Level: check.Should, Provenance: check.Decided, Codes: codes("cancel-ignored", "cancel-completed", "transport-not-called"),
			Title: "gives up when its caller does",
			Run: with(func(ctx context.Context, t *T) {
				var entered atomic.Bool
				mine, cancel := context.WithCancel(ctx)
				defer cancel()
				t.Transport.Then(func(given context.Context, _ history.TransportRequest) (any, error) {
					entered.Store(true)
					cancel()
					select {
					case <-given.Done():
					case <-ctx.Done(): // the check is over
					}
					return nil, context.Canceled
				})
				r, err := check.Await(ctx, t.C, t.Budgets.Call, func(bound context.Context) (history.CompletionResult, error) {
					return t.Adapter.Complete(within(mine, bound), t.request(t.harmless().Payload))
				})
				t.demand(!errors.Is(err, check.ErrHung), "cancel-ignored", "no answer")
				t.demand(entered.Load(), "transport-not-called", "no call")
				t.demand(err != nil || r.Status != history.Completed, "cancel-completed", "an answer that nobody gave")
			}),
		},
	}
}

// within is a context that ends with either of the two.
func within(ctx, bound context.Context) context.Context {
	both, cancel := context.WithCancel(ctx)
	context.AfterFunc(bound, cancel)
	return both
}

// answered completes a harmless request and must succeed.
func (t *T) answered(ctx context.Context) history.CompletionResult {
	return t.answeredBy(ctx, t.request(t.harmless().Payload))
}

func (t *T) answeredBy(ctx context.Context, req history.CompletionRequest) history.CompletionResult {
	r, err := try(ctx, t, func(ctx context.Context) (history.CompletionResult, error) { return t.Adapter.Complete(ctx, req) })
	t.demand(err == nil, "completion-rejected", "%v", err)
	t.demand(r.Status == history.Completed, "not-completed", "status %q, code %q", r.Status, r.Code)
	return r
}
