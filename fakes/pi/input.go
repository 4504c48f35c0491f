package pi

import (
	"bytes"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/child"
)

// Codes of a breach: how a client broke the protocol.
const (
	// BreachInput: a line on stdin is no JSON.
	BreachInput = "input-not-json"
	// BreachCommand: a command of a type that is not known.
	BreachCommand = "command-unknown"
	// BreachBusy: a prompt while the agent works, without saying what becomes of it.
	BreachBusy = "prompt-while-busy"
	// BreachAnswer: an answer to a question that is not open.
	BreachAnswer = "answer-unknown"
)

// input is what the client has said.
type input struct {
	line   []byte // without its end yet
	begun  bool   // the run is known to the puppet
	closed bool   // nothing more comes
	over   bool   // the script has no more frames
	stays  bool   // the process does not end with its input

	prompts             []string // that wait for the script
	steering, following []string
	steered             int // messages that were queued so far
	asked               []*question
	aborting            []command // that wait for the end of the run
	cutShort            bool      // the script's run was aborted: its other frames say nothing
}

// command is what a client asks for.
type command struct {
	ID       jsontext.Value `json:"id"`
	Type     string         `json:"type"`
	Message  string         `json:"message"`
	Behavior string         `json:"streamingBehavior"`
	Provider string         `json:"provider"`
	Model    string         `json:"modelId"`
	Level    string         `json:"level"`
	Path     string         `json:"sessionPath"`
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
	if len(in.line) > 0 {
		r.hearLine(in.line) // a line needs no end
		in.line = nil
	}
	r.hearEnd()
}

func (r *renderer) hearLine(line []byte) {
	line = bytes.TrimSuffix(line, []byte("\r"))
	if err := r.obeyLine(line); err != nil { // the stream is broken
		r.Stage.Leave(r.Broken(err), "")
	}
}

func (r *renderer) obeyLine(line []byte) error {
	var c command
	options := json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if !jsontext.Value(line).IsValid(options) {
		r.breach(BreachInput)
		return r.say(object{{"type", "response"}, {"command", "parse"}, {"success", false},
			{"error", "Failed to parse command: Expected property name or '}' in JSON at position 1" + r.version.parsing}})
	}
	if err := json.Unmarshal(line, &c, options); err != nil {
		r.breach(BreachCommand)
		return r.refuse(c, "Unknown command: "+c.Type)
	}
	if c.Type == "extension_ui_response" {
		var a uiResponse
		if err := json.Unmarshal(line, &a, options); err != nil {
			r.breach(BreachAnswer)
			return nil
		}
		return r.hearAnswer(a)
	}
	return r.obey(c)
}

func (r *renderer) breach(code string) {
	r.process.Heard(fakes.Call{Method: fakes.MethodBreach, Code: code})
}

// hearEnd notes that nothing more comes: the process ends, whatever its agent does.
func (r *renderer) hearEnd() {
	r.process.Heard(fakes.Call{Method: fakes.MethodInputEnd})
	r.input.closed = true
	r.leave()
	if !r.process.Silenced() && !r.Muted {
		r.Stage.Leave(0, "")
	}
}

// awaitPrompt waits, in a script, for the prompt that the next run is about.
func (r *renderer) awaitPrompt() error {
	if r.process == nil {
		return nil
	}
	in := &r.input
	if r.scripted() && len(r.process.Play.Args) > 0 && (r.run == nil || in.cutShort) {
		in.cutShort = false
		if r.inv.mode != modeRPC {
			return nil
		}
		code, ended := r.process.Await(func() bool { return r.run != nil || len(in.prompts) > 0 })
		if ended {
			return &child.Ended{Code: code}
		}
	}
	in.cutShort = false
	if r.run == nil && len(in.prompts) > 0 {
		r.accept(in.prompts[0])
		in.prompts = in.prompts[1:]
	}
	return nil
}
