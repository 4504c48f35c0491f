package hermes

import (
	"context"
	"database/sql"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// message is a row of the transcript.
type message struct {
	role, content string
	callID, tool  string // of a result
	calls         string // JSON text
	finish        string // why the model stopped
}

// page is what a run wrote in the books.
type page struct {
	entry
	messages []message
}

// page reads what the session and those it goes back to got since before.
func (b books) page(session string, before entry) (page, error) {
	var p page
	err := b.read(func(ctx context.Context, tx *sql.Tx) (err error) {
		p = page{}
		if p.entry, err = lookUp(ctx, tx, session); err != nil {
			return err
		}
		p.messages, err = since(ctx, tx, p.lineage, before.last)
		return err
	})
	return p, err
}

// since reads the messages of the sessions, newest first, after that one. Compression
// writes what it keeps once more, in the next session or beside what it archives; such
// copies are left out.
func since(ctx context.Context, tx *sql.Tx, sessions []string, last int64) ([]message, error) {
	has, err := columnsOf(ctx, tx, "messages")
	if err != nil || len(has) == 0 || len(sessions) == 0 {
		return nil, err
	}
	args := []any{}
	for _, id := range sessions {
		args = append(args, id)
	}
	rows, err := tx.QueryContext(ctx, `
		WITH lineage AS (
			SELECT `+has.pick("id", "session_id", "role", "content", "tool_call_id", "tool_name", "tool_calls", "finish_reason", "compacted")+`
			FROM messages WHERE session_id IN (?`+strings.Repeat(", ?", len(sessions)-1)+`)
		), left_behind AS MATERIALIZED ( -- it is looked through for each message
			SELECT * FROM lineage WHERE session_id <> ? OR compacted = 1
		)
		SELECT role, content, tool_call_id, tool_name, tool_calls, finish_reason FROM lineage AS m
		WHERE id > ? AND NOT EXISTS (
			SELECT 1 FROM left_behind AS e
			WHERE e.id < m.id AND (e.session_id <> m.session_id OR e.compacted = 1) AND e.role = m.role
			AND e.tool_call_id IS m.tool_call_id AND e.tool_calls IS m.tool_calls AND e.content IS m.content)
		ORDER BY id`, append(args, sessions[0], last)...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []message
	for rows.Next() {
		var role, content, callID, tool, calls, finish sql.NullString
		if err := rows.Scan(&role, &content, &callID, &tool, &calls, &finish); err != nil {
			return nil, err
		}
		all = append(all, message{
			role: role.String, content: content.String, callID: callID.String, tool: tool.String, calls: calls.String, finish: finish.String,
		})
	}
	return all, rows.Err()
}

// finish says why the model stopped in the run's last answer; empty is unknown.
func (p page) finish() string {
	for _, m := range slices.Backward(p.messages) {
		if m.role == "assistant" {
			return m.finish
		}
	}
	return ""
}

// replay gives the events of the tools in the page.
func (p page) replay(t *tools) []executor.Event {
	var out []executor.Event
	for _, m := range p.messages {
		switch m.role {
		case "assistant":
			for _, c := range readCalls(m.calls) {
				out = append(out, t.call(c.id, c.name, c.input))
			}
		case "tool":
			text := readContent(m.content)
			out = append(out, t.result(m.callID, m.tool, text, failed(text))...)
		}
	}
	return out
}

// call is a tool call in the transcript.
type call struct {
	id, name string
	input    executor.JSON
}

// readCalls reads the calls of a message. What cannot be read is no call; a call
// without a name is none.
func readCalls(text string) []call {
	var list []struct {
		ID       string `json:"id"`
		Function struct {
			Name      string         `json:"name"`
			Arguments jsontext.Value `json:"arguments"`
		} `json:"function"`
	}
	if text == "" || decode([]byte(text), &list) != nil {
		return nil
	}
	var all []call
	for _, c := range list {
		if c.Function.Name != "" {
			all = append(all, call{id: c.ID, name: c.Function.Name, input: readInput(c.Function.Arguments)})
		}
	}
	return all
}

// readInput reads the arguments of a call, which are JSON text in a string. Those that
// are not stay the string.
func readInput(v jsontext.Value) executor.JSON {
	inner := jsontext.Value(str(v))
	if inner.IsValid(lenient) {
		v = inner
	}
	return compact(v)
}

// structured marks content that is not text but JSON text: a list of parts.
const structured = "\x00json:"

// readContent returns the content of a message as text.
func readContent(content string) string {
	inner, is := strings.CutPrefix(content, structured)
	if !is {
		return content
	}
	var parts []struct {
		Text jsontext.Value `json:"text"`
	}
	if decode([]byte(inner), &parts) != nil {
		return inner
	}
	var texts []string
	for _, p := range parts {
		if text := str(p.Text); text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n")
}

// failed reports whether a tool's output says that it failed. The transcript has no
// other place for that.
func failed(output string) bool {
	if strings.HasPrefix(output, "Error executing tool") {
		return true
	}
	var body struct {
		Error   jsontext.Value `json:"error"`
		Success jsontext.Value `json:"success"`
		Exit    jsontext.Value `json:"exit_code"`
	}
	if !strings.HasPrefix(output, "{") || decode([]byte(output), &body) != nil {
		return false
	}
	blank := len(body.Error) == 0 || slices.Contains([]string{`null`, `""`, `false`}, string(body.Error))
	return !blank || string(body.Success) == "false" || body.Exit.Kind() == '0' && string(body.Exit) != "0"
}
