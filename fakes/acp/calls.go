package acp

import (
	"errors"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// find is the last open call of that id, else the last one; nil is none.
func (t *turn) find(id string) (found *call) {
	for _, c := range slices.Backward(t.calls) {
		if c.id == id && (found == nil || !c.answered) {
			if found = c; !c.answered {
				break
			}
		}
	}
	return found
}

// CallPart has no form: calls come whole.
func (r *renderer) CallPart(fakes.CallPart) error { return unplayable("calls come whole") }

// ToolCall tells of a call, and that the tool begins, unless a question about it is known
// to follow.
func (r *renderer) ToolCall(f fakes.ToolCall) error {
	if err := nested(f.Parent); err != nil {
		return err
	}
	in := jsontext.Value(f.Input)
	if len(in) > 0 && !in.IsValid() {
		return unplayable("an input that is no JSON")
	}
	if r.quiet() {
		return nil
	}
	t := r.current()
	r.settle(t)
	c := &call{id: f.ID, tool: f.Name, input: in, dir: t.of.dir, held: r.asksNext(f.Name)}
	if c.id == "" {
		c.id = r.ids.word("call")
	}
	t.calls = append(t.calls, c)
	if err := r.tools(t, r.agent.tools.begin(c)); err != nil || c.held {
		return err
	}
	return r.tools(t, r.agent.tools.works(c))
}

// asksNext reports whether a question about the tool is known to follow.
func (r *renderer) asksNext(name string) bool {
	if r.process == nil {
		return false
	}
	ahead := r.process.Ahead()
	if len(ahead) == 0 {
		return false
	}
	q, is := ahead[0].(fakes.Ask)
	return is && q.Tool == name
}

// tools says what is new about a tool.
func (r *renderer) tools(t *turn, all []toolUpdate) error {
	for _, u := range all {
		if err := r.update(t.of, u); err != nil {
			return err
		}
	}
	return nil
}

// Result tells how a tool ended. A call that was denied has its end.
func (r *renderer) Result(f fakes.Result) error {
	if err := errors.Join(otherRun(f.Run), nested(f.Parent)); err != nil {
		return err
	}
	details := jsontext.Value(f.Details)
	switch {
	case len(details) > 0 && !r.agent.tools.detailed():
		return unplayable("details of a result")
	case len(details) > 0 && !details.IsValid():
		return unplayable("details that are no JSON")
	}
	if r.quiet() {
		return nil
	}
	t := r.current()
	r.settle(t)
	c := t.find(f.ID)
	switch {
	case c == nil:
		c = &call{id: f.ID, tool: f.Name, dir: t.of.dir}
	case c.declined:
		return nil
	}
	return r.ended(t, c, f.Out, f.Error, details)
}

// ended tells how a tool ended, and remembers the call.
func (r *renderer) ended(t *turn, c *call, out string, failed bool, details jsontext.Value) error {
	c.answered = true
	if err := r.tools(t, r.agent.tools.ends(c, out, failed, details)); err != nil {
		return err
	}
	for _, u := range r.agent.tools.recall(c, out, failed) {
		t.of.remember(u)
	}
	return nil
}
