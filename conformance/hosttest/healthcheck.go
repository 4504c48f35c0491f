package hosttest

import (
	"context"
	"net/http"
	"strings"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/fakes"
)

func healthcheckChecks() []check.Check {
	return []check.Check{
		// Only the native runtime calls a provider itself.
		{
			ID: "host.healthcheck.other-runtime", Case: "healthcheck", Clause: "host#healthcheck-refusals",
			Level: check.Must, Provenance: check.Stated, Codes: codes("other-runtime-checked"),
			Title: "checks keys for the native runtime only",
			Run: with(func(ctx context.Context, t *T) {
				for _, id := range []string{"codex", "claude-code", "nobody"} {
					a := t.post(ctx, "/api/runtimes/"+id+"/healthcheck", t.body(anthropic, t.key()))
					t.demand((a.status == http.StatusBadRequest || a.status == http.StatusNotFound) && a.refused(), "other-runtime-checked", "%s: %s", id, a)
				}
			}),
		},
		{
			ID: "host.healthcheck.unknown-provider", Case: "healthcheck", Clause: "host#healthcheck-refusals",
			Level: check.Must, Provenance: check.Stated, Codes: codes("unknown-provider-checked", "refusal-shape"),
			Title: "refuses a provider that it does not know",
			Run: with(func(ctx context.Context, t *T) {
				for _, provider := range []string{"nobody", "Anthropic", "constructor", "__proto__", ""} {
					a := t.post(ctx, nativePath+"/healthcheck", object{"provider": provider, "apiKey": t.key()})
					t.demand(a.status == http.StatusBadRequest, "unknown-provider-checked", "%q: %s", provider, a)
					t.demand(a.refused(), "refusal-shape", "%q: %s", provider, a)
				}
			}),
		},
		// Without a key there is nothing to check.
		{
			ID: "host.healthcheck.key-required", Case: "healthcheck", Clause: "host#healthcheck-refusals",
			Level: check.Must, Provenance: check.Stated, Codes: codes("no-key-checked", "refusal-shape"),
			Title: "asks for a key where there is none",
			Run: with(func(ctx context.Context, t *T) {
				for _, provider := range keyed() {
					for _, o := range []object{{"provider": provider}, {"provider": provider, "apiKey": ""}} {
						a := t.post(ctx, nativePath+"/healthcheck", o)
						t.demand(a.status == http.StatusBadRequest, "no-key-checked", "%s: %s", provider, a)
						t.demand(a.refused(), "refusal-shape", "%s: %s", provider, a)
					}
				}
			}),
		},
	}
}

// probeChecks look at what a host makes of a provider's answer.
func probeChecks() []check.Check {
	outbound := []check.Feature{fakes.Outbound}
	return []check.Check{
		{
			ID: "host.healthcheck.good-key", Case: "healthcheck", Clause: "host#healthcheck-answer", Needs: outbound,
			Level: check.Must, Provenance: check.Stated, Codes: codes("good-key-refused", "provider-not-asked"),
			Title: "says ok of a key that the provider takes",
			Run: with(func(ctx context.Context, t *T) {
				for _, provider := range keyed() {
					a := t.healthcheck(ctx, provider, t.key())
					t.demand(a.status == http.StatusOK && a.ok(), "good-key-refused", "%s: %s", provider, a)
					t.demand(len(t.Provider.taken()) > 0, "provider-not-asked", "%s", provider)
				}
			}),
		},
		{
			ID: "host.healthcheck.bad-key", Case: "healthcheck", Clause: "host#healthcheck-answer", Needs: outbound,
			Level: check.Must, Provenance: check.Stated, Codes: codes("bad-key-accepted", "bad-key-answer"),
			Title: "says of a key that the provider refuses that it is not ok",
			Run: with(func(ctx context.Context, t *T) {
				for _, code := range []int{http.StatusUnauthorized, http.StatusForbidden} {
					t.Provider.answers(status(code, `{"error":{"message":"no"}}`))
					t.judged(t.healthcheck(ctx, anthropic, t.key()), "bad-key-accepted", "bad-key-answer")
				}
			}),
		},
		// A provider that is in trouble has not taken the key.
		{
			ID: "host.healthcheck.provider-down", Case: "healthcheck", Clause: "host#healthcheck-answer", Needs: outbound,
			Level: check.Must, Provenance: check.Stated, Codes: codes("trouble-accepted", "trouble-answer"),
			Title: "says of a provider in trouble that it is not ok",
			Run: with(func(ctx context.Context, t *T) {
				for _, code := range []int{500, 503, 529, 429, 404, 402} {
					t.Provider.answers(status(code, `<html>trouble</html>`))
					t.judged(t.healthcheck(ctx, openrouter, t.key()), "trouble-accepted", "trouble-answer")
				}
			}),
		},
		// A redirect takes the key to whoever the answer names.
		{
			ID: "host.healthcheck.redirect", Case: "healthcheck", Clause: "host#healthcheck-redirect", Needs: outbound,
			Level: check.Must, Provenance: check.Stated, Codes: codes("redirect-followed", "redirect-accepted", "redirect-answer"),
			Title: "does not follow a provider's redirect",
			Run: with(func(ctx context.Context, t *T) {
				t.Provider.answers(redirect)
				for _, provider := range []string{anthropic, openrouter} {
					a := t.healthcheck(ctx, provider, t.key())
					for _, c := range t.Provider.taken() {
						t.demand(c.provider != "elsewhere", "redirect-followed", "%s", provider)
					}
					t.judged(a, "redirect-accepted", "redirect-answer")
				}
			}),
		},
		{
			ID: "host.healthcheck.unreachable", Case: "healthcheck", Clause: "host#healthcheck-answer", Needs: outbound,
			Level: check.Must, Provenance: check.Stated, Codes: codes("unreachable-accepted", "unreachable-answer"),
			Title: "says of a provider that hangs up that it is not ok",
			Run: with(func(ctx context.Context, t *T) {
				t.Provider.answers(drop)
				t.judged(t.healthcheck(ctx, anthropic, t.key()), "unreachable-accepted", "unreachable-answer")
			}),
		},
		// Eight seconds, and what it takes to say so: 5 calls of two seconds.
		{
			ID: "host.healthcheck.bounded", Case: "healthcheck", Clause: "host#healthcheck-bound", Needs: outbound,
			Level: check.Must, Provenance: check.Stated, Codes: codes("silence-accepted", "silence-answer"),
			Title: "gives up on a provider that says nothing", Flood: true, // of time
			Run: with(func(ctx context.Context, t *T) {
				t.Provider.answers(silent)
				a := t.within(ctx, 5*t.Budgets.Call, http.MethodPost, nativePath+"/healthcheck", []byte(`{"provider":"anthropic","apiKey":"`+t.key()+`"}`))
				t.judged(a, "silence-accepted", "silence-answer")
			}),
		},
		// Each provider is asked as it wants to be, at no cost.
		{
			ID: "host.healthcheck.probe", Case: "healthcheck", Clause: "host#healthcheck-probe", Needs: outbound,
			Level: check.Must, Provenance: check.Stated,
			Codes: codes("probe-missing", "probe-of-another", "probe-method-wrong", "probe-path-wrong", "probe-key-wrong", "probe-key-in-url", "probe-version-missing"),
			Title: "asks each provider for its models, with the key where it belongs",
			Run: with(func(ctx context.Context, t *T) {
				for _, provider := range keyed() {
					key := t.key()
					t.healthcheck(ctx, provider, key)
					calls := t.Provider.taken()
					t.demand(len(calls) > 0, "probe-missing", "%s", provider)
					for _, c := range calls {
						t.demand(c.provider == provider, "probe-of-another", "%s: %+v", provider, c)
						t.demand(c.method == http.MethodGet, "probe-method-wrong", "%s: %s", provider, c.method)
						t.demand(!t.leaks(c.path+"?"+c.query), "probe-key-in-url", "%s", provider)
						t.demand(c.path == probePath(provider), "probe-path-wrong", "%s: %s", provider, c.path)
						t.demand(c.keyOf() == key, "probe-key-wrong", "%s", provider)
						t.demand(provider != anthropic || c.header.Get("Anthropic-Version") != "", "probe-version-missing", "%s", provider)
					}
				}
			}),
		},
		{
			ID: "host.healthcheck.ollama", Case: "healthcheck", Clause: "host#healthcheck-probe", Needs: outbound,
			Level: check.Must, Provenance: check.Stated, Codes: codes("ollama-wants-key", "ollama-probe-wrong", "ollama-key-sent"),
			Title: "asks Ollama for its tags, without a key",
			Run: with(func(ctx context.Context, t *T) {
				t.connected(ctx, anthropic, t.key())
				a := t.healthcheck(ctx, ollama, "")
				t.demand(a.status == http.StatusOK && a.ok(), "ollama-wants-key", "%s", a)
				calls := t.Provider.taken()
				asked := false
				for _, c := range calls {
					t.demand(c.provider == ollama, "ollama-probe-wrong", "asked %s", c.provider)
					asked = asked || c.path == probePath(ollama)
					var sent strings.Builder
					_ = c.header.Write(&sent) // a Builder takes everything
					t.demand(!t.leaks(sent.String()), "ollama-key-sent", "the key of another provider")
				}
				t.demand(asked, "ollama-probe-wrong", "%+v", calls)
			}),
		},
		// A key that is only to be checked is used once.
		{
			ID: "host.healthcheck.key-not-kept", Case: "healthcheck", Clause: "host#healthcheck-once", Needs: outbound,
			Level: check.Must, Provenance: check.Stated, Codes: codes("checked-key-kept"),
			Title: "does not keep a key that it was to check",
			Run: with(func(ctx context.Context, t *T) {
				for _, answer := range []int{http.StatusOK, http.StatusUnauthorized} {
					t.Provider.answers(status(answer, `{}`))
					t.healthcheck(ctx, anthropic, t.key())
					t.demand(!t.holdsKey(ctx, anthropic), "checked-key-kept", "after the provider said %d", answer)
				}
				stored := t.key()
				t.connected(ctx, openrouter, stored)
				t.healthcheck(ctx, openrouter, t.key())
				t.Provider.taken()
				t.healthcheck(ctx, openrouter, "")
				for _, c := range t.Provider.taken() {
					t.demand(c.keyOf() == stored, "checked-key-kept", "in the place of the stored one")
				}
			}),
		},
		// The stored key is for where none is given, and for its own provider.
		{
			ID: "host.healthcheck.stored-key", Case: "healthcheck", Clause: "host#healthcheck-key", Needs: outbound,
			Level: check.Must, Provenance: check.Stated, Codes: codes("stored-key-unused", "given-key-unused"),
			Title: "checks the given key, or the stored one where none is given",
			Run: with(func(ctx context.Context, t *T) {
				for _, provider := range []string{anthropic, openrouter, "groq"} {
					stored, given := t.key(), t.key()
					t.connected(ctx, provider, stored)
					t.Provider.taken()
					t.healthcheck(ctx, provider, "")
					t.demand(t.asked(stored), "stored-key-unused", "%s", provider)
					t.healthcheck(ctx, provider, given)
					t.demand(t.asked(given), "given-key-unused", "%s", provider)
				}
			}),
		},
	}
}

// judged looks whether a healthcheck says that it is not ok: it is an answer, not a
// failure of the host.
func (t *T) judged(a answer, accepted, answer check.Code) {
	t.demand(!a.ok(), accepted, "%s", a)
	t.demand(a.status == http.StatusOK && a.refused(), answer, "%s", a)
}

// asked reports whether the provider was asked since the last time, always with the key.
func (t *T) asked(key string) bool {
	calls := t.Provider.taken()
	for _, c := range calls {
		if c.keyOf() != key {
			return false
		}
	}
	return len(calls) > 0
}
