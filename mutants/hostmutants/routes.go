package hostmutants

import (
	"fmt"
	"net/http"
	"strings"
)

func probe(h *host, provider, key string) *http.Request {
	url := h.base + "/" + provider + "/v1/models"
	if provider == "ollama" {
		url = h.base + "/ollama/api/tags"
	}
	r, _ := http.NewRequest(http.MethodGet, url, nil)
	switch provider {
	case "anthropic":
		r.Header.Set("X-Api-Key", key)
		r.Header.Set("Anthropic-Version", "2023-06-01")
	case "ollama":
	default:
		r.Header.Set("Authorization", "Bearer "+key)
	}
	return r
}

// verdict is what is wrong, empty if nothing is.
func verdict(resp *http.Response, err error) string {
	if err != nil {
		return "Could not reach the provider."
	}
	switch {
	case resp.StatusCode == http.StatusOK:
		return ""
	case resp.StatusCode == 401 || resp.StatusCode == 403:
		return "Invalid API key."
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		return "Could not reach the provider."
	default:
		return fmt.Sprintf("Provider returned %d.", resp.StatusCode)
	}
}

func seed(h *host, _ string) (int, object) {
	h.teams++
	return http.StatusCreated, object{
		"teamId":        fmt.Sprintf("team-%d", h.teams),
		"leaderAgentId": fmt.Sprintf("native-team-lead-%06x", 2*h.teams), "specialistAgentId": fmt.Sprintf("native-coder-%06x", 2*h.teams+1),
	}
}

func (h *host) healthcheck(w http.ResponseWriter, id string, q request) {
	provider, given := or(q.Provider), strings.TrimSpace(or(q.APIKey))
	switch {
	case !h.checkable(id):
		h.refuse(w, http.StatusBadRequest, "healthcheck is only supported for the native runtime", nil)
		return
	case !h.provider(provider):
		h.refuse(w, h.badStatus("provider"), "unknown provider", nil)
		return
	}
	key := h.keyToCheck(given, h.stored(h, provider))
	if key == "" && provider != "ollama" {
		h.refuse(w, h.badStatus("key"), "apiKey is required", nil)
		return
	}
	if h.base == "" { // it calls nobody
		h.say(w, http.StatusOK, object{"ok": false, "error": "Could not reach the provider."})
		return
	}
	resp, err := h.client.Do(h.probe(h, provider, key))
	text := h.verdict(resp, err)
	if err == nil {
		_ = resp.Body.Close()
	}
	if given != "" {
		h.checked(h, provider, given)
	}
	status, o := h.verdictOut(text, key)
	h.say(w, status, o)
}

func (h *host) connect(w http.ResponseWriter, q request) {
	provider, given := or(q.Provider), strings.TrimSpace(or(q.APIKey))
	if provider != "ollama" {
		slot := h.slot(provider)
		if given == "" && (provider == "" || h.keys[slot] == "") {
			h.refuse(w, h.badStatus("connect"), "apiKey is required", nil)
			return
		}
		if given != "" {
			h.store(h, slot, given)
		}
	} else if h.slot(provider) != provider {
		h.store(h, h.slot(provider), given)
	}
	if err := h.save(h); err != nil {
		h.refuse(w, http.StatusInternalServerError, "the vault cannot be written", nil)
		return
	}
	status, o := h.connected(h, provider, given)
	h.say(w, status, o)
}

func (h *host) seedTeam(w http.ResponseWriter, q request) {
	provider := or(q.Provider)
	if provider != "" && !h.provider(provider) {
		h.refuse(w, h.badStatus("seed"), "unknown provider", nil)
		return
	}
	status, o := h.seeded(h, provider)
	h.say(w, status, o)
}

func (h *host) runTask(w http.ResponseWriter, q request) {
	assignee := native
	if q.Assignee != nil {
		assignee = *q.Assignee
	}
	switch {
	case strings.TrimSpace(or(q.TaskID)) == "":
		h.refuse(w, h.badStatus("task"), "taskId is required", nil)
	case !h.assignee(assignee):
		h.refuse(w, h.badStatus("assignee"), "invalid assigneeAgentId", nil)
	default:
		status, o := h.run(q)
		h.say(w, status, o)
	}
}
