package historymutants

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
)

// failed reports whether a replay came to nothing.
func (s said) failed() bool {
	return s.replayed && (s.replayErr != nil || !isReplay(s.replay))
}

// afterFailure makes a subject that does something else with a completion after its
// port has failed.
func afterFailure(change func(s said, r *history.CompletionResult) error) func() check.Subject {
	return heeds(func(_ context.Context, _ built, s said, r *history.CompletionResult) error {
		if s.failed() {
			return change(s, r)
		}
		return nil
	})
}

// sendsAfterFailure makes a subject that sends otherwise after its port has failed.
func sendsAfterFailure(send sender) func() check.Subject {
	return overheard(func(ctx context.Context, h *heard, next history.Transport, req history.TransportRequest) (any, error) {
		if h.last().failed() {
			return send(ctx, h, next, req)
		}
		return next(ctx, req)
	}, func(_ built, h *heard) hooks {
		return hooks{complete: func(ctx context.Context, in history.Adapter, req history.CompletionRequest) (history.CompletionResult, error) {
			h.forget()
			return in.Complete(ctx, req)
		}}
	})
}

// mendsReplay makes a subject that mends the numbers of a replay until they make sense.
func mendsReplay(mend func(r *history.LocalKVReplayResult)) func() check.Subject {
	return meddled(func() meddling {
		return meddling{replay: func(ctx context.Context, next history.LocalKVPort, req history.LocalKVRequest) (history.LocalKVReplayResult, error) {
			r, err := next.FullReplay(ctx, req)
			mend(&r)
			return r, err
		}}
	})
}

// givesUp never asks a port again that has failed.
func givesUp() meddling {
	var broken atomic.Bool
	errBroken := errors.New("the port is broken")
	return meddling{
		reuse: func(ctx context.Context, next history.LocalKVPort, req history.LocalKVRequest) (history.LocalKVReuseResult, error) {
			if broken.Load() {
				return history.LocalKVReuseResult{}, errBroken
			}
			return next.TryReuse(ctx, req)
		},
		replay: func(ctx context.Context, next history.LocalKVPort, req history.LocalKVRequest) (history.LocalKVReplayResult, error) {
			if broken.Load() {
				return history.LocalKVReplayResult{}, errBroken
			}
			r, err := next.FullReplay(ctx, req)
			if err != nil {
				broken.Store(true)
			}
			return r, err
		},
	}
}

func kvReplayMutants() []Mutant {
	const failure, diagnosed = "history.local-kv.replay-failure", "history.local-kv.failure-diagnosed"
	type result = history.CompletionResult
	// noted changes the record of a failed replay.
	noted := func(change func(d *history.Diagnostic)) func() check.Subject {
		return recorded(func(all []history.Diagnostic) []history.Diagnostic {
			for i := range all {
				if all[i].Code == history.CodeLocalKVReplayFailed {
					change(&all[i])
				}
			}
			return all
		})
	}
	return []Mutant{
		{"history-kv-failure-error", "rejects when a replay fails", failure, "replay-failure-escaped",
			afterFailure(func(s said, _ *result) error { return s.replayErr })},
		{"history-kv-failure-panics", "panics when a replay fails", failure, "replay-failure-escaped",
			afterFailure(func(said, *result) error { panic("replay failed") })},
		{"history-kv-failure-unsent", "gives up when a replay fails", failure, "replay-failure-not-sent",
			sendsAfterFailure(func(context.Context, *heard, history.Transport, history.TransportRequest) (any, error) {
				return nil, errors.New("no local state")
			})},
		{"history-kv-failure-again", "sends twice after a replay failed", failure, "replay-failure-sent-again",
			sendsAfterFailure(func(ctx context.Context, _ *heard, next history.Transport, req history.TransportRequest) (any, error) {
				if out, err := next(ctx, req); err != nil {
					return out, err
				}
				return next(ctx, req)
			})},
		{"history-kv-shared-payload", "sends what its port had in its hands", failure, "replay-failure-payload-changed",
			sendsAfterFailure(func(ctx context.Context, h *heard, next history.Transport, req history.TransportRequest) (any, error) {
				req.Payload = h.last().asked.Payload
				return next(ctx, req)
			})},
		{"history-kv-replay-negative", "takes a negative number of tokens for none", failure, "invalid-replay-accepted",
			mendsReplay(func(r *history.LocalKVReplayResult) { r.PrefillTokens = max(r.PrefillTokens, 0) })},
		{"history-kv-replay-huge", "takes more tokens than can be counted for fewer", failure, "invalid-replay-accepted",
			mendsReplay(func(r *history.LocalKVReplayResult) { r.PrefillTokens = min(r.PrefillTokens, 1<<53-1) })},
		{"history-kv-replay-latency", "does not look at the latency of a replay", failure, "invalid-replay-accepted",
			mendsReplay(func(r *history.LocalKVReplayResult) { r.PrefillLatencyMS = 0 })},
		{"history-kv-failure-fallback", "falls back after what it sent instead", failure, "replay-failure-not-completed",
			afterFailure(func(_ said, r *result) error {
				*r = history.FallBack(history.FallbackTransport, "no local state")
				return nil
			})},
		{"history-kv-failure-told", "says that its port completed what it did not", failure, "replay-failure-use-told",
			afterFailure(func(_ said, r *result) error {
				r.LocalKV = &history.LocalKVUse{Mode: history.LocalKVModeFullReplay}
				return nil
			})},
		{"history-kv-failure-sticks", "never asks a port again that has failed", failure, "replay-failure-sticks", meddled(givesUp)},
		{"history-kv-undiagnosed", "keeps no record of a failed replay", diagnosed, "replay-failure-undiagnosed",
			noted(func(d *history.Diagnostic) { d.Code = "note" })},
		{"history-kv-diagnosed-info", "takes a failed replay lightly", diagnosed, "replay-failure-severity-wrong",
			noted(func(d *history.Diagnostic) { d.Severity = history.Info })},
		{"history-kv-diagnosed-nameless", "does not say which capability a failed replay is about", diagnosed, "replay-failure-capability-wrong",
			noted(func(d *history.Diagnostic) { d.Capability = "" })},
		{"history-kv-diagnosed-always", "takes every replay for a failed one", diagnosed, "reuse-diagnosed",
			recorded(func(all []history.Diagnostic) []history.Diagnostic {
				return append(all, history.Diagnostic{Code: history.CodeLocalKVReplayFailed, Severity: history.Warning, Message: "replayed", Capability: history.LocalKVReuse})
			})},
	}
}
