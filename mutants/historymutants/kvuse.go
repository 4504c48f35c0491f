package historymutants

import (
	"context"
	"strings"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
)

func kvUseMutants() []Mutant {
	const used, enabled, remote = "history.local-kv.used", "history.local-kv.not-enabled", "history.local-kv.remote"
	const names, payload = "history.local-kv.identifiers", "history.local-kv.payload"
	type request = history.LocalKVRequest
	// renamed makes a subject that completes under other names.
	renamed := func(change func(req *history.CompletionRequest)) func() check.Subject {
		return completes(func(built) completing {
			return func(ctx context.Context, in history.Adapter, req history.CompletionRequest) (history.CompletionResult, error) {
				change(&req)
				return in.Complete(ctx, req)
			}
		})
	}
	// stuck makes a subject that falls back where it should go past a port.
	stuck := func(when func(p check.Ports, r history.CompletionResult) bool) func() check.Subject {
		return completes(func(b built) completing {
			return func(ctx context.Context, in history.Adapter, req history.CompletionRequest) (history.CompletionResult, error) {
				r, err := in.Complete(ctx, req)
				if err == nil && when(b.f.Ports, r) {
					r = history.FallBack(history.FallbackTransport, "no local state")
				}
				return r, err
			}
		})
	}
	return []Mutant{
		{"history-kv-unused", "never asks the port that it was given to use", used, "port-unused",
			ported(func(p *check.Ports) {
				if p.LocalKV != nil {
					p.LocalKV, p.IdleLocalKV = nil, p.LocalKV
				}
			})},
		{"history-kv-idle", "asks a port that nobody enabled", enabled, "idle-port-asked",
			ported(func(p *check.Ports) {
				if p.IdleLocalKV != nil {
					p.LocalKV, p.IdleLocalKV = p.IdleLocalKV, nil
				}
			})},
		{"history-kv-idle-stuck", "falls back where its port is not enabled", enabled, "idle-not-sent",
			stuck(func(p check.Ports, _ history.CompletionResult) bool { return p.IdleLocalKV != nil })},
		{"history-kv-disabled", "asks a port for a capability that it does not support", enabled, "disabled-port-asked",
			hooked(func(built) hooks {
				return hooks{declarations: func(history.Adapter) []history.Declaration {
					return []history.Declaration{history.Lacks(history.LocalKVReuse, "switched off")}
				}}
			})},
		{"history-kv-bad-version", "asks a port under a version that negotiation refuses", enabled, "disabled-port-asked",
			hooked(func(built) hooks {
				return hooks{declarations: func(history.Adapter) []history.Declaration {
					return []history.Declaration{history.Supports(history.LocalKVReuse, "not a version")}
				}}
			})},
		{"history-kv-remote", "asks its port first, whoever is to answer", remote, "remote-reached-port",
			completes(func(b built) completing {
				return func(ctx context.Context, in history.Adapter, req history.CompletionRequest) (history.CompletionResult, error) {
					if port := b.f.Ports.LocalKV; port != nil {
						if _, err := port.TryReuse(ctx, request{Provider: req.Provider, Model: req.Model}); err != nil {
							return history.FallBack(history.FallbackTransport, "no local state"), nil
						}
					}
					return in.Complete(ctx, req)
				}
			})},
		{"history-kv-remote-stuck", "completes nothing at remote providers where it has a port", remote, "remote-not-sent",
			stuck(func(p check.Ports, r history.CompletionResult) bool {
				return p.LocalKV != nil && r.Privacy != nil && r.Privacy.Destination == history.Remote
			})},
		{"history-kv-provider-trimmed", "trims names of providers", names, "invalid-provider-reused",
			renamed(func(req *history.CompletionRequest) { req.Provider = strings.TrimSpace(req.Provider) })},
		{"history-kv-model-trimmed", "trims names of models", names, "invalid-model-reused",
			renamed(func(req *history.CompletionRequest) { req.Model = strings.TrimSpace(req.Model) })},
		{"history-kv-model-cut", "cuts names of models", names, "invalid-model-reused",
			renamed(func(req *history.CompletionRequest) { req.Model = req.Model[:min(len(req.Model), 64)] })},
		{"history-kv-port-provider", "has a name of its own for the provider", payload, "port-provider-wrong",
			asks(func(req *request) { req.Provider = "local" })},
		{"history-kv-port-model", "asks its port for a model without its tag", payload, "port-model-wrong",
			asks(func(req *request) { req.Model, _, _ = strings.Cut(req.Model, "-") })},
		{"history-kv-port-suffix", "gives its port what is new alone", payload, "port-payload-changed",
			asks(func(req *request) {
				if p, ok := req.Payload.(map[string]any); ok {
					messages := p["messages"].([]any)
					req.Payload = map[string]any{"messages": messages[len(messages)-1:]}
				}
			})},
		{"history-kv-port-raw", "gives its port the payload unscreened", payload, "port-payload-changed", unscreened()},
		{"history-kv-counts-swapped", "takes the prefix for longer than the whole", payload, "port-counts-invalid",
			asks(func(req *request) {
				req.PrefixTokenCount, req.ContextTokenCount = req.ContextTokenCount, req.PrefixTokenCount
			})},
		{"history-kv-replay-differs", "replays under another key", payload, "replay-differs",
			meddled(func() meddling {
				return meddling{replay: func(ctx context.Context, next history.LocalKVPort, req request) (history.LocalKVReplayResult, error) {
					req.Eligibility.PrefixHash = req.Eligibility.Fingerprint
					return next.FullReplay(ctx, req)
				}}
			})},
	}
}

// unscreened gives its port the payload as the caller had it.
func unscreened() func() check.Subject {
	return refit(func(f check.Fixture, s check.Subject, ctx context.Context) (*check.HistoryInstance, error) {
		var raw any
		if f.Ports.LocalKV != nil {
			f.Ports.LocalKV = meddling{LocalKVPort: f.Ports.LocalKV,
				replay: func(ctx context.Context, next history.LocalKVPort, req history.LocalKVRequest) (history.LocalKVReplayResult, error) {
					req.Payload = raw
					return next.FullReplay(ctx, req)
				}}
		}
		in, err := s.History(ctx, f)
		if err == nil {
			in.Adapter = wrapped{in.Adapter, hooks{complete: func(ctx context.Context, in history.Adapter, req history.CompletionRequest) (history.CompletionResult, error) {
				raw = req.Payload
				return in.Complete(ctx, req)
			}}}
		}
		return in, err
	})
}
