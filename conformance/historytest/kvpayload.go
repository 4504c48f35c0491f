package historytest

import (
	"context"

	"github.com/go-json-experiment/json"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/adaptercheck/adaptercheck/fakes"
)

func kvPayloadChecks() []check.Check {
	return []check.Check{
		// The port is given the request as the privacy policy left it, whole: it may have
		// to replay all of it.
		{
			ID: "history.local-kv.payload", Case: "privacy", Clause: "history#local-kv-payload",
			Level: check.Must, Provenance: check.Stated, Needs: []check.Feature{fakes.Ports},
			Codes: codes("port-provider-wrong", "port-model-wrong", "port-payload-changed", "port-counts-invalid", "replay-differs"),
			Title: "gives its local KV port the whole sanitised request",
			Run: with(func(ctx context.Context, t *T) {
				local := t.reusing(ctx)
				payload := t.dialogue()
				payload["messages"] = append(payload["messages"].([]any),
					map[string]any{"role": "assistant", "content": "Like [ds4:internal]" + t.word() + "[/ds4:internal]."},
					map[string]any{"role": "user", "content": "And [ds4:local-only]" + t.word() + "[/ds4:local-only]?"})
				payload["tools"] = []any{tool(t.word(), nil)}
				want, err := t.tryEnforceFor(ctx, local, payload)
				t.NoError(err)
				t.on(ctx, local, payload)
				tried, replayed := t.port().asked()
				all := append(tried, replayed...)
				if len(all) == 0 {
					t.Unobserved(fakes.Ports)
				}
				for _, got := range all {
					t.expect(got.Provider == local, "port-provider-wrong", "got %q", got.Provider)
					t.expect(got.Model == t.Fixture.Model.ID, "port-model-wrong", "got %q", got.Model)
					t.expect(samePayload(want.Payload, got.Payload), "port-payload-changed", "got %v", got.Payload)
					t.expect(isCount(got.PrefixTokenCount) && isCount(got.ContextTokenCount) && got.PrefixTokenCount <= got.ContextTokenCount,
						"port-counts-invalid", "%d of %d", got.PrefixTokenCount, got.ContextTokenCount)
					t.expect(got.Eligibility == all[0].Eligibility && got.PrefixTokenCount == all[0].PrefixTokenCount && got.ContextTokenCount == all[0].ContextTokenCount,
						"replay-differs", "%+v", got.Eligibility)
				}
			}, withKV),
		},
	}
}

// tool is the definition of a tool with one argument.
func tool(name string, standard any) map[string]any {
	return map[string]any{"name": name, "input": map[string]any{"type": "object", "path": map[string]any{"type": "string", "default": standard}}}
}

// samePayload compares two payloads by what they say.
func samePayload(a, b any) bool {
	x, err := json.Marshal(a)
	if err != nil {
		return false
	}
	y, err := json.Marshal(b)
	return err == nil && sameJSON(history.JSON(x), history.JSON(y))
}

// isCount reports whether every implementation of the contract counts a number
// exactly.
func isCount(n int64) bool { return n >= 0 && n <= 1<<53-1 }
