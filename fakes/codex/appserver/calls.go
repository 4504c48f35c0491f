package appserver

import (
	"errors"
	"slices"
	"strconv"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// call is a tool call, which is an item.
type call struct {
	id, tool string
	work     work
	since    int64 // when the item began
	held     bool  // it is told with the question about it
	asked    bool  // an approval was asked for
	allowed  bool  // and given
	answered bool
	declined bool
	process  string // id of the command's process
}

// open counts the calls of a turn that have no answer.
func (t *turn) open() (n int) {
	for _, c := range t.calls {
		if !c.answered {
			n++
		}
	}
	return n
}

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

// ToolCall begins an item. That of a command about which a question is known to follow is
// told with the question.
func (r *renderer) ToolCall(f fakes.ToolCall) error {
	if err := nested(f.Parent); err != nil {
		return err
	}
	if r.quiet() {
		return nil
	}
	t := r.current()
	w, err := workOf(f.Name, f.Input, t.of.dir)
	if err != nil {
		return err
	}
	if err := r.settle(t); err != nil {
		return err
	}
	if t.open() == 0 {
		if err := r.takeSteered(t); err != nil {
			return err
		}
	}
	c := &call{id: f.ID, tool: f.Name, work: w}
	if c.id == "" {
		c.id = r.ids.item("call")
	}
	if _, is := w.(shell); is {
		c.process = strconv.Itoa(1000 + t.open())
		c.held = r.asksNext(f.Name)
	}
	t.calls = append(t.calls, c)
	t.speaking = true
	if c.held {
		return nil
	}
	return r.begins(t, c)
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

// begins tells the beginning of a call.
func (r *renderer) begins(t *turn, c *call) error {
	c.held = false
	c.since = r.ids.now()
	return r.opened(t, c.work.item(c, t, "inProgress", nil, times{Started: c.since}), c.since)
}

// ends tells the end of a call.
func (r *renderer) ends(t *turn, c *call, status string, result *fakes.Result) error {
	c.answered, c.declined = true, result == nil
	at := r.ids.now()
	if c.since == 0 {
		c.since = at
	}
	return r.closed(t, c.work.item(c, t, status, result, times{c.since, &at}), at)
}

// Result ends an item: that of the call, or one whose beginning was not told. A call that
// was declined has its end.
func (r *renderer) Result(f fakes.Result) error {
	if err := errors.Join(otherRun(f.Run), nested(f.Parent)); err != nil {
		return err
	}
	if r.quiet() {
		return nil
	}
	t := r.current()
	c := t.find(f.ID)
	switch {
	case c == nil:
		w, err := workOf(f.Name, "", t.of.dir)
		if err != nil {
			return err
		}
		c = &call{id: f.ID, tool: f.Name, work: w}
	case c.declined:
		return nil
	}
	diff, err := detailsOf(c.work, f.Details)
	if err != nil {
		return err
	}
	status := "completed"
	if f.Error {
		status = "failed"
	}
	if err := r.ends(t, c, status, &f); err != nil || diff == "" {
		return err
	}
	t.diff = diff
	return r.tell("turn/diff/updated", diffUpdated{t.of.id, t.id, diff})
}
