package provider

import (
	"slices"
	"strings"
)

// ID names a provider of models.
type ID string

// The providers that there are.
const (
	Anthropic  ID = "anthropic"
	OpenAI     ID = "openai"
	OpenRouter ID = "openrouter"
	Ollama     ID = "ollama"
	Google     ID = "google"
	XAI        ID = "xai"
	Groq       ID = "groq"
	Mistral    ID = "mistral"
	Together   ID = "together"
	Cerebras   ID = "cerebras"
	Moonshot   ID = "moonshot"
)

// EnvOllama names the variable with the address of Ollama.
const EnvOllama = "OLLAMA_BASE_URL"

// ollamaKey stands where a key is wanted of a provider that has none.
const ollamaKey = "ollama"

// Spec is what is known of a provider.
type Spec struct {
	ID ID
	// KeyEnv names the variable with its key; empty is a provider that needs none.
	KeyEnv string
	// BaseURL is where its dialect begins, without a slash at the end. That of Ollama is
	// what it is where EnvOllama says nothing; see [Spec.Base].
	BaseURL string
	// Leader and Specialist are the models that a new team gets.
	Leader, Specialist string
}

var specs = []Spec{
	{Anthropic, "ANTHROPIC_API_KEY", "https://api.anthropic.com", "claude-sonnet-5", "claude-haiku-4-5"},
	{OpenAI, "OPENAI_API_KEY", "https://api.openai.com/v1", "gpt-5.4", "gpt-4o-mini"},
	{OpenRouter, "OPENROUTER_API_KEY", "https://openrouter.ai/api/v1", "anthropic/claude-haiku-4.5", "openai/gpt-4o-mini"},
	{Ollama, "", "http://localhost:11434/v1", "llama3.2", "llama3.2"},
	{Google, "GEMINI_API_KEY", "https://generativelanguage.googleapis.com/v1beta/openai", "gemini-2.0-flash", "gemini-2.0-flash"},
	{XAI, "XAI_API_KEY", "https://api.x.ai/v1", "grok-2-latest", "grok-2-latest"},
	{Groq, "GROQ_API_KEY", "https://api.groq.com/openai/v1", "llama-3.3-70b-versatile", "llama-3.1-8b-instant"},
	{Mistral, "MISTRAL_API_KEY", "https://api.mistral.ai/v1", "mistral-large-latest", "mistral-small-latest"},
	{Together, "TOGETHER_API_KEY", "https://api.together.xyz/v1", "meta-llama/Llama-3.3-70B-Instruct-Turbo", "meta-llama/Llama-3.3-70B-Instruct-Turbo"},
	{Cerebras, "CEREBRAS_API_KEY", "https://api.cerebras.ai/v1", "llama-3.3-70b", "llama-3.3-70b"},
	{Moonshot, "MOONSHOT_API_KEY", "https://api.moonshot.ai/v1", "moonshot-v1-32k", "moonshot-v1-8k"},
}

// All lists the providers in a fixed order. The slice is the caller's.
func All() []Spec { return slices.Clone(specs) }

// IDs lists the names of the providers in the same order.
func IDs() []string {
	out := make([]string, len(specs))
	for i, s := range specs {
		out[i] = string(s.ID)
	}
	return out
}

// Known returns the provider of a name, and false if there is none.
func Known(id ID) (Spec, bool) {
	i := slices.IndexFunc(specs, func(s Spec) bool { return s.ID == id })
	if i < 0 {
		return Spec{}, false
	}
	return specs[i], true
}

// Keyless reports whether the provider needs no key.
func (s Spec) Keyless() bool { return s.KeyEnv == "" }

// Base is where the provider's dialect begins, without a slash at the end. An override
// that is not empty stands for the provider's own address; that of Ollama is EnvOllama as
// keys has it, which has one "/v1" at its end whether or not it was written. A nil keys
// knows nothing.
func (s Spec) Base(override string, keys func(env string) string) string {
	base := strings.TrimSpace(override)
	if base == "" && s.ID == Ollama && keys != nil {
		base = strings.TrimSpace(keys(EnvOllama))
	}
	if base == "" {
		base = s.BaseURL
	}
	base = strings.TrimRight(base, "/")
	if s.ID == Ollama {
		base = strings.TrimSuffix(base, "/v1") + "/v1"
	}
	return base
}

// Probe is the address that tells, by GET and for no money, whether a provider at a base
// (see [Spec.Base]) answers and takes a key. Anthropic wants the key as x-api-key and the
// header anthropic-version, the others as a bearer.
func (s Spec) Probe(base string) string {
	switch s.ID {
	case Anthropic:
		return base + "/v1/models"
	case Ollama:
		return strings.TrimSuffix(base, "/v1") + "/api/tags"
	}
	return base + "/models"
}
