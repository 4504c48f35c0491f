package appserver

import (
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/child"
	"github.com/adaptercheck/adaptercheck/fakes/codex/tool"
)

// question is a request of the server that waits for its answer.
type question struct {
	id    jsontext.Value
	name  string // as the puppet calls it
	turn  *turn
	call  *call // nil if it is about none
	file  bool  // about a patch
	plain bool  // no approval: any answer will do
}

// nextID is the id of the next request: they count from 0.
func (r *renderer) nextID() jsontext.Value {
	r.requests++
	return jsontext.Value(strconv.Itoa(r.requests - 1))
}

// Ask puts an approval question about the last open call of a tool. In a script the
// client's answer is waited for.
func (r *renderer) Ask(f fakes.Ask) error {
	if r.quiet() {
		return nil
	}
	t := r.current()
	if err := r.settle(t); err != nil {
		return err
	}
	q := &question{id: r.nextID(), name: f.ID, turn: t, file: f.Tool == tool.Patch}
	if q.name == "" {
		q.name = string(q.id)
	}
	for _, c := range t.calls {
		if c.tool == f.Tool && !c.answered {
			q.call = c
		}
	}
	held := q.call != nil && q.call.held
	if q.call != nil {
		q.call.asked = true
	}
	r.asked = append(r.asked, q)
	if err := r.waits(t); err != nil {
		return err
	}
	if held {
		if err := r.begins(t, q.call); err != nil {
			return err
		}
	}
	method, params := q.request(r, f.Tool)
	if err := r.ask(method, q.id, params); err != nil || !r.scripted() {
		return err
	}
	if code, ended := r.process.Await(func() bool { return !slices.Contains(r.asked, q) }); ended {
		return &child.Ended{Code: code}
	}
	return nil
}

// request is the question at the wire. One about no call is about an item of the
// question's own name.
func (q *question) request(r *renderer, name string) (string, any) {
	t, item, since := q.turn, q.name, r.ids.now()
	if q.call != nil {
		item, since = q.call.id, q.call.since
	}
	if q.file {
		return "item/fileChange/requestApproval", fileApproval{Thread: t.of.id, Turn: t.id, Item: item, Started: since}
	}
	w := shell{line: name}
	if q.call != nil {
		if asked, is := q.call.work.(shell); is {
			w = asked
		}
	}
	params := commandApproval{Kind: "command", Thread: t.of.id, Turn: t.id, Item: item, Started: since, Environment: "local", Command: w.line,
		Dir: t.of.dir, Actions: w.actions(), Amendment: w.words(), Available: []any{"accept"}}
	if w.why != "" {
		params.Reason = &w.why
	}
	if params.Amendment != nil {
		params.Available = append(params.Available, amendment{policy{params.Amendment}})
	}
	params.Available = append(params.Available, "cancel")
	return "item/commandExecution/requestApproval", params
}

// amendment is the decision that allows a command for good.
type amendment struct {
	Policy policy `json:"acceptWithExecpolicyAmendment"`
}

type policy struct {
	Words []string `json:"execpolicy_amendment"`
}

// decision is what a client decided.
type decision int

const (
	accepted decision = iota
	declined
	cancelled
	unknown
)

// decisionOf reads an answer. An error is no decision, and counts as declined.
func decisionOf(m message) decision {
	if m.Result == nil {
		return declined
	}
	v := readParams(m.Result).members["decision"]
	var word string
	var amended map[string]jsontext.Value
	switch v.Kind() {
	case '"':
		_ = json.Unmarshal(v, &word) // it is text
	case '{':
		_ = json.Unmarshal(v, &amended) // it is an object
		for _, name := range []string{"acceptWithExecpolicyAmendment", "applyNetworkPolicyAmendment"} {
			if _, is := amended[name]; is {
				return accepted
			}
		}
	}
	switch word {
	case "accept", "acceptForSession":
		return accepted
	case "decline":
		return declined
	case "cancel":
		return cancelled
	}
	return unknown
}

// hearAnswer takes an answer to a request of the server.
func (r *renderer) hearAnswer(m message) error {
	i := slices.IndexFunc(r.asked, func(q *question) bool { return string(q.id) == string(m.ID) })
	if i < 0 {
		r.breach(BreachAnswer)
		return nil
	}
	q := r.asked[i]
	d := decisionOf(m)
	if q.plain && m.Result != nil && d != declined {
		d = accepted
	}
	r.process.Heard(fakes.Call{Method: fakes.MethodAnswer, Question: q.name, Allow: d == accepted})
	if d == unknown {
		r.breach(BreachVerdict)
	}
	if r.silenced() {
		return nil
	}
	if m.Result == nil {
		r.process.LastWord("ERROR codex_app_server::bespoke_event_handling: request failed with client error\n")
	}
	if err := r.resolve(q); err != nil {
		return err
	}
	t := q.turn
	switch {
	case d == cancelled:
		return r.cancel(q)
	case d == accepted:
		if q.call != nil {
			q.call.allowed = true
		}
		return r.waits(t)
	case q.call == nil || q.call.answered:
		return r.waits(t)
	case q.file:
		if err := r.waits(t); err != nil {
			return err
		}
		return r.ends(t, q.call, "declined", nil)
	}
	if err := r.ends(t, q.call, "declined", nil); err != nil {
		return err
	}
	return r.waits(t)
}

// cancel stops the turn for an answer: its item stays open. What the call of the model
// has spent is told before, where it is known to follow.
func (r *renderer) cancel(q *question) error {
	t := q.turn
	if err := r.waits(t); err != nil || r.turn != t {
		return err
	}
	if !r.process.Obeys("INT") {
		return nil
	}
	if ahead := r.process.Ahead(); len(ahead) > 0 {
		if spent, is := ahead[0].(fakes.Usage); is {
			if err := r.Usage(spent); err != nil {
				return err
			}
		}
	}
	r.process.EndChildren()
	if err := r.withdraw(); err != nil {
		return err
	}
	if err := r.hush(t); err != nil {
		return err
	}
	return r.cutShort(t)
}

// resolve says that a request needs no answer any more.
func (r *renderer) resolve(q *question) error {
	r.asked = slices.DeleteFunc(r.asked, func(x *question) bool { return x == q })
	return r.tell("serverRequest/resolved", requestResolved{q.turn.of.id, q.id})
}

// withdraw takes back the questions that wait.
func (r *renderer) withdraw() error {
	for _, q := range slices.Clone(r.asked) {
		if err := r.resolve(q); err != nil {
			return err
		}
	}
	return nil
}
