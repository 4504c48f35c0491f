package responses

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Request is what a client asked, as far as a player of the provider needs it. It holds
// content.
type Request struct {
	// Model that shall answer.
	Model string
	// Thread is the conversation that the request belongs to, as the client names it;
	// empty where it does not.
	Thread string
	// Prompt is the text of the last message of the user.
	Prompt string
	// Outputs are what functions gave, by the id of the call.
	Outputs map[string]string
}

type wireRequest struct {
	Model  string     `json:"model"`
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

// read reads a request: the body, and the header that names the thread.
func read(h http.Header, body []byte) (Request, error) {
	var w wireRequest
	if err := json.Unmarshal(body, &w, jsontext.AllowInvalidUTF8(true)); err != nil {
		return Request{}, fmt.Errorf("read the request: %w", err)
	}
	r := Request{Model: w.Model, Thread: w.Thread, Outputs: map[string]string{}}
	if thread := h.Get("thread-id"); thread != "" {
		r.Thread = thread
	}
	for _, item := range w.Input {
		switch {
		case item.Type == "function_call_output":
			r.Outputs[item.Call] = text(item.Output)
		case item.Role == "user":
			r.Prompt = text(item.Content)
		}
	}
	return r, nil
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
