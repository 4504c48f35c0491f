package codex

import (
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/wire"
)

// The control connection: JSON values, one after another, both ways. A process
// connects, says hello and waits for the answer; a run then says begun and plays
// what it is sent, acknowledging each order.

type role string

const (
	roleRun     role = "run"
	roleHealth  role = "health" // --version and the like, and usage errors
	roleSleeper role = "sleeper"
)

// toPuppet is what a process sends. One field is set.
type toPuppet struct {
	Hello *hello `json:"hello,omitzero"`
	Begun *begun `json:"begun,omitzero"`
	Ack   *ack   `json:"ack,omitzero"`
	Call  *heard `json:"call,omitzero"`
}

type hello struct {
	Role role `json:"role"`
	PID  int  `json:"pid"`
}

// begun is the start of a run.
type begun struct {
	Args    []string `json:"args"`
	Env     []string `json:"env"`
	Dir     string   `json:"dir"`
	Message string   `json:"message"`
	Model   string   `json:"model"`
	Resume  string   `json:"resume"`
	Session string   `json:"session"`
	Plain   bool     `json:"plain"` // --json is missing
}

// heard is a signal that arrived.
type heard struct {
	Signal string `json:"signal"`
}

// ack answers an order. Error is empty where it was carried out.
type ack struct {
	Order  int    `json:"order"`
	Frames int    `json:"frames"`
	Bytes  int64  `json:"bytes"`
	Error  string `json:"error,omitzero"`
}

// toProcess is what a process is sent. One field is set.
type toProcess struct {
	Go    *goAhead `json:"go,omitzero"`
	Order *order   `json:"order,omitzero"`
}

// goAhead answers hello.
type goAhead struct {
	Version string      `json:"version"`
	Thread  string      `json:"thread"` // the id of a new thread
	Down    bool        `json:"down"`
	Refuse  bool        `json:"refuse"`
	Delay   int         `json:"delay"` // milliseconds before each answer
	Wire    wire.Faults `json:"wire"`
	Replay  *recording  `json:"replay,omitzero"`
}

type recording struct {
	Stdout     []byte `json:"stdout"`
	Exit       int    `json:"exit"`
	WaitSignal bool   `json:"waitSignal"`
}

// order is frames to say, or a fault to have.
type order struct {
	Number int             `json:"number"`
	Frames jsontext.Value  `json:"frames,omitzero"`
	Fault  fakes.FaultKind `json:"fault,omitzero"`
	Delay  int             `json:"delay,omitzero"`
}

// send writes one message in one write.
func send(w io.Writer, v any) error {
	data, err := json.Marshal(v, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return err
	}
	_, err = w.Write(append(data, '\n'))
	return err
}

// receiver reads messages.
type receiver struct{ d *jsontext.Decoder }

func newReceiver(r io.Reader) receiver { return receiver{jsontext.NewDecoder(r)} }

func (r receiver) next(v any) error { return json.UnmarshalDecode(r.d, v) }
