package codex

import (
	"strconv"
	"strings"
)

// config is what -c sets, by dotted names. The fake reads no config.toml.
type config map[string]string

// set takes one setting, name=value. A value in quotes is text without them.
func (c *config) set(setting string) {
	name, value, _ := strings.Cut(setting, "=")
	value = strings.TrimSpace(value)
	if n := len(value); n > 1 && value[0] == value[n-1] && (value[0] == '"' || value[0] == '\'') {
		value = value[1 : n-1]
	}
	if *c == nil {
		*c = config{}
	}
	(*c)[strings.TrimSpace(name)] = value
}

// ofProvider is a setting of the provider that is used; empty is none.
func (c config) ofProvider(name string) string {
	return c["model_providers."+c.provider()+"."+name]
}

func (c config) provider() string {
	if p := c["model_provider"]; p != "" {
		return p
	}
	return "openai"
}

// endpoint is where the model is asked.
func (c config) endpoint() string {
	base := c.ofProvider("base_url")
	if base == "" && c.provider() == "openai" {
		base = c["openai_base_url"]
	}
	if base == "" {
		base = "https://api.openai.com/v1"
	}
	return strings.TrimSuffix(base, "/") + "/responses"
}

// maxRetries is how often a stream that broke is tried again.
func (c config) maxRetries() int {
	if n, err := strconv.Atoi(c.ofProvider("stream_max_retries")); err == nil {
		return n
	}
	return 5
}
