package codex

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes/provider"
)

// keyHeader is the header by which the program says which run its requests belong to.
const keyHeader = "X-Adaptercheck-Run"

// asked is a request of the program, as far as a player of the provider needs it, and
// the answer to it. It holds content.
type asked struct {
	*provider.Call
	// model that shall answer.
	model string
	// thread is the conversation that the request belongs to.
	thread string
	// prompt is the text of the last message of the user.
	prompt string
	// outputs are what functions gave, by the id of the call.
	outputs map[string]string
}

type wireRequest struct {
	Thread string     `json:"prompt_cache_key"`
	Input  []wireItem `json:"input"`
}

type wireItem struct {
	Type    string         `json:"type"`
	Role    string         `json:"role"`
	Content jsontext.Value `json:"content"`
	Call    string         `json:"call_id"`
	Output  jsontext.Value `json:"output"`
}

// read reads a request, which the provider has found to be one.
func read(c *provider.Call, x provider.Exchange) (*asked, error) {
	var w wireRequest
	if err := json.Unmarshal([]byte(x.Body), &w, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)); err != nil {
		return nil, fmt.Errorf("read the request: %w", err)
	}
	a := &asked{Call: c, model: x.Model, thread: w.Thread, outputs: map[string]string{}}
	if thread := x.Header.Get("Thread-Id"); thread != "" {
		a.thread = thread
	}
	for _, item := range w.Input {
		switch {
		case item.Type == "function_call_output":
			a.outputs[item.Call] = text(item.Output)
		case item.Role == "user":
			a.prompt = text(item.Content)
		}
	}
	return a, nil
}

// text is a string, or the texts of a list of parts, joined.
func text(v jsontext.Value) string {
	var s string
	if v.Kind() == '"' && json.Unmarshal(v, &s, jsontext.AllowInvalidUTF8(true)) == nil {
		return s
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if v.Kind() != '[' || json.Unmarshal(v, &parts, jsontext.AllowInvalidUTF8(true)) != nil {
		return ""
	}
	var all strings.Builder
	for _, p := range parts {
		all.WriteString(p.Text)
	}
	return all.String()
}
