package puppet

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes/provider"
)

// request is what a runtime asks its provider.
type request struct {
	messages []jsontext.Value
	said     []string // what the user said, in all of them
}

// read reads the conversation of a request, in either dialect.
func read(x provider.Exchange) request {
	var body struct {
		Messages []jsontext.Value `json:"messages"`
	}
	if json.Unmarshal([]byte(x.Body), &body, jsontext.AllowDuplicateNames(true)) != nil {
		return request{}
	}
	r := request{messages: body.Messages}
	for _, m := range body.Messages {
		var one struct {
			Role    string         `json:"role"`
			Content jsontext.Value `json:"content"`
		}
		if json.Unmarshal(m, &one) == nil && one.Role == "user" {
			r.said = append(r.said, texts(one.Content)...)
		}
	}
	return r
}

// texts lists the texts of a message, which is one or has several.
func texts(content jsontext.Value) []string {
	var one string
	if json.Unmarshal(content, &one) == nil {
		return []string{one}
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if json.Unmarshal(content, &parts) != nil {
		return nil
	}
	var all []string
	for _, p := range parts {
		if p.Type == "text" {
			all = append(all, p.Text)
		}
	}
	return all
}

// prompt is all that the user said: a provider is told the whole conversation.
func (r request) prompt() string { return strings.Join(r.said, "\n\n") }
