package claudecode

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/child"
)

// Codes of a breach: how a client broke the protocol of the CLI.
const (
	// BreachFormat: the run was not asked for stream-json.
	BreachFormat = "no-stream-json"
	// BreachInput: a line on stdin is no JSON object.
	BreachInput = "input-not-json"
	// BreachType: a line is of a type that the CLI does not know.
	BreachType = "input-type-unknown"
	// BreachRole: a message is not of the role user.
	BreachRole = "input-role"
	// BreachRequest: a control request says nothing, or nothing that the CLI knows.
	BreachRequest = "control-request-unknown"
	// BreachAnswer: an answer to a request that the CLI did not make, or that is
	// answered or withdrawn.
	BreachAnswer = "control-response-unknown"
	// BreachVerdict: an answer to a permission question that neither allows nor denies.
	BreachVerdict = "permission-answer-invalid"
	// BreachUnasked: a tool needed permission, and the client has no way to give it.
	BreachUnasked = "permission-unasked"
)

// input is the messages that come, and where the script stands between them.
type input struct {
	line     []byte // unfinished
	pending  []userMessage
	begun    bool // the run is known
	closed   bool // nothing more comes
	dead     bool // a line was fatal
	stays    bool // the process does not end by itself
	over     bool // the script has no more frames
	cutShort bool // the script's turn was interrupted
	expected map[string]bool
}

// inputLine is what a line on stdin may hold.
type inputLine struct {
	Type      string          `json:"type"`
	RequestID string          `json:"request_id"`
	Request   *controlRequest `json:"request"`
	Response  *controlAnswer  `json:"response"`
	userMessage
}

type userMessage struct {
	UUID    string `json:"uuid"`
	Message struct {
		Role    *string        `json:"role"`
		Content jsontext.Value `json:"content"`
	} `json:"message"`
}

// text is the text of a message: its content, or that of its text blocks.
func (m userMessage) text() string {
	var text string
	if json.Unmarshal(m.Message.Content, &text) == nil {
		return text
	}
	var blocks []struct {
		Text string `json:"text"`
	}
	_ = json.Unmarshal(m.Message.Content, &blocks) // other content has no text
	for _, b := range blocks {
		text += b.Text
	}
	return text
}

// fromText is a message that came as text.
func fromText(text string) userMessage {
	var m userMessage
	m.Message.Content, _ = json.Marshal(text, jsontext.AllowInvalidUTF8(true)) // a string has a JSON text
	return m
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
	if len(line) == 0 || r.input.dead {
		return
	}
	var x inputLine
	if err := json.Unmarshal(line, &x, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)); err != nil {
		text := fmt.Sprintf("Error parsing streaming input line: %s: SyntaxError: JSON Parse error: Expected '}'\n", line)
		if r.version.hidesInput {
			text = fmt.Sprintf("Error parsing streaming input line (type=unknown, %d chars): SyntaxError\n", len(line))
		}
		r.die(BreachInput, text)
		return
	}
	var err error
	switch x.Type {
	case "user":
		err = r.hearMessage(x.userMessage)
	case "control_request":
		if x.Request == nil {
			r.die(BreachRequest, "Error: Missing request on control_request\n")
			return
		}
		err = r.obey(x.RequestID, *x.Request)
	case "control_response":
		if x.Response != nil {
			err = r.hearAnswer(*x.Response)
		}
	case "control_cancel_request", "keep_alive":
	default:
		r.breach(BreachType)
		if !r.version.skipsUnknown {
			r.die("", fmt.Sprintf("Error: Expected message type 'user' or 'control', got '%s'\n", x.Type))
		}
	}
	if err != nil { // the stream is broken
		r.Stage.Leave(r.Broken(err), "")
	}
}

func (r *renderer) breach(code string) {
	r.process.Heard(fakes.Call{Method: fakes.MethodBreach, Code: code})
}

// die ends the process for what it heard.
func (r *renderer) die(code, text string) {
	if code != "" {
		r.breach(code)
	}
	r.input.dead = true
	r.process.LastWord(text)
	r.Stage.Leave(1, "")
}

// hearMessage takes a message of the user: it begins a turn, or waits.
func (r *renderer) hearMessage(m userMessage) error {
	if m.Message.Role == nil || *m.Message.Role != "user" {
		role := "undefined"
		if m.Message.Role != nil {
			role = *m.Message.Role
		}
		r.die(BreachRole, fmt.Sprintf("Error: Expected message role 'user', got '%s'\n", role))
		return nil
	}
	if r.input.begun {
		r.process.Heard(fakes.Call{Method: fakes.MethodInput, Value: m.text()})
	}
	if r.process.Silenced() {
		return nil
	}
	r.input.pending = append(r.input.pending, m)
	err := r.lifecycle(m, "queued")
	if r.input.begun {
		r.input.next(r)
	}
	return err
}

// hearEnd notes that nothing more comes. Questions that wait are denied.
func (r *renderer) hearEnd() {
	if r.inv.streams() && !r.input.dead {
		r.process.Heard(fakes.Call{Method: fakes.MethodInputEnd})
	}
	r.input.closed = true
	if r.input.dead || r.process.Silenced() {
		return
	}
	for _, q := range append([]*question(nil), r.asked...) {
		if err := r.unanswered(q, "AbortError: Tool permission stream closed before response received"); err != nil {
			r.Stage.Leave(r.Broken(err), "")
			return
		}
	}
	if r.input.begun {
		r.input.next(r)
	}
}

// next begins the turn of the message that waits, if there is none; without any, the
// process ends with its input.
func (in *input) next(r *renderer) {
	switch {
	case r.turn != nil || in.dead:
	case len(in.pending) > 0 && in.over:
		r.die("", "adaptercheck: the script has no turn for this message\n")
	case len(in.pending) > 0:
		r.turn = &turn{from: in.pending[0]}
		in.pending = in.pending[1:]
	case in.closed && !in.stays:
		r.Stage.Leave(r.exit, "")
	}
}

// merge takes the messages that wait into the turn that goes on.
func (in *input) merge() { in.pending = nil }

// await waits, in a script, for the message whose turn is due.
func (in *input) await(r *renderer) error {
	if r.inv.streams() || in.cutShort {
		code, ended := r.process.Await(func() bool { return r.turn != nil && !r.turn.begun })
		if ended {
			return &child.Ended{Code: code}
		}
	}
	in.cutShort, in.stays, r.Muted = false, false, false
	return nil
}

// expect notes that a native line asks something.
func (in *input) expect(line jsontext.Value) {
	var x struct {
		Type      string `json:"type"`
		RequestID string `json:"request_id"`
	}
	if json.Unmarshal(line, &x) == nil && x.Type == "control_request" && x.RequestID != "" {
		if in.expected == nil {
			in.expected = map[string]bool{}
		}
		in.expected[x.RequestID] = true
	}
}

// Silent ends what frames say; the process stays, and still obeys. In a script the
// turn is over when somebody interrupts it.
func (r *renderer) Silent(f fakes.Silent) error {
	r.input.stays = true
	if err := r.Deeds.Silent(f); err != nil || r.process == nil || r.process.Puppet() {
		return err
	}
	code, ended := r.process.Await(func() bool { return r.input.cutShort })
	if ended {
		return &child.Ended{Code: code}
	}
	return nil
}
