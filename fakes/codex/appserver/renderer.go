package appserver

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/child"
	"github.com/adaptercheck/adaptercheck/fakes/codex/thread"
)

// renderer is one process of the program: it obeys its client, turns frames into
// notifications, and keeps what the real process keeps.
type renderer struct {
	child.Deeds
	process *child.Process // nil in a trial
	ids     ids
	version string
	refuses bool // requests for a thread are refused
	store   thread.Store
	records child.Store[record]
	start   fakes.Call // what every run of the process began with

	client  *clientInfo     // nil before initialize
	greeted bool            // the client said initialized
	unheard map[string]bool // methods that the client does not want to hear of
	threads map[string]*conversation

	turn    *turn   // nil between turns
	past    *turn   // the last one that is over
	waiting []*turn // asked for while another one went on

	asked    []*question
	requests int // made so far

	input input
}

// input is what comes from the client, and where the script stands in it.
type input struct {
	line     []byte // unfinished
	closed   bool   // nothing more comes
	begun    bool   // the run is known
	stays    bool   // the process does not end with its input
	over     bool   // the script has no more frames
	cutShort bool   // the script's turn was interrupted
	steered  int    // messages that went to a turn that went on
	replay   *replay
}

// record is what is remembered of a thread beside what it has spent: the last turn, and
// what the last call of the model has spent.
type record struct {
	Turn string        `json:"turn"`
	Last thread.Totals `json:"last"`
}

// newRenderer makes a process that nobody has spoken to.
func newRenderer(stage child.Stage, start child.Start) *renderer {
	return &renderer{
		Deeds: child.Deeds{Program: program(), Stage: stage}, ids: ids{seed: start.Seed, nth: start.Nth}, version: start.Version,
		unheard: map[string]bool{}, threads: map[string]*conversation{},
	}
}

// alone gives a process a turn that no client asked for.
func (r *renderer) alone(dir string) {
	c := r.converse(conversation{dir: dir})
	r.turn = &turn{id: r.ids.uuid(), of: c}
	r.input.begun, r.input.closed = true, true
}

// unplayable says what this wire has no form for.
func unplayable(what string, args ...any) error { return program().Unplayable(what, args...) }

// playable reports the first frame that the wire has no form for.
func playable(name string, frames []fakes.Frame) error {
	version, err := versionOf(name)
	if err != nil {
		return err
	}
	r := newRenderer(child.Trial{}, child.Start{Version: version})
	r.alone("/")
	for i, f := range frames {
		if err := f.Accept(r); err != nil {
			return &fakes.FrameError{Index: i, Word: f.Word(), Err: err}
		}
	}
	return nil
}

func otherRun(run string) error {
	if run != "" {
		return unplayable("a frame of another run")
	}
	return nil
}

func nested(parent string) error {
	if parent != "" {
		return unplayable("what a nested agent says")
	}
	return nil
}

// scripted reports whether a script with a client is played: it waits for the client.
func (r *renderer) scripted() bool { return r.process != nil && !r.process.Puppet() }

// quiet reports whether frames say nothing now: the script said so, or its turn was cut
// short.
func (r *renderer) quiet() bool { return r.Muted || r.input.cutShort }

// silenced reports whether the process says nothing more, whatever happens.
func (r *renderer) silenced() bool { return r.process != nil && r.process.Silenced() }

// say prints a message. Text that is not UTF-8 is mended, as the wire is UTF-8.
func (r *renderer) say(message any) error {
	line, err := json.Marshal(message, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return fmt.Errorf("render a message: %w", err)
	}
	r.ids.lines++
	return r.Stage.Frame(line)
}

// tell prints a notification, unless the client does not want to hear of it.
func (r *renderer) tell(method string, params any) error {
	if r.unheard[method] {
		return nil
	}
	return r.say(notification{method, params, r.ids.now()})
}

// ask prints a request of the server.
func (r *renderer) ask(method string, id jsontext.Value, params any) error {
	return r.say(serverRequest{method, id, params})
}

// breach notes how the client broke the protocol.
func (r *renderer) breach(code string) {
	r.process.Heard(fakes.Call{Method: fakes.MethodBreach, Code: code})
}
