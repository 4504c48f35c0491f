package codex

import "github.com/go-json-experiment/json/jsontext"

// The wire of codex exec, as far as the adapter reads it. A frame or an item of an
// unknown type may use known names for something else; what they hold is read where
// the type is known.

type execFrame struct{ kind, thread, item, usage, message, failure jsontext.Value }

func (f *execFrame) read(line []byte) error {
	return read(line,
		member{"type", &f.kind}, member{"thread_id", &f.thread}, member{"item", &f.item},
		member{"usage", &f.usage}, member{"message", &f.message}, member{"error", &f.failure},
	)
}

type execCommand struct {
	Command  string `json:"command"`
	Output   string `json:"aggregated_output"`
	ExitCode *int64 `json:"exit_code"`
	Status   string `json:"status"`
}

type execServed struct {
	Tool      string         `json:"tool"`
	Arguments jsontext.Value `json:"arguments"`
	Status    string         `json:"status"`
	Error     *execError     `json:"error"`
	Result    struct {
		Content    jsontext.Value `json:"content"`
		Structured jsontext.Value `json:"structured_content"`
	} `json:"result"`
}

type execError struct {
	Message string `json:"message"`
}

type execChange struct {
	Changes jsontext.Value `json:"changes"`
	Status  string         `json:"status"`
}

type execSearch struct {
	Query  string `json:"query"`
	Status string `json:"status"`
}

type execUsage struct {
	Input  *int64 `json:"input_tokens"`
	Cached *int64 `json:"cached_input_tokens"`
	Output *int64 `json:"output_tokens"`
}

// errorText returns the message of an error object, or of a plain string.
func errorText(v jsontext.Value) string {
	if s, ok := str(v); ok {
		return s
	}
	var message jsontext.Value
	if read(v, member{"message", &message}) != nil {
		return ""
	}
	return text(message)
}
