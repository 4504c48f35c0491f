package reference

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/adaptercheck/adaptercheck/internal/boundary"
)

// DefaultRuntimeID is the runtime of sessions that name none.
const DefaultRuntimeID = "jsonl-reference"

// header is the first line of a session file.
type header struct {
	Type        string `json:"type"`
	RuntimeID   string `json:"runtimeId"`
	SessionID   string `json:"sessionId"`
	ProjectRoot string `json:"projectRoot"`
}

// session is what a file says.
type session struct {
	header   header
	messages []history.Message
}

// snapshot is the session as the contract has it. root is the header's project
// root, resolved.
func (s *session) snapshot(root, revision string) history.Snapshot {
	return history.Snapshot{
		SchemaVersion:    history.SchemaVersion,
		RuntimeID:        s.header.RuntimeID,
		SessionID:        s.header.SessionID,
		Revision:         revision,
		ProjectRoot:      root,
		Messages:         s.messages,
		ToolAtomicGroups: history.AtomicGroups(s.messages),
	}
}

// parseSession reads the bytes of a session file. Its errors are [ErrTorn],
// [ErrBounds] and [ErrFormat] with the number of the line, and that of the context;
// they quote nothing.
func parseSession(ctx context.Context, data []byte, limit bounds) (*session, error) {
	if len(data) == 0 {
		return nil, fmt.Errorf("%w: it is empty", ErrFormat)
	}
	if data[len(data)-1] != '\n' {
		return nil, ErrTorn
	}
	lines := bytes.Count(data, []byte{'\n'})
	if err := limit.check(int64(len(data)), lines-1); err != nil {
		return nil, err
	}
	s := &session{messages: make([]history.Message, 0, lines-1)}
	for n := 1; len(data) > 0; n++ {
		end := bytes.IndexByte(data, '\n')
		line := data[:end]
		data = data[end+1:]
		if n == 1 {
			if err := parseHeader(line, &s.header); err != nil {
				return nil, fmt.Errorf("line 1: %w", err)
			}
			continue
		}
		if n%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		m, err := parseRecord(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		s.messages = append(s.messages, m)
	}
	return s, nil
}

func parseHeader(line []byte, h *header) error {
	if !isObject(line) || json.Unmarshal(line, h) != nil {
		return fmt.Errorf("%w: want a header", ErrFormat)
	}
	switch {
	case h.Type != history.SessionFormat:
		return fmt.Errorf("%w: header, field type: want %s", ErrFormat, history.SessionFormat)
	case boundary.Blank(h.RuntimeID):
		return fmt.Errorf("%w: header, field runtimeId: want a string that is not blank", ErrFormat)
	case boundary.Blank(h.SessionID):
		return fmt.Errorf("%w: header, field sessionId: want a string that is not blank", ErrFormat)
	case boundary.Blank(h.ProjectRoot):
		return fmt.Errorf("%w: header, field projectRoot: want a string that is not blank", ErrFormat)
	}
	return nil
}

// recordType is the type of every line but the first.
const recordType = "message"

func parseRecord(line []byte) (history.Message, error) {
	var r struct {
		Type    string           `json:"type"`
		Message *history.Message `json:"message"`
	}
	if !isObject(line) {
		return history.Message{}, fmt.Errorf("%w: want a record", ErrFormat)
	}
	if err := json.Unmarshal(line, &r); err != nil {
		// The decoder's own errors may quote the line.
		if shape, ok := errors.AsType[*history.ShapeError](err); ok {
			return history.Message{}, fmt.Errorf("%w: %w", ErrFormat, shape)
		}
		return history.Message{}, fmt.Errorf("%w: want a record", ErrFormat)
	}
	switch {
	case r.Type != recordType:
		return history.Message{}, fmt.Errorf("%w: record, field type: want %s", ErrFormat, recordType)
	case r.Message == nil:
		return history.Message{}, fmt.Errorf("%w: record, field message: want a message", ErrFormat)
	}
	return *r.Message, nil
}

// isObject keeps null away from the decoder, which takes it for an empty object.
func isObject(line []byte) bool {
	return jsontext.Value(bytes.TrimSpace(line)).Kind() == '{'
}

// appendHeader appends the header's line.
func appendHeader(dst []byte, h header) ([]byte, error) {
	line, err := json.Marshal(h)
	if err != nil {
		return dst, fmt.Errorf("%w: RuntimeID, SessionID or ProjectRoot is not valid UTF-8", ErrOptions)
	}
	return append(append(dst, line...), '\n'), nil
}

// appendRecord appends a message's line. A message without the shape of one is a
// [*history.ShapeError].
func appendRecord(dst []byte, m history.Message) ([]byte, error) {
	out := append(dst, `{"type":"message","message":`...)
	out, err := history.AppendMessage(out, m)
	if err != nil {
		return dst, err
	}
	return append(out, '}', '\n'), nil
}
