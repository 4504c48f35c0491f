package historymutants

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
)

// completing is the way in which a mutant completes.
type completing = func(ctx context.Context, in history.Adapter, req history.CompletionRequest) (history.CompletionResult, error)

// completes makes a subject that completes in its own way.
func completes(make func(b built) completing) func() check.Subject {
	return hooked(func(b built) hooks { return hooks{complete: make(b)} })
}

// results makes a subject that changes what a completion gives.
func results(change func(req history.CompletionRequest, r *history.CompletionResult) error) func() check.Subject {
	return completes(func(built) completing {
		return func(ctx context.Context, in history.Adapter, req history.CompletionRequest) (history.CompletionResult, error) {
			r, err := in.Complete(ctx, req)
			if err == nil {
				err = change(req, &r)
			}
			return r, err
		}
	})
}

// raw sends a payload as it is.
func raw(ctx context.Context, b built, req history.CompletionRequest) (history.CompletionResult, error) {
	return sendAs(ctx, b.f.Transport, req, history.PrivacyResult{Provider: req.Provider, Destination: history.Remote, Payload: req.Payload})
}

// rawAfter sends payloads as they are once something has happened n times.
func rawAfter(n int, counts func(r history.CompletionResult) bool) func() check.Subject {
	return completes(func(b built) completing {
		seen := 0
		return func(ctx context.Context, in history.Adapter, req history.CompletionRequest) (history.CompletionResult, error) {
			if seen >= n {
				return raw(ctx, b, req)
			}
			r, err := in.Complete(ctx, req)
			if counts(r) {
				seen++
			}
			return r, err
		}
	})
}

// besides sends the sanitised payload, and lets the change add to the request.
func besides(change func(to *history.TransportRequest, raw any)) func() check.Subject {
	return completes(func(b built) completing {
		return func(ctx context.Context, in history.Adapter, req history.CompletionRequest) (history.CompletionResult, error) {
			r, err := in.EnforcePrivacy(ctx, history.PrivacyRequest{Provider: req.Provider, Payload: req.Payload})
			if err != nil {
				return history.FallBack(history.FallbackPrivacy, "refused"), nil
			}
			changed := func(ctx context.Context, to history.TransportRequest) (any, error) {
				change(&to, req.Payload)
				return b.f.Transport(ctx, to)
			}
			return sendAs(ctx, changed, req, r)
		}
	})
}

// noting adds to a file beside the history.
func noting(write func(req history.CompletionRequest, r history.CompletionResult) string) func() check.Subject {
	return completes(func(b built) completing {
		return func(ctx context.Context, in history.Adapter, req history.CompletionRequest) (history.CompletionResult, error) {
			r, err := in.Complete(ctx, req)
			path := filepath.Join(b.f.Dir, "adapter.log")
			log, _ := os.ReadFile(path)
			return r, errors.Join(err, os.WriteFile(path, append(log, write(req, r)...), 0o600))
		}
	})
}

func transportMutants() []Mutant {
	const transport, every, summary, disk = "history.privacy.transport", "history.privacy.every-call", "history.privacy.summary", "history.privacy.no-side-way"
	return []Mutant{
		{"history-P10", "enforces privacy well and sends the raw payload", transport, "private-content-sent",
			completes(func(b built) completing {
				return func(ctx context.Context, _ history.Adapter, req history.CompletionRequest) (history.CompletionResult, error) {
					return raw(ctx, b, req)
				}
			})},
		{"history-P28", "sends the raw payload inside a map of any keys", transport, "private-content-sent",
			besides(func(to *history.TransportRequest, raw any) {
				to.Payload = map[string]any{"request": to.Payload, "cache": map[any]any{1: raw}}
			})},
		{"history-raw-hidden", "sends the raw payload in a field that cannot be seen", transport, "private-content-sent",
			besides(func(to *history.TransportRequest, raw any) {
				to.Payload = map[string]any{"request": to.Payload, "cache": &struct{ raw any }{raw}}
			})},
		{"history-raw-bytes", "sends the raw payload as bytes", transport, "private-content-sent",
			besides(func(to *history.TransportRequest, raw any) {
				to.Payload = []any{to.Payload, fmt.Appendf(nil, "%v", raw)}
			})},
		{"history-P29", "sends the raw payload beside the sanitised one", transport, "private-content-beside-payload",
			besides(func(to *history.TransportRequest, raw any) { to.Model = fmt.Sprintf("%s?debug=%v", to.Model, raw) })},
		{"history-raw-provider", "tags the provider with the prompt", transport, "private-content-beside-payload",
			besides(func(to *history.TransportRequest, raw any) { to.Provider = fmt.Sprintf("%s#%v", to.Provider, raw) })},
		{"history-unsent", "answers without asking", transport, "transport-not-reached",
			completes(func(built) completing {
				return func(context.Context, history.Adapter, history.CompletionRequest) (history.CompletionResult, error) {
					return history.CompletionResult{Status: history.Completed, Output: "cached"}, nil
				}
			})},
		{"history-P31", "screens the first completion only", every, "later-call-unscreened",
			rawAfter(1, func(history.CompletionResult) bool { return true })},
		{"history-raw-after-failure", "stops screening after a failed transport", every, "later-call-unscreened",
			rawAfter(1, func(r history.CompletionResult) bool { return r.Code == history.FallbackTransport })},
		{"history-raw-after-refusal", "stops screening after it could not", every, "later-call-unscreened",
			rawAfter(1, func(r history.CompletionResult) bool { return r.Code == history.FallbackPrivacy })},
		{"history-payload-kept", "sends what was said before along with each request", every, "earlier-payload-sent",
			hooked(func(b built) hooks {
				var said []any
				return hooks{complete: func(ctx context.Context, in history.Adapter, req history.CompletionRequest) (history.CompletionResult, error) {
					r, err := in.EnforcePrivacy(ctx, history.PrivacyRequest{Provider: req.Provider, Payload: req.Payload})
					if err != nil {
						return history.FallBack(history.FallbackPrivacy, "refused"), nil
					}
					said = append(said, r.Payload)
					r.Payload = map[string]any{"turns": said}
					return sendAs(ctx, b.f.Transport, req, r)
				}}
			})},
		{"history-late-messages", "screens the first hundred messages", "history.privacy.any-size", "size-bypass",
			completes(func(b built) completing {
				return func(ctx context.Context, in history.Adapter, req history.CompletionRequest) (history.CompletionResult, error) {
					if m, ok := req.Payload.(map[string]any); ok {
						if list, ok := m["messages"].([]any); ok && len(list) > 100 {
							return raw(ctx, b, req)
						}
					}
					return in.Complete(ctx, req)
				}
			})},
		{"history-P26", "does not screen a payload over a megabyte", "history.privacy.any-size", "size-bypass",
			completes(func(b built) completing {
				return func(ctx context.Context, in history.Adapter, req history.CompletionRequest) (history.CompletionResult, error) {
					if len(fmt.Sprint(req.Payload)) > 1<<20 {
						return raw(ctx, b, req)
					}
					return in.Complete(ctx, req)
				}
			})},
		{"history-P20", "puts the raw payload into the privacy summary", summary, "private-content-in-result",
			results(func(req history.CompletionRequest, r *history.CompletionResult) error {
				if r.Privacy != nil {
					r.Privacy.Provider += fmt.Sprint(req.Payload)
				}
				return nil
			})},
		{"history-summary-missing", "gives no privacy summary", summary, "privacy-summary-missing",
			results(func(_ history.CompletionRequest, r *history.CompletionResult) error { r.Privacy = nil; return nil })},
		{"history-summary-empty", "gives an empty privacy summary", summary, "privacy-summary-wrong",
			results(func(_ history.CompletionRequest, r *history.CompletionResult) error {
				r.Privacy = &history.PrivacySummary{}
				return nil
			})},
		{"history-P11", "writes the raw payload to a file", disk, "private-content-on-disk",
			noting(func(req history.CompletionRequest, _ history.CompletionResult) string { return fmt.Sprint(req.Payload) })},
		{"history-answer-log", "writes answers to a file", disk, "answer-on-disk",
			noting(func(_ history.CompletionRequest, r history.CompletionResult) string { return fmt.Sprint(r.Output) })},
	}
}

func hostileMutants() []Mutant {
	const closed, odd = "history.privacy.fails-closed", "history.privacy.untraversable"
	// refusing changes what follows when a payload cannot be screened.
	refusing := func(change func(ctx context.Context, b built, req history.CompletionRequest, r history.CompletionResult) (history.CompletionResult, error)) func() check.Subject {
		return completes(func(b built) completing {
			return func(ctx context.Context, in history.Adapter, req history.CompletionRequest) (history.CompletionResult, error) {
				r, err := in.Complete(ctx, req)
				if err == nil && r.Code == history.FallbackPrivacy {
					return change(ctx, b, req, r)
				}
				return r, err
			}
		})
	}
	type request = history.CompletionRequest
	type result = history.CompletionResult
	return []Mutant{
		{"history-P13", "reports a failed screening as a failed transport", closed, "privacy-failure-code-wrong",
			refusing(func(_ context.Context, _ built, _ request, r result) (result, error) {
				r.Code = history.FallbackTransport
				return r, nil
			})},
		{"history-P14", "asks to try again after a failed screening", closed, "privacy-failure-retryable",
			refusing(func(_ context.Context, _ built, _ request, r result) (result, error) {
				r.Retryable = true
				return r, nil
			})},
		{"history-sent-unscreened", "sends what it could not screen", closed, "unscreened-payload-sent",
			refusing(func(ctx context.Context, b built, req request, _ result) (result, error) { return raw(ctx, b, req) })},
		{"history-sent-emptied", "sends nothing in place of what it could not screen", closed, "unscreened-payload-sent",
			refusing(func(ctx context.Context, b built, req request, _ result) (result, error) {
				req.Payload = map[string]any{}
				return raw(ctx, b, req)
			})},
		{"history-refusal-completed", "answers itself when it cannot screen", closed, "privacy-failure-completed",
			refusing(func(context.Context, built, request, result) (result, error) {
				return result{Status: history.Completed, Output: "I cannot help with that."}, nil
			})},
		{"history-refusal-rejected", "rejects what it cannot screen", closed, "privacy-failure-rejected",
			refusing(func(_ context.Context, _ built, _ request, r result) (result, error) {
				return r, errors.New("cannot screen")
			})},
		{"history-enforce-empty", "gives nothing back for what it cannot screen", "history.privacy.enforce-refuses", "unscreened-payload-returned",
			hooked(func(built) hooks {
				return hooks{enforce: func(ctx context.Context, in history.Adapter, req history.PrivacyRequest) (history.PrivacyResult, error) {
					r, err := in.EnforcePrivacy(ctx, req)
					if err != nil {
						r = history.PrivacyResult{Provider: req.Provider, Destination: history.Remote, Changed: true}
					}
					return r, nil
				}}
			})},
		{"history-odd", "sends values that it does not know as they are", odd, "untraversable-sent", policed(policy{odd: true})},
		{"history-odd-rejected", "rejects values that it does not know", odd, "untraversable-rejected",
			refusing(func(_ context.Context, _ built, _ request, r result) (result, error) {
				return r, errors.New("unknown type")
			})},
		{"history-odd-code", "calls a request with values that it does not know invalid", odd, "privacy-failure-code-wrong",
			refusing(func(_ context.Context, _ built, _ request, r result) (result, error) {
				r.Code = history.FallbackInvalid
				return r, nil
			})},
	}
}
