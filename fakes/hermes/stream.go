package hermes

import (
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The lines of --format stream-json, fields in the order in which they are printed. Each
// ends with the time in milliseconds.

type initLine struct {
	Type      string `json:"type"`
	Subtype   string `json:"subtype"`
	Model     string `json:"model"`
	SessionID string `json:"session_id"`
	Timestamp int64  `json:"timestamp"`
}

type textLine struct {
	Type      string `json:"type"`
	Text      string `json:"text"`
	Timestamp int64  `json:"timestamp"`
}

type toolUseLine struct {
	Type      string         `json:"type"`
	Name      string         `json:"name"`
	CallID    string         `json:"tool_call_id,omitempty"`
	Input     jsontext.Value `json:"input,omitzero"` // where it is an object
	Timestamp int64          `json:"timestamp"`
}

type toolResultLine struct {
	Type      string `json:"type"`
	Name      string `json:"name"`
	CallID    string `json:"tool_call_id,omitempty"`
	Output    string `json:"output"`
	Duration  int64  `json:"duration_ms"`
	IsError   bool   `json:"is_error"`
	Timestamp int64  `json:"timestamp"`
}

type resultLine struct {
	Type      string     `json:"type"`
	SessionID string     `json:"session_id"`
	ExitCode  int        `json:"exit_code"`
	Text      string     `json:"text"`
	Tokens    tokensLine `json:"tokens"`
	Duration  int64      `json:"duration_ms"`
	Error     string     `json:"error,omitempty"`
	Timestamp int64      `json:"timestamp"`
}

type tokensLine struct {
	Input      int64 `json:"input"`
	Output     int64 `json:"output"`
	Total      int64 `json:"total"`
	CacheRead  int64 `json:"cache_read"`
	CacheWrite int64 `json:"cache_write"`
}

func tokensOf(t totals) tokensLine {
	return tokensLine{t.input, t.output, t.input + t.cacheRead + t.cacheWrite + t.output, t.cacheRead, t.cacheWrite}
}

// outputCap is after how many characters the output of a tool is cut.
const outputCap = 5000

func capped(output string) string {
	runes := []rune(output)
	if len(runes) <= outputCap {
		return output
	}
	return string(runes[:outputCap]) + "..."
}

func millis() int64 { return time.Now().UnixMilli() }

// print writes a line, spaced as Python does it, where the run has this format.
func (r *renderer) print(line any) error {
	out, err := json.Marshal(line, jsontext.AllowInvalidUTF8(true), jsontext.SpaceAfterColon(true), jsontext.SpaceAfterComma(true))
	if err != nil {
		return fmt.Errorf("render a line: %w", err)
	}
	if !r.inv.stream {
		return nil
	}
	return r.Stage.Frame(out)
}

func (r *renderer) printInit() error {
	return r.print(initLine{"system", "init", r.model, r.session, millis()})
}

func (r *renderer) printResult(code int, text, failure string) error {
	return r.print(resultLine{"result", r.session, code, text, tokensOf(r.spent), time.Since(r.began).Milliseconds(), failure, millis()})
}
