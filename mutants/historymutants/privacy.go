package historymutants

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
)

// policed makes a subject with a privacy policy of its own, before enforcing and
// before completing.
func policed(p policy) func() check.Subject {
	return screened(func(built) screening {
		return func(_ context.Context, _ history.Adapter, req history.PrivacyRequest) (history.PrivacyResult, error) {
			return p.screen(req)
		}
	})
}

// screening is the way in which a mutant enforces privacy.
type screening = func(ctx context.Context, in history.Adapter, req history.PrivacyRequest) (history.PrivacyResult, error)

// screened makes a subject that enforces privacy in its own way, and completes by
// it. It knows no other rule of completions.
func screened(make func(b built) screening) func() check.Subject {
	return hooked(func(b built) hooks {
		enforce := make(b)
		return hooks{
			enforce: enforce,
			complete: func(ctx context.Context, in history.Adapter, req history.CompletionRequest) (history.CompletionResult, error) {
				r, err := enforce(ctx, in, history.PrivacyRequest{Provider: req.Provider, Payload: req.Payload})
				if err != nil {
					return history.FallBack(history.FallbackPrivacy, "refused"), nil
				}
				return sendAs(ctx, b.f.Transport, req, r)
			},
		}
	})
}

// sendAs calls the transport and makes a result of its answer.
func sendAs(ctx context.Context, to history.Transport, req history.CompletionRequest, r history.PrivacyResult) (history.CompletionResult, error) {
	out, err := to(ctx, history.TransportRequest{Provider: req.Provider, Model: req.Model, Destination: r.Destination, Payload: r.Payload})
	if err != nil {
		return history.FallBack(history.FallbackTransport, "no answer"), nil
	}
	summary := r.Summary()
	return history.CompletionResult{Status: history.Completed, Output: out, Privacy: &summary}, nil
}

// enforced makes a subject that changes what enforcing privacy gives.
func enforced(change func(req history.PrivacyRequest, r *history.PrivacyResult)) func() check.Subject {
	return hooked(func(built) hooks {
		return hooks{enforce: func(ctx context.Context, in history.Adapter, req history.PrivacyRequest) (history.PrivacyResult, error) {
			r, err := in.EnforcePrivacy(ctx, req)
			if err == nil {
				change(req, &r)
			}
			return r, err
		}}
	})
}

// passing lets values under some keys through.
func passing(keys ...string) policy {
	return policy{passes: func(key string, _ any) bool { return slices.Contains(keys, key) }}
}

// exempting lets messages of some roles through.
func exempting(roles ...string) policy {
	return policy{passes: func(_ string, v any) bool {
		m, ok := v.(map[string]any)
		role, _ := m["role"].(string)
		return ok && slices.Contains(roles, role)
	}}
}

func privacyMutants() []Mutant {
	const secretCheck, everywhere, reports = "history.privacy.secrets", "history.privacy.everywhere", "history.privacy.reports"
	const containers, roles, destination = "history.privacy.containers", "history.privacy.roles", "history.privacy.destination"
	only := func(pattern string) policy { return policy{secrets: regexp.MustCompile(pattern)} }
	return []Mutant{
		{"history-P01", "screens nothing", "history.privacy.local-only", "private-span-kept",
			screened(func(built) screening {
				return func(_ context.Context, _ history.Adapter, req history.PrivacyRequest) (history.PrivacyResult, error) {
					return history.PrivacyResult{Provider: req.Provider, Destination: history.Remote, Payload: req.Payload}, nil
				}
			})},
		{"history-secrets-kept", "leaves credentials beside what it takes out", "history.privacy.local-only", "secret-kept",
			policed(policy{secrets: regexp.MustCompile(`never matches^`), part: privatePart})},
		{"history-P02", "takes the remote provider for a local one", destination, "destination-wrong",
			enforced(func(_ history.PrivacyRequest, r *history.PrivacyResult) {
				if r.Changed { // a harmless payload goes unnoticed
					r.Destination = history.Local
				}
			})},
		{"history-P04", "screens messages and nothing else", containers, "container-unsearched",
			policed(passing("system", "systemPrompt", "system_instruction", "systemInstruction", "instructions", "tools", "input", "prompt", "toolConfig"))},
		{"history-tools-raw", "sends tool descriptions as they are", containers, "container-unsearched", policed(passing("tools"))},
		{"history-metadata-raw", "sends metadata as it is", containers, "container-unsearched", policed(passing("metadata", "requestMetadata"))},
		{"history-thinking-raw", "sends thoughts as they are", containers, "container-unsearched", policed(passing("thinking"))},
		{"history-P05", "knows one kind of key", secretCheck, "secret-kept", policed(only(`sk-[A-Za-z0-9-]{8,}`))},
		{"history-no-pem", "does not know private keys", secretCheck, "secret-kept",
			policed(only(`(?i)sk-[A-Za-z0-9-]{8,}|gh[a-z]_\w{12,}|AKIA\w{16}|bearer \S+|(key|token|secret|password)\s*[:=]\s*\S+`))},
		{"history-no-assignments", "does not know assignments", secretCheck, "secret-kept",
			policed(only(`(?is)sk-[A-Za-z0-9-]{8,}|gh[a-z]_\w{12,}|AKIA\w{16}|bearer \S+|-----BEGIN.*?-----END`))},
		{"history-first-secret", "takes out the first credential of a text", secretCheck, "secret-kept",
			screened(func(built) screening {
				return func(_ context.Context, _ history.Adapter, req history.PrivacyRequest) (history.PrivacyResult, error) {
					seen := false
					return policy{mask: func(s string) string {
						if seen {
							return s
						}
						seen = true
						return withheld
					}}.screen(req)
				}
			})},
		{"history-shallow", "searches ten levels deep", everywhere, "place-unsearched",
			screened(func(built) screening {
				return func(_ context.Context, _ history.Adapter, req history.PrivacyRequest) (history.PrivacyResult, error) {
					return policy{passes: func(_ string, v any) bool { return height(v) > 10 }}.screen(req)
				}
			})},
		{"history-half-masked", "masks the first half of a credential", secretCheck, "secret-kept",
			policed(policy{mask: func(s string) string { return "***" + s[len(s)/2:] }})},
		{"history-uncounted", "does not count what it takes out", secretCheck, "redactions-uncounted",
			enforced(func(_ history.PrivacyRequest, r *history.PrivacyResult) { r.SecretRedactions, r.BlockedBlocks = 0, 0 })},
		{"history-secret-silent", "does not say that it took credentials out", secretCheck, "change-unreported",
			enforced(func(_ history.PrivacyRequest, r *history.PrivacyResult) { r.Changed = r.BlockedBlocks > 0 })},
		{"history-other-keys", "searches what it knows to be content", everywhere, "place-unsearched", policed(passing("user", "headers", "stop", "extra"))},
		{"history-structural-keys", "takes names and ids for structure", everywhere, "place-unsearched", policed(passing("name", "id", "type", "role", "model"))},
		{"history-raw-keys", "does not search the keys of objects", everywhere, "place-unsearched", policed(policy{rawKeys: true})},
		{"history-bare", "does not search a payload that is no object", everywhere, "place-unsearched",
			screened(func(built) screening {
				return func(_ context.Context, _ history.Adapter, req history.PrivacyRequest) (history.PrivacyResult, error) {
					r, err := policy{}.screen(req)
					if _, ok := req.Payload.(map[string]any); !ok {
						r.Payload = req.Payload
					}
					return r, err
				}
			})},
		{"history-P25", "exempts the system's words and a tool's output", roles, "role-exempt", policed(exempting("system", "tool"))},
		{"history-own-words", "exempts the model's own words", roles, "role-exempt", policed(exempting("assistant"))},
		{"history-new-roles", "screens the roles that it knows", roles, "role-exempt",
			policed(policy{passes: func(_ string, v any) bool {
				m, _ := v.(map[string]any)
				role, ok := m["role"].(string)
				return ok && !slices.Contains([]string{"system", "user", "assistant", "tool"}, role)
			}})},
		{"history-P17", "takes every provider with a local name in it for local", destination, "destination-wrong",
			policed(policy{local: func(p string) bool { return strings.Contains(p, "ollama") }})},
		{"history-local-prefix", "takes every provider that begins with a local name for local", destination, "remote-unsearched",
			policed(policy{local: func(p string) bool { return strings.HasPrefix(p, "llama-cpp") || strings.HasPrefix(p, "local") }})},
		{"history-change-silent", "does not say that it changed something", reports, "change-unreported",
			enforced(func(_ history.PrivacyRequest, r *history.PrivacyResult) { r.Changed = false })},
		{"history-destination-unsaid", "does not say where a payload goes", reports, "destination-wrong",
			enforced(func(_ history.PrivacyRequest, r *history.PrivacyResult) { r.Destination = "cloud" })},
		{"history-provider-folded", "spells the provider in its own way", reports, "provider-changed",
			enforced(func(_ history.PrivacyRequest, r *history.PrivacyResult) { r.Provider = strings.ToUpper(r.Provider) })},
		{"history-blocked-uncounted", "counts nothing", reports, "blocked-uncounted",
			enforced(func(_ history.PrivacyRequest, r *history.PrivacyResult) { r.BlockedBlocks, r.SecretRedactions = 0, 0 })},
		{"history-P16", "sanitises the caller's payload in place", "history.privacy.payload-untouched", "payload-mutated", policed(policy{inPlace: true})},
		{"history-payload-shared", "gives a harmless payload back as it is", "history.privacy.payload-owned", "payload-shared",
			enforced(func(req history.PrivacyRequest, r *history.PrivacyResult) {
				if !r.Changed {
					r.Payload = req.Payload
				}
			})},
		{"history-withholds-all", "withholds everything", "history.privacy.harmless", "harmless-lost",
			policed(policy{secrets: regexp.MustCompile(`.+`)})},
		{"history-reformats", "writes texts in its own way", "history.privacy.harmless", "harmless-changed",
			screened(func(built) screening {
				return func(_ context.Context, _ history.Adapter, req history.PrivacyRequest) (history.PrivacyResult, error) {
					r, err := policy{secrets: regexp.MustCompile(` please`)}.screen(req)
					r.Changed, r.SecretRedactions = false, 0
					return r, err
				}
			})},
		{"history-always-changed", "says that it changed what it did not", "history.privacy.harmless", "harmless-counted",
			enforced(func(_ history.PrivacyRequest, r *history.PrivacyResult) { r.Changed = true })},
	}
}

// privatePart is what a precise policy takes out of a text.
var privatePart = regexp.MustCompile(`(?is)\[ds4:(?:local-only|sensitive)\].*?\[/ds4:(?:local-only|sensitive)\]`)

func markerMutants() []Mutant {
	const structure = "history.privacy.marker-structure"
	loose := policed(policy{unpaired: true, part: privatePart})
	return []Mutant{
		{"history-P08", "knows markers in lower case", "history.privacy.marker-case", "marker-case-ignored",
			policed(policy{tag: regexp.MustCompile(`\[(/?)ds4:(normal|internal|sensitive|local-only)\]`)})},
		{"history-P07", "looks for markers string by string", structure, "split-marker-sent", loose},
		{"history-unclosed", "takes a marker without end for text", structure, "unclosed-marker-sent", loose},
		{"history-mismatched", "closes a span with any closing tag", structure, "mismatched-marker-sent",
			policed(policy{unpaired: true, part: regexp.MustCompile(`(?is)\[ds4:local-only\].*?\[/ds4:[a-z-]+\]`)})},
		{"history-stray", "drops closing tags that close nothing", structure, "stray-marker-sent", loose},
		{"history-unclosed-string", "withholds the string with the broken marker and sends the rest", structure, "split-marker-sent",
			policed(policy{unpaired: true})},
		{"history-nested", "ends a span at the first closing tag", "history.privacy.marker-nesting", "nested-marker-sent", loose},
		{"history-tags-left", "leaves the tags of what it lets through", "history.privacy.idempotent", "marker-residue",
			policed(policy{tag: regexp.MustCompile(`(?i)\[(/?)ds4:(local-only)\]`), part: privatePart})},
		{"history-mask-secret", "masks credentials by what looks like one", "history.privacy.idempotent", "sanitising-not-idempotent",
			policed(policy{part: privatePart, mask: func(s string) string { return "password=" + s[:0] + "removed" + strings.Repeat("!", len(s)%7+1) }})},
	}
}

// height is how deep a value is nested.
func height(v any) int {
	h := 0
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			h = max(h, 1+height(x))
		}
	case map[string]any:
		for _, x := range v {
			h = max(h, 1+height(x))
		}
	}
	return h
}
