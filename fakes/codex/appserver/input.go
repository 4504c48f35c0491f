package appserver

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// Codes of a breach: how a client broke the protocol of the app-server.
const (
	// BreachInput: a line on stdin is no message. It is dropped without an answer.
	BreachInput = "input-not-message"
	// BreachHandshake: a request before initialize, a second initialize, or a thread
	// that is asked for before the client said initialized.
	BreachHandshake = "handshake"
	// BreachMethod: a request or a notification of a method that is not known.
	BreachMethod = "method-unknown"
	// BreachParams: a request whose parameters cannot be understood.
	BreachParams = "params-invalid"
	// BreachThread: a request about a thread that is not loaded.
	BreachThread = "thread-unknown"
	// BreachAnswer: an answer to a request that the server did not make, or that is
	// answered or withdrawn.
	BreachAnswer = "answer-unknown"
	// BreachVerdict: an answer to an approval question without a decision that is known.
	BreachVerdict = "verdict-invalid"
)

// message is what a line on stdin may hold: a request, a notification, an answer.
type message struct {
	ID     jsontext.Value `json:"id"`
	Method *string        `json:"method"`
	Params jsontext.Value `json:"params"`
	Result jsontext.Value `json:"result"`
	Error  jsontext.Value `json:"error"`
}

// readMessage reads a line. False is no message of the protocol.
func readMessage(line []byte) (message, bool) {
	var m message
	if json.Unmarshal(line, &m, jsontext.AllowDuplicateNames(true)) != nil {
		return m, false
	}
	switch m.ID.Kind() {
	case 0: // a notification
		return m, m.Method != nil
	case '"':
	case '0':
		var n int64
		if json.Unmarshal(m.ID, &n) != nil {
			return m, false
		}
	default:
		return m, false
	}
	return m, m.Method != nil || m.Result != nil || m.Error != nil
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
		r.breach(BreachInput)
		r.process.LastWord(fmt.Sprintf("ERROR codex_app_server_transport::transport: Failed to deserialize JSONRPCMessage: %d bytes\n", len(line)))
	case r.input.replay != nil:
		err = r.input.replay.hear(r, m)
	case m.Method != nil && m.ID != nil:
		err = r.obey(m)
	case m.Method != nil:
		r.hearNotice(*m.Method)
	default:
		err = r.hearAnswer(m)
	}
	if err != nil { // the stream is broken
		r.Stage.Leave(r.Broken(err), "")
	}
}

// hearNotice takes a notification of the client.
func (r *renderer) hearNotice(method string) {
	if method != "initialized" {
		r.breach(BreachMethod)
		return
	}
	r.greeted = true
}

// hearEnd ends the process with its input, whatever goes on.
func (r *renderer) hearEnd() {
	r.process.Heard(fakes.Call{Method: fakes.MethodInputEnd})
	r.input.closed = true
	switch {
	case r.silenced() || r.input.stays:
	case r.input.replay != nil:
		r.input.replay.end(r)
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
	return r.say(response{id, result})
}

// deny refuses a request.
func (r *renderer) deny(id jsontext.Value, why string, args ...any) error {
	if r.silenced() {
		return nil
	}
	return r.say(refusal{rpcError{invalidRequest, fmt.Sprintf(why, args...)}, id})
}
