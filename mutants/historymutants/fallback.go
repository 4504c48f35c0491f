package historymutants

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
)

func fallbackMutants() []Mutant {
	const failure, retry, panics = "history.completion.transport-failure", "history.completion.retryable", "history.completion.transport-panic"
	const recovers, reason, invalid, diagnosed = "history.completion.recovers", "history.completion.reason", "history.completion.invalid-request", "history.completion.failure-diagnosed"
	type request = history.CompletionRequest
	type result = history.CompletionResult
	transport := func(r *result) bool { return r.Code == history.FallbackTransport }
	return []Mutant{
		{"history-F01", "passes the provider's error on", failure, "completion-rejected",
			fellBack(func(request, *result) error { return errors.New("provider says no") })},
		{"history-F08", "invents an answer when the provider fails", failure, "output-invented",
			fellBack(func(_ request, r *result) error {
				*r = result{Status: history.Completed, Output: "I am not sure."}
				return nil
			})},
		{"history-fallback-with-output", "falls back with an answer", failure, "output-invented",
			fellBack(func(_ request, r *result) error { r.Output = "I am not sure."; return nil })},
		{"history-fallback-code", "has one code for every failure", failure, "fallback-code-wrong",
			fellBack(func(_ request, r *result) error { r.Code = "failed"; return nil })},
		{"history-retries", "tries a failed request again", failure, "transport-retried",
			carried(func(_ check.Fixture, next history.Transport) history.Transport {
				return func(ctx context.Context, req history.TransportRequest) (any, error) {
					out, err := next(ctx, req)
					if err != nil {
						out, err = next(ctx, req)
						if err == nil {
							err = errors.New("too late")
						}
					}
					return out, err
				}
			})},
		{"history-fails-first", "falls back without asking", failure, "transport-not-called",
			completes(func(built) completing {
				return func(context.Context, history.Adapter, request) (result, error) {
					return history.FallBack(history.FallbackTransport, "offline"), nil
				}
			})},
		{"history-F02", "does not say that another try can help", retry, "transport-failure-not-retryable",
			fellBack(func(_ request, r *result) error { r.Retryable = false; return nil })},
		{"history-always-retryable", "says that another try can always help", retry, "invalid-request-retryable",
			fellBack(func(_ request, r *result) error { r.Retryable = true; return nil })},
		{"history-F13", "lets a panic of its transport through", panics, "transport-panic-escaped", policed(policy{})},
		{"history-panic-code", "takes a panic of its transport for a failed screening", panics, "fallback-code-wrong",
			completes(func(built) completing {
				return func(ctx context.Context, in history.Adapter, req request) (result, error) {
					r, err := in.Complete(ctx, req)
					if transport(&r) {
						r = history.FallBack(history.FallbackPrivacy, "failed")
					}
					return r, err
				}
			})},
		{"history-F07", "fails for ever after one failure", recovers, "failure-sticks",
			completes(func(built) completing {
				failed := false
				return func(ctx context.Context, in history.Adapter, req request) (result, error) {
					if failed {
						return history.FallBack(history.FallbackTransport, "broken"), nil
					}
					r, err := in.Complete(ctx, req)
					failed = transport(&r)
					return r, err
				}
			})},
		{"history-refusal-fatal", "fails for ever after a payload that it could not screen", recovers, "failure-sticks",
			completes(func(built) completing {
				failed := false
				return func(ctx context.Context, in history.Adapter, req request) (result, error) {
					if failed {
						return history.FallBack(history.FallbackPrivacy, "broken"), nil
					}
					r, err := in.Complete(ctx, req)
					failed = r.Code == history.FallbackPrivacy
					return r, err
				}
			})},
		{"history-F05", "quotes the prompt in its reason", reason, "fallback-reason-leaks",
			fellBack(func(req request, r *result) error { r.Reason = "failed: " + clip(req.Payload); return nil })},
		{"history-reason-provider", "quotes the provider in its reason", reason, "fallback-reason-leaks", quotingProvider()},
		{"history-reason-long", "gives a reason of 100 KB", reason, "fallback-reason-unbounded",
			fellBack(func(_ request, r *result) error { r.Reason = strings.Repeat("because ", 12_500); return nil })},
		{"history-reason-none", "gives no reason", reason, "fallback-reason-missing",
			fellBack(func(_ request, r *result) error { r.Reason = ""; return nil })},
		{"history-default-model", "fills in what a request does not name", invalid, "invalid-request-sent",
			completes(func(b built) completing {
				return func(ctx context.Context, in history.Adapter, req request) (result, error) {
					if blank(req.Provider) || blank(req.Model) {
						req.Provider, req.Model = b.f.Model.Provider, b.f.Model.ID
					}
					return in.Complete(ctx, req)
				}
			})},
		{"history-invalid-rejected", "rejects a request that names no model", invalid, "completion-rejected",
			fellBack(func(request, *result) error { return errors.New("no model") })},
		{"history-invalid-completed", "answers a request that names no model itself", invalid, "invalid-request-completed",
			fellBack(func(_ request, r *result) error { *r = result{Status: history.Completed}; return nil })},
		{"history-invalid-code", "takes an invalid request for a failed transport", invalid, "invalid-request-code-wrong",
			fellBack(func(_ request, r *result) error {
				*r = history.FallBack(history.FallbackTransport, "failed")
				return nil
			})},
		{"history-F04", "keeps no record of a failed transport", diagnosed, "failure-undiagnosed", without(history.CodeTransportFailed)},
		{"history-diagnosed-twice", "records one failure twice", diagnosed, "failure-diagnosed-again",
			recorded(func(d []history.Diagnostic) []history.Diagnostic { return append(d, d...) })},
		{"history-F11", "records a failure as an info about a capability", diagnosed, "failure-capability-wrong",
			recorded(func(d []history.Diagnostic) []history.Diagnostic {
				for i := range d {
					d[i].Severity, d[i].Capability = history.Info, history.Compaction
				}
				return d
			})},
	}
}

// clip is the end of a payload as text, short enough for a reason.
func clip(payload any) string {
	s := strings.Join(slices.Collect(strings.Lines(spell(payload))), "")
	return s[max(0, len(s)-200):]
}

// quotingProvider gives the provider's error for its reason.
func quotingProvider() func() check.Subject {
	return refit(func(f check.Fixture, s check.Subject, ctx context.Context) (*check.HistoryInstance, error) {
		var said atomic.Value
		next := f.Transport
		f.Transport = func(ctx context.Context, req history.TransportRequest) (any, error) {
			out, err := next(ctx, req)
			if err != nil {
				said.Store(err.Error())
			}
			return out, err
		}
		in, err := s.History(ctx, f)
		if err != nil {
			return nil, err
		}
		in.Adapter = wrapped{in.Adapter, hooks{complete: func(ctx context.Context, in history.Adapter, req history.CompletionRequest) (history.CompletionResult, error) {
			r, err := in.Complete(ctx, req)
			if text, ok := said.Load().(string); ok && r.Status == history.Fallback {
				r.Reason = text
			}
			return r, err
		}}}
		return in, nil
	})
}
