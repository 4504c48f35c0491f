package child

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
	Hello *hello      `json:"hello,omitzero"`
	Begun *begun      `json:"begun,omitzero"`
	Ack   *ack        `json:"ack,omitzero"`
	Call  *fakes.Call `json:"call,omitzero"`
}

type hello struct {
	Role role `json:"role"`
	PID  int  `json:"pid"`
}

// begun is the start of a run, and what was heard before it.
type begun struct {
	Call   fakes.Call   `json:"call"`
	Before []fakes.Call `json:"before,omitempty"`
}

// ack answers an order. Error is empty where it was carried out.
type ack struct {
	Order   int           `json:"order"`
	Frames  int           `json:"frames"`
	Bytes   int64         `json:"bytes"`
	Strikes []wire.Strike `json:"strikes,omitempty"`
	Error   string        `json:"error,omitzero"`
}

// toProcess is what a process is sent. One field is set.
type toProcess struct {
	Start *Start `json:"start,omitzero"`
	Order *order `json:"order,omitzero"`
}

// Start says how a process shall be.
type Start struct {
	// Version of the program that is played, as the options name it.
	Version string `json:"version"`
	// Seed and Nth make ids: Nth counts the runs of a fake from 0.
	Seed uint64 `json:"seed"`
	Nth  uint64 `json:"nth"`
	// Down and Refuse: the runtime cannot be reached, the start is refused.
	Down   bool `json:"down"`
	Refuse bool `json:"refuse"`
	// Delay is milliseconds before each answer.
	Delay int `json:"delay"`
	// Wire is how the bytes of stdout are treated.
	Wire wire.Faults `json:"wire,omitempty"`
	// Replay is what the process prints instead of waiting for frames.
	Replay *Recording `json:"replay,omitzero"`
}

// Recording is what a real process printed, and how it ended.
type Recording struct {
	Stdout []byte `json:"stdout"`
	Exit   int    `json:"exit"`
	// WaitSignal keeps the process until it is told to stop.
	WaitSignal bool `json:"waitSignal"`
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
	data, err := json.Marshal(v, jsontext.AllowInvalidUTF8(true), json.FormatNilSliceAsNull(true))
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
