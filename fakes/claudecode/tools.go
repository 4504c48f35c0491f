package claudecode

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// ToolCall says a tool_use block: the end of the one whose pieces came, or a new one.
func (r *renderer) ToolCall(f fakes.ToolCall) error {
	input := f.Input
	if input == "" {
		input = "null"
	}
	if !jsontext.Value(input).IsValid() {
		return unplayable("tool input that is no JSON")
	}
	if r.quiet() {
		return nil
	}
	if r.message != nil {
		for _, b := range r.message.blocks {
			if b.kind == "tool_use" && b.call.id == f.ID {
				return r.finishCall(b, input)
			}
		}
	}
	if _, err := r.open(""); err != nil {
		return err
	}
	if err := r.settleAll(""); err != nil {
		return err
	}
	b, err := r.callBlock(f.ID, f.Name, 0)
	if err == nil {
		err = r.grow(b, inputPiece(input), input)
	}
	if err != nil {
		return err
	}
	return r.finishCall(b, input)
}

// CallPart says a piece of a tool's input.
func (r *renderer) CallPart(f fakes.CallPart) error {
	if r.quiet() {
		return nil
	}
	m, err := r.open("")
	if err != nil {
		return err
	}
	i := slices.IndexFunc(m.blocks, func(b *block) bool { return b.kind == "tool_use" && b.place == f.Index })
	switch {
	case i >= 0 && (f.ID == "" || f.ID == m.blocks[i].call.id):
		return r.grow(m.blocks[i], inputPiece(f.Fragment), f.Fragment)
	case f.ID == "":
		return unplayable("a piece of a call that has not begun")
	case i >= 0: // another call takes the place
		if err := r.settle(m.blocks[i]); err != nil {
			return err
		}
	}
	if err := r.settleAll("tool_use"); err != nil {
		return err
	}
	b, err := r.callBlock(f.ID, f.Name, f.Index)
	if err != nil || f.Fragment == "" {
		return err
	}
	return r.grow(b, inputPiece(f.Fragment), f.Fragment)
}

func inputPiece(text string) object {
	return object{{"type", "input_json_delta"}, {"partial_json", text}}
}

// callBlock opens a tool_use block. Its first piece is empty.
func (r *renderer) callBlock(id, name string, place int) (*block, error) {
	c := &call{id: id, name: name}
	r.calls[id] = c
	r.order = append(r.order, c)
	b, err := r.begin(&block{kind: "tool_use", place: place, call: c}, object{{"type", "tool_use"}, {"id", id}, {"name", name}, {"input", object{}}})
	if err != nil {
		return nil, err
	}
	return b, r.grow(b, inputPiece(""), "")
}

// Result answers a call, unless the CLI has answered it: one that was denied.
func (r *renderer) Result(f fakes.Result) error {
	if err := otherRun(f.Run); err != nil {
		return err
	}
	if r.quiet() {
		return nil
	}
	c := r.calls[f.ID]
	if c != nil && c.answered {
		return nil
	}
	if err := r.close("tool_use"); err != nil {
		return err
	}
	if c == nil {
		c = &call{id: f.ID, name: f.Name}
	}
	c.answered = true
	r.input.merge()
	if f.Error {
		return r.failed(c, f.Out, "Error: "+unwrapped(f.Out), r.decision(c))
	}
	return r.succeeded(c, f.Out)
}

// unwrapped is an error without the tags that the CLI puts around its own.
func unwrapped(text string) string {
	inner, opened := strings.CutPrefix(text, "<tool_use_error>")
	inner, closed := strings.CutSuffix(inner, "</tool_use_error>")
	if opened && closed {
		return strings.TrimPrefix(inner, "Error: ")
	}
	return text
}

func (r *renderer) succeeded(c *call, out string) error {
	block := object{{"tool_use_id", c.id}, {"type", "tool_result"}, {"content", out}}
	var extra []member
	switch {
	case c.name == "Bash": // it alone says that all is well
		block.add("is_error", false)
		extra = append(extra, member{"tool_use_result", object{{"stdout", out}, {"stderr", ""}, {"interrupted", false}, {"isImage", false}, {"noOutputExpected", false}}})
	case r.knows(c):
		extra = append(extra, member{"tool_use_result", object{{"content", out}}})
	}
	if r.version.shape < v20 {
		extra = nil
	}
	return r.user([]object{block}, append(extra, r.meta(c, "", r.decision(c))...)...)
}

// failed answers a call with an error. Short is what the CLI keeps of it, kind why it
// was not carried out.
func (r *renderer) failed(c *call, out, short string, decision object, kind ...string) error {
	block := object{{"type", "tool_result"}, {"content", out}, {"is_error", true}, {"tool_use_id", c.id}}
	var extra []member
	if r.version.shape >= v20 {
		extra = append(extra, member{"tool_use_result", short})
	}
	why := ""
	if len(kind) > 0 {
		why = kind[0]
	}
	return r.user([]object{block}, append(extra, r.meta(c, why, decision)...)...)
}

// knows reports whether the CLI has such a tool.
func (r *renderer) knows(c *call) bool {
	_, _, mcp := toolOf(c.name)
	return mcp || slices.Contains(r.things.tools, c.name)
}

// meta tells why a call was carried out, or not; of tools that do not exist, nothing.
func (r *renderer) meta(c *call, kind string, decision object) []member {
	if r.version.shape < v21332 || !r.knows(c) {
		return nil
	}
	o := object{{"id", c.id}}
	if kind != "" {
		o.add("non_execution_kind", kind)
	}
	if decision != nil {
		o.add("permission_decision", decision)
	}
	return []member{{"tool_result_meta", []object{o}}}
}

// decision is why a call was carried out: the client, a rule, or the mode.
func (r *renderer) decision(c *call) object {
	if c.allowed {
		return object{{"decision", "accept"}, {"source", "user_temporary"}}
	}
	if slices.Contains(toolNames(r.inv.allowed), c.name) {
		return object{{"decision", "accept"}, {"source", "config"}, {"reason_type", "rule"}}
	}
	return object{{"decision", "accept"}, {"source", "config"}, {"reason_type", "mode"}}
}

// openCalls lists the calls that nobody has answered, in their order.
func (r *renderer) openCalls() []*call {
	var open []*call
	for _, c := range r.order {
		if !c.answered && r.calls[c.id] == c {
			open = append(open, c)
		}
	}
	return open
}
