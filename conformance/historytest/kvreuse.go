package historytest

import (
	"context"
	"errors"
	"math"
	"reflect"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/adaptercheck/adaptercheck/fakes"
)

func kvReuseChecks() []check.Check {
	return []check.Check{
		// A hit is the answer: nothing else is asked, and nothing is sent.
		{
			ID: "history.local-kv.hit", Case: "fallback", Clause: "history#local-kv-hit",
			Level: check.Must, Provenance: check.Stated, Needs: []check.Feature{fakes.Ports},
			Codes: codes("hit-not-completed", "hit-output-changed", "hit-replayed", "hit-sent", "hit-use-wrong"),
			Title: "completes with what its local KV port still knew",
			Run: with(func(ctx context.Context, t *T) {
				local := t.reusing(ctx)
				// The savings are bounded by the prefix, both bounds included.
				for _, part := range []float64{0, 0.5, 1} {
					for _, output := range []any{"kept " + t.word(), map[string]any{"deep": []any{t.word(), 1.5}}} {
						var saved int64
						t.port().plan(func(req history.LocalKVRequest) (history.LocalKVReuseResult, error) {
							saved = int64(part * float64(req.PrefixTokenCount))
							return history.LocalKVReuseResult{Status: history.LocalKVHit, Output: output, SavedPrefillTokens: saved, PrefillLatencyMS: 3 * part}, nil
						}, nil)
						before := t.Transport.Count()
						r := t.on(ctx, local, t.dialogue())
						tried, replayed := t.port().asked()
						if len(tried) == 0 {
							t.Unobserved(fakes.Ports)
						}
						t.expect(len(replayed) == 0, "hit-replayed", "%d replays", len(replayed))
						t.expect(t.Transport.Count() == before, "hit-sent", "%d calls", t.Transport.Count()-before)
						t.demand(r.Status == history.Completed, "hit-not-completed", "status %q, code %q", r.Status, r.Code)
						t.expect(reflect.DeepEqual(r.Output, output), "hit-output-changed", "got %v", r.Output)
						t.usedAs(r, "hit-use-wrong", history.LocalKVUse{
							Mode: history.LocalKVModeHit, PrefixTokens: tried[0].PrefixTokenCount, ContextTokens: tried[0].ContextTokenCount,
							SavedPrefillTokens: saved, PrefillLatencyMS: 3 * part,
						})
					}
				}
			}, withKV),
		},
		// A port that does not do it, whatever it says, is asked for one full replay.
		{
			ID: "history.local-kv.replay", Case: "fallback", Clause: "history#local-kv-replay",
			Level: check.Must, Provenance: check.Stated, Needs: []check.Feature{fakes.Ports},
			Codes: replayCodes,
			Title: "has its local KV port replay what it cannot reuse, once",
			Run: with(func(ctx context.Context, t *T) {
				local := t.reusing(ctx)
				for _, status := range []history.LocalKVOutcome{history.LocalKVMiss, history.LocalKVRejected, history.LocalKVUnavailable} {
					t.replayedAfter(ctx, local, string(status), says(history.LocalKVReuseResult{Status: status}))
				}
			}, withKV),
		},
		// An attempt to reuse that fails, or whose answer makes no sense, is no hit.
		{
			ID: "history.local-kv.invalid-reuse", Case: "fallback", Clause: "history#local-kv-invalid-reuse",
			Level: check.Must, Provenance: check.Stated, Needs: []check.Feature{fakes.Ports},
			Codes: replayCodes,
			Title: "takes no nonsense of its local KV port for a hit",
			Run: with(func(ctx context.Context, t *T) {
				local := t.reusing(ctx)
				for _, bad := range invalidReuses {
					t.replayedAfter(ctx, local, bad.name, bad.reuse)
				}
			}, withKV),
		},
	}
}

// replayCodes are what replayedAfter reports.
var replayCodes = codes("reuse-failure-escaped", "invalid-hit-accepted", "replay-missing", "replay-repeated", "reuse-repeated", "replay-not-completed", "replay-output-changed", "replay-sent", "replay-use-wrong")

// invalidReuses are requests to reuse that come to nothing.
var invalidReuses = []talk{
	{"error", func(history.LocalKVRequest) (history.LocalKVReuseResult, error) {
		return history.LocalKVReuseResult{}, errors.New("the port does not answer")
	}, nil},
	{"panic", func(history.LocalKVRequest) (history.LocalKVReuseResult, error) { panic("the port broke") }, nil},
	{"no status", says(history.LocalKVReuseResult{Output: wrongOutput}), nil},
	{"unknown status", says(history.LocalKVReuseResult{Status: "HIT", Output: wrongOutput}), nil},
	{"negative savings", invalidHit(func(r *history.LocalKVReuseResult, _ int64) { r.SavedPrefillTokens = -1 }), nil},
	{"savings above the prefix", invalidHit(func(r *history.LocalKVReuseResult, prefix int64) { r.SavedPrefillTokens = prefix + 1 }), nil},
	{"negative latency", invalidHit(func(r *history.LocalKVReuseResult, _ int64) { r.PrefillLatencyMS = -0.5 }), nil},
	{"latency that is no number", invalidHit(func(r *history.LocalKVReuseResult, _ int64) { r.PrefillLatencyMS = math.NaN() }), nil},
	{"latency without end", invalidHit(func(r *history.LocalKVReuseResult, _ int64) { r.PrefillLatencyMS = math.Inf(1) }), nil},
}

// wrongOutput is what no completion may come back with.
const wrongOutput = "an answer that does not count"

// invalidHit is a hit with one number that makes no sense.
func invalidHit(spoil func(r *history.LocalKVReuseResult, prefix int64)) reuse {
	return func(req history.LocalKVRequest) (history.LocalKVReuseResult, error) {
		r := history.LocalKVReuseResult{Status: history.LocalKVHit, Output: wrongOutput}
		spoil(&r, req.PrefixTokenCount)
		return r, nil
	}
}

// replayedAfter completes a dialogue with a port that cannot reuse, and looks for
// the one full replay.
func (t *T) replayedAfter(ctx context.Context, provider, what string, how reuse) {
	want := history.LocalKVReplayResult{Output: "replayed " + t.word(), PrefillTokens: int64(t.Rand.IntN(1 << 20)), PrefillLatencyMS: 12.5}
	t.port().plan(how, gives(want))
	before := t.Transport.Count()
	r, err := t.tryOn(ctx, provider, t.dialogue())
	t.demand(err == nil, "reuse-failure-escaped", "%s: %v", what, err)
	tried, replayed := t.port().asked()
	if len(tried) == 0 {
		t.Unobserved(fakes.Ports)
	}
	t.demand(r.Output != wrongOutput, "invalid-hit-accepted", "%s", what)
	t.expect(len(tried) == 1, "reuse-repeated", "%s: %d times", what, len(tried))
	t.demand(len(replayed) > 0, "replay-missing", "%s", what)
	t.expect(len(replayed) == 1, "replay-repeated", "%s: %d times", what, len(replayed))
	t.expect(t.Transport.Count() == before, "replay-sent", "%s: %d calls", what, t.Transport.Count()-before)
	t.demand(r.Status == history.Completed, "replay-not-completed", "%s: status %q, code %q", what, r.Status, r.Code)
	t.expect(reflect.DeepEqual(r.Output, want.Output), "replay-output-changed", "%s: got %v", what, r.Output)
	t.usedAs(r, "replay-use-wrong", history.LocalKVUse{
		Mode: history.LocalKVModeFullReplay, PrefixTokens: tried[0].PrefixTokenCount, ContextTokens: tried[0].ContextTokenCount,
		ReplayPrefillTokens: want.PrefillTokens, PrefillLatencyMS: want.PrefillLatencyMS,
	})
}

// usedAs reports a code unless a completion says exactly this of the port.
func (t *T) usedAs(r history.CompletionResult, code check.Code, want history.LocalKVUse) {
	t.expect(r.LocalKV != nil && *r.LocalKV == want, code, "got %+v, want %+v", r.LocalKV, want)
}
