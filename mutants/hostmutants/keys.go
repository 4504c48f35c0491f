package hostmutants

import (
	"errors"
	"maps"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json"
)

// providers in the order of their table.
func providers() []string {
	return []string{"anthropic", "openai", "openrouter", "ollama", "google", "xai", "groq", "mistral", "together", "cerebras", "moonshot"}
}

func (h *host) vault() string { return filepath.Join(h.dir, "vault") }

// keep writes the keys, under the lock.
func (h *host) keep() error {
	data, err := json.Marshal(h.keys)
	if err != nil {
		return err
	}
	return h.write(h, data)
}

// recall reads them.
func (h *host) recall() error {
	data, err := os.ReadFile(h.vault())
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	n := h.seal.NonceSize()
	if len(data) < n {
		return errors.New("the vault is cut short")
	}
	if data, err = h.seal.Open(nil, data[:n], data[n:], nil); err != nil {
		return err
	}
	h.keys = map[string]string{}
	return json.Unmarshal(data, &h.keys)
}

func (h *host) state() string {
	if len(h.keys) > 0 {
		return "ready"
	}
	return "needs-auth"
}

func (h *host) list() []object {
	return []object{{
		"id": native, "installed": true, "binPath": nil, "connectionState": h.state(), "health": object{"ok": len(h.keys) > 0},
	}}
}

// copyOf is a copy of the keys, for mutants that mix them up.
func (h *host) copyOf() map[string]string { return maps.Clone(h.keys) }
