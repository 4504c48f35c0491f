package hostmutants

import (
	"net/http"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// Right lists right hosts that look unusual. The caller owns the slice.
func Right() []Variant {
	right := func(id, note string, change func(h *host)) Variant {
		return Variant{id, note, subject(id, all(), change)}
	}
	return []Variant{
		right("host-right-small", "keeps every key it is given in memory and in a file", func(*host) {}),
		{"host-right-mute", "shows nothing but its surface", subject("host-right-mute", nil, func(*host) {})},
		{"host-right-told", "can be told where its providers are, and shows nothing else", subject("host-right-told", fakes.Features{fakes.Outbound}, func(*host) {})},
		right("host-right-array", "lists its runtimes as an array, among others that are not installed", func(h *host) {
			h.entries = func(h *host) any {
				return append(h.list(), object{"id": "codex", "installed": false, "binPath": "/opt/codex", "connectionState": "not-installed",
					"health": object{"ok": false, "message": "not found"}, "extra": 1})
			}
		}),
		right("host-right-terse", "refuses with an error alone, and with other statuses where any will do", func(h *host) {
			h.refuse = func(w http.ResponseWriter, status int, text string, _ []byte) {
				h.say(w, status, object{"error": text})
			}
			h.badStatus = func(kind string) int {
				switch kind {
				case "large":
					return http.StatusRequestEntityTooLarge
				case "malformed", "type":
					return http.StatusUnprocessableEntity
				case "runtime":
					return http.StatusNotFound
				}
				return http.StatusBadRequest
			}
		}),
		right("host-right-tail", "shows the last four characters of a key, and says more than it must", func(h *host) {
			h.connected = func(h *host, _, given string) (int, object) {
				return http.StatusOK, object{"ok": true, "connectionState": h.state(), "key": "…" + given[max(0, len(given)-4):], "slots": len(h.keys)}
			}
			h.note = func(_ *host, q request) string { return "a request about " + or(q.Provider) }
		}),
		right("host-right-open", "serves pages of other sites", func(h *host) { h.ours = func(*http.Request) bool { return true } }),
		right("host-right-many", "knows other runtimes, which it does not check", func(h *host) {
			h.runtime = func(id string) bool { return id == native || id == "codex" }
		}),
	}
}
