package provider

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// someModels are listed where the options name none.
var someModels = []string{"claude-opus-5-5", "claude-sonnet-5", "claude-haiku-4-5", "gpt-5.4", "gpt-4o-mini", "llama3.2"}

func (x *exchange) modelNames() []string {
	if names := x.space.server.options.Models; len(names) > 0 {
		return names
	}
	return someModels
}

// knows reports whether there is a model.
func (x *exchange) knows(model string) bool {
	names := x.space.server.options.Models
	return len(names) == 0 || slices.Contains(names, model)
}

func unknownModel(d Dialect, model string) Refusal {
	if d.openAI() {
		return Refusal{Status: 404, Type: "invalid_request_error", Code: "model_not_found", Message: fmt.Sprintf("The model `%s` does not exist or you do not have access to it.", model)}
	}
	return Refusal{Status: 404, Message: "model: " + model}
}

type anthropicModel struct {
	Type    string `json:"type"`
	ID      string `json:"id"`
	Name    string `json:"display_name"`
	Created string `json:"created_at"`
}

type openAIModel struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"`
	Owner   string `json:"owned_by"`
}

func modelFor(d Dialect, name string) any {
	if d == Anthropic {
		return anthropicModel{"model", name, name, "2026-01-01T00:00:00Z"}
	}
	return openAIModel{name, "model", created, "system"}
}

// models lists them in the form of whoever asks.
func (x *exchange) models(r *http.Request) {
	d := spot{}.dialect(r)
	if refusal := x.admit(r, d); refusal != nil {
		x.refuseClient(d, *refusal)
		return
	}
	names, list := x.modelNames(), []any{}
	for _, name := range names {
		list = append(list, modelFor(d, name))
	}
	body := map[string]any{"object": "list", "data": list}
	if d == Anthropic {
		body = map[string]any{"data": list, "has_more": false, "first_id": names[0], "last_id": names[len(names)-1]}
	}
	x.say(http.StatusOK, "application/json", jsonText(body))
}

func (x *exchange) oneModel(r *http.Request) {
	d := spot{}.dialect(r)
	if refusal := x.admit(r, d); refusal != nil {
		x.refuseClient(d, *refusal)
		return
	}
	_, name, _ := strings.Cut(x.path, "/models/")
	name = unescaped(name)
	if !slices.Contains(x.modelNames(), name) {
		x.refuseClient(d, unknownModel(d, name))
		return
	}
	x.say(http.StatusOK, "application/json", jsonText(modelFor(d, name)))
}

// tags lists the models as Ollama does, which asks for no key.
func (x *exchange) tags(*http.Request) {
	type model struct {
		Name     string            `json:"name"`
		Model    string            `json:"model"`
		Modified string            `json:"modified_at"`
		Size     int64             `json:"size"`
		Digest   string            `json:"digest"`
		Details  map[string]string `json:"details"`
	}
	list := []model{}
	for _, name := range x.modelNames() {
		full := name
		if !strings.Contains(name, ":") {
			full += ":latest"
		}
		list = append(list, model{full, full, "2026-01-01T00:00:00Z", 2019393189, strings.Repeat("0", 64),
			map[string]string{"format": "gguf", "family": "llama", "parameter_size": "3.2B", "quantization_level": "Q4_K_M"}})
	}
	x.say(http.StatusOK, "application/json", jsonText(map[string]any{"models": list}))
}
