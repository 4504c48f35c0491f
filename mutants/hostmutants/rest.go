package hostmutants

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"path/filepath"

	"github.com/adaptercheck/adaptercheck/conformance/check"
)

func runtimeMutants() []Mutant {
	lists := func(id, note, checkID, code string, change func(h *host, o object) []object) Mutant {
		return wrong(id, note, checkID, check.Code(code), func(h *host) {
			h.entries = func(h *host) any { return change(h, h.list()[0]) }
		})
	}
	calls := func(id, note, checkID, code string, before func(h *host, call func())) Mutant {
		return wrong(id, note, checkID, check.Code(code), func(h *host) {
			before(h, func() {
				if resp, err := h.client.Do(probe(h, "anthropic", h.keys["anthropic"])); err == nil {
					_ = resp.Body.Close()
				}
			})
		})
	}
	return []Mutant{
		lists("host-lists-nothing", "lists no runtime", "host.runtimes.native", "native-missing", func(*host, object) []object { return []object{} }),
		lists("host-lists-twice", "lists its runtime once more", "host.runtimes.native", "native-twice", func(_ *host, o object) []object { return []object{o, o} }),
		lists("host-not-installed", "looks for a program of its own name", "host.runtimes.native", "native-not-installed", func(_ *host, o object) []object {
			o["installed"] = false
			return []object{o}
		}),
		lists("host-path-flag", "says whether there is a program, and not where", "host.runtimes.entries", "entry-form", func(_ *host, o object) []object {
			o["binPath"] = false
			return []object{o}
		}),
		lists("host-flat-health", "says healthy in one word", "host.runtimes.entries", "entry-form", func(_ *host, o object) []object {
			o["health"] = true
			return []object{o}
		}),
		lists("host-own-state", "has a state of its own in the list", "host.runtimes.entries", "entry-state", func(_ *host, o object) []object {
			o["connectionState"] = "connected"
			return []object{o}
		}),
		lists("host-always-healthy", "is always healthy", "host.runtimes.follows", "healthy-without-key", func(_ *host, o object) []object {
			o["health"] = object{"ok": true}
			return []object{o}
		}),
		lists("host-three-keys", "looks for the keys of three providers", "host.runtimes.follows", "unhealthy-with-key", func(h *host, o object) []object {
			o["health"] = object{"ok": h.keys["anthropic"]+h.keys["openai"]+h.keys["openrouter"] != ""}
			return []object{o}
		}),
		lists("host-state-stuck", "always needs to be authorized", "host.runtimes.follows", "state-wrong", func(_ *host, o object) []object {
			o["connectionState"] = "needs-auth"
			return []object{o}
		}),
		calls("host-list-calls", "asks the provider whenever it lists", "host.runtimes.offline", "list-calls-out", func(h *host, call func()) {
			right := h.entries
			h.entries = func(h *host) any { call(); return right(h) }
		}),
		calls("host-seed-calls", "asks the provider for its models to seed a team", "host.seed-team.offline", "seed-calls-out", func(h *host, call func()) {
			h.seeded = func(h *host, provider string) (int, object) { call(); return seed(h, provider) }
		}),
	}
}

func seedMutants() []Mutant {
	seeds := func(id, note, checkID string, code check.Code, change func(h *host, provider string, o object) int) Mutant {
		return wrong(id, note, checkID, code, func(h *host) {
			h.seeded = func(h *host, provider string) (int, object) {
				_, o := seed(h, provider)
				return change(h, provider, o), o
			}
		})
	}
	created := http.StatusCreated
	return []Mutant{
		seeds("host-seed-200", "answers 200 for what it has made", "host.seed-team.creates", "seed-refused", func(*host, string, object) int { return http.StatusOK }),
		seeds("host-seed-three", "seeds for three providers", "host.seed-team.creates", "seed-refused", func(_ *host, provider string, _ object) int {
			if provider == "moonshot" || provider == "cerebras" {
				return http.StatusBadRequest
			}
			return created
		}),
		seeds("host-agent-names", "names its agents by their names", "host.seed-team.creates", "agent-id-form", func(_ *host, _ string, o object) int {
			o["leaderAgentId"], o["specialistAgentId"] = "Team Lead", "Coder"
			return created
		}),
		seeds("host-no-team-id", "does not say which team it made", "host.seed-team.creates", "team-id-missing", func(_ *host, _ string, o object) int {
			delete(o, "teamId")
			return created
		}),
		seeds("host-one-agent", "makes one agent and calls it two", "host.seed-team.creates", "agents-alike", func(_ *host, _ string, o object) int {
			o["specialistAgentId"] = o["leaderAgentId"]
			return created
		}),
		seeds("host-seed-needs-key", "seeds only with a key", "host.seed-team.defaults", "seed-refused", func(h *host, _ string, _ object) int {
			if len(h.keys) == 0 {
				return http.StatusConflict
			}
			return created
		}),
		seeds("host-one-team", "has one team", "host.seed-team.apart", "team-reused", func(_ *host, _ string, o object) int {
			o["teamId"] = "first-team"
			return created
		}),
		seeds("host-same-agents", "gives new teams the old agents", "host.seed-team.apart", "agent-reused", func(_ *host, _ string, o object) int {
			o["leaderAgentId"] = "native-team-lead-00000a"
			return created
		}),
		wrong("host-seeds-anything", "seeds for a provider that it does not know", "host.seed-team.unknown-provider", "unknown-provider-seeded",
			func(h *host) { h.provider = func(string) bool { return true } }),
		wrong("host-seed-wordless", "does not say why it seeds nothing", "host.seed-team.unknown-provider", "refusal-shape", okFalse),
	}
}

func runMutants() []Mutant {
	return []Mutant{
		wrong("host-runs-nothing", "fails where a task is missing", "host.run.task-required", "no-task-run", failing("task")),
		wrong("host-run-wordless", "does not say that it wants a task", "host.run.task-required", "refusal-shape", okFalse),
		wrong("host-any-assignee", "takes any word for an agent's id", "host.run.assignee", "assignee-accepted",
			func(h *host) { h.assignee = func(string) bool { return true } }),
		wrong("host-assignee-wordless", "does not say what is wrong with an agent's id", "host.run.assignee", "refusal-shape", okFalse),
		wrong("host-task-500", "fails on a task that there is not", "host.run.unknown-task", "unknown-task-status", func(h *host) {
			h.run = func(request) (int, object) { return http.StatusInternalServerError, object{"error": "no rows"} }
		}),
		wrong("host-task-ok", "says ok of a task that there is not", "host.run.unknown-task", "refusal-shape", func(h *host) {
			h.run = func(request) (int, object) { return http.StatusNotFound, object{"ok": true} }
		}),
	}
}

func secretMutants() []Mutant {
	shows := func(id, note string, show func(key string) string) Mutant {
		return wrong(id, note, "host.secrets.answers", "key-in-answer", func(h *host) {
			h.connected = func(h *host, _, given string) (int, object) {
				return http.StatusOK, object{"ok": true, "connectionState": h.state(), "stored": show(given)}
			}
		})
	}
	writes := func(id, note string, code check.Code, write func(h *host, data []byte) error) Mutant {
		return wrong(id, note, "host.secrets.vault", code, func(h *host) { h.write = write })
	}
	sealed := func(h *host, data []byte) error {
		return os.WriteFile(h.vault(), h.seal.Seal(nil, make([]byte, h.seal.NonceSize()), data, nil), 0o600)
	}
	return []Mutant{
		shows("host-shows-key", "says which key it has stored", func(k string) string { return k }),
		shows("host-shows-part", "masks the first half of a key", func(k string) string { return "…" + k[len(k)/2:] }),
		shows("host-shows-base64", "shows the key in another form", func(k string) string { return base64.StdEncoding.EncodeToString([]byte(k)) }),
		wrong("host-key-header", "sends the key back as a header", "host.secrets.answers", "key-in-answer", func(h *host) {
			right := h.store
			h.store = func(h *host, slot, key string) {
				right(h, slot, key)
				h.say = func(w http.ResponseWriter, status int, v any) {
					w.Header().Set("X-Debug", key)
					sayJSON(w, status, v)
				}
			}
		}),
		wrong("host-quotes-provider", "passes on what the provider says", "host.secrets.provider-text", "key-in-answer", func(h *host) {
			h.verdictOut = func(text, key string) (int, object) {
				if text == "" {
					return http.StatusOK, object{"ok": true}
				}
				return http.StatusOK, object{"ok": false, "error": "Incorrect API key provided: " + key}
			}
		}),
		wrong("host-logs-bodies", "logs what it is sent", "host.secrets.logs", "key-in-log", func(h *host) {
			h.note = func(_ *host, q request) string {
				return fmt.Sprintf("provider %q key %q", or(q.Provider), or(q.APIKey))
			}
		}),
		wrong("host-logs-hex", "logs the bytes of a key", "host.secrets.logs", "key-in-log", func(h *host) {
			h.note = func(_ *host, q request) string { return fmt.Sprintf("%x", or(q.APIKey)) }
		}),
		writes("host-vault-nowhere", "has no vault", "vault-missing", func(h *host, _ []byte) error { return os.RemoveAll(h.dir) }),
		writes("host-vault-plain", "keeps its keys as they are", "key-in-vault", func(h *host, data []byte) error { return os.WriteFile(h.vault(), data, 0o600) }),
		writes("host-vault-base64", "keeps its keys in another form", "key-in-vault", func(h *host, data []byte) error {
			return os.WriteFile(h.vault(), []byte(base64.StdEncoding.EncodeToString(data)), 0o600)
		}),
		writes("host-vault-remains", "leaves what it wrote first lying beside the vault", "key-in-vault", func(h *host, data []byte) error {
			if err := os.WriteFile(filepath.Join(h.dir, ".vault.tmp"), data, 0o600); err != nil {
				return err
			}
			return sealed(h, data)
		}),
		writes("host-vault-open", "lets everyone read its vault", "vault-open-to-others", func(h *host, data []byte) error {
			if err := sealed(h, data); err != nil {
				return err
			}
			return os.Chmod(h.vault(), 0o644)
		}),
		wrong("host-large-echo", "quotes the beginning of a body that is too long", "host.surface.large-body", "body-repeated",
			tooLong(http.StatusRequestEntityTooLarge, func(key string) string { return "too long: " + key[:100] + "…" })),
		wrong("host-types-echo", "quotes what is of a wrong type", "host.surface.wrong-types", "body-repeated", echoing),
		wrong("host-healthcheck-wordless", "does not say that it wants a key", "host.healthcheck.key-required", "refusal-shape", okFalse),
	}
}
