package historymutants

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/go-json-experiment/json"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
)

// keyed makes a subject that makes some part of its keys in its own way; the
// fingerprint follows.
func keyed(change func(req history.LocalKVRequest, k *history.LocalKVKey)) func() check.Subject {
	return asks(func(req *history.LocalKVRequest) {
		change(*req, &req.Eligibility)
		req.Eligibility.Fingerprint = fingerprint(req.Eligibility)
	})
}

// fingerprint is the hash over the version and the other hashes.
func fingerprint(k history.LocalKVKey) string {
	return sum(map[string]string{
		"optionsHash": k.OptionsHash, "prefixHash": k.PrefixHash, "privacyHash": k.PrivacyHash,
		"providerModelHash": k.ProviderModelHash, "runtimeHash": k.RuntimeHash, "version": k.Version,
	})
}

// sum hashes the canonical JSON of plain data.
func sum(v any) string {
	b, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		panic(err) // a mutant that cannot be what it is
	}
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}

// member is a member of a request's payload.
func member(req history.LocalKVRequest, name string) any {
	p, _ := req.Payload.(map[string]any)
	return p[name]
}

// prefix lists the roles and the texts of all messages of a request but the last.
func prefix(req history.LocalKVRequest) (roles, texts []string) {
	messages, _ := member(req, "messages").([]any)
	for _, m := range messages[:max(0, len(messages)-1)] {
		m := m.(map[string]any)
		roles, texts = append(roles, m["role"].(string)), append(texts, m["content"].(string))
	}
	return roles, texts
}

func kvKeyMutants() []Mutant {
	const key, distinct, alike = "history.local-kv.key", "history.local-kv.fingerprint", "history.local-kv.look-alikes"
	const prompt = "fingerprint-misses-prompt"
	type request = history.LocalKVRequest
	type kvKey = history.LocalKVKey
	none := strings.Repeat("0", 64)
	// prompted makes a subject that takes something of a prefix for all of it.
	prompted := func(of func(roles, texts []string) any) func() check.Subject {
		return keyed(func(req request, k *kvKey) { k.PrefixHash = sum(of(prefix(req))) })
	}
	// opted makes a subject that writes options in its own way before it hashes them.
	opted := func(write func(tools any) any) func() check.Subject {
		return keyed(func(req request, k *kvKey) {
			k.OptionsHash = sum([]any{write(member(req, "tools")), member(req, "system")})
		})
	}
	return []Mutant{
		{"history-kv-key-version", "does not version its keys", key, "key-version-wrong", keyed(func(_ request, k *kvKey) { k.Version = "1" })},
		{"history-kv-key-short", "shortens its hashes", key, "key-hash-malformed", keyed(func(_ request, k *kvKey) { k.PrefixHash = k.PrefixHash[:16] })},
		{"history-kv-key-capitals", "writes its hashes in capitals", key, "key-hash-malformed",
			keyed(func(_ request, k *kvKey) { k.RuntimeHash = strings.ToUpper(k.RuntimeHash) })},
		{"history-kv-key-plain", "shows the model where its hash should be", key, "key-hash-malformed",
			keyed(func(req request, k *kvKey) { k.ProviderModelHash = req.Provider + "/" + req.Model })},
		{"history-kv-key-prefix", "takes the hash of the prefix for the fingerprint", key, "key-fingerprint-wrong",
			asks(func(req *request) { req.Eligibility.Fingerprint = req.Eligibility.PrefixHash })},
		{"history-kv-random", "makes up a key for every request", distinct, "fingerprint-unstable",
			func() check.Subject {
				var n atomic.Int64
				return keyed(func(_ request, k *kvKey) { k.PrefixHash = sum(n.Add(1)) })()
			}},
		{"history-kv-no-prompt", "knows prefixes apart by their number of messages", distinct, prompt,
			prompted(func(roles, _ []string) any { return roles })},
		{"history-kv-no-roles", "does not look at who said what", distinct, prompt, prompted(func(_, texts []string) any { return texts })},
		{"history-kv-joined", "does not look at where a message ends", distinct, prompt,
			prompted(func(roles, texts []string) any { return []any{roles, strings.Join(texts, "")} })},
		{"history-kv-trimmed", "trims prompts", distinct, prompt,
			prompted(func(roles, texts []string) any {
				for i := range texts {
					texts[i] = strings.TrimSpace(texts[i])
				}
				return []any{roles, texts}
			})},
		{"history-kv-folded", "takes capitals for small letters", distinct, prompt,
			prompted(func(roles, texts []string) any { return []any{roles, strings.ToLower(strings.Join(texts, "\x00"))} })},
		{"history-kv-short-prompt", "looks at the beginning of a prompt", distinct, prompt,
			prompted(func(roles, texts []string) any {
				all := strings.Join(texts, "\x00")
				return []any{roles, all[:min(len(all), 40)]}
			})},
		{"history-kv-no-tools", "forgets the tools", distinct, "fingerprint-misses-tools",
			keyed(func(req request, k *kvKey) { k.OptionsHash = sum(member(req, "system")) })},
		{"history-kv-no-options", "forgets the system prompt that stands beside the messages", distinct, "fingerprint-misses-options",
			keyed(func(req request, k *kvKey) { k.OptionsHash = sum(member(req, "tools")) })},
		{"history-kv-no-provider", "forgets the provider", distinct, "fingerprint-misses-provider",
			keyed(func(req request, k *kvKey) { k.ProviderModelHash = sum(req.Model) })},
		{"history-kv-no-model", "forgets the model", distinct, "fingerprint-misses-model",
			keyed(func(req request, k *kvKey) { k.ProviderModelHash = sum(req.Provider) })},
		{"history-kv-no-runtime", "forgets the runtime", distinct, "fingerprint-misses-runtime",
			keyed(func(_ request, k *kvKey) { k.RuntimeHash = none })},
		{"history-kv-printed", "hashes options as they are printed", alike, "look-alikes-collide", opted(func(tools any) any { return fmt.Sprint(tools) })},
		{"history-kv-undefined", "writes a word where an option is not there", alike, "look-alikes-collide",
			opted(func(tools any) any { return withDefault(tools, "[undefined]") })},
		{"history-kv-null", "takes what is not there for null", alike, "look-alikes-collide", opted(func(tools any) any { return withDefault(tools, nil) })},
		{"history-kv-sorted", "puts lists in order", alike, "look-alikes-collide", opted(sorted)},
	}
}

// withDefault writes a value for a default that a tool does not have.
func withDefault(tools, value any) any {
	return rewritten(tools, func(v any) {
		if m, ok := v.(map[string]any); ok && m["type"] == "string" {
			if _, has := m["default"]; !has {
				m["default"] = value
			}
		}
	})
}

// sorted puts every list in the order of what its items print.
func sorted(v any) any {
	return rewritten(v, func(v any) {
		if l, ok := v.([]any); ok {
			slices.SortFunc(l, func(a, b any) int { return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		}
	})
}

// rewritten is a copy of plain data in which every list and object was changed.
func rewritten(v any, change func(v any)) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, x := range v {
			out[k] = rewritten(x, change)
		}
		change(out)
		return out
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = rewritten(x, change)
		}
		change(out)
		return out
	}
	return v
}
