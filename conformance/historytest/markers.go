package historytest

import (
	"context"
	"reflect"
	"strings"

	"github.com/adaptercheck/adaptercheck/conformance/check"
)

func markerChecks() []check.Check {
	return []check.Check{
		// A marker is a marker however it is written.
		{
			ID: "history.privacy.marker-case", Case: "privacy", Clause: "history#marker-case",
			Level: check.Must, Provenance: check.Stated, Codes: codes("marker-case-ignored"),
			Title: "knows markers in any case",
			Run: with(func(ctx context.Context, t *T) {
				t.screens(ctx)
				for _, m := range [][2]string{
					{"[DS4:LOCAL-ONLY]", "[/DS4:LOCAL-ONLY]"}, {"[Ds4:Local-Only]", "[/dS4:lOCAL-oNLY]"}, {"[ds4:LOCAL-ONLY]", "[/DS4:local-only]"},
				} {
					hidden := t.word()
					r := t.enforce(ctx, map[string]any{"messages": []any{map[string]any{"role": "user", "content": "a " + m[0] + hidden + m[1] + " b"}}})
					t.withheld(texts(r.Payload), []string{hidden}, "marker-case-ignored", m[0])
				}
			}),
		},
		// A marker that is opened and not closed where it should be says that something
		// is private without saying what. Then nothing that it may mean is sent.
		{
			ID: "history.privacy.marker-structure", Case: "privacy", Clause: "history#marker-structure",
			Level: check.Must, Provenance: check.Stated,
			Codes: codes("split-marker-sent", "unclosed-marker-sent", "mismatched-marker-sent", "stray-marker-sent"),
			Title: "fails closed on markers that do not pair up",
			Run: with(func(ctx context.Context, t *T) {
				t.screens(ctx)
				a, b, c := t.word(), t.word(), t.word()
				for _, broken := range []struct {
					code  check.Code
					parts []any
				}{
					{"split-marker-sent", []any{"x [ds4:local-only]" + a, b, c + "[/ds4:local-only] y"}},
					{"unclosed-marker-sent", []any{"x [ds4:local-only] " + a, b + " and " + c}},
					{"unclosed-marker-sent", []any{"[ds4:local-only] " + a + " " + b, c}},
					{"mismatched-marker-sent", []any{"x [ds4:local-only]" + a + "[/ds4:internal] " + b, c}},
					{"stray-marker-sent", []any{a + "[/ds4:local-only] " + b, c}},
				} {
					for _, payload := range spread(broken.parts) {
						// An error is as good: then nothing is sent at all.
						if r, err := t.tryEnforce(ctx, payload); err == nil {
							t.withheld(texts(r.Payload), []string{a, b, c}, broken.code, "")
						}
					}
				}
			}),
		},
		// Markers inside a span do not open it, and cannot lower its class.
		{
			ID: "history.privacy.marker-nesting", Case: "privacy", Clause: "history#marker-structure",
			Level: check.Must, Provenance: check.Stated, Codes: codes("nested-marker-sent"),
			Title: "keeps what is nested in private spans",
			Run: with(func(ctx context.Context, t *T) {
				t.screens(ctx)
				a, b, c := t.word(), t.word(), t.word()
				for _, text := range []string{
					"[ds4:local-only]" + a + "[ds4:normal]" + b + "[/ds4:normal]" + c + "[/ds4:local-only]",
					"[ds4:internal]x[ds4:local-only]" + a + b + c + "[/ds4:local-only]y[/ds4:internal]",
					"[ds4:local-only]" + a + "[ds4:local-only]" + b + "[/ds4:local-only]" + c + "[/ds4:local-only]",
				} {
					if r, err := t.tryEnforce(ctx, map[string]any{"messages": []any{map[string]any{"role": "user", "content": text}}}); err == nil {
						t.withheld(texts(r.Payload), []string{a, b, c}, "nested-marker-sent", text)
					}
				}
			}),
		},
		// What was sanitised once stays as it is, and no tag is left that a second
		// reader would take for an order.
		{
			ID: "history.privacy.idempotent", Case: "privacy", Clause: "history#privacy-idempotent",
			Level: check.Should, Provenance: check.Decided, Codes: codes("marker-residue", "sanitising-not-idempotent"),
			Title: "leaves nothing to sanitise in what it has sanitised",
			Run: with(func(ctx context.Context, t *T) {
				t.screens(ctx)
				payload := []any{}
				for _, s := range t.secrets() {
					payload = append(payload, map[string]any{"role": "user", "content": "a [ds4:internal]b[/ds4:internal] [ds4:local-only]c[/ds4:local-only] " + s.text + " d"})
				}
				once := t.enforce(ctx, map[string]any{"messages": payload})
				for _, s := range texts(once.Payload) {
					l := strings.ToLower(s)
					t.expect(!strings.Contains(l, "[ds4:internal]") && !strings.Contains(l, "[/ds4:"), "marker-residue", "%q", s)
				}
				again := copyOf(once.Payload)
				twice := t.enforce(ctx, again)
				t.expect(!twice.Changed && reflect.DeepEqual(twice.Payload, once.Payload), "sanitising-not-idempotent", "%+v", twice.Summary())
			}),
		},
	}
}

// spread puts texts into payloads in the two ways that they come: as the messages
// of a conversation, and as the parts of one message.
func spread(parts []any) []any {
	messages, content := []any{}, []any{}
	for _, p := range parts {
		messages = append(messages, map[string]any{"role": "user", "content": p})
		content = append(content, map[string]any{"type": "text", "text": p})
	}
	return []any{
		map[string]any{"messages": messages},
		map[string]any{"messages": []any{map[string]any{"role": "user", "content": content}}},
	}
}
