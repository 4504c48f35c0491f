package codex

import "testing"

func TestConfig(t *testing.T) {
	for _, c := range []struct {
		name     string
		settings []string
		endpoint string
		retries  int
	}{
		{"nothing", nil, "https://api.openai.com/v1/responses", 5},
		{"an own provider", []string{`model_provider="mine"`, `model_providers.mine.base_url = 'http://127.0.0.1:1/v1/'`, "model_providers.mine.stream_max_retries=0"},
			"http://127.0.0.1:1/v1/responses", 0},
		{"the provider's own place", []string{"openai_base_url=http://127.0.0.1:2/v1", "model_providers.mine.stream_max_retries=1"}, "http://127.0.0.1:2/v1/responses", 5},
		{"not of another provider", []string{"model_provider=mine", "openai_base_url=http://127.0.0.1:2/v1"}, "https://api.openai.com/v1/responses", 5},
		{"no number", []string{"model_providers.openai.stream_max_retries=many"}, "https://api.openai.com/v1/responses", 5},
	} {
		var given config
		for _, s := range c.settings {
			given.set(s)
		}
		if given.endpoint() != c.endpoint || given.maxRetries() != c.retries {
			t.Errorf("%s: %s, %d retries", c.name, given.endpoint(), given.maxRetries())
		}
	}
}
