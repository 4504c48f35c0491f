package codex

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The lines of `codex exec --json`, fields in the order in which it prints them.

type threadStarted struct {
	Type     string `json:"type"`
	ThreadID string `json:"thread_id"`
}

type turnStarted struct {
	Type string `json:"type"`
}

type turnCompleted struct {
	Type  string    `json:"type"`
	Usage usageLine `json:"usage"`
}

type usageLine struct {
	Input      int64  `json:"input_tokens"`
	Cached     int64  `json:"cached_input_tokens"`
	CacheWrite *int64 `json:"cache_write_input_tokens,omitzero"`
	Output     int64  `json:"output_tokens"`
	Reasoning  *int64 `json:"reasoning_output_tokens,omitzero"`
}

type turnFailed struct {
	Type  string    `json:"type"`
	Error errorText `json:"error"`
}

type errorText struct {
	Message string `json:"message"`
}

type errorLine struct {
	Type    string `json:"type"`
	Message string `json:"message"`
}

type itemLine struct {
	Type string `json:"type"`
	Item any    `json:"item"`
}

type textItem struct {
	ID   string  `json:"id"`
	Type string  `json:"type"`
	Text *string `json:"text"`
}

type commandItem struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Command  string `json:"command"`
	Output   string `json:"aggregated_output"`
	ExitCode *int   `json:"exit_code"`
	Status   string `json:"status"`
}

type mcpItem struct {
	ID        string         `json:"id"`
	Type      string         `json:"type"`
	Server    string         `json:"server"`
	Tool      string         `json:"tool"`
	Arguments jsontext.Value `json:"arguments"`
	Result    *mcpResult     `json:"result"`
	Error     *errorText     `json:"error"`
	Status    string         `json:"status"`
}

type mcpResult struct {
	Content    []mcpText       `json:"content"`
	Structured *jsontext.Value `json:"structured_content"`
}

type mcpText struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// line writes one frame. Text that is not UTF-8 is mended, as the wire is UTF-8.
func line(v any) ([]byte, error) {
	out, err := json.Marshal(v, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return nil, fmt.Errorf("render a line: %w", err)
	}
	return out, nil
}

// isCommand reports whether the CLI runs a tool in its shell.
func isCommand(tool string) bool {
	switch tool {
	case "shell", "exec", "bash", "exec_command":
		return true
	}
	return false
}

// commandOf is the command line in a shell tool's input: the input itself if it is
// text, its field command or cmd (text, or words), else the JSON text.
func commandOf(input string) string {
	var v any
	if json.Unmarshal([]byte(input), &v) != nil {
		return input
	}
	if fields, ok := v.(map[string]any); ok {
		for _, name := range []string{"command", "cmd"} {
			if command, ok := words(fields[name]); ok {
				return command
			}
		}
	}
	if command, ok := words(v); ok {
		return command
	}
	return input
}

func words(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case []any:
		var parts []string
		for _, word := range v {
			s, ok := word.(string)
			if !ok {
				return "", false
			}
			parts = append(parts, s)
		}
		return strings.Join(parts, " "), true
	}
	return "", false
}
