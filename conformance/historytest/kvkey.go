package historytest

import (
	"context"
	"crypto/sha256"
	"fmt"
	"regexp"
	"sync"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/adaptercheck/adaptercheck/fakes"
)

func kvKeyChecks() []check.Check {
	return []check.Check{
		// A key is hashes and nothing else, and its fingerprint follows from the others.
		{
			ID: "history.local-kv.key", Case: "capabilities", Clause: "history#local-kv-key",
			Level: check.Must, Provenance: check.Stated, Needs: []check.Feature{fakes.Ports},
			Codes: codes("key-version-wrong", "key-hash-malformed", "key-fingerprint-wrong"),
			Title: "identifies a prefix by hashes alone",
			Run: with(func(ctx context.Context, t *T) {
				key, _ := t.keyOf(ctx, t.reusing(ctx), t.dialogue())
				t.expect(key.Version == history.LocalKVEligibilityVersion, "key-version-wrong", "got %q", key.Version)
				for _, hash := range []string{key.Fingerprint, key.PrefixHash, key.ProviderModelHash, key.OptionsHash, key.PrivacyHash, key.RuntimeHash} {
					t.expect(digest().MatchString(hash), "key-hash-malformed", "got %q", hash)
				}
				t.Stop()
				t.demand(key.Fingerprint == fingerprintOf(key), "key-fingerprint-wrong", "got %s", key.Fingerprint)
			}, withKV),
		},
		// Each input of a key, changed alone, changes the fingerprint: whatever decides
		// over the kept state decides over the answer. The same inputs give the same.
		{
			ID: "history.local-kv.fingerprint", Case: "capabilities", Clause: "history#local-kv-fingerprint",
			Level: check.Must, Provenance: check.Stated, Needs: []check.Feature{fakes.Ports},
			Codes: codes("fingerprint-unstable", "fingerprint-misses-prompt", "fingerprint-misses-tools", "fingerprint-misses-options",
				"fingerprint-misses-provider", "fingerprint-misses-model", "fingerprint-misses-runtime"),
			Title: "gives every prefix a fingerprint of its own, always the same",
			Run: with(func(ctx context.Context, t *T) {
				local := t.reusing(ctx)
				base := t.dialogue()
				base["tools"], base["system"] = []any{tool("read", nil)}, "Be brief about "+t.word()+"."
				key, asked := t.keyOf(ctx, local, base)
				if !asked {
					t.Unobserved(fakes.Ports)
				}
				again, _ := t.keyOf(ctx, local, base)
				t.demand(again == key, "fingerprint-unstable", "%s, then %s", key.Fingerprint, again.Fingerprint)
				// A request that is not reused at all has no fingerprint, and may have none.
				differs := func(code check.Code, got history.LocalKVKey, asked bool) {
					t.expect(!asked || got.Fingerprint != key.Fingerprint, code, "%s twice", got.Fingerprint)
				}
				for _, v := range t.variants(base) {
					got, asked := t.keyOf(ctx, local, v.payload)
					differs(v.code, got, asked)
				}
				for _, provider := range t.localProviders(ctx) {
					if provider != local {
						got, asked := t.keyOf(ctx, provider, base)
						differs("fingerprint-misses-provider", got, asked)
					}
				}
				was := t.Fixture
				t.Fixture.Model.ID = "other-" + t.word()
				got, asked := t.keyOf(ctx, local, base)
				differs("fingerprint-misses-model", got, asked)
				if t.Subject.Format.RuntimeID == "" { // else every session has the same
					other := t.Another(ctx, withKV, func(_ *T, f *check.Fixture) {
						f.Model = *was.Model.Clone()
						rename(f, was.RuntimeID+"-other", f.SessionID)
					})
					got, asked := other.keyOf(ctx, local, base)
					differs("fingerprint-misses-runtime", got, asked)
				}
			}, withKV),
		},
		// What only looks alike is told apart too: nothing, null, and the text of either.
		{
			ID: "history.local-kv.look-alikes", Case: "capabilities", Clause: "history#local-kv-look-alikes",
			Level: check.Must, Provenance: check.Decided, Needs: []check.Feature{fakes.Ports},
			Codes: codes("look-alikes-collide"),
			Title: "tells options apart that look alike",
			Run: with(func(ctx context.Context, t *T) {
				local := t.reusing(ctx)
				base := t.dialogue()
				seen := map[string]any{}
				for _, v := range alike {
					definition := tool("read", v)
					if v == (absent{}) {
						delete(definition["input"].(map[string]any)["path"].(map[string]any), "default")
					}
					payload := copyOf(base).(map[string]any)
					payload["tools"] = []any{definition}
					key, asked := t.keyOf(ctx, local, payload)
					if !asked {
						t.Unobserved(fakes.Ports)
					}
					other, taken := seen[key.Fingerprint]
					t.expect(!taken, "look-alikes-collide", "%#v and %#v", other, v)
					seen[key.Fingerprint] = v
				}
			}, withKV),
		},
	}
}

// absent stands for a member that is not there.
type absent struct{}

// alike are values that careless code takes for one another.
var alike = []any{
	absent{}, nil, "null", "[undefined]", "undefined", "<nil>", "", " ", false, "false", true, "true",
	0.0, "0", 1.0, "1", []any{}, "[]", map[string]any{}, "{}", []any{nil}, []any{""}, []any{1.0, 2.0}, []any{2.0, 1.0}, []any{"1", 2.0},
	map[string]any{"a": nil}, map[string]any{"a": map[string]any{"b": "c"}}, map[string]any{"a": "map[b:c]"},
	map[string]any{"__proto__": map[string]any{"a": nil}}, map[string]any{"constructor": nil},
	"\u00e9", "e\u0301", "\uFFFF", "\U00010000", "<", "\\u003c",
}

// keyOf completes a payload and returns the key under which the port was asked, if
// it was.
func (t *T) keyOf(ctx context.Context, provider string, payload any) (key history.LocalKVKey, asked bool) {
	t.port().plan(nil, nil)
	t.on(ctx, provider, copyOf(payload))
	tried, _ := t.port().asked()
	if len(tried) == 0 {
		return key, false
	}
	return tried[0].Eligibility, true
}

// variant is a payload that differs in one thing, and what was missed if nothing
// comes of it.
type variant struct {
	code    check.Code
	payload map[string]any
}

// variants change one thing each at the beginning of a dialogue, which is part of
// every prefix of it.
func (t *T) variants(base map[string]any) []variant {
	var out []variant
	but := func(code check.Code, change func(p map[string]any, messages []any, first map[string]any)) {
		p := copyOf(base).(map[string]any)
		messages := p["messages"].([]any)
		change(p, messages, messages[0].(map[string]any))
		out = append(out, variant{code, p})
	}
	const prompt, tools, options = "fingerprint-misses-prompt", "fingerprint-misses-tools", "fingerprint-misses-options"
	rewritten := func(rewrite func(text string) string) func(map[string]any, []any, map[string]any) {
		return func(_ map[string]any, _ []any, first map[string]any) {
			first["content"] = rewrite(first["content"].(string))
		}
	}
	but(prompt, rewritten(func(string) string { return "You know nothing about " + t.word() + "." }))
	but(prompt, rewritten(func(s string) string { return s + " " }))
	but(prompt, rewritten(func(s string) string { return s + "\n" }))
	but(prompt, rewritten(func(s string) string { return "y" + s[1:] })) // a small letter
	but(prompt, rewritten(func(s string) string { return s + "\u00e9" }))
	but(prompt, rewritten(func(s string) string { return s + "e\u0301" }))
	but(prompt, func(_ map[string]any, _ []any, first map[string]any) { first["role"] = "user" })
	but(prompt, func(p map[string]any, messages []any, _ map[string]any) {
		p["messages"] = append([]any{map[string]any{"role": "system", "content": ""}}, messages...)
	})
	// The last word goes over to the next message.
	but(prompt, func(_ map[string]any, messages []any, first map[string]any) {
		text, next := first["content"].(string), messages[1].(map[string]any)
		first["content"], next["content"] = text[:len(text)-6], text[len(text)-6:]+next["content"].(string)
	})
	but(tools, func(p map[string]any, _ []any, _ map[string]any) { p["tools"] = []any{tool("write", nil)} })
	but(tools, func(p map[string]any, _ []any, _ map[string]any) {
		p["tools"] = []any{tool("read", nil), tool("write", nil)}
	})
	but(tools, func(p map[string]any, _ []any, _ map[string]any) { delete(p, "tools") })
	but(options, func(p map[string]any, _ []any, _ map[string]any) { p["system"] = "Be brief about " + t.word() + "." })
	but(options, func(p map[string]any, _ []any, _ map[string]any) { delete(p, "system") })
	return out
}

// digest is a SHA-256 in lower-case hexadecimal.
var digest = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9a-f]{64}$`) })

// fingerprintOf is the hash over the version and the other hashes.
func fingerprintOf(k history.LocalKVKey) string {
	sum := sha256.Sum256(fmt.Appendf(nil, `{"optionsHash":%q,"prefixHash":%q,"privacyHash":%q,"providerModelHash":%q,"runtimeHash":%q,"version":%q}`,
		k.OptionsHash, k.PrefixHash, k.PrivacyHash, k.ProviderModelHash, k.RuntimeHash, k.Version))
	return fmt.Sprintf("%x", sum)
}
