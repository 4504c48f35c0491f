package appserver

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// clientInfo is who the client says that it is.
type clientInfo struct {
	Name    string `json:"name"`
	Title   string `json:"title"`
	Version string `json:"version"`
}

// methods are the requests that the fake knows.
var methods = map[string]func(*renderer, jsontext.Value, *params) error{
	"thread/start":   (*renderer).startThread,
	"thread/resume":  (*renderer).resumeThread,
	"thread/fork":    (*renderer).forkThread,
	"turn/start":     (*renderer).startTurn,
	"turn/steer":     (*renderer).steerTurn,
	"turn/interrupt": (*renderer).interruptTurn,
	"model/list":     (*renderer).listModels,
}

// methodNames are the same in a fixed order.
var methodNames = []string{"initialize", "thread/start", "thread/resume", "thread/fork", "turn/start", "turn/steer", "turn/interrupt", "model/list"}

// obey carries out a request.
func (r *renderer) obey(m message) error {
	p := readParams(m.Params)
	method := *m.Method
	carryOut, known := methods[method]
	switch {
	case method == "initialize" && r.client != nil:
		r.breach(BreachHandshake)
		return r.deny(m.ID, "Already initialized")
	case method == "initialize":
		return r.initialize(m.ID, p)
	case !known:
		r.breach(BreachMethod)
		return r.deny(m.ID, "Invalid request: unknown variant `%s`, expected %s", method, oneOf(methodNames))
	case r.client == nil:
		r.breach(BreachHandshake)
		return r.deny(m.ID, "Not initialized")
	}
	return carryOut(r, m.ID, p)
}

// invalid refuses a request for its parameters.
func (r *renderer) invalid(id jsontext.Value, p *params) error {
	r.breach(BreachParams)
	return r.deny(id, "Invalid request: %s", p.wrong)
}

const noBubblewrap = "Codex could not find bubblewrap on PATH. Install bubblewrap with your OS package manager. " +
	"See the sandbox prerequisites: https://developers.openai.com/codex/concepts/sandboxing#prerequisites. " +
	"Codex will use the bundled bubblewrap in the meantime."

// initialize takes the handshake. What the server says of itself comes at once, without
// waiting for initialized.
func (r *renderer) initialize(id jsontext.Value, p *params) error {
	var client clientInfo
	p.object("clientInfo", &client)
	var able struct {
		Unheard []string `json:"optOutNotificationMethods"`
	}
	if v := p.members["capabilities"]; len(v) > 0 && v.Kind() != 'n' {
		p.object("capabilities", &able)
	}
	if p.wrong != "" {
		return r.invalid(id, p)
	}
	r.client = &client
	for _, method := range able.Unheard {
		r.unheard[method] = true
	}
	if err := r.grant(id, initialized{
		UserAgent: fmt.Sprintf("%s/%s (Debian 12.0.0; x86_64) dumb (%[1]s; %[3]s)", client.Name, r.version, client.Version),
		Home:      r.codexHome(), Family: "unix", OS: "linux",
	}); err != nil {
		return err
	}
	if err := r.tell("configWarning", configWarning{Summary: noBubblewrap}); err != nil {
		return err
	}
	return r.tell("remoteControl/status/changed", remoteControl{Status: "disabled", Server: "fake-host", Installation: r.ids.uuid()})
}

// codexHome is where the program keeps its files, as its environment says.
func (r *renderer) codexHome() string {
	if home := r.process.Play.Getenv("CODEX_HOME"); home != "" {
		return home
	}
	return filepath.Join(r.process.Play.Getenv("HOME"), ".codex")
}

type modelList struct {
	Data []modelInfo `json:"data"`
	Next any         `json:"nextCursor"`
}

type modelInfo struct {
	ID      string `json:"id"`
	Model   string `json:"model"`
	Display string `json:"displayName"`
	About   string `json:"description"`
	Hidden  bool   `json:"hidden"`
	Default bool   `json:"isDefault"`
}

func (r *renderer) listModels(id jsontext.Value, _ *params) error {
	return r.grant(id, modelList{Data: []modelInfo{{ID: defaultModel, Model: defaultModel, Display: defaultModel, About: "The model of the fake.", Default: true}}})
}

// startTurn begins a turn, or hands its input to the one that goes on with the thread.
func (r *renderer) startTurn(id jsontext.Value, p *params) error {
	c, err := r.loaded(id, p)
	if c == nil {
		return err
	}
	in, dir, model, client := p.input(), p.text("cwd"), p.text("model"), p.text("clientUserMessageId")
	if p.wrong != "" {
		return r.invalid(id, p)
	}
	if dir != "" {
		c.dir = dir
	}
	if model != "" {
		c.model, c.asksModel = model, true
	}
	t := &turn{id: r.ids.uuid(), of: c, first: addressed{in, client}}
	if err := r.grant(id, turnAnswer{turnInfo{ID: t.id, Root: t.id, View: "notLoaded", Status: "inProgress"}}); err != nil {
		return err
	}
	if live := r.turn; live != nil && live.of == c {
		r.process.Heard(fakes.Call{Method: fakes.MethodInput, Value: textOf(in)})
		return r.steer(live, t.first)
	}
	if r.input.begun {
		r.process.Heard(t.call())
	}
	if r.input.begun && r.input.over {
		r.process.LastWord("adaptercheck: the script has no turn for this message\n")
		r.Stage.Leave(1, "")
		return nil
	}
	r.waiting = append(r.waiting, t)
	r.next()
	return nil
}

// next takes up the turn that waits, if there is none.
func (r *renderer) next() {
	if r.turn == nil && len(r.waiting) > 0 {
		r.turn, r.waiting = r.waiting[0], r.waiting[1:]
		if r.input.begun && r.process != nil {
			r.process.Session = r.turn.of.id
		}
	}
}

// steerTurn adds to the turn that goes on.
func (r *renderer) steerTurn(id jsontext.Value, p *params) error {
	c, err := r.loaded(id, p)
	if c == nil {
		return err
	}
	expected, in, client := p.must("expectedTurnId"), p.input(), p.text("clientUserMessageId")
	t := r.turn
	switch {
	case p.wrong != "":
		return r.invalid(id, p)
	case expected == "":
		return r.deny(id, "expectedTurnId must not be empty")
	case t == nil || t.of != c || !t.begun:
		return r.deny(id, "no active turn to steer")
	case expected != t.id:
		return r.deny(id, "expected active turn id `%s` but found `%s`", expected, t.id)
	case len(in) == 0:
		return r.deny(id, "input must not be empty")
	}
	r.process.Heard(fakes.Call{Method: fakes.MethodInput, Value: textOf(in)})
	if err := r.grant(id, steerAnswer{t.id}); err != nil {
		return err
	}
	return r.steer(t, addressed{in, client})
}

// interruptTurn stops the turn that goes on. One that was asked for and has not said yet
// that it started cannot be stopped by its id.
func (r *renderer) interruptTurn(id jsontext.Value, p *params) error {
	c, err := r.loaded(id, p)
	if c == nil {
		return err
	}
	which := p.must("turnId")
	if p.wrong != "" {
		return r.invalid(id, p)
	}
	r.process.Heard(fakes.Call{Method: fakes.MethodCancel})
	t := r.turn
	switch {
	case r.silenced() || r.process.Deaf("INT"):
		return nil
	case which == "" && (t == nil || t.of != c || !r.process.Obeys("INT")): // what starts up, if anything does
		return r.grant(id, nothing{})
	case which == "":
	case t == nil || t.of != c || !t.begun:
		return r.deny(id, "no active turn to interrupt")
	case which != t.id:
		return r.deny(id, "expected active turn id %s but found %s", which, t.id)
	case !r.process.Obeys("INT"):
		return r.grant(id, nothing{})
	}
	r.process.EndChildren()
	if err := r.withdraw(); err != nil {
		return err
	}
	if err := r.hush(t); err != nil {
		return err
	}
	if err := r.grant(id, nothing{}); err != nil {
		return err
	}
	return r.cutShort(t)
}

// workDir is the directory that a process works in; empty if it is gone.
func workDir() string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	return dir
}
