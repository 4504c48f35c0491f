package codex

import (
	"fmt"

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

type changeItem struct {
	ID      string       `json:"id"`
	Type    string       `json:"type"`
	Changes []fileChange `json:"changes"`
	Status  string       `json:"status"`
}

type fileChange struct {
	Path string `json:"path"`
	Kind string `json:"kind"` // add, delete, update
}

type todoItem struct {
	ID    string `json:"id"`
	Type  string `json:"type"`
	Items []todo `json:"items"`
}

type todo struct {
	Text      string `json:"text"`
	Completed bool   `json:"completed"`
}

type errorItem struct {
	ID      string `json:"id"`
	Type    string `json:"type"`
	Message string `json:"message"`
}

// searchItem has two ids under one name, as the real one prints it: its own, then the
// provider's.
type searchItem struct {
	ID     string
	Search string
	Query  string
	Action searchAction
}

type searchAction struct {
	Type  string `json:"type"`
	Query string `json:"query,omitzero"`
}

func (s searchItem) MarshalJSON() ([]byte, error) {
	head, err := line(struct {
		ID   string `json:"id"`
		Type string `json:"type"`
	}{s.ID, "web_search"})
	if err != nil {
		return nil, err
	}
	rest, err := line(struct {
		ID     string       `json:"id"`
		Query  string       `json:"query"`
		Action searchAction `json:"action"`
	}{s.Search, s.Query, s.Action})
	if err != nil {
		return nil, err
	}
	return append(append(head[:len(head)-1], ','), rest[1:]...), nil
}

// line writes one frame. Text that is not UTF-8 is mended, as the wire is UTF-8.
func line(v any) ([]byte, error) {
	out, err := json.Marshal(v, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	if err != nil {
		return nil, fmt.Errorf("render a line: %w", err)
	}
	return out, nil
}
