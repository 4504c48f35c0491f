package acp

import (
	"fmt"
	"path/filepath"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// methods are the requests that the fake knows.
var methods = map[string]func(*renderer, jsontext.Value, *params) error{
	"authenticate":              (*renderer).authenticate,
	"session/new":               (*renderer).newSession,
	"session/load":              (*renderer).loadSession,
	"session/resume":            (*renderer).resumeSession,
	"session/set_model":         (*renderer).setModel,
	"session/set_config_option": (*renderer).setOption,
	"session/set_mode":          (*renderer).about,
	"session/close":             (*renderer).about,
	"session/prompt":            (*renderer).prompt,
}

// obey carries out a request.
func (r *renderer) obey(m message) error {
	p, method := readParams(m.Params), *m.Method
	carryOut, known := methods[method]
	switch {
	case method == "initialize":
		return r.initialize(m.ID, p)
	case !known:
		r.strange(method)
		return r.deny(m.ID, codeMethod, fmt.Sprintf("%q: %s", "Method not found", method), object{"method": method})
	case !r.greeted:
		r.breach(BreachHandshake)
	}
	return carryOut(r, m.ID, p)
}

// initialize takes the handshake.
func (r *renderer) initialize(id jsontext.Value, p *params) error {
	var version int
	if v := p.members["protocolVersion"]; v.Kind() != '0' || json.Unmarshal(v, &version) != nil {
		p.bad("protocolVersion", "number")
	}
	if ok, err := r.ok(id, p); !ok {
		return err
	}
	if version != 1 {
		r.breach(BreachHandshake)
	}
	r.greeted = true
	return r.grant(id, r.profile.Initialize)
}

func (r *renderer) authenticate(id jsontext.Value, p *params) error {
	p.must("methodId")
	if ok, err := r.ok(id, p); !ok {
		return err
	}
	return r.grant(id, object{})
}

// admit reports whether a request for a session may go on. If not, it was refused.
func (r *renderer) admit(id jsontext.Value, p *params) (dir string, ok bool, err error) {
	dir = p.must("cwd")
	p.list("mcpServers")
	if ok, err := r.ok(id, p); !ok {
		return "", false, err
	}
	if !filepath.IsAbs(dir) {
		r.breach(BreachPath)
		return "", false, r.deny(id, codeParams, "Invalid params: cwd must be an absolute path", nil)
	}
	if r.refuses {
		return "", false, r.deny(id, codeInternal, "Internal error: the start was refused", nil)
	}
	return dir, true, nil
}

func (r *renderer) newSession(id jsontext.Value, p *params) error {
	dir, ok, err := r.admit(id, p)
	if !ok {
		return err
	}
	for _, n := range r.profile.Notices {
		if r.silenced() {
			return nil
		}
		if err := r.tell(n.Method, n.Params); err != nil {
			return err
		}
	}
	s := r.open(session{dir: dir})
	if err := r.save(s); err != nil {
		return err
	}
	if err := r.grant(id, r.answerOf(s, r.profile.New, true)); err != nil {
		return err
	}
	return r.introduce(s, r.profile.Banner)
}

func (r *renderer) loadSession(id jsontext.Value, p *params) error { return r.goOn(id, p, true) }

func (r *renderer) resumeSession(id jsontext.Value, p *params) error { return r.goOn(id, p, false) }

// goOn opens a session that an earlier process worked on; its history is said before the
// answer, or not.
func (r *renderer) goOn(id jsontext.Value, p *params, tells bool) error {
	name := p.must("sessionId")
	dir, ok, err := r.admit(id, p)
	if !ok {
		return err
	}
	known, found, err := r.store.Load(name)
	if err != nil {
		return err
	}
	if live := r.sessions[name]; live != nil {
		known, found = live.record, true
	}
	if !found && r.store.Dir != "" { // where nothing is remembered, nothing is unknown
		return r.unknown(id, name)
	}
	s := r.open(session{id: name, asked: name, dir: dir, record: known})
	for _, u := range s.record.History {
		if !tells || r.silenced() {
			break
		}
		if err := r.update(s, u); err != nil {
			return err
		}
	}
	if err := r.grant(id, r.answerOf(s, r.profile.Load, r.agent.name == claude)); err != nil {
		return err
	}
	return r.introduce(s, nil)
}

// unknown refuses a request about a session that is not there.
func (r *renderer) unknown(id jsontext.Value, name string) error {
	switch r.agent.name {
	case claude:
		return r.deny(id, codeNotFound, "Resource not found", object{"sessionId": name})
	case pi:
		return r.deny(id, codeParams, "Invalid params", "Unknown sessionId: "+name)
	}
	return r.deny(id, codeParams, "Invalid params: session not found: "+name, object{"sessionId": name})
}

// opened finds the session of a request. Nil says that the request was refused.
func (r *renderer) opened(id jsontext.Value, p *params) (*session, error) {
	name := p.must("sessionId")
	if ok, err := r.ok(id, p); !ok {
		return nil, err
	}
	s := r.sessions[name]
	if s == nil {
		r.breach(BreachSession)
		return nil, r.unknown(id, name)
	}
	return s, nil
}

// about answers a request that changes nothing which the fake shows.
func (r *renderer) about(id jsontext.Value, p *params) error {
	s, err := r.opened(id, p)
	if s == nil {
		return err
	}
	return r.grant(id, object{})
}

func (r *renderer) setModel(id jsontext.Value, p *params) error {
	model := p.must("modelId")
	s, err := r.opened(id, p)
	if s == nil {
		return err
	}
	r.choose(s, model)
	return r.grant(id, object{})
}

// setOption takes a choice of the client. That of the model is one of them.
func (r *renderer) setOption(id jsontext.Value, p *params) error {
	option, value := p.must("configId"), p.must("value")
	s, err := r.opened(id, p)
	if s == nil {
		return err
	}
	if option == "model" {
		r.choose(s, value)
	}
	return r.grant(id, object{"configOptions": r.answerOf(s, r.profile.New, false)["configOptions"]})
}

// choose sets the model of a session.
func (r *renderer) choose(s *session, model string) {
	s.model = model
	if r.input.begun {
		r.process.Heard(fakes.Call{Method: fakes.MethodSetModel, Model: model})
	}
}

// prompt begins a turn, or has it wait for those before it.
func (r *renderer) prompt(id jsontext.Value, p *params) error {
	blocks := p.list("prompt")
	s, err := r.opened(id, p)
	if s == nil {
		return err
	}
	t := &turn{id: id, of: s, message: textOf(blocks)}
	if r.input.begun {
		r.process.Heard(t.call())
	}
	if r.input.begun && r.input.over {
		r.process.LastWord("adaptercheck: the script has no turn for this message\n")
		r.Stage.Leave(1, "")
		return nil
	}
	r.waiting = append(r.waiting, t)
	return r.next()
}
