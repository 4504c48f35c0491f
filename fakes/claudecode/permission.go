package claudecode

import (
	"path/filepath"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/child"
)

// Ask puts a permission question about the last open call of a tool. A client that
// cannot answer is not asked: the call is denied.
func (r *renderer) Ask(f fakes.Ask) error {
	if r.quiet() {
		return nil
	}
	if r.message != nil && r.message.tools {
		if err := r.close("tool_use"); err != nil {
			return err
		}
	}
	q := &question{id: f.ID}
	for _, c := range r.openCalls() {
		if c.name == f.Tool {
			q.call = c
		}
	}
	if !r.inv.asks() {
		r.breach(BreachUnasked)
		return r.denyUnasked(q.call)
	}
	r.asked = append(r.asked, q)
	if err := r.say(object{{"type", "control_request"}, {"request_id", q.id}, {"request", r.askFor(q, f.Tool)}}); err != nil {
		return err
	}
	if r.process == nil || r.process.Puppet() {
		return nil
	}
	if code, ended := r.process.Await(func() bool { return !slices.Contains(r.asked, q) }); ended {
		return &child.Ended{Code: code}
	}
	return nil
}

// toolInput is what the CLI reads of the input of a call.
type toolInput struct {
	Description string `json:"description"`
	Path        string `json:"file_path"`
}

func (c *call) read() (in toolInput) {
	_ = json.Unmarshal([]byte(c.input), &in) // other inputs have no such members
	return in
}

// askFor is the question.
func (r *renderer) askFor(q *question, tool string) object {
	o := object{{"subtype", "can_use_tool"}, {"tool_name", tool}}
	if r.version.shape >= v21197 {
		o.add("display_name", tool)
	}
	if q.call == nil {
		o.add("input", object{})
		return o
	}
	in := q.call.read()
	o.add("input", jsontext.Value(q.call.input))
	if r.version.shape >= v21197 {
		if in.Description == "" && in.Path != "" {
			in.Description = filepath.Base(in.Path)
		}
		if in.Description != "" {
			o.add("description", in.Description)
		}
		if in.Path != "" {
			o.add("permission_suggestions", []object{{{"type", "setMode"}, {"mode", "acceptEdits"}, {"destination", "session"}}})
		}
	}
	if r.version.shape >= v20 {
		o.add("tool_use_id", q.call.id)
	}
	return o
}

// controlAnswer is what a client answers.
type controlAnswer struct {
	Subtype   string `json:"subtype"`
	RequestID string `json:"request_id"`
	Error     string `json:"error"`
	Response  struct {
		Behavior  string         `json:"behavior"`
		Message   string         `json:"message"`
		Interrupt bool           `json:"interrupt"`
		Input     jsontext.Value `json:"updatedInput"`
	} `json:"response"`
}

// hearAnswer takes an answer.
func (r *renderer) hearAnswer(a controlAnswer) error {
	i := slices.IndexFunc(r.asked, func(q *question) bool { return q.id == a.RequestID })
	if i < 0 {
		if !r.input.expected[a.RequestID] {
			r.breach(BreachAnswer)
			return nil
		}
		delete(r.input.expected, a.RequestID)
		r.process.Heard(fakes.Call{Method: fakes.MethodAnswer, Question: a.RequestID, Allow: a.Subtype == "success"})
		return nil
	}
	q, verdict := r.asked[i], a.Response
	allow := a.Subtype == "success" && verdict.Behavior == "allow"
	r.process.Heard(fakes.Call{Method: fakes.MethodAnswer, Question: q.id, Allow: allow})
	switch {
	case r.process.Silenced():
		return nil
	case a.Subtype == "error":
		return r.unanswered(q, "Error: "+a.Error)
	case allow:
		if verdict.Input == nil {
			r.breach(BreachVerdict)
		}
		r.forget(q)
		if q.call != nil {
			q.call.allowed = true
		}
		return nil
	case verdict.Behavior != "deny":
		r.breach(BreachVerdict)
		return r.unanswered(q, "Error: the answer neither allows nor denies")
	}
	if verdict.Interrupt {
		r.forget(q)
		r.denied(q.call)
		r.input.stays = false
		r.input.cutShort = !r.process.Puppet()
		return r.abort()
	}
	return r.deny(q, verdict.Message, "Error: "+verdict.Message, object{{"decision", "reject"}, {"source", "user_reject"}})
}

// unanswered denies a call whose question got no verdict.
func (r *renderer) unanswered(q *question, why string) error {
	text := "Tool permission request failed: " + why
	return r.deny(q, text, "Error: "+text, object{{"decision", "reject"}, {"source", "config"}, {"reason_type", "other"}})
}

// deny answers a call in the tool's stead.
func (r *renderer) deny(q *question, text, short string, decision object) error {
	r.forget(q)
	if q.call == nil || q.call.answered {
		return nil
	}
	r.denied(q.call)
	q.call.answered = true
	return r.failed(q.call, text, short, decision, "permission-rule")
}

// denyUnasked denies a call of a client that cannot be asked.
func (r *renderer) denyUnasked(c *call) error {
	if c == nil {
		return nil
	}
	what := "use " + c.name
	if path := c.read().Path; path != "" {
		what = "write to " + path
	}
	text := "Claude requested permissions to " + what + ", but you haven't granted it yet."
	if r.version.shape >= v21332 {
		if err := r.system("permission_denied", member{"tool_name", c.name}, member{"tool_use_id", c.id}, member{"message", text}); err != nil {
			return err
		}
	}
	r.denied(c)
	c.answered = true
	return r.failed(c, text, "Error: "+text, object{{"decision", "reject"}, {"source", "config"}}, "user-rejected")
}

// denied notes a denial for the result.
func (r *renderer) denied(c *call) {
	if c != nil && r.turn != nil {
		r.turn.denials = append(r.turn.denials, object{{"tool_name", c.name}, {"tool_use_id", c.id}, {"tool_input", jsontext.Value(c.input)}})
	}
}

// withdraw takes back the questions that wait.
func (r *renderer) withdraw() error {
	for _, q := range append([]*question(nil), r.asked...) {
		r.forget(q)
		r.denied(q.call)
		if err := r.say(object{{"type", "control_cancel_request"}, {"request_id", q.id}}); err != nil {
			return err
		}
	}
	return nil
}

func (r *renderer) forget(q *question) {
	r.asked = slices.DeleteFunc(r.asked, func(x *question) bool { return x == q })
}
