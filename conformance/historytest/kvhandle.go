package historytest

import (
	"context"
	"errors"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/adaptercheck/adaptercheck/fakes"
)

func kvHandleChecks() []check.Check {
	return []check.Check{
		// A handle to the state of a local runtime, in whatever a port says where it gives
		// no answer, goes nowhere. Nor is anything of the prefix kept.
		{
			ID: "history.local-kv.handle", Case: "privacy", Clause: "history#local-kv-handle",
			Level: check.Must, Provenance: check.Stated, Needs: []check.Feature{fakes.Ports},
			Codes: codes("handle-in-result", "handle-in-error", "handle-sent", "handle-in-diagnostics", "handle-in-counters", "handle-in-history", "handle-on-disk", "prefix-on-disk"),
			Title: "lets no handle of its local KV port out",
			Run: with(func(ctx context.Context, t *T) {
				local := t.reusing(ctx)
				handle := "kv-handle-" + t.word()
				needle := []string{handle}
				before := len(t.Transport.Sent())
				var said []string
				for _, bad := range careless(handle) {
					t.port().plan(bad.reuse, bad.replay)
					payload := t.dialogue()
					said = append(said, texts(payload)...)
					r, err := t.tryOn(ctx, local, payload)
					t.withheld(texts(r), needle, "handle-in-result", bad.name)
					t.withheld(texts(err), needle, "handle-in-error", bad.name)
				}
				for _, sent := range t.Transport.Sent()[before:] {
					t.withheld(sent.Texts, needle, "handle-sent", "")
				}
				s := t.snapshot(ctx)
				t.withheld(texts(s.Messages), needle, "handle-in-history", "")
				t.port().shut = func() error { return errors.New("cannot release " + handle) }
				t.withheld(texts(t.closeTamed(ctx)), needle, "handle-in-error", "shutdown")
				t.withheld(texts(t.diagnostics(ctx)), needle, "handle-in-diagnostics", "")
				if counted, ok := t.Adapter.(history.LocalKVDiagnoser); ok {
					t.withheld(texts(get(ctx, t, counted.LocalKVDiagnostics)), needle, "handle-in-counters", "")
				}
				if path, is := onDisk(t.Base, needle); is {
					t.Notef("handle-on-disk", "%s", path)
				}
				if path, is := onDisk(t.Base, t.wordsIn(said)); is {
					t.Notef("prefix-on-disk", "%s", path)
				}
			}, withKV),
		},
	}
}

// careless are ports that show their handle wherever there is room for it but in an
// answer.
func careless(handle string) []talk {
	broken := errors.New("cannot use " + handle)
	return []talk{
		{"error", func(history.LocalKVRequest) (history.LocalKVReuseResult, error) {
			return history.LocalKVReuseResult{}, broken
		}, nil},
		{"panic", func(history.LocalKVRequest) (history.LocalKVReuseResult, error) { panic(broken) }, nil},
		{"miss", says(history.LocalKVReuseResult{Status: history.LocalKVMiss, Output: handle}), nil},
		{"rejected", says(history.LocalKVReuseResult{Status: history.LocalKVRejected, Output: handle}), nil},
		{"unknown status", says(history.LocalKVReuseResult{Status: history.LocalKVOutcome(handle), Output: handle}), nil},
		{"invalid hit", says(history.LocalKVReuseResult{Status: history.LocalKVHit, Output: handle, SavedPrefillTokens: -1}), nil},
		{"replay error", nil, func(history.LocalKVRequest) (history.LocalKVReplayResult, error) {
			return history.LocalKVReplayResult{Output: handle}, broken
		}},
		{"replay panic", nil, func(history.LocalKVRequest) (history.LocalKVReplayResult, error) { panic(broken) }},
		{"invalid replay", nil, gives(history.LocalKVReplayResult{Output: handle, PrefillTokens: -1})},
	}
}
