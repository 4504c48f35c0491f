package hostmutants

import "net/http"

func connectMutants() []Mutant {
	answers := func(status int, o object) func(h *host) {
		return func(h *host) { h.connected = func(*host, string, string) (int, object) { return status, o } }
	}
	return []Mutant{
		wrong("host-connect-202", "says that it may have connected", "host.connect.stores", "connect-refused", answers(http.StatusAccepted, object{"ok": true, "connectionState": "ready"})),
		wrong("host-connect-state", "has a state of its own", "host.connect.stores", "connect-state", answers(http.StatusOK, object{"ok": true, "connectionState": "connected"})),
		wrong("host-keeps-nothing", "says ok and keeps nothing", "host.connect.stores", "key-not-stored", func(h *host) { h.store = func(*host, string, string) {} }),
		wrong("host-connects-blank", "connects without a key", "host.connect.key-required", "no-key-connected", func(h *host) {
			right := h.badStatus
			h.badStatus = func(kind string) int {
				if kind == "connect" {
					return http.StatusOK
				}
				return right(kind)
			}
		}),
		wrong("host-connect-wordless", "does not say what it lacks", "host.connect.key-required", "refusal-shape", okFalse),
		wrong("host-first-key-wins", "keeps the first key of a provider", "host.connect.again", "key-not-replaced", func(h *host) {
			h.store = func(h *host, slot, key string) {
				if h.keys[slot] == "" {
					h.keys[slot] = key
				}
			}
		}),
		wrong("host-connect-empties", "takes the key away where none is given", "host.connect.again", "key-lost", func(h *host) {
			h.connected = func(h *host, provider, given string) (int, object) {
				if given == "" {
					h.keys[provider] = ""
				}
				return http.StatusOK, object{"ok": true, "connectionState": h.state()}
			}
		}),
		wrong("host-connect-races", "reads its keys before it waits for others", "host.connect.together", "key-lost", func(h *host) {
			// As if every request had read the vault before the first one wrote it.
			before := h.copyOf()
			h.store = func(h *host, slot, key string) {
				clear(h.keys)
				for s, k := range before {
					h.keys[s] = k
				}
				h.keys[slot] = key
			}
		}),
		wrong("host-in-memory", "keeps its keys until it ends", "host.connect.lasts", "key-lost", func(h *host) { h.save = func(*host) error { return nil } }),
		wrong("host-remembers", "forgets in memory only", "host.connect.lasts", "disconnect-lost", func(h *host) {
			right := h.save
			h.save = func(h *host) error {
				if len(h.keys) == 0 {
					return nil
				}
				return right(h)
			}
		}),
	}
}

func slotMutants() []Mutant {
	into := func(slots map[string]string) func(h *host) {
		return func(h *host) {
			right := h.slot
			h.slot = func(p string) string {
				if s, ok := slots[p]; ok {
					return s
				}
				return right(p)
			}
		}
	}
	refusing := func(provider string) func(h *host) {
		return func(h *host) {
			h.connected = func(h *host, p, _ string) (int, object) {
				if p == provider {
					return http.StatusBadRequest, object{"error": "the provider is not supported"}
				}
				return http.StatusOK, object{"ok": true, "connectionState": h.state()}
			}
		}
	}
	return []Mutant{
		wrong("host-default-openai", "keeps a key without a provider as OpenAI's", "host.connect.default-slot", "default-slot-wrong", into(map[string]string{"": "openai"})),
		wrong("host-default-refused", "wants a provider", "host.connect.default-slot", "connect-refused", refusing("")),
		wrong("host-unknown-refused", "wants a provider that it knows", "host.connect.unknown-slot", "connect-refused", refusing("nobody")),
		wrong("host-moonshot-refused", "does not connect the last provider", "host.connect.provider-slot", "connect-refused", refusing("moonshot")),
		wrong("host-unknown-own-slot", "makes a slot for every word", "host.connect.unknown-slot", "unknown-slot-wrong", into(map[string]string{"nobody": "nobody"})),
		wrong("host-one-slot", "has one slot for all", "host.connect.provider-slot", "provider-slot-wrong", func(h *host) { h.slot = func(string) string { return "anthropic" } }),
		wrong("host-moonshot-slot", "takes the last provider for another", "host.connect.provider-slot", "provider-slot-wrong", into(map[string]string{"moonshot": "openai"})),
		wrong("host-ollama-refused", "wants a key of Ollama", "host.connect.ollama", "ollama-refused", func(h *host) {
			h.connected = func(h *host, provider, given string) (int, object) {
				if provider == "ollama" && given == "" {
					return http.StatusBadRequest, object{"error": "apiKey is required"}
				}
				return http.StatusOK, object{"ok": true, "connectionState": h.state()}
			}
		}),
		wrong("host-ollama-stored", "keeps a key of Ollama as Anthropic's", "host.connect.ollama", "ollama-stored", into(map[string]string{"ollama": "anthropic"})),
	}
}

func disconnectMutants() []Mutant {
	parts := func(status int, o object) func(h *host) {
		return func(h *host) {
			n := 0 // the suite's own disconnect, before each check, is the first
			right := h.parted
			h.parted = func(h *host) (int, object) {
				if n++; n == 1 {
					return right(h)
				}
				return status, o
			}
		}
	}
	return []Mutant{
		wrong("host-disconnect-204", "has nothing to say when it disconnects", "host.disconnect.forgets", "disconnect-refused", parts(http.StatusNoContent, object{})),
		wrong("host-disconnect-ready", "says that it is ready when it has forgotten", "host.disconnect.forgets", "disconnect-state", parts(http.StatusOK, object{"ok": true, "connectionState": "ready"})),
		wrong("host-keeps-openrouter", "forgets the key of Anthropic only", "host.disconnect.forgets", "key-kept", func(h *host) {
			h.forget = func(h *host) { delete(h.keys, "anthropic") }
			h.parted = func(*host) (int, object) { return http.StatusOK, object{"ok": true, "connectionState": "needs-auth"} }
		}),
		wrong("host-disconnect-409", "has nothing to disconnect the second time", "host.disconnect.twice", "disconnect-refused", parts(http.StatusConflict, object{"error": "not connected"})),
		wrong("host-disconnect-final", "connects no more once it has disconnected", "host.disconnect.twice", "connect-refused", func(h *host) {
			h.store = func(*host, string, string) {}
		}),
	}
}
