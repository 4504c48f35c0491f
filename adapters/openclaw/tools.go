package openclaw

import (
	"fmt"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/oneshot"
)

// tools maps the frames of tools. The stream tool has call and result whole; item and
// command_output tell of the same in fewer words, and count where the first was lost,
// or was never sent as the gateway does not know that it was asked for.
type tools struct {
	calls   oneshot.Calls
	unnamed []string // calls that came without an id and are open, oldest first
	count   int      // of all that came without an id
}

func (t *tools) take(stream string, d *toolData) []executor.Event {
	switch {
	case stream == "tool" && d.Phase == "start":
		return t.start(d)
	case stream == "tool" && d.Phase == "result":
		out := output(d.Result)
		return t.answer(d, out, bool(d.IsError))
	case stream == "item" && d.Kind == "tool" && d.Phase == "end" && !bool(d.Command),
		stream == "command_output" && d.Phase == "end":
		out := string(d.Output)
		if out == "" {
			out = string(d.Failure)
		}
		return t.late(d, out)
	}
	return nil
}

// start announces a call, unless it was announced and has no result yet: frames come
// twice.
func (t *tools) start(d *toolData) []executor.Event {
	id, name := string(d.ID), nameOf(d)
	if id == "" {
		t.count++
		id = fmt.Sprintf("unnamed-%d", t.count)
		t.unnamed = append(t.unnamed, id)
	} else if _, open := t.calls.Known(id); open {
		return nil
	}
	return []executor.Event{t.calls.Announce(id, name, executor.JSON(raw(d.Args)))}
}

// answer gives a call its result. A result of a call that was lost announces it.
func (t *tools) answer(d *toolData, out string, failed bool) []executor.Event {
	id := string(d.ID)
	if id == "" {
		if len(t.unnamed) == 0 {
			return nil
		}
		id, t.unnamed = t.unnamed[0], t.unnamed[1:]
	}
	var events []executor.Event
	if known, _ := t.calls.Known(id); !known {
		events = append(events, t.calls.Announce(id, nameOf(d), executor.JSON(raw(d.Args))))
	}
	return append(events, t.calls.Answer(id, out, failed)...)
}

// late gives a call the result that the stream tool did not give it.
func (t *tools) late(d *toolData, out string) []executor.Event {
	if d.ID == "" {
		return nil
	}
	return t.answer(d, out, d.Status == "failed" || bool(d.IsError))
}

// row maps what a row of the history has of tools, where it is not known yet.
func (t *tools) row(r *row) []executor.Event {
	var out []executor.Event
	for _, p := range r.parts() {
		if known, _ := t.calls.Known(string(p.ID)); p.Type == "toolCall" && p.ID != "" && !known {
			out = append(out, t.start(&toolData{ID: p.ID, Name: p.Name, Args: p.Args})...)
		}
	}
	if _, open := t.calls.Known(string(r.CallID)); r.Role == "toolResult" && open {
		out = append(out, t.calls.Answer(string(r.CallID), output(r.Content), bool(r.IsError))...)
	}
	return out
}

// close answers every call that is still open: its result will not come.
func (t *tools) close() []executor.Event { return t.calls.Close() }

func nameOf(d *toolData) string {
	if d.Name == "" {
		return "tool"
	}
	return string(d.Name)
}
