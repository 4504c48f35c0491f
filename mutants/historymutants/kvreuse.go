package historymutants

import (
	"context"
	"errors"
	"strings"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
)

// viaPort makes a subject that changes what it gives for a completion that its port
// made.
func viaPort(mode history.LocalKVMode, change func(r *history.CompletionResult)) func() check.Subject {
	return completed(func(r *history.CompletionResult) error {
		if r.LocalKV != nil && r.LocalKV.Mode == mode {
			change(r)
		}
		return nil
	})
}

// believes makes a subject that mends what its port says until it is a hit.
func believes(mend func(r *history.LocalKVReuseResult, prefix int64)) func() check.Subject {
	return meddled(func() meddling {
		return meddling{reuse: func(ctx context.Context, next history.LocalKVPort, req history.LocalKVRequest) (history.LocalKVReuseResult, error) {
			r, err := next.TryReuse(ctx, req)
			mend(&r, req.PrefixTokenCount)
			return r, err
		}}
	})
}

// sends has a completion sent as well.
func sends(ctx context.Context, b built, s said) error {
	_, err := b.f.Transport(ctx, history.TransportRequest{Provider: s.asked.Provider, Model: s.asked.Model, Destination: history.Local, Payload: s.asked.Payload})
	return err
}

func kvReuseMutants() []Mutant {
	const hit, replay, invalid = "history.local-kv.hit", "history.local-kv.replay", "history.local-kv.invalid-reuse"
	type result = history.CompletionResult
	type reuse = history.LocalKVReuseResult
	fallBack := func(r *result) { *r = history.FallBack(history.FallbackTransport, "no local state") }
	wrap := func(r *result) { r.Output = map[string]any{"text": r.Output} }
	// also makes a subject that sends what its port has completed.
	also := func(replayed bool) func() check.Subject {
		return heeds(func(ctx context.Context, b built, s said, r *result) error {
			if r.LocalKV != nil && s.replayed == replayed {
				return sends(ctx, b, s)
			}
			return nil
		})
	}
	return []Mutant{
		{"history-kv-hit-lost", "falls back after a hit", hit, "hit-not-completed", viaPort(history.LocalKVModeHit, fallBack)},
		{"history-kv-hit-wrapped", "wraps the answer of a hit", hit, "hit-output-changed", viaPort(history.LocalKVModeHit, wrap)},
		{"history-kv-hit-replayed", "replays after a hit too", hit, "hit-replayed",
			meddled(func() meddling {
				return meddling{reuse: func(ctx context.Context, next history.LocalKVPort, req history.LocalKVRequest) (reuse, error) {
					r, err := next.TryReuse(ctx, req)
					if r.Status == history.LocalKVHit {
						_, err = next.FullReplay(ctx, req)
					}
					return r, err
				}}
			})},
		{"history-kv-hit-sent", "sends what was a hit", hit, "hit-sent", also(false)},
		{"history-kv-use-missing", "does not say that it was a hit", hit, "hit-use-wrong",
			viaPort(history.LocalKVModeHit, func(r *result) { r.LocalKV = nil })},
		{"history-kv-occupancy-saved", "takes what the context holds for saved", hit, "hit-use-wrong",
			viaPort(history.LocalKVModeHit, func(r *result) { r.LocalKV.SavedPrefillTokens = r.LocalKV.ContextTokens })},
		{"history-kv-not-replayed", "sends what its port cannot reuse", replay, "replay-missing",
			meddled(func() meddling {
				return meddling{replay: func(context.Context, history.LocalKVPort, history.LocalKVRequest) (history.LocalKVReplayResult, error) {
					return history.LocalKVReplayResult{}, errors.New("not replayed")
				}}
			})},
		{"history-kv-replayed-twice", "replays twice", replay, "replay-repeated",
			meddled(func() meddling {
				return meddling{replay: func(ctx context.Context, next history.LocalKVPort, req history.LocalKVRequest) (history.LocalKVReplayResult, error) {
					if r, err := next.FullReplay(ctx, req); err != nil {
						return r, err
					}
					return next.FullReplay(ctx, req)
				}}
			})},
		{"history-kv-tried-twice", "tries again what was a miss", replay, "reuse-repeated",
			meddled(func() meddling {
				return meddling{reuse: func(ctx context.Context, next history.LocalKVPort, req history.LocalKVRequest) (reuse, error) {
					r, err := next.TryReuse(ctx, req)
					if r.Status == history.LocalKVMiss {
						return next.TryReuse(ctx, req)
					}
					return r, err
				}}
			})},
		{"history-kv-replay-lost", "falls back after a replay", replay, "replay-not-completed", viaPort(history.LocalKVModeFullReplay, fallBack)},
		{"history-kv-replay-wrapped", "wraps the answer of a replay", replay, "replay-output-changed", viaPort(history.LocalKVModeFullReplay, wrap)},
		{"history-kv-replay-sent", "sends what was replayed", replay, "replay-sent", also(true)},
		{"history-kv-replay-hit", "takes a replay for a hit", replay, "replay-use-wrong",
			viaPort(history.LocalKVModeFullReplay, func(r *result) { r.LocalKV.Mode = history.LocalKVModeHit })},
		{"history-kv-reuse-error", "rejects when its port fails", invalid, "reuse-failure-escaped",
			heeds(func(_ context.Context, _ built, s said, _ *result) error { return s.reuseErr })},
		{"history-kv-clamps", "takes savings above the prefix for the prefix", invalid, "invalid-hit-accepted",
			believes(func(r *reuse, prefix int64) { r.SavedPrefillTokens = min(r.SavedPrefillTokens, prefix) })},
		{"history-kv-counts-nothing", "takes negative savings for none", invalid, "invalid-hit-accepted",
			believes(func(r *reuse, _ int64) { r.SavedPrefillTokens = max(r.SavedPrefillTokens, 0) })},
		{"history-kv-latency", "does not look at latencies", invalid, "invalid-hit-accepted", believes(func(r *reuse, _ int64) { r.PrefillLatencyMS = 0 })},
		{"history-kv-status-case", "takes a status in capitals for the same", invalid, "invalid-hit-accepted",
			believes(func(r *reuse, _ int64) { r.Status = history.LocalKVOutcome(strings.ToLower(string(r.Status))) })},
		{"history-kv-status-missing", "takes an answer without status for a hit", invalid, "invalid-hit-accepted",
			believes(func(r *reuse, _ int64) {
				if r.Status == "" && r.Output != nil {
					r.Status = history.LocalKVHit
				}
			})},
	}
}
