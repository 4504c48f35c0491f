package provider_test

import (
	"testing"

	"github.com/adaptercheck/adaptercheck/adapters/native/provider"
)

func TestKnown(t *testing.T) {
	if n := len(provider.All()); n != 11 {
		t.Errorf("%d providers, want 11", n)
	}
	for _, id := range provider.IDs() {
		s, known := provider.Known(provider.ID(id))
		if !known || s.BaseURL == "" || s.Leader == "" || s.Specialist == "" || s.Keyless() != (id == "ollama") {
			t.Errorf("%s: %+v, %t", id, s, known)
		}
	}
	for _, id := range []provider.ID{"", "Anthropic", "azure", "constructor"} {
		if _, known := provider.Known(id); known {
			t.Errorf("%q is known", id)
		}
	}
}

func TestAddresses(t *testing.T) {
	for _, c := range []struct{ id, override, env, base, probe string }{
		{"anthropic", "", "", "https://api.anthropic.com", "https://api.anthropic.com/v1/models"},
		{"anthropic", "http://127.0.0.1:1/", "", "http://127.0.0.1:1", "http://127.0.0.1:1/v1/models"},
		{"openrouter", "", "", "https://openrouter.ai/api/v1", "https://openrouter.ai/api/v1/models"},
		{"google", "", "", "https://generativelanguage.googleapis.com/v1beta/openai", "https://generativelanguage.googleapis.com/v1beta/openai/models"},
		{"ollama", "", "", "http://localhost:11434/v1", "http://localhost:11434/api/tags"},
		{"ollama", "", "http://box:1", "http://box:1/v1", "http://box:1/api/tags"},
		{"ollama", "", " http://box:1/v1/ ", "http://box:1/v1", "http://box:1/api/tags"},
		{"ollama", "", "http://box:1/v1", "http://box:1/v1", "http://box:1/api/tags"},
		{"ollama", "http://other:1", "http://box:1", "http://other:1/v1", "http://other:1/api/tags"},
		{"xai", "", "http://box:1", "https://api.x.ai/v1", "https://api.x.ai/v1/models"},
	} {
		s, _ := provider.Known(provider.ID(c.id))
		base := s.Base(c.override, func(env string) string {
			if env != provider.EnvOllama {
				t.Errorf("%s asks for %s", c.id, env)
			}
			return c.env
		})
		if base != c.base || s.Probe(base) != c.probe {
			t.Errorf("%s: %s, %s, want %s, %s", c.id, base, s.Probe(base), c.base, c.probe)
		}
	}
}
