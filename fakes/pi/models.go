package pi

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"
)

// model is a model as models.json lists it.
type model struct {
	provider, api, url string
	ID                 string   `json:"id"`
	Name               string   `json:"name"`
	Reasoning          bool     `json:"reasoning"`
	Input              []string `json:"input"`
	Cost               prices   `json:"cost"`
	Window             int64    `json:"contextWindow"`
	MaxTokens          int64    `json:"maxTokens"`
}

// prices are dollars for a million tokens; 0 is not known.
type prices struct {
	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	CacheRead  float64 `json:"cacheRead"`
	CacheWrite float64 `json:"cacheWrite"`
}

// registry is the list of models. Where there is none, every model is known, and what it
// costs is not.
type registry struct {
	listed []model
}

// The model where nothing names another.
const (
	anyProvider = "fake"
	anyModel    = "fake-model"
)

func plainModel(provider, id string) model {
	return model{
		provider: provider, api: "openai-completions", url: "http://127.0.0.1:18081/v1", ID: id, Name: id, Reasoning: true,
		Input: []string{"text"}, Window: 128_000, MaxTokens: 4096,
	}
}

// loadModels reads the models.json of an agent's directory, as the program does.
func loadModels(dir string) (registry, error) {
	data, err := os.ReadFile(filepath.Join(dir, "models.json"))
	if dir == "" || errors.Is(err, fs.ErrNotExist) {
		return registry{}, nil
	}
	var file struct {
		Providers map[string]struct {
			URL    string  `json:"baseUrl"`
			API    string  `json:"api"`
			Models []model `json:"models"`
		} `json:"providers"`
	}
	if err == nil {
		err = json.Unmarshal(data, &file)
	}
	if err != nil {
		return registry{}, fmt.Errorf("models.json: %w", err)
	}
	var r registry
	for name, p := range file.Providers {
		for _, m := range p.Models {
			m.provider, m.api, m.url = name, p.API, p.URL
			r.listed = append(r.listed, m)
		}
	}
	return r, nil
}

// find returns the model of that provider and id.
func (r registry) find(provider, id string) (model, bool) {
	for _, m := range r.listed {
		if m.provider == provider && m.ID == id {
			return m, true
		}
	}
	if len(r.listed) > 0 {
		return model{}, false
	}
	return plainModel(provider, id), true
}

// choose is the model of a process, and what the program says about the choice.
func (r registry) choose(provider, pattern string) (m model, warning string, err error) {
	id := pattern
	if before, after, both := strings.Cut(pattern, "/"); both && provider == "" {
		provider, id = before, after
	}
	switch {
	case provider == "" && len(r.listed) > 0:
		provider = r.listed[0].provider
	case provider == "":
		provider = anyProvider
	}
	if id == "" {
		for _, m := range r.listed {
			if m.provider == provider {
				return m, "", nil
			}
		}
		id = anyModel
	}
	if m, known := r.find(provider, id); known {
		return m, "", nil
	}
	for _, like := range r.listed {
		if like.provider == provider {
			like.ID, like.Name = id, id
			return like, fmt.Sprintf("Warning: Model %q not found for provider %q. Using custom model id.\n", id, provider), nil
		}
	}
	return model{}, "", refused("Error: Model %q not found. Use --list-models to see available models.\n", pattern)
}

// object is the model as answers tell it.
func (m model) object() object {
	return object{
		{"id", m.ID}, {"name", m.Name}, {"api", m.api}, {"provider", m.provider}, {"baseUrl", m.url}, {"reasoning", m.Reasoning},
		{"input", m.Input}, {"cost", m.Cost}, {"contextWindow", m.Window}, {"maxTokens", m.MaxTokens},
	}
}

// level is how much a model thinks.
func (m model) level() string {
	if m.Reasoning {
		return "medium"
	}
	return "off"
}
