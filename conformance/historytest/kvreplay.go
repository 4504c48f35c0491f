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

func kvReplayChecks() []check.Check {
	return []check.Check{
		// When the replay fails as well, the request goes the way it goes without a port:
		// whole, once, whatever the port has done to its own copy.
		{
			ID: "history.local-kv.replay-failure", Case: "fallback", Clause: "history#local-kv-replay-failure",
			Level: check.Must, Provenance: check.Stated, Needs: []check.Feature{fakes.Ports},
			Codes: codes("replay-failure-escaped", "replay-failure-not-sent", "replay-failure-sent-again", "replay-failure-payload-changed",
				"invalid-replay-accepted", "replay-failure-not-completed", "replay-failure-use-told", "replay-failure-sticks"),
			Title: "completes through its transport when its local KV port fails",
			Run: with(func(ctx context.Context, t *T) {
				local := t.reusing(ctx)
				for _, bad := range invalidReplays {
					payload := t.dialogue()
					want, err := t.tryEnforceFor(ctx, local, payload)
					t.NoError(err)
					t.port().plan(func(req history.LocalKVRequest) (history.LocalKVReuseResult, error) {
						spoil(req.Payload)
						return history.LocalKVReuseResult{Status: history.LocalKVMiss}, nil
					}, bad.replay)
					before := len(t.Transport.Sent())
					r, err := t.tryOn(ctx, local, payload)
					t.demand(err == nil, "replay-failure-escaped", "%s: %v", bad.name, err)
					t.demand(r.Output != wrongOutput, "invalid-replay-accepted", "%s", bad.name)
					sent := t.Transport.Sent()[before:]
					t.demand(len(sent) > 0, "replay-failure-not-sent", "%s", bad.name)
					t.expect(len(sent) < 2, "replay-failure-sent-again", "%s: %d calls", bad.name, len(sent))
					t.expect(samePayload(want.Payload, sent[0].Payload), "replay-failure-payload-changed", "%s: got %v", bad.name, sent[0].Payload)
					t.demand(r.Status == history.Completed && reflect.DeepEqual(r.Output, t.Transport.Output), "replay-failure-not-completed", "%s: %q, %v", bad.name, r.Status, r.Output)
					t.expect(r.LocalKV == nil, "replay-failure-use-told", "%s: %+v", bad.name, r.LocalKV)
				}
				t.port().plan(nil, nil)
				t.on(ctx, local, t.dialogue())
				t.demand(t.port().calls() > 0, "replay-failure-sticks", "the port is not asked any more")
			}, withKV),
		},
		// That it failed is on record, under the name of the capability.
		{
			ID: "history.local-kv.failure-diagnosed", Case: "fallback", Clause: "history#local-kv-failure-diagnosed",
			Level: check.Should, Provenance: check.Implied, Needs: []check.Feature{fakes.Ports},
			Codes: codes("replay-failure-undiagnosed", "replay-failure-severity-wrong", "replay-failure-capability-wrong", "reuse-diagnosed"),
			Title: "keeps a record of a replay that failed",
			Run: with(func(ctx context.Context, t *T) {
				local := t.reusing(ctx)
				t.demand(len(t.diagnosed(ctx, history.CodeLocalKVReplayFailed)) == 0, "reuse-diagnosed", "a port that works")
				t.port().plan(nil, invalidReplays[0].replay)
				t.on(ctx, local, t.dialogue())
				got := t.diagnosed(ctx, history.CodeLocalKVReplayFailed)
				t.demand(len(got) > 0, "replay-failure-undiagnosed", "no diagnostic")
				t.expect(got[0].Severity == history.Warning, "replay-failure-severity-wrong", "got %q", got[0].Severity)
				t.expect(got[0].Capability == history.LocalKVReuse, "replay-failure-capability-wrong", "got %q", got[0].Capability)
			}, withKV),
		},
	}
}

// invalidReplays are replays that come to nothing.
var invalidReplays = []talk{
	{"error", nil, func(history.LocalKVRequest) (history.LocalKVReplayResult, error) {
		return history.LocalKVReplayResult{Output: wrongOutput}, errors.New("the port does not answer")
	}},
	{"panic", nil, func(history.LocalKVRequest) (history.LocalKVReplayResult, error) { panic("the port broke") }},
	{"negative tokens", nil, gives(history.LocalKVReplayResult{Output: wrongOutput, PrefillTokens: -1})},
	{"more tokens than can be counted", nil, gives(history.LocalKVReplayResult{Output: wrongOutput, PrefillTokens: 1 << 53})},
	{"negative latency", nil, gives(history.LocalKVReplayResult{Output: wrongOutput, PrefillLatencyMS: -0.5})},
	{"latency that is no number", nil, gives(history.LocalKVReplayResult{Output: wrongOutput, PrefillLatencyMS: math.NaN()})},
	{"latency without end", nil, gives(history.LocalKVReplayResult{Output: wrongOutput, PrefillLatencyMS: math.Inf(1)})},
}

// spoil changes a payload in place, as far as it can be changed.
func spoil(payload any) {
	switch v := payload.(type) {
	case map[string]any:
		for k, x := range v {
			spoil(x)
			v[k] = "spoiled"
		}
	case []any:
		for i, x := range v {
			spoil(x)
			v[i] = "spoiled"
		}
	}
}
