package historytest

import (
	"context"
	"time"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
)

// hostile is a value whose own methods panic when anything looks at it: the
// equivalent of a throwing accessor.
type hostile struct{}

func (hostile) MarshalJSON() ([]byte, error) { panic("hostile value") }
func (hostile) MarshalText() ([]byte, error) { panic("hostile value") }
func (hostile) String() string               { panic("hostile value") }
func (hostile) GoString() string             { panic("hostile value") }
func (hostile) Error() string                { panic("hostile value") }

// turncoat is a value that writes out a credential when it is encoded.
type turncoat struct{ text string }

func (v turncoat) MarshalJSON() ([]byte, error) { return []byte(`"` + v.text + `"`), nil }

func hostileChecks() []check.Check {
	return []check.Check{
		// If a payload cannot be screened, it is not sent, and the caller is told why:
		// the privacy policy said no, and asking again will not help.
		{
			ID: "history.privacy.fails-closed", Case: "privacy", Clause: "history#privacy-fails-closed",
			Level: check.Must, Provenance: check.Stated,
			Codes: codes("unscreened-payload-sent", "privacy-failure-completed", "privacy-failure-code-wrong", "privacy-failure-retryable", "privacy-failure-rejected"),
			Title: "sends nothing when it cannot screen a payload",
			Run: with(func(ctx context.Context, t *T) {
				t.talks(ctx)
				before := t.Transport.Count()
				for _, payload := range []any{
					map[string]any{"messages": hostile{}},
					map[string]any{"messages": []any{map[string]any{"role": "user", "content": hostile{}}}},
					map[string]any{"model": "m", "extra": []any{1, hostile{}}},
				} {
					r, err := try(ctx, t, tame(func(ctx context.Context) (history.CompletionResult, error) {
						return t.Adapter.Complete(ctx, t.request(payload))
					}))
					t.demand(t.Transport.Count() == before, "unscreened-payload-sent", "the transport was called")
					t.demand(err == nil, "privacy-failure-rejected", "%v", err)
					t.demand(r.Status == history.Fallback, "privacy-failure-completed", "got %q", r.Status)
					t.expect(r.Code == history.FallbackPrivacy, "privacy-failure-code-wrong", "got %q", r.Code)
					t.expect(!r.Retryable, "privacy-failure-retryable", "got retryable")
				}
			}),
		},
		// Enforcing the policy itself refuses such a payload.
		{
			ID: "history.privacy.enforce-refuses", Case: "privacy", Clause: "history#privacy-fails-closed",
			Level: check.Must, Provenance: check.Stated, Codes: codes("unscreened-payload-returned"),
			Title: "refuses to screen a payload that cannot be read",
			Run: with(func(ctx context.Context, t *T) {
				t.screens(ctx)
				_, err := try(ctx, t, tame(func(ctx context.Context) (history.PrivacyResult, error) {
					return t.Adapter.EnforcePrivacy(ctx, history.PrivacyRequest{Provider: t.Fixture.Model.Provider, Payload: map[string]any{"messages": hostile{}}})
				}))
				t.demand(err != nil, "unscreened-payload-returned", "no error")
			}),
		},
		// The same holds for values that are no plain data: what cannot be searched
		// must not be sent, or a credential goes out inside it.
		{
			ID: "history.privacy.untraversable", Case: "privacy", Clause: "history#privacy-untraversable",
			Level: check.Must, Provenance: check.Decided,
			Codes: codes("untraversable-sent", "untraversable-rejected", "privacy-failure-code-wrong", "privacy-failure-retryable"),
			Title: "sends no value that it cannot search",
			Run: with(func(ctx context.Context, t *T) {
				t.talks(ctx)
				s := t.secret()
				for _, v := range odd(s.text) {
					before := t.Transport.Count()
					r, err := try(ctx, t, tame(func(ctx context.Context) (history.CompletionResult, error) {
						return t.Adapter.Complete(ctx, t.request(map[string]any{"messages": []any{map[string]any{"role": "user", "content": v.value}}}))
					}))
					for _, sent := range t.Transport.Sent()[before:] {
						t.withheld(sent.Texts, s.parts, "untraversable-sent", v.name)
					}
					t.expect(err == nil, "untraversable-rejected", "%s: %v", v.name, err)
					if err == nil && r.Status == history.Fallback {
						t.expect(r.Code == history.FallbackPrivacy, "privacy-failure-code-wrong", "%s: %q", v.name, r.Code)
						t.expect(!r.Retryable, "privacy-failure-retryable", "%s", v.name)
					}
				}
			}),
		},
	}
}

// oddity is a value that is no plain data and holds a credential.
type oddity struct {
	name  string
	value any
}

func odd(secret string) []oddity {
	loop := map[string]any{"text": secret}
	loop["self"] = loop
	ring := []any{secret, nil}
	ring[1] = ring
	var deep any = secret
	for range 20_000 {
		deep = []any{deep}
	}
	return []oddity{
		{"encodes itself", turncoat{secret}},
		{"pointer that encodes itself", &turncoat{secret}},
		{"object in a cycle", loop},
		{"list in a cycle", ring},
		{"deep list", deep},
		{"bytes", []byte(secret)},
		{"typed map", map[string]string{"text": secret}},
		{"typed list", []string{secret}},
		{"struct", struct{ Text string }{secret}},
		{"hidden field", struct{ text string }{secret}},
		{"pointer", &secret},
		{"error", textError(secret)},
		{"map with other keys", map[any]any{secret: 1}},
		{"clock", []any{time.Unix(0, 0), secret}},
		{"function", []any{func() string { return secret }, secret}},
		{"channel", []any{make(chan string), secret}},
	}
}

type textError string

func (e textError) Error() string { return string(e) }
