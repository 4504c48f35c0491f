package property

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/script"
)

// strictly reads the members of T and no others.
func strictly[T any](data []byte) (T, error) {
	var x T
	err := json.Unmarshal(data, &x, json.RejectUnknownMembers(true))
	return x, err
}

// frames are written as the steps of a script.
type frames []fakes.Frame

func (f frames) MarshalJSONTo(e *jsontext.Encoder) error {
	data, err := script.EncodeFrames(f...)
	if err != nil {
		return err
	}
	return e.WriteValue(data)
}

func (f *frames) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	data, err := d.ReadValue()
	if err != nil {
		return err
	}
	*f, err = script.DecodeFrames(data)
	return err
}

// one frame of a list of one.
func (f frames) one() (fakes.Frame, error) {
	if len(f) != 1 {
		return nil, fmt.Errorf("end: %d frames, want one", len(f))
	}
	return f[0], nil
}

type writtenScript struct {
	Together bool   `json:"together,omitzero"`
	Body     frames `json:"body,omitempty"`
	End      frames `json:"end"`
	Late     frames `json:"late,omitempty"`
}

func encodeScript(s monologue) ([]byte, error) {
	return json.Marshal(writtenScript{s.together, s.body, frames{s.end}, s.late})
}

func decodeScript(data []byte) (monologue, error) {
	w, err := strictly[writtenScript](data)
	if err != nil {
		return monologue{}, err
	}
	end, err := w.End.one()
	return monologue{together: w.Together, body: w.Body, end: end, late: w.Late}, err
}

type writtenStep struct {
	Do      act    `json:"do"`
	Session string `json:"session,omitzero"`
	Run     int    `json:"run,omitzero"`
	Open    bool   `json:"open,omitzero"`
	End     frames `json:"end,omitempty"`
}

func encodeConversation(c conversation) ([]byte, error) {
	var steps []writtenStep
	for _, s := range c {
		w := writtenStep{Do: s.do, Session: s.session, Run: s.run, Open: s.open}
		if s.end != nil {
			w.End = frames{s.end}
		}
		steps = append(steps, w)
	}
	return json.Marshal(steps)
}

func decodeConversation(data []byte) (conversation, error) {
	steps, err := strictly[[]writtenStep](data)
	if err != nil {
		return nil, err
	}
	var c conversation
	for i, w := range steps {
		s := step{do: w.Do, session: w.Session, run: w.Run, open: w.Open}
		if err := w.check(i, &s); err != nil {
			return nil, fmt.Errorf("act %d: %w", i+1, err)
		}
		c = append(c, s)
	}
	if len(c) == 0 {
		return nil, errors.New("no acts, want a start at least")
	}
	return c, nil
}

// check looks at what a person may have changed.
func (w writtenStep) check(i int, s *step) error {
	switch w.Do {
	case actStart:
		if w.Session != "a" && w.Session != "b" {
			return fmt.Errorf("session %q, want a or b", w.Session)
		}
		return nil
	case actObserve, actClose, actAbort, actModel, actContext, actSay, actCall, actUsage:
	case actEnd:
		end, err := w.End.one()
		if err != nil {
			return err
		}
		s.end = end
	default:
		return fmt.Errorf("unknown act %q, want one of start, observe, close, abort, model, context, say, call, usage, end", w.Do)
	}
	switch {
	case i == 0:
		return fmt.Errorf("%s, want start: nothing has begun", w.Do)
	case w.Run < 1:
		return fmt.Errorf("run %d, want a number from 1 up", w.Run)
	}
	return nil
}

type writtenMessage struct {
	Role   history.Role   `json:"role"`
	Blocks []writtenBlock `json:"blocks"`
}

// writtenBlock has one member; none is text.
type writtenBlock struct {
	Call   string `json:"call,omitzero"`
	Result string `json:"result,omitzero"`
}

func encodePast(p past) ([]byte, error) {
	var messages []writtenMessage
	for _, m := range p.messages {
		w := writtenMessage{Role: m.Role}
		for _, b := range m.Blocks {
			switch b := b.(type) {
			case history.ToolCall:
				w.Blocks = append(w.Blocks, writtenBlock{Call: b.ID})
			case history.ToolResult:
				w.Blocks = append(w.Blocks, writtenBlock{Result: b.ToolCallID})
			default:
				w.Blocks = append(w.Blocks, writtenBlock{})
			}
		}
		messages = append(messages, w)
	}
	return json.Marshal(messages)
}

func decodePast(data []byte) (past, error) {
	messages, err := strictly[[]writtenMessage](data)
	if err != nil {
		return past{}, err
	}
	var p past
	for i, w := range messages {
		var blocks []history.Block
		for _, b := range w.Blocks {
			switch {
			case b.Call != "" && b.Result != "":
				return past{}, fmt.Errorf("message %d: a block is a call and a result, want one of them", i+1)
			case b.Call != "":
				blocks = append(blocks, history.ToolCall{ID: b.Call, Name: "read", Arguments: "{}"})
			case b.Result != "":
				blocks = append(blocks, history.ToolResult{ToolCallID: b.Result, ToolName: "read", Content: "content"})
			default:
				blocks = append(blocks, history.Text{Text: "text"})
			}
		}
		p.messages = append(p.messages, message(i, w.Role, blocks...))
	}
	return p, nil
}
