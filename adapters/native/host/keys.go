package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/adaptercheck/adaptercheck/adapters/native/provider"
)

// anthropicVersion is what Anthropic wants to be told.
const anthropicVersion = "2023-06-01"

// maxProbe bounds what is read of a provider's answer, of which only the status counts.
const maxProbe = 64 << 10

// keyRequest is the body of healthcheck and connect.
type keyRequest struct {
	Provider string `json:"provider"`
	APIKey   string `json:"apiKey"`
}

// probing is a client that takes keys nowhere but where they belong.
func probing(timeout time.Duration) *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DisableKeepAlives = true
	return &http.Client{
		Timeout:       timeout,
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// healthcheck asks a provider whether it takes a key.
func (h *Host) healthcheck(w http.ResponseWriter, r *http.Request) {
	var q keyRequest
	if !h.read(w, r, &q) {
		return
	}
	spec, known := provider.Known(provider.ID(q.Provider))
	if !known {
		refuse(w, http.StatusBadRequest, "unknown provider; want one of "+strings.Join(provider.IDs(), ", "))
		return
	}
	key := strings.TrimSpace(q.APIKey)
	if key == "" && !spec.Keyless() {
		key = h.key(spec.KeyEnv)
	}
	if key == "" && !spec.Keyless() {
		refuse(w, http.StatusBadRequest, noKey)
		return
	}
	if problem := h.probe(r.Context(), spec, key); problem != "" {
		answer(w, http.StatusOK, object{"ok": false, "error": problem})
		return
	}
	answer(w, http.StatusOK, object{"ok": true})
}

// probe asks the provider for its models, and says what is wrong; empty is nothing.
func (h *Host) probe(ctx context.Context, spec provider.Spec, key string) string {
	unreachable := fmt.Sprintf("Could not reach %s.", spec.ID)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, spec.Probe(spec.Base(h.o.BaseURLs[spec.ID], h.key)), nil)
	if err != nil {
		return unreachable
	}
	switch {
	case spec.ID == provider.Anthropic:
		req.Header.Set("X-Api-Key", key)
		req.Header.Set("Anthropic-Version", anthropicVersion)
	case !spec.Keyless():
		req.Header.Set("Authorization", "Bearer "+key)
	}
	resp, err := h.probing.Do(req)
	var slow interface{ Timeout() bool }
	switch {
	case errors.As(err, &slow) && slow.Timeout():
		return fmt.Sprintf("Could not reach %s (timed out).", spec.ID)
	case err != nil: // it may quote the address, and a key that is no header
		return unreachable
	}
	_, _ = io.CopyN(io.Discard, resp.Body, maxProbe)
	_ = resp.Body.Close()
	switch code := resp.StatusCode; {
	case code >= 200 && code < 300:
		return ""
	case code >= 300 && code < 400:
		return unreachable
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		return "Invalid API key."
	default:
		return fmt.Sprintf("Provider returned %d.", code)
	}
}

// connect keeps a key, or goes on with the one that is there.
func (h *Host) connect(w http.ResponseWriter, r *http.Request) {
	var q keyRequest
	if !h.read(w, r, &q) {
		return
	}
	spec, known := provider.Known(provider.ID(q.Provider))
	if !known {
		// A request without a provider is one of the time when there was only one.
		spec, _ = provider.Known(provider.Anthropic)
	}
	key := strings.TrimSpace(q.APIKey)
	switch {
	case spec.Keyless(): // nothing to keep
	case key != "":
		if err := h.vault.Put(spec.KeyEnv, key); err != nil {
			h.o.Log.Error("a key cannot be kept", "provider", spec.ID, "error", err)
			refuse(w, http.StatusInternalServerError, failed)
			return
		}
	case q.Provider == "":
		refuse(w, http.StatusBadRequest, noKey)
		return
	case h.key(spec.KeyEnv) == "":
		refuse(w, http.StatusBadRequest, fmt.Sprintf("no existing key found for %s — paste one to connect", spec.ID))
		return
	}
	answer(w, http.StatusOK, object{"ok": true, "connectionState": h.keys().connection()})
}

// disconnect takes every key away.
func (h *Host) disconnect(w http.ResponseWriter, r *http.Request) {
	if !h.read(w, r, &struct{}{}) {
		return
	}
	if err := h.vault.Clear(); err != nil {
		h.o.Log.Error("the keys cannot be taken away", "error", err)
		refuse(w, http.StatusInternalServerError, failed)
		return
	}
	answer(w, http.StatusOK, object{"ok": true, "connectionState": h.keys().connection()})
}

// runtimes lists what there is: the native runtime, which is part of the host.
func (h *Host) runtimes(w http.ResponseWriter, _ *http.Request) {
	k := h.keys()
	health := object{"ok": k.ready()}
	if !k.ready() {
		health["message"] = "no key of a provider"
	}
	answer(w, http.StatusOK, object{"runtimes": []object{{
		"id": RuntimeID, "installed": true, "binPath": nil, "connectionState": k.connection(), "health": health,
	}}})
}
