package codex

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The wire, as far as the adapter reads it. Each type holds raw values for what is
// read later: a frame or an item of an unknown type may use the same names for
// something else, and must cost nothing.

type wireFrame struct {
	Type    jsontext.Value `json:"type"`
	Thread  jsontext.Value `json:"thread_id"`
	Item    jsontext.Value `json:"item"`
	Usage   jsontext.Value `json:"usage"`
	Message jsontext.Value `json:"message"`
	Error   jsontext.Value `json:"error"`
}

type wireItem struct {
	ID   jsontext.Value `json:"id"`
	Type jsontext.Value `json:"type"`
}

type wireText struct {
	Text *string `json:"text"`
}

type wireCommand struct {
	Command  string `json:"command"`
	Output   string `json:"aggregated_output"`
	ExitCode *int64 `json:"exit_code"`
	Status   string `json:"status"`
}

type wireMCP struct {
	Tool      string         `json:"tool"`
	Arguments jsontext.Value `json:"arguments"`
	Status    string         `json:"status"`
	Error     *wireError     `json:"error"`
	Result    *struct {
		Content    []jsontext.Value `json:"content"`
		Structured jsontext.Value   `json:"structured_content"`
	} `json:"result"`
}

type wireChange struct {
	Changes jsontext.Value `json:"changes"`
	Status  string         `json:"status"`
}

type wireSearch struct {
	Query  string `json:"query"`
	Status string `json:"status"`
}

type wireError struct {
	Message string `json:"message"`
}

type wireUsage struct {
	Input  *int64 `json:"input_tokens"`
	Cached *int64 `json:"cached_input_tokens"`
	Output *int64 `json:"output_tokens"`
}

// decode reads JSON text strictly, but for bytes that are not UTF-8: a message with
// one of those is still the message.
func decode(text []byte, into any) error {
	return json.Unmarshal(text, into, jsontext.AllowInvalidUTF8(true))
}

// text returns the string that v holds, and false for anything else.
func text(v jsontext.Value) (string, bool) {
	var s string
	if v.Kind() != '"' || decode(v, &s) != nil {
		return "", false
	}
	return s, true
}

// errorText returns the message of an error object, or of a plain string.
func errorText(v jsontext.Value) string {
	if s, ok := text(v); ok {
		return s
	}
	var e struct {
		Message jsontext.Value `json:"message"`
	}
	if v.Kind() != '{' || decode(v, &e) != nil {
		return ""
	}
	s, _ := text(e.Message)
	return s
}

// object writes {"name": value}.
func object(name string, value any) jsontext.Value {
	out, err := json.Marshal(map[string]any{name: value}, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return nil // cannot happen: value is a string or valid JSON text
	}
	return out
}

// compact returns JSON text without white space, null where there is none.
func compact(v jsontext.Value) jsontext.Value {
	if len(v) == 0 {
		return jsontext.Value("null")
	}
	v = v.Clone()
	if v.Compact(jsontext.AllowInvalidUTF8(true)) != nil {
		return jsontext.Value("null")
	}
	return v
}
