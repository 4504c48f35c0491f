package acp

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/child"
)

// question is a request of the agent that waits for its answer.
type question struct {
	id    jsontext.Value
	name  string // as the puppet calls it
	turn  *turn
	call  *call // nil if it is about none
	plain bool  // no permission: any answer will do
}

// nextID is the id of the next request: they count from 0.
func (r *renderer) nextID() jsontext.Value {
	r.requests++
	return jsontext.Value(strconv.Itoa(r.requests - 1))
}

// choices are the options of a permission.
var choices = []permissionOption{{"once", "allow_once", "Allow once"}, {"always", "allow_always", "Always allow"}, {"reject", "reject_once", "Reject"}}

// Ask asks for a permission about the last open call of a tool. In a script the client's
// answer is waited for.
func (r *renderer) Ask(f fakes.Ask) error {
	if r.quiet() {
		return nil
	}
	t := r.current()
	r.settle(t)
	q := &question{id: r.nextID(), name: f.ID, turn: t}
	if q.name == "" {
		q.name = string(q.id)
	}
	about := toolUpdate{ID: q.name, Title: f.Tool, Of: kindOf(f.Tool), Status: "pending", Locations: []location{}, Input: object{}}
	for _, c := range t.calls {
		if c.tool == f.Tool && !c.answered {
			q.call = c
			about.ID, about.Title, about.Input = c.id, c.title(), c.given()
			if line := c.field("command"); c.shell() && line != "" {
				about.Input = object{"command": line}
			}
		}
	}
	r.asked = append(r.asked, q)
	if err := r.say(agentRequest{version2, q.id, "session/request_permission", permission{t.of.id, about, choices}}); err != nil || !r.scripted() {
		return err
	}
	if code, ended := r.process.Await(func() bool { return !slices.Contains(r.asked, q) }); ended {
		return &child.Ended{Code: code}
	}
	return nil
}

// outcome is what a client decided.
type outcome struct {
	Outcome struct {
		Outcome string `json:"outcome"`
		Option  string `json:"optionId"`
	} `json:"outcome"`
}

// kind is the kind of the option that was chosen; empty is none that there is. An error
// chooses none.
func (o outcome) kind() string {
	i := slices.IndexFunc(choices, func(c permissionOption) bool { return c.ID == o.Outcome.Option })
	switch {
	case o.Outcome.Outcome == "cancelled":
		return "cancelled"
	case o.Outcome.Outcome == "selected" && i >= 0:
		return choices[i].Kind
	}
	return ""
}

// hearAnswer takes an answer to a request of the agent.
func (r *renderer) hearAnswer(m message) error {
	i := slices.IndexFunc(r.asked, func(q *question) bool { return string(q.id) == string(m.ID) })
	if i < 0 {
		r.breach(BreachAnswer)
		return nil
	}
	q := r.asked[i]
	r.asked = slices.Delete(r.asked, i, i+1)
	if q.plain {
		r.process.Heard(fakes.Call{Method: fakes.MethodAnswer, Question: q.name, Allow: m.Result != nil})
		return nil
	}
	var o outcome
	_ = json.Unmarshal(m.Result, &o) // what cannot be read decides nothing
	kind := o.kind()
	allow := strings.HasPrefix(kind, "allow")
	r.process.Heard(fakes.Call{Method: fakes.MethodAnswer, Question: q.name, Allow: allow})
	switch {
	case kind == "":
		r.breach(BreachVerdict)
	case q.turn.cancelled && kind != "cancelled":
		r.breach(BreachCancel)
	}
	t := q.turn
	switch {
	case r.silenced():
		return nil
	case t.cancelled && r.turn == t:
		return r.cutShort(t)
	case q.call == nil || q.call.answered || r.turn != t:
		return nil
	}
	q.call.held = false
	if err := r.tools(t, r.agent.tools.works(q.call)); err != nil || allow {
		return err
	}
	q.call.declined = true
	return r.ended(t, q.call, "The user rejected permission to use this specific tool call.", true, nil)
}
