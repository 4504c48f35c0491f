package pi

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/child"
)

// renderer is one process of Pi: it turns frames into lines, and keeps what the real
// process keeps.
type renderer struct {
	child.Deeds
	process *child.Process // nil in a trial
	version version
	inv     invocation
	ids     ids
	clock   clock
	agent   string // where the program keeps its files
	known   registry
	model   model
	level   string // of thinking
	session *session
	start   fakes.Call // how the run began

	run      *agentRun
	attempt  int    // retries of the answer that failed last
	prompts  bool   // the system prompt has been told
	over     bool   // a run has ended
	owed     *spent // what was spent beside an answer, told with the next one
	stop     string // why the last answer ended
	failed   string // why it failed
	answered string // the last answer
	input    input
}

// agentRun is from a prompt to the end of the agent's work on it.
type agentRun struct {
	prompt  *string          // nil goes on with what is there
	late    bool             // the agent was done: what comes is said all the same
	begun   bool             // agent_start is out
	turn    bool             // a turn is open
	waits   bool             // for a retry
	news    []jsontext.Value // messages since agent_start
	message *message
	last    jsontext.Value // the last answer that is over
	calls   []*call
	results []jsontext.Value
}

// newRenderer makes a process as argv and the environment want it.
func newRenderer(stage child.Stage, v version, inv invocation, ids ids) *renderer {
	m := plainModel(anyProvider, anyModel)
	r := &renderer{
		Deeds: child.Deeds{Program: program(), Stage: stage}, version: v, inv: inv, ids: ids, model: m, level: m.level(),
		session: &session{counts: map[string]int{}},
	}
	return r
}

// unplayable says what this wire has no form for.
func unplayable(what string, args ...any) error { return program().Unplayable(what, args...) }

// playable reports the first frame that the wire has no form for.
func playable(name string, frames []fakes.Frame) error {
	v, err := versionOf(name)
	if err != nil {
		return err
	}
	r := newRenderer(child.Trial{}, v, invocation{mode: modeRPC}, newIDs(0, 0))
	for i, f := range frames {
		if err := f.Accept(r); err != nil {
			return &fakes.FrameError{Index: i, Word: f.Word(), Err: err}
		}
	}
	return nil
}

// own reports a frame that is not of the run itself.
func own(run, parent string) error {
	switch {
	case run != "":
		return unplayable("a frame of another run")
	case parent != "":
		return unplayable("what a nested agent says")
	}
	return nil
}

// quiet reports whether frames say nothing now: the script said so, or its run was cut
// short.
func (r *renderer) quiet() bool { return r.Muted || r.input.cutShort }

// scripted reports whether a script is played, without a puppet.
func (r *renderer) scripted() bool { return r.process != nil && !r.process.Puppet() }

// say prints a line, in the modes that have lines.
func (r *renderer) say(o object) error {
	line, err := render(o)
	if err != nil {
		return err
	}
	return r.sayLine(line)
}

func (r *renderer) sayLine(line []byte) error {
	if r.inv.mode == modeText || r.process != nil && r.process.Silenced() {
		return nil
	}
	return r.Stage.Frame(line)
}

// event prints a line of that type.
func (r *renderer) event(kind string, members ...member) error {
	return r.say(append(object{{"type", kind}}, members...))
}

// eventOf prints a line of that type with a message.
func (r *renderer) eventOf(kind string, message jsontext.Value) error {
	line := append([]byte(`{"type":"`), kind...)
	line = append(append(line, `","message":`...), message...)
	return r.sayLine(append(line, '}'))
}

// tell prints the start and the end of a message that is known whole, and keeps it.
func (r *renderer) tell(role string, message object) (jsontext.Value, error) {
	whole, err := render(message)
	if err == nil {
		err = r.eventOf("message_start", whole)
	}
	if err != nil {
		return nil, err
	}
	return whole, r.told(role, whole)
}

// told prints the end of a message, and keeps it.
func (r *renderer) told(role string, message jsontext.Value) error {
	if err := r.eventOf("message_end", message); err != nil {
		return err
	}
	r.run.news = append(r.run.news, message)
	if r.process == nil {
		return nil
	}
	return r.remember(role, message)
}
