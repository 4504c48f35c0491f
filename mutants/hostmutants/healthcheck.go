package hostmutants

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// probeMutants are wrong in how they ask a provider, and in what they make of its answer.
func probeMutants() []Mutant {
	asks := func(change func(r *http.Request, provider, key string)) func(h *host) {
		return func(h *host) {
			h.probe = func(h *host, provider, key string) *http.Request {
				r := probe(h, provider, key)
				change(r, provider, key)
				return r
			}
		}
	}
	judges := func(wrong func(resp *http.Response, err error) bool, say string) func(h *host) {
		return func(h *host) {
			h.verdict = func(resp *http.Response, err error) string {
				if wrong(resp, err) {
					return say
				}
				return verdict(resp, err)
			}
		}
	}
	says := func(text string, status int) func(h *host) {
		return func(h *host) {
			h.verdictOut = func(got, _ string) (int, object) {
				switch {
				case got == "":
					return http.StatusOK, object{"ok": true}
				case strings.HasPrefix(got, text):
					return status, object{"ok": false, "error": got}
				}
				return http.StatusOK, object{"ok": false, "error": got}
			}
		}
	}
	status := func(codes ...int) func(*http.Response, error) bool {
		return func(resp *http.Response, err error) bool {
			if err != nil {
				return false
			}
			for _, c := range codes {
				if resp.StatusCode == c {
					return true
				}
			}
			return false
		}
	}
	failed := func(_ *http.Response, err error) bool { return err != nil }
	return []Mutant{
		wrong("host-pessimist", "finds no key good", "host.healthcheck.good-key", "good-key-refused", judges(status(200), "Invalid API key.")),
		wrong("host-optimist", "looks at the form of a key and asks nobody", "host.healthcheck.good-key", "provider-not-asked", func(h *host) {
			h.client.Transport = offline{}
		}),
		wrong("host-401-good", "takes every answer for a good one", "host.healthcheck.bad-key", "bad-key-accepted", judges(status(401, 403), "")),
		wrong("host-403-good", "takes a forbidden key for a good one", "host.healthcheck.bad-key", "bad-key-accepted", judges(status(403), "")),
		wrong("host-401-passed-on", "answers with the status of the provider", "host.healthcheck.bad-key", "bad-key-answer", says("Invalid", http.StatusUnauthorized)),
		wrong("host-500-good", "takes an outage for a good key", "host.healthcheck.provider-down", "trouble-accepted", judges(status(500, 503, 529), "")),
		wrong("host-429-good", "takes a limit for a good key", "host.healthcheck.provider-down", "trouble-accepted", judges(status(429), "")),
		wrong("host-500-passed-on", "fails when the provider does", "host.healthcheck.provider-down", "trouble-answer", says("Provider returned", http.StatusBadGateway)),
		wrong("host-follows", "follows a redirect with the key", "host.healthcheck.redirect", "redirect-followed", func(h *host) { h.client.CheckRedirect = nil }),
		wrong("host-redirect-good", "takes a redirect for a good key", "host.healthcheck.redirect", "redirect-accepted", judges(status(307), "")),
		wrong("host-redirect-passed-on", "passes a redirect on", "host.healthcheck.redirect", "redirect-answer", says("Could not reach", http.StatusBadGateway)),
		wrong("host-gone-good", "takes a lost connection for a good key", "host.healthcheck.unreachable", "unreachable-accepted", judges(failed, "")),
		wrong("host-gone-500", "fails when a provider hangs up", "host.healthcheck.unreachable", "unreachable-answer", says("Could not reach", http.StatusInternalServerError)),
		wrong("host-patient", "waits for a provider for ever", "host.healthcheck.bounded", "healthcheck-hung", func(h *host) { h.client.Timeout = time.Hour }),
		wrong("host-silence-good", "takes silence for a good key", "host.healthcheck.bounded", "silence-accepted", judges(failed, "")),
		wrong("host-silence-504", "fails when a provider says nothing", "host.healthcheck.bounded", "silence-answer", says("Could not reach", http.StatusGatewayTimeout)),
		wrong("host-asks-nobody", "asks nobody", "host.healthcheck.probe", "probe-missing", func(h *host) { h.client.Transport = offline{} }),
		wrong("host-asks-anthropic", "asks Anthropic about every key", "host.healthcheck.probe", "probe-of-another",
			asks(func(r *http.Request, provider, _ string) {
				r.URL.Path = strings.Replace(r.URL.Path, "/"+provider+"/", "/anthropic/", 1)
			})),
		wrong("host-probe-posts", "asks with a POST", "host.healthcheck.probe", "probe-method-wrong",
			asks(func(r *http.Request, _, _ string) { r.Method = http.MethodPost })),
		wrong("host-probe-chats", "has the model say hello, which costs", "host.healthcheck.probe", "probe-path-wrong",
			asks(func(r *http.Request, _, _ string) {
				r.URL.Path = strings.Replace(r.URL.Path, "/models", "/messages", 1)
			})),
		wrong("host-probe-bearer", "sends every key as a bearer's", "host.healthcheck.probe", "probe-key-wrong",
			asks(func(r *http.Request, _, key string) {
				r.Header.Del("X-Api-Key")
				r.Header.Set("Authorization", "Bearer "+key)
			})),
		wrong("host-probe-query", "puts the key into the address", "host.healthcheck.probe", "probe-key-in-url",
			asks(func(r *http.Request, _, key string) { r.URL.RawQuery = url.Values{"key": {key}}.Encode() })),
		wrong("host-probe-versionless", "names no version to Anthropic", "host.healthcheck.probe", "probe-version-missing",
			asks(func(r *http.Request, _, _ string) { r.Header.Del("Anthropic-Version") })),
		wrong("host-ollama-key", "wants a key of Ollama", "host.healthcheck.ollama", "ollama-wants-key", judges(func(resp *http.Response, err error) bool {
			return err == nil && strings.HasSuffix(resp.Request.URL.Path, "/api/tags")
		}, "Invalid API key.")),
		wrong("host-ollama-models", "asks Ollama for the models of OpenAI", "host.healthcheck.ollama", "ollama-probe-wrong",
			asks(func(r *http.Request, provider, _ string) {
				if provider == "ollama" {
					r.URL.Path = "/ollama/v1/models"
				}
			})),
		wrong("host-ollama-leaks", "sends Ollama the key of Anthropic", "host.healthcheck.ollama", "ollama-key-sent", func(h *host) {
			h.probe = func(h *host, provider, key string) *http.Request {
				r := probe(h, provider, key)
				if provider == "ollama" {
					r.Header.Set("Authorization", "Bearer "+h.keys["anthropic"])
				}
				return r
			}
		}),
	}
}

// offline answers well, and reaches nobody.
type offline struct{}

func (offline) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("{}")), Request: r}, nil
}

// keyMutants are wrong in which key they check.
func keyMutants() []Mutant {
	return []Mutant{
		wrong("host-check-stores", "keeps a key that it was to check", "host.healthcheck.key-not-kept", "checked-key-kept", func(h *host) {
			h.checked = func(h *host, provider, given string) { h.keys[provider] = given }
		}),
		wrong("host-check-replaces", "replaces a stored key by one that it was to check", "host.healthcheck.key-not-kept", "checked-key-kept", func(h *host) {
			h.checked = func(h *host, provider, given string) {
				if h.keys[provider] != "" {
					h.keys[provider] = given
				}
			}
		}),
		wrong("host-forgets-stored", "checks a key of its own making where none is given", "host.healthcheck.stored-key", "stored-key-unused", func(h *host) {
			h.keyToCheck = func(given, stored string) string {
				if given == "" && stored != "" {
					return "unset"
				}
				return given
			}
		}),
		wrong("host-stored-anthropic", "checks the stored key of Anthropic with every provider", "host.healthcheck.stored-key", "stored-key-unused", func(h *host) {
			h.stored = func(h *host, _ string) string { return h.keys["anthropic"] }
		}),
		wrong("host-stored-first", "checks the stored key though one is given", "host.healthcheck.stored-key", "given-key-unused", func(h *host) {
			h.keyToCheck = func(given, stored string) string {
				if stored != "" {
					return stored
				}
				return given
			}
		}),
	}
}
