package historymutants

import (
	"context"
	"errors"
	"math"
	"regexp"
	"sync"
	"time"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
)

// ownKV is a right adapter that shares nothing with the reference runtime in how it
// uses its local KV port: the first message alone is the prefix, lengths are counted
// in bytes, names are ASCII, and it keeps no counters.
func ownKV() func() check.Subject {
	return refit(func(f check.Fixture, s check.Subject, ctx context.Context) (*check.HistoryInstance, error) {
		u := &reuser{port: f.Ports.LocalKV, runtime: f.RuntimeID, enabled: true}
		if u.port == nil {
			u.port, u.enabled = f.Ports.IdleLocalKV, false
		}
		f.Ports.LocalKV, f.Ports.IdleLocalKV = nil, nil
		in, err := s.History(ctx, f)
		if err == nil && u.port != nil {
			in.Adapter = wrapped{in.Adapter, hooks{declarations: u.declare, complete: u.complete, shutdown: u.shutdown}}
		}
		return in, err
	})
}

// reuser completes through a port what it can.
type reuser struct {
	port    history.LocalKVPort
	runtime string
	enabled bool

	mu     sync.Mutex
	closed bool
}

func (u *reuser) declare(in history.Adapter) []history.Declaration {
	all := in.CapabilityDeclarations()
	for i, d := range all {
		if d.ID == history.LocalKVReuse {
			all[i] = history.Supports(d.ID, "own-kv-2")
		}
	}
	return all
}

func (u *reuser) complete(ctx context.Context, in history.Adapter, req history.CompletionRequest) (history.CompletionResult, error) {
	u.mu.Lock()
	usable := u.enabled && !u.closed
	u.mu.Unlock()
	if !usable || blank(req.Provider) || !plainName().MatchString(req.Provider) || !plainName().MatchString(req.Model) {
		return in.Complete(ctx, req)
	}
	clean, err := in.EnforcePrivacy(ctx, history.PrivacyRequest{Provider: req.Provider, Payload: req.Payload})
	if err != nil || clean.Destination != history.Local {
		return in.Complete(ctx, req)
	}
	asked, ok := u.request(req, clean.Payload)
	if !ok {
		return in.Complete(ctx, req)
	}
	output, use, err := u.ask(ctx, asked)
	if err != nil {
		return in.Complete(ctx, req)
	}
	summary := clean.Summary()
	return history.CompletionResult{Status: history.Completed, Output: output, Privacy: &summary, LocalKV: &use}, nil
}

// plainName is stricter than the contract about names.
var plainName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[!-~]{1,256}$`) })

// request makes a request to the port of a payload that has messages.
func (u *reuser) request(req history.CompletionRequest, payload any) (history.LocalKVRequest, bool) {
	p, _ := payload.(map[string]any)
	messages, _ := p["messages"].([]any)
	if len(messages) < 2 {
		return history.LocalKVRequest{}, false
	}
	rest := map[string]any{}
	for name, v := range p {
		if name != "messages" {
			rest[name] = v
		}
	}
	k := history.LocalKVKey{
		Version:           history.LocalKVEligibilityVersion,
		PrefixHash:        sum(messages[0]),
		ProviderModelHash: sum([]string{req.Provider, req.Model, "weights of today"}),
		OptionsHash:       sum(rest),
		PrivacyHash:       sum("the policy beneath"),
		RuntimeHash:       sum(u.runtime),
	}
	k.Fingerprint = fingerprint(k)
	return history.LocalKVRequest{
		Eligibility: k, Provider: req.Provider, Model: req.Model, Payload: payload,
		PrefixTokenCount: length(messages[:1]), ContextTokenCount: length(messages),
	}, true
}

// length counts the bytes of what was said.
func length(messages []any) (n int64) {
	for _, m := range messages {
		if m, ok := m.(map[string]any); ok {
			text, _ := m["content"].(string)
			n += int64(len(text))
		}
	}
	return n
}

// ask has the port reuse, or else replay.
func (u *reuser) ask(ctx context.Context, req history.LocalKVRequest) (any, history.LocalKVUse, error) {
	use := history.LocalKVUse{Mode: history.LocalKVModeHit, PrefixTokens: req.PrefixTokenCount, ContextTokens: req.ContextTokenCount}
	kept, err := guarded(func() (history.LocalKVReuseResult, error) { return u.port.TryReuse(ctx, req) })
	if err == nil && kept.Status == history.LocalKVHit && kept.SavedPrefillTokens >= 0 && kept.SavedPrefillTokens <= req.PrefixTokenCount && isLatency(kept.PrefillLatencyMS) {
		use.SavedPrefillTokens, use.PrefillLatencyMS = kept.SavedPrefillTokens, kept.PrefillLatencyMS
		return kept.Output, use, nil
	}
	again, err := guarded(func() (history.LocalKVReplayResult, error) { return u.port.FullReplay(ctx, req) })
	if err != nil || !isReplay(again) {
		return nil, use, errors.New("the port gives no answer")
	}
	use.Mode, use.ReplayPrefillTokens, use.PrefillLatencyMS = history.LocalKVModeFullReplay, again.PrefillTokens, again.PrefillLatencyMS
	return again.Output, use, nil
}

// shutdown closes the port once, and waits for it for a moment.
func (u *reuser) shutdown(ctx context.Context, in history.Adapter) error {
	u.mu.Lock()
	was := u.closed
	u.closed = true
	u.mu.Unlock()
	port, ok := u.port.(history.LocalKVShutdowner)
	if ok && !was {
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_, _ = guarded(func() (struct{}, error) { return struct{}{}, port.Shutdown(ctx) })
		}()
		select {
		case <-ended:
		case <-time.After(20 * time.Millisecond):
		}
	}
	return in.Shutdown(ctx)
}

// guarded takes a panic for an error.
func guarded[V any](f func() (V, error)) (v V, err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("the port panicked")
		}
	}()
	return f()
}

// isReplay reports whether the numbers of a replay make sense.
func isReplay(r history.LocalKVReplayResult) bool {
	return r.PrefillTokens >= 0 && r.PrefillTokens < 1<<53 && isLatency(r.PrefillLatencyMS)
}

// isLatency reports whether a duration makes sense.
func isLatency(ms float64) bool { return ms >= 0 && !math.IsInf(ms, 1) }
