package pi

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// call is a tool call.
type call struct {
	id, name string
	index    int // of the call in its message
	args     string
	runs     bool // the tool works
	told     bool // its start is out
	updated  bool // an update of its work is out
	printed  bool // one with its output is
	over     bool
	result   object // as a message
}

// arguments is what the tool is called with: what is known of a text that may not be
// whole yet.
func (c *call) arguments(said string) jsontext.Value {
	if said == "" {
		return jsontext.Value("{}")
	}
	return parsed(said)
}

// callBlock finds the call at that index of the message, or adds it.
func (m *message) callBlock(index int, id, name string) *block {
	for _, b := range slices.Backward(m.blocks) {
		if b.kind == "toolCall" && b.call.index == index && !b.over && (id == "" || b.call.id == id) {
			return b
		}
	}
	if id == "" {
		return nil
	}
	b := m.newBlock("toolCall", "")
	b.call = &call{id: id, name: name, index: index}
	return b
}

// startCall tells of a call that begins.
func (r *renderer) startCall(m *message, b *block) error {
	if b.call.told {
		return nil
	}
	b.call.told = true
	var members []member
	if r.version.slim {
		members = []member{{"id", b.call.id}, {"toolName", b.call.name}}
	}
	return r.update(m, "toolcall_start", b, members...)
}

// ToolCall says a call with all that the tool is called with. The tool works from then
// on, unless more is known to follow in the same answer.
func (r *renderer) ToolCall(f fakes.ToolCall) error {
	if err := own("", f.Parent); err != nil || r.quiet() {
		return err
	}
	m, err := r.openMessage("")
	if err != nil {
		return err
	}
	if f.ID == "" { // not every provider names calls: the program does
		f.ID = "call_" + r.ids.entry()
	}
	b := m.open(f.ID)
	if b == nil {
		b = m.callBlock(m.calls(), f.ID, f.Name)
		if err := r.startCall(m, b); err != nil {
			return err
		}
		b.said.WriteString(f.Input)
		if err := r.update(m, "toolcall_delta", b, member{"delta", f.Input}); err != nil {
			return err
		}
	} else { // it was said in pieces
		b.said.Reset()
		b.said.WriteString(f.Input)
	}
	b.call.args = f.Input
	if !r.goesOn() {
		return r.closeMessage("stop", "")
	}
	for _, earlier := range m.blocks[:b.index] {
		if earlier.kind == "toolCall" {
			continue
		}
		if err := r.finishBlock(m, earlier); err != nil {
			return err
		}
	}
	return r.finishBlock(m, b)
}

// goesOn reports whether more is known to follow in the answer that is being given.
func (r *renderer) goesOn() bool {
	if r.process == nil {
		return false
	}
	for _, f := range r.process.Ahead() {
		switch f.(type) {
		case fakes.ToolCall, fakes.CallPart, fakes.Usage:
			return true
		default:
			return false
		}
	}
	return false
}

// open finds the call of that id that is being said.
func (m *message) open(id string) *block {
	for _, b := range m.blocks {
		if b.kind == "toolCall" && b.call.id == id && !b.over {
			return b
		}
	}
	return nil
}

// calls is how many calls the message has.
func (m *message) calls() int {
	n := 0
	for _, b := range m.blocks {
		if b.kind == "toolCall" {
			n++
		}
	}
	return n
}

// CallPart says a piece of what a tool is called with.
func (r *renderer) CallPart(f fakes.CallPart) error {
	if r.quiet() {
		return nil
	}
	m, err := r.openMessage("")
	if err != nil {
		return err
	}
	b := m.callBlock(f.Index, f.ID, f.Name)
	if b == nil {
		return unplayable("a piece of a call that has not begun")
	}
	if err := r.startCall(m, b); err != nil {
		return err
	}
	b.said.WriteString(f.Fragment)
	b.call.args = b.said.String()
	return r.piece(m, "toolcall_delta", b, f.Fragment)
}

// execute lets the tools of a message that is over work.
func (r *renderer) execute(m *message) error {
	for _, b := range m.blocks {
		if b.kind != "toolCall" {
			continue
		}
		c := b.call
		c.runs = true
		r.run.calls = append(r.run.calls, c)
		if err := r.event("tool_execution_start", member{"toolCallId", c.id}, member{"toolName", c.name}, member{"args", c.arguments(c.args)}); err != nil {
			return err
		}
	}
	return nil
}

// find returns the call of that id that has no result yet.
func (r *renderer) find(id string) *call {
	if r.run == nil {
		return nil
	}
	for _, c := range r.run.calls {
		if c.id == id && !c.over {
			return c
		}
	}
	return nil
}

// Result ends a tool's work.
func (r *renderer) Result(f fakes.Result) error {
	if err := own(f.Run, f.Parent); err != nil || r.quiet() {
		return err
	}
	if f.Details != "" && !jsontext.Value(f.Details).IsValid() {
		return unplayable("details that are no JSON")
	}
	if err := r.begin(); err != nil {
		return err
	}
	if err := r.closeMessage("stop", ""); err != nil {
		return err
	}
	c := r.find(f.ID)
	if c == nil {
		return r.strayResult(f)
	}
	if err := r.updates(f); err != nil {
		return err
	}
	return r.answer(c, f, true)
}

// strayResult is the end of work that nobody knows of.
func (r *renderer) strayResult(f fakes.Result) error {
	return r.event("tool_execution_end", member{"toolCallId", f.ID}, member{"toolName", f.Name}, member{"result", object{{"content", textContent(f.Out)}}},
		member{"isError", f.Error})
}

// exitNotice follows the output of a command that failed.
const exitNotice = "\n\nCommand exited with code "

// hello is the first that is heard of shells that work.
func (r *renderer) hello() error {
	for _, c := range r.run.calls {
		if c.name != "bash" || c.updated {
			continue
		}
		c.updated = true
		if err := r.partial(c, object{{"content", []object{}}}); err != nil {
			return err
		}
	}
	return nil
}

// updates tell what shells have printed: this one, and those whose ends are known to
// follow at once.
func (r *renderer) updates(f fakes.Result) error {
	if err := r.hello(); err != nil {
		return err
	}
	if err := r.printed(f); err != nil || r.process == nil {
		return err
	}
	for _, next := range r.process.Ahead() {
		f, also := next.(fakes.Result)
		if !also {
			return nil
		}
		if err := r.printed(f); err != nil {
			return err
		}
	}
	return nil
}

func (r *renderer) printed(f fakes.Result) error {
	c := r.find(f.ID)
	if c == nil || c.name != "bash" || c.printed {
		return nil
	}
	out, _, failed := strings.Cut(f.Out, exitNotice)
	if out == "" || f.Error && !failed {
		return nil
	}
	c.printed = true
	return r.partial(c, object{{"content", textContent(out)}, {"details", object{}}})
}

func (r *renderer) partial(c *call, result object) error {
	return r.event("tool_execution_update", member{"toolCallId", c.id}, member{"toolName", c.name}, member{"args", c.arguments(c.args)}, member{"partialResult", result})
}

// answer says the result of a call. The messages of results come when all are there.
func (r *renderer) answer(c *call, f fakes.Result, ran bool) error {
	c.over = true
	result := object{{"content", textContent(f.Out)}}
	message := object{{"role", "toolResult"}, {"toolCallId", c.id}, {"toolName", c.name}, {"content", textContent(f.Out)}}
	out, code, exited := strings.Cut(f.Out, exitNotice)
	if _, err := strconv.Atoi(code); err != nil {
		exited = false
	}
	shell := c.name == "bash" && ran && (!f.Error || exited)
	switch {
	case f.Details != "":
		result.add(member{"details", jsontext.Value(f.Details)})
		message.add(member{"details", jsontext.Value(f.Details)})
	case r.version.detailed && shell:
		if !exited {
			code = "0"
		}
		result.add(member{"structuredContent", object{{"output", out}, {"truncated", false}, {"exit_code", jsontext.Value(code)}, {"wall_time_seconds", 0}}})
		if f.Error {
			result.add(member{"isError", true})
		}
	case f.Error:
		result.add(member{"details", object{}})
		message.add(member{"details", object{}})
	}
	end := object{{"type", "tool_execution_end"}, {"toolCallId", c.id}, {"toolName", c.name}, {"result", result}, {"isError", f.Error}}
	message.add(member{"isError", f.Error})
	if r.version.detailed && ran {
		end.add(member{"durationMs", 0})
		message.add(member{"durationMs", 0})
	}
	if err := r.say(end); err != nil {
		return err
	}
	message.add(member{"timestamp", r.clock.now()})
	c.result = message
	return r.results()
}

// results tells the messages of the results, in the order of the calls, once all are
// there.
func (r *renderer) results() error {
	run := r.run
	for _, c := range run.calls {
		if !c.over {
			return nil
		}
	}
	calls := run.calls
	run.calls = nil
	for _, c := range calls {
		result, err := r.tell("toolResult", c.result)
		if err != nil {
			return err
		}
		run.results = append(run.results, result)
	}
	return nil
}

// command is what a call is about, for whoever is asked whether it may be made.
func (c *call) command() string {
	var args struct {
		Command string `json:"command"`
	}
	if json.Unmarshal([]byte(c.args), &args) == nil && args.Command != "" {
		return args.Command
	}
	return c.args
}
