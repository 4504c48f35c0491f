package acp

import (
	sdk "github.com/coder/acp-go-sdk"
	"github.com/go-json-experiment/json/jsontext"
)

// opening is what an agent says of a session that it opened.
type opening struct {
	id     string
	model  string // that serves it; empty is unknown
	choice choice
}

// readSession reads the answer to a request for a session. What is odd in the choices
// that the agent offers is no choice.
func readSession(result jsontext.Value) (opening, bool) {
	var s struct {
		ID      string           `json:"sessionId"`
		Options []jsontext.Value `json:"configOptions"`
		Models  jsontext.Value   `json:"models"`
	}
	if set(result) && decode(result, &s) != nil {
		return opening{}, false
	}
	o := opening{id: s.ID}
	for _, v := range s.Options {
		var option struct {
			ID       string                          `json:"id"`
			Category sdk.SessionConfigOptionCategory `json:"category"`
			Current  jsontext.Value                  `json:"currentValue"`
		}
		if decode(v, &option) != nil || o.choice.option != "" {
			continue
		}
		if option.Category == sdk.SessionConfigOptionCategoryModel || option.Category == "" && option.ID == "model" {
			o.choice.option, o.model = option.ID, text(option.Current)
		}
	}
	var models struct {
		Current string `json:"currentModelId"`
	}
	if set(s.Models) && decode(s.Models, &models) == nil {
		o.choice.models = true
		if o.model == "" {
			o.model = models.Current
		}
	}
	return o, true
}
