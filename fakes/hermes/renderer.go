package hermes

import (
	"cmp"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/child"
)

// defaultModel is what a session is of where nobody says it.
const defaultModel = "openai/gpt-4o-mini"

// renderer is a visitor that turns frames into what Hermes prints and keeps.
type renderer struct {
	child.Deeds
	process *child.Process // nil in a trial
	version version
	inv     invocation
	state   *state
	ids     uint64 // made up so far
	began   time.Time

	session string
	unnamed bool // the host has not heard of the session yet
	model   string
	dir     string

	message message
	before  string // what was said last in the messages before
	open    map[string]opened
	known   totals // of the session, as far as frames tell
	spent   totals // by this process

	interrupted bool // the grace is running
	over        bool // the run has ended
	cut         bool // stdout is closed
}

// opened is a tool call without its result.
type opened struct {
	name string
	at   time.Time
}

func newRenderer(stage child.Stage, v version) *renderer {
	return &renderer{Deeds: child.Deeds{Program: program(), Stage: stage}, version: v, model: defaultModel,
		open: map[string]opened{}, began: time.Now()}
}

// unplayable says what the wires have no form for.
func unplayable(what string, args ...any) error {
	return program().Unplayable(what, args...)
}

// playable reports the first frame that no wire of a version has a form for.
func playable(name string, frames []fakes.Frame) error {
	v, err := versionOf(name)
	if err != nil {
		return err
	}
	r := newRenderer(child.Trial{}, v)
	for i, f := range frames {
		if err := f.Accept(r); err != nil {
			return &fakes.FrameError{Index: i, Word: f.Word(), Err: err}
		}
	}
	return nil
}

// mute reports whether nothing more comes: neither lines nor rows.
func (r *renderer) mute() bool {
	return r.Muted || r.process != nil && r.process.Silenced()
}

// own refuses what is of another run or of a subagent: lines and rows name neither.
func own(run, parent string) error {
	switch {
	case run != "":
		return unplayable("a frame of another run")
	case parent != "":
		return unplayable("what a subagent does")
	}
	return nil
}

// Init names the session. One that the host knows goes on under another id, compressed.
func (r *renderer) Init(f fakes.Init) error {
	if r.mute() {
		return nil
	}
	r.model, r.dir = cmp.Or(f.Model, r.model), cmp.Or(f.Dir, r.dir)
	var err error
	switch {
	case f.Session == "" || f.Session == r.session:
	case r.unnamed:
		err = r.rename(f.Session)
	default:
		err = r.compress(f.Session)
	}
	r.unnamed = false
	if err == nil {
		err = r.state.describe(r.session, r.model, r.dir)
	}
	if err != nil {
		return err
	}
	return r.printInit()
}

// goOn makes the session another one.
func (r *renderer) goOn(id string) {
	r.session = id
	if r.process != nil {
		r.process.Session = id
	}
}

func (r *renderer) rename(id string) error {
	was := r.session
	if err := r.state.begin(id, r.newSession("")); err != nil {
		return err
	}
	there, _, err := r.state.find(id)
	if err != nil {
		return err
	}
	r.known = there.spent
	r.goOn(id)
	return r.state.move(was, id)
}

// compress ends the session and goes on in a new one that descends from it.
func (r *renderer) compress(id string) error {
	was := r.session
	if err := r.state.end(was, "compression"); err != nil {
		return err
	}
	r.goOn(id)
	return r.state.begin(id, r.newSession(was))
}

// newSession is what a session that is opened now is of.
func (r *renderer) newSession(parent string) opening {
	return opening{source: cmp.Or(r.inv.source, "cli"), model: r.model, dir: r.dir, parent: parent}
}

// Turn plays a compression, the one thing between messages that leaves a trace.
func (r *renderer) Turn(f fakes.Turn) error {
	if err := own(f.Run, ""); err != nil {
		return err
	}
	if f.State != "compact" {
		return unplayable("turn state %q", f.State)
	}
	if r.mute() || r.process == nil {
		return nil
	}
	id, err := r.fresh()
	if err != nil {
		return err
	}
	r.unnamed = false
	return r.compress(id)
}

// ToolCall makes a call part of the message, which is then in state.db.
func (r *renderer) ToolCall(f fakes.ToolCall) error {
	if err := own("", f.Parent); err != nil {
		return err
	}
	input := jsontext.Value(cmp.Or(f.Input, "null"))
	if !input.IsValid() {
		return unplayable("tool input that is no JSON")
	}
	if r.mute() {
		return nil
	}
	r.open[f.ID] = opened{f.Name, time.Now()}
	if err := r.addCall(call{f.ID, "function", callFunction{f.Name, string(input)}}); err != nil {
		return err
	}
	line := toolUseLine{Type: "tool_use", Name: f.Name, CallID: f.ID, Timestamp: millis()}
	if input.Kind() == '{' {
		line.Input = input
	}
	return r.print(line)
}

// Result answers a call. A failure is told by the line; the row has it in its content.
func (r *renderer) Result(f fakes.Result) error {
	if err := own(f.Run, f.Parent); err != nil {
		return err
	}
	if f.Details != "" {
		return unplayable("what a tool says beside its text")
	}
	if r.mute() {
		return nil
	}
	asked := r.open[f.ID]
	delete(r.open, f.ID)
	name := cmp.Or(f.Name, asked.name, "unknown")
	var took int64
	if !asked.at.IsZero() {
		took = time.Since(asked.at).Milliseconds()
	}
	content := f.Out
	if f.Error {
		failure, err := json.Marshal(map[string]string{"error": f.Out}, jsontext.AllowInvalidUTF8(true))
		if err != nil {
			return fmt.Errorf("render a result: %w", err)
		}
		content = string(failure)
	}
	r.next()
	if _, err := r.state.append(r.session, row{role: "tool", content: content, callID: f.ID, tool: name}); err != nil {
		return err
	}
	return r.print(toolResultLine{"tool_result", name, f.ID, capped(content), took, f.Error, millis()})
}

// Native says a line of a kind that no word covers. A quiet run has no such lines.
func (r *renderer) Native(f fakes.Native) error {
	if !r.version.streamJSON {
		return unplayable("a line of version %s, which prints none", r.version.name)
	}
	line, err := r.Program.NativeLine(f)
	if err != nil || r.mute() || !r.inv.stream {
		return err
	}
	return r.Stage.Frame(line)
}

// Snapshot has no form: text grows.
func (r *renderer) Snapshot(fakes.Snapshot) error { return unplayable("text grows, piece by piece") }

// CallPart has no form.
func (r *renderer) CallPart(fakes.CallPart) error { return unplayable("calls come whole") }

// Ask has no form: a run that nobody watches does not ask.
func (r *renderer) Ask(fakes.Ask) error { return unplayable("approvals") }
