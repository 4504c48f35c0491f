package acp

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/child"
)

// renderer is one process of the agent: it obeys its client, turns frames into updates
// and answers, and keeps what the real process keeps.
type renderer struct {
	child.Deeds
	process *child.Process // nil in a trial
	ids     ids
	agent   agent
	profile profile
	refuses bool // requests for a session are refused
	store   child.Store[record]
	start   fakes.Call // what every run of the process began with

	greeted  bool // the client said initialize
	sessions map[string]*session

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
	cutShort bool   // the script's turn was cancelled
	replay   *replay
}

// newRenderer makes a process that nobody has spoken to.
func newRenderer(stage child.Stage, start child.Start) (*renderer, error) {
	a, err := agentOf(start.Version)
	if err != nil {
		return nil, err
	}
	p, err := a.profile()
	if err != nil {
		return nil, err
	}
	return &renderer{
		Deeds: child.Deeds{Program: program(), Stage: stage}, ids: ids{seed: start.Seed, nth: start.Nth}, agent: a, profile: p,
		sessions: map[string]*session{},
	}, nil
}

// firstPrompt is the id of the first prompt of a client that counts from 0.
var firstPrompt = jsontext.Value("2")

// alone gives a process a turn that no client asked for.
func (r *renderer) alone(dir string) {
	r.turn = &turn{id: firstPrompt, of: r.open(session{dir: dir})}
	r.input.begun, r.input.closed = true, true
}

// unplayable says what this wire has no form for.
func unplayable(what string, args ...any) error { return program().Unplayable(what, args...) }

// playable reports the first frame that the wire has no form for.
func playable(name string, frames []fakes.Frame) error {
	r, err := newRenderer(child.Trial{}, child.Start{Version: name})
	if err != nil {
		return err
	}
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

// scripted reports whether a script is played, which waits for its client.
func (r *renderer) scripted() bool { return r.process != nil && !r.process.Puppet() }

// quiet reports whether frames say nothing now: the script said so, or its turn was cut
// short.
func (r *renderer) quiet() bool { return r.Muted || r.input.cutShort }

// silenced reports whether the process says nothing more, whatever happens.
func (r *renderer) silenced() bool { return r.process != nil && r.process.Silenced() }

// say prints a message. Text that is not UTF-8 is mended, as the wire is UTF-8.
func (r *renderer) say(message any) error {
	line, err := json.Marshal(message, jsontext.AllowInvalidUTF8(true), json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("render a message: %w", err)
	}
	return r.Stage.Frame(line)
}

// tell prints a notification.
func (r *renderer) tell(method string, params any) error {
	return r.say(notification{version2, method, params})
}

// update prints what is new of a session.
func (r *renderer) update(s *session, what any) error {
	return r.tell("session/update", updated{s.id, what})
}

// breach notes how the client broke the protocol.
func (r *renderer) breach(code string) {
	r.process.Heard(fakes.Call{Method: fakes.MethodBreach, Code: code})
}
