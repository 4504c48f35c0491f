package historymutants

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
)

// completed changes what a completion that succeeded gives.
func completed(change func(r *history.CompletionResult) error) func() check.Subject {
	return results(func(_ history.CompletionRequest, r *history.CompletionResult) error {
		if r.Status == history.Completed {
			return change(r)
		}
		return nil
	})
}

// fellBack changes what a completion with a fallback gives.
func fellBack(change func(req history.CompletionRequest, r *history.CompletionResult) error) func() check.Subject {
	return results(func(req history.CompletionRequest, r *history.CompletionResult) error {
		if r.Status == history.Fallback {
			return change(req, r)
		}
		return nil
	})
}

func completionMutants() []Mutant {
	const output, once, route = "history.completion.output", "history.completion.once", "history.completion.route"
	return []Mutant{
		{"history-F14", "loses the provider's answer", output, "output-lost", completed(func(r *history.CompletionResult) error { r.Output = nil; return nil })},
		{"history-output-falsy", "takes an empty answer for none", output, "not-completed",
			completed(func(r *history.CompletionResult) error {
				if r.Output == "" {
					*r = history.FallBack(history.FallbackTransport, "no answer")
				}
				return nil
			})},
		{"history-output-wrapped", "wraps the provider's answer", output, "output-changed",
			completed(func(r *history.CompletionResult) error { r.Output = map[string]any{"output": r.Output}; return nil })},
		{"history-output-rejected", "rejects what it completed", output, "completion-rejected",
			completed(func(*history.CompletionResult) error { return errors.New("unexpected shape") })},
		{"history-output-fallback", "falls back when the provider answers", output, "not-completed",
			completed(func(r *history.CompletionResult) error {
				*r = history.FallBack(history.FallbackTransport, "no answer")
				return nil
			})},
		{"history-P23", "calls its transport twice", once, "transport-called-again",
			carried(func(_ check.Fixture, next history.Transport) history.Transport {
				return func(ctx context.Context, req history.TransportRequest) (any, error) {
					if _, err := next(ctx, req); err != nil {
						return nil, err
					}
					return next(ctx, req)
				}
			})},
		{"history-cached-answer", "answers the second time from memory", once, "transport-not-called",
			carried(func(_ check.Fixture, next history.Transport) history.Transport {
				var kept any
				return func(ctx context.Context, req history.TransportRequest) (out any, err error) {
					if kept == nil {
						kept, err = next(ctx, req)
					}
					return kept, err
				}
			})},
		{"history-P22", "sends every request to its favourite provider", route, "provider-rerouted",
			carried(func(_ check.Fixture, next history.Transport) history.Transport {
				return func(ctx context.Context, req history.TransportRequest) (any, error) {
					req.Provider, req.Model = "favourite", "best"
					return next(ctx, req)
				}
			})},
		{"history-selected-model", "sends every request to the selected model", route, "model-rerouted",
			carried(func(f check.Fixture, next history.Transport) history.Transport {
				return func(ctx context.Context, req history.TransportRequest) (any, error) {
					req.Model = f.Model.ID
					return next(ctx, req)
				}
			})},
		{"history-destination-lost", "does not say where a request goes", route, "destination-wrong",
			carried(func(_ check.Fixture, next history.Transport) history.Transport {
				return func(ctx context.Context, req history.TransportRequest) (any, error) {
					req.Destination = ""
					return next(ctx, req)
				}
			})},
		{"history-answer-kept", "writes answers into the history", "history.completion.not-canonical", "completion-became-history",
			completes(func(b built) completing {
				return func(ctx context.Context, in history.Adapter, req history.CompletionRequest) (history.CompletionResult, error) {
					r, err := in.Complete(ctx, req)
					m := b.f.Messages[0].Clone()
					m.ID, m.SourceEntryID, m.Provenance.EntryID = b.f.SessionID+":answer", "answer", "answer"
					m.Role, m.Blocks = history.Assistant, []history.Block{history.Text{Text: "answer"}}
					return r, errors.Join(err, ignoreSecond(b.in.Source.Append(ctx, m)))
				}
			})},
		{"history-answers-mixed", "gives everybody the first answer", "history.completion.concurrent", "answers-mixed",
			completes(func(built) completing {
				var mu sync.Mutex
				var first *history.CompletionResult
				return func(ctx context.Context, in history.Adapter, req history.CompletionRequest) (history.CompletionResult, error) {
					r, err := in.Complete(ctx, req)
					mu.Lock()
					defer mu.Unlock()
					if first == nil {
						first = &r
					}
					return *first, err
				}
			})},
		{"history-answers-lost", "refuses a completion while another is under way", "history.completion.concurrent", "answers-lost",
			completes(func(built) completing {
				var n atomic.Int32
				second := make(chan struct{})
				return func(ctx context.Context, in history.Adapter, req history.CompletionRequest) (history.CompletionResult, error) {
					switch n.Add(1) {
					case 1:
						select {
						case <-second:
						case <-ctx.Done():
						}
						return in.Complete(ctx, req)
					case 2:
						close(second)
					}
					return history.FallBack(history.FallbackTransport, "busy"), nil
				}
			})},
		{"history-cancel-ignored", "does not hear that its caller gave up", "history.completion.context", "cancel-ignored",
			carried(func(_ check.Fixture, next history.Transport) history.Transport {
				return func(ctx context.Context, req history.TransportRequest) (any, error) {
					return next(context.WithoutCancel(ctx), req)
				}
			})},
		{"history-cancel-completed", "answers whom nobody answered", "history.completion.context", "cancel-completed",
			completes(func(built) completing {
				return func(ctx context.Context, in history.Adapter, req history.CompletionRequest) (history.CompletionResult, error) {
					r, err := in.Complete(ctx, req)
					if ctx.Err() != nil {
						return history.CompletionResult{Status: history.Completed, Output: ""}, nil
					}
					return r, err
				}
			})},
	}
}

// ignoreSecond: a second answer has the id of the first and is refused.
func ignoreSecond(error) error { return nil }
