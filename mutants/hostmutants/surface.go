package hostmutants

import (
	"fmt"
	"net/http"

	"github.com/go-json-experiment/json"

	"github.com/adaptercheck/adaptercheck/conformance/check"
)

// wrong makes a mutant that shows everything that a host can show.
func wrong(id, note, checkID string, code check.Code, change func(h *host)) Mutant {
	return Mutant{id, note, checkID, code, subject(id, all(), change)}
}

// lenient reads what it can of a body and takes the rest for missing.
func lenient(data []byte, into *request) error {
	var m map[string]any
	if json.Unmarshal(data, &m) != nil {
		return nil
	}
	word := func(name string, to **string) {
		if v, ok := m[name]; ok {
			s := fmt.Sprint(v)
			*to = &s
		}
	}
	word("provider", &into.Provider)
	word("apiKey", &into.APIKey)
	word("model", &into.Model)
	word("taskId", &into.TaskID)
	word("assigneeAgentId", &into.Assignee)
	return nil
}

func failing(kinds ...string) func(h *host) {
	return func(h *host) {
		right := h.badStatus
		h.badStatus = func(kind string) int {
			for _, k := range kinds {
				if k == kind {
					return http.StatusInternalServerError
				}
			}
			return right(kind)
		}
	}
}

func echoing(h *host) {
	h.refuse = func(w http.ResponseWriter, status int, text string, body []byte) {
		h.say(w, status, object{"ok": false, "error": text + ": " + string(body)})
	}
}

// tooLong reads a body that is too long before it refuses it.
func tooLong(status int, text func(key string) string) func(h *host) {
	return func(h *host) {
		h.limit = 16 << 20
		right := h.store
		h.store = func(h *host, slot, key string) {
			if len(key) < 1<<20 {
				right(h, slot, key)
			}
		}
		h.connected = func(h *host, _, given string) (int, object) {
			if len(given) > 1<<20 {
				return status, object{"ok": false, "error": text(given)}
			}
			return http.StatusOK, object{"ok": true, "connectionState": h.state()}
		}
	}
}

func surfaceMutants() []Mutant {
	return []Mutant{
		wrong("host-plain-errors", "refuses in plain text", "host.surface.json", "answer-not-json", func(h *host) {
			h.refuse = func(w http.ResponseWriter, status int, text string, _ []byte) { http.Error(w, text, status) }
		}),
		wrong("host-untyped", "sends JSON as text", "host.surface.json", "content-type-wrong", func(h *host) {
			h.say = func(w http.ResponseWriter, status int, v any) {
				data, _ := json.Marshal(v)
				w.WriteHeader(status)
				_, _ = w.Write(data)
			}
		}),
		wrong("host-lenient", "takes a body that it cannot read for an empty one", "host.surface.malformed", "malformed-accepted",
			func(h *host) { h.decode = lenient }),
		wrong("host-malformed-500", "fails on a body that it cannot read", "host.surface.malformed", "malformed-crashed", failing("malformed")),
		wrong("host-echo", "quotes the body that it refuses", "host.surface.malformed", "body-repeated", echoing),
		wrong("host-coerces", "makes text of whatever it is given", "host.surface.wrong-types", "wrong-type-accepted",
			func(h *host) { h.decode = lenient }),
		wrong("host-types-500", "fails on a number where it wants text", "host.surface.wrong-types", "wrong-type-crashed", failing("type")),
		wrong("host-endless", "reads any body", "host.surface.large-body", "large-body-accepted", func(h *host) { h.limit = 1 << 30 }),
		wrong("host-large-500", "fails on a body that is too long", "host.surface.large-body", "large-body-crashed",
			tooLong(http.StatusInternalServerError, func(string) string { return "too long" })),
		wrong("host-falls", "is lost after a body that is too long", "host.surface.large-body", "host-lost", func(h *host) {
			lost := false
			right := h.refuse
			h.refuse = func(w http.ResponseWriter, status int, text string, body []byte) {
				lost = lost || len(body) >= 1<<20
				right(w, status, text, nil)
			}
			entries := h.entries
			h.entries = func(h *host) any {
				if lost {
					panic(http.ErrAbortHandler)
				}
				return entries(h)
			}
		}),
		wrong("host-any-method", "does on a GET what it does on a POST", "host.surface.methods", "get-accepted",
			func(h *host) {
				h.posted = func(*http.Request) bool { return true }
				h.badStatus = func(string) int { return http.StatusOK }
			}),
		wrong("host-get-disconnects", "refuses a GET after it has done what was asked", "host.surface.methods", "get-changes", func(h *host) {
			h.posted = func(r *http.Request) bool {
				if r.Method != http.MethodPost {
					h.mu.Lock()
					h.forget(h)
					h.mu.Unlock()
					return false
				}
				return true
			}
		}),
		wrong("host-any-runtime", "takes every runtime for its own", "host.surface.unknown-runtime", "unknown-runtime-accepted",
			func(h *host) { h.runtime = func(string) bool { return true } }),
		wrong("host-runtime-500", "fails on a runtime that it does not know", "host.surface.unknown-runtime", "unknown-runtime-status", failing("runtime")),
		wrong("host-any-origin", "serves pages of other sites", "host.surface.foreign-origin", "foreign-origin-served",
			func(h *host) { h.ours = func(*http.Request) bool { return true } }),
		wrong("host-any-name", "answers to every name", "host.surface.foreign-name", "foreign-name-served",
			func(h *host) { h.ours = func(r *http.Request) bool { return r.Header.Get("Origin") == "" } }),
	}
}

func okFalse(h *host) {
	h.refuse = func(w http.ResponseWriter, status int, _ string, _ []byte) { h.say(w, status, object{"ok": false}) }
}

// refusalMutants are wrong in what a healthcheck refuses.
func refusalMutants() []Mutant {
	return []Mutant{
		wrong("host-checks-others", "checks keys for every runtime", "host.healthcheck.other-runtime", "other-runtime-checked",
			func(h *host) { h.checkable = func(string) bool { return true } }),
		wrong("host-any-provider", "takes every provider for one with OpenAI's dialect", "host.healthcheck.unknown-provider", "unknown-provider-checked",
			func(h *host) { h.provider = func(string) bool { return true } }),
		wrong("host-silent-refusal", "does not say why it refuses", "host.healthcheck.unknown-provider", "refusal-shape", okFalse),
		wrong("host-provider-500", "fails on a provider that it does not know", "host.healthcheck.unknown-provider", "unknown-provider-checked", failing("provider")),
		wrong("host-no-key-needed", "asks the provider without a key", "host.healthcheck.key-required", "no-key-checked", func(h *host) {
			h.keyToCheck = func(given, stored string) string { return given + stored + " " }
		}),
		wrong("host-key-200", "says that a key is required as if that were an answer", "host.healthcheck.key-required", "no-key-checked", func(h *host) {
			h.badStatus = func(string) int { return http.StatusOK }
		}),
	}
}
