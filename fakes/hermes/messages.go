package hermes

import (
	"database/sql"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// row is a row of the table messages. Empty text is NULL, but for content.
type row struct {
	role, content, reasoning, finish string
	callID, tool                     string // of a tool's answer
	calls                            []call // that an assistant makes
}

// call is a tool call as a row has it: the input is a text that holds JSON.
type call struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function callFunction `json:"function"`
}

type callFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

func callsText(calls []call) (string, error) {
	if len(calls) == 0 {
		return "", nil
	}
	out, err := json.Marshal(calls, jsontext.AllowInvalidUTF8(true))
	return string(out), err
}

// append adds a message to a session and returns its id.
func (s *state) append(session string, m row) (id int64, err error) {
	calls, err := callsText(m.calls)
	if err != nil {
		return 0, err
	}
	err = s.within(func(tx *sql.Tx) error {
		added, err := tx.Exec(`INSERT INTO messages (session_id, role, content, reasoning, finish_reason, tool_call_id, tool_name, tool_calls, timestamp)
			VALUES (?, ?, ?, NULLIF(?, ''), NULLIF(?, ''), NULLIF(?, ''), NULLIF(?, ''), NULLIF(?, ''), ?)`,
			session, m.role, m.content, m.reasoning, m.finish, m.callID, m.tool, calls, now())
		if err != nil {
			return err
		}
		if id, err = added.LastInsertId(); err != nil {
			return err
		}
		return exec(tx, `UPDATE sessions SET message_count = message_count + 1, tool_call_count = tool_call_count + ? WHERE id = ?`, len(m.calls), session)
	})
	return id, err
}

// another adds a call to a message that has some: calls is all of them.
func (s *state) another(session string, message int64, calls []call) error {
	text, err := callsText(calls)
	if err != nil {
		return err
	}
	return s.within(func(tx *sql.Tx) error {
		if err := exec(tx, `UPDATE messages SET tool_calls = ? WHERE id = ?`, text, message); err != nil {
			return err
		}
		return exec(tx, `UPDATE sessions SET tool_call_count = tool_call_count + 1 WHERE id = ?`, session)
	})
}
