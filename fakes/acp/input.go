package acp

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// Codes of a breach: how a client broke the protocol.
const (
	// BreachInput: a line on stdin is no message. It gets the answer that the agent gives.
	BreachInput = "input-not-message"
	// BreachHandshake: a request before initialize, or another protocol version.
	BreachHandshake = "handshake"
	// BreachMethod: a request or a notification of a method that is not known and does
	// not begin with an underscore.
	BreachMethod = "method-unknown"
	// BreachParams: a request whose parameters cannot be understood.
	BreachParams = "params-invalid"
	// BreachPath: a session in a directory that is not an absolute path.
	BreachPath = "path-relative"
	// BreachSession: a request about a session that is not open here.
	BreachSession = "session-unknown"
	// BreachAnswer: an answer to a request that the agent did not make, or that is
	// answered.
	BreachAnswer = "answer-unknown"
	// BreachVerdict: an answer to a question that chooses none of its options.
	BreachVerdict = "verdict-invalid"
	// BreachCancel: an answer other than cancelled to a question of a turn that the
	// client cancelled.
	BreachCancel = "answer-not-cancelled"
	// BreachUnanswered: the input ended, and a question had no answer.
	BreachUnanswered = "question-unanswered"
)

// message is what a line on stdin may hold: a request, a notification, an answer.
type message struct {
	RPC    string         `json:"jsonrpc"`
	ID     jsontext.Value `json:"id"`
	Method *string        `json:"method"`
	Params jsontext.Value `json:"params"`
	Result jsontext.Value `json:"result"`
	Error  jsontext.Value `json:"error"`
}

// readMessage reads a line. False is no message of the protocol.
func readMessage(line []byte) (message, bool) {
	var m message
	if json.Unmarshal(line, &m, jsontext.AllowDuplicateNames(true)) != nil || m.RPC != version2 {
		return m, false
	}
	switch m.ID.Kind() {
	case 0: // a notification
		return m, m.Method != nil
	case '"', '0':
		return m, m.Method != nil || m.Result != nil || m.Error != nil
	}
	return m, false
}

// hear takes a piece of stdin.
func (r *renderer) hear(piece []byte, end error) {
	in := &r.input
	for whole := true; whole; {
		var line []byte
		line, piece, whole = bytes.Cut(piece, []byte("\n"))
		in.line = append(in.line, line...)
		if whole {
			r.hearLine(in.line)
			in.line = in.line[:0]
		}
	}
	if end == nil {
		return
	}
	r.hearLine(in.line) // a line needs no end
	in.line = nil
	r.hearEnd()
}

func (r *renderer) hearLine(line []byte) {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return
	}
	m, is := readMessage(line)
	var err error
	switch {
	case !is:
		err = r.unread(line)
	case r.input.replay != nil:
		err = r.input.replay.hear(r, m)
	case m.Method != nil && m.ID != nil:
		err = r.obey(m)
	case m.Method != nil:
		err = r.hearNotice(m)
	default:
		err = r.hearAnswer(m)
	}
	if err != nil { // the stream is broken
		r.Stage.Leave(r.Broken(err), "")
	}
}

// unread is what the agent does about a line that is no message.
func (r *renderer) unread(line []byte) error {
	r.breach(BreachInput)
	if r.agent.name == claude {
		return r.deny(jsontext.Value("null"), codeParse, "Parse error", nil)
	}
	r.process.LastWord(fmt.Sprintf("Failed to parse JSON message: %d bytes\n", len(line)))
	return nil
}

// hearNotice takes a notification of the client.
func (r *renderer) hearNotice(m message) error {
	if *m.Method == "session/cancel" {
		p := readParams(m.Params)
		return r.cancel(p.must("sessionId"))
	}
	r.strange(*m.Method)
	return nil
}

// strange notes a method that is not known. Extensions may be asked for.
func (r *renderer) strange(method string) {
	if method == "" || method[0] != '_' && method != "$/cancel_request" {
		r.breach(BreachMethod)
	}
}

// hearEnd ends the process with its input, whatever goes on.
func (r *renderer) hearEnd() {
	for range r.asked {
		r.breach(BreachUnanswered)
	}
	r.process.Heard(fakes.Call{Method: fakes.MethodInputEnd})
	r.input.closed = true
	switch {
	case r.silenced() || r.input.stays:
	case r.input.replay != nil:
		r.Stage.Leave(r.input.replay.exit, "")
	default:
		r.process.EndChildren()
		r.Stage.Leave(0, "")
	}
}

// grant answers a request.
func (r *renderer) grant(id jsontext.Value, result any) error {
	if r.silenced() {
		return nil
	}
	return r.say(response{version2, id, result})
}

// deny refuses a request.
func (r *renderer) deny(id jsontext.Value, code int, why string, data any) error {
	if r.silenced() {
		return nil
	}
	return r.say(refusal{version2, id, rpcError{code, why, data}})
}
