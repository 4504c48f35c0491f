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
	if f.Parent != "" {
		return r.nestedCall(f, input)
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
	switch {
	case f.Details == "":
	case !jsontext.Value(f.Details).IsValid():
		return unplayable("details that are no JSON")
	case f.Parent != "", r.version.shape < v20:
		return unplayable("details of this result")
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
	if f.Parent != "" {
		a, err := r.subagent(f.Parent)
		if err != nil {
			return err
		}
		c.agent, a.message = a, nil
	}
	if a := r.agentOf(c.id); a != nil {
		if err := r.finishAgent(a, f); err != nil {
			return err
		}
	}
	c.answered = true
	r.input.merge()
	if f.Error {
		var kept any = "Error: " + unwrapped(f.Out)
		if f.Details != "" {
			kept = jsontext.Value(f.Details)
		}
		return r.failed(c, f.Out, kept, r.decision(c))
	}
	if c.name == structuredTool && r.turn != nil {
		r.turn.data = c.input
	}
	return r.succeeded(c, f)
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

func (r *renderer) succeeded(c *call, f fakes.Result) error {
	block := object{{"tool_use_id", c.id}, {"type", "tool_result"}, {"content", f.Out}}
	switch {
	case r.agentOf(c.id) != nil:
		block = object{{"tool_use_id", c.id}, {"type", "tool_result"}, {"content", []object{textBlock(f.Out)}}}
	case c.name == "Bash": // it alone says that all is well
		block.add("is_error", false)
	}
	var extra []member
	if kept := r.kept(c, f); kept != nil && r.version.shape >= v20 && c.agent == nil {
		extra = append(extra, member{"tool_use_result", kept})
	}
	return r.answerCall(c, block, append(extra, r.meta(c, "", r.decision(c))...))
}

// kept is what the CLI keeps of a result for programs, nil if it is nothing.
func (r *renderer) kept(c *call, f fakes.Result) any {
	a := r.agentOf(c.id)
	switch {
	case f.Details != "":
		return jsontext.Value(f.Details)
	case a != nil:
		return object{{"status", "completed"}, {"prompt", a.prompt}, {"agentId", a.task}, {"agentType", a.kind}, {"content", []object{textBlock(f.Out)}}}
	case c.name == structuredTool:
		return f.Out
	case c.name == "Bash":
		return object{{"stdout", f.Out}, {"stderr", ""}, {"interrupted", false}, {"isImage", false}, {"noOutputExpected", false}}
	case r.knows(c):
		return object{{"content", f.Out}}
	}
	return nil
}

// failed answers a call with an error. Kept is what the CLI keeps of it for programs, kind
// why it was not carried out.
func (r *renderer) failed(c *call, out string, kept any, decision object, kind ...string) error {
	block := object{{"type", "tool_result"}, {"content", out}, {"is_error", true}, {"tool_use_id", c.id}}
	var extra []member
	if r.version.shape >= v20 && c.agent == nil {
		extra = append(extra, member{"tool_use_result", kept})
	}
	why := ""
	if len(kind) > 0 {
		why = kind[0]
	}
	return r.answerCall(c, block, append(extra, r.meta(c, why, decision)...))
}

// answerCall prints the line that answers a call.
func (r *renderer) answerCall(c *call, block object, members []member) error {
	if c.agent != nil {
		return r.userOf(c.agent, []object{block}, members...)
	}
	return r.user([]object{block}, members...)
}

// structuredTool is the tool by which the model gives an answer that is data.
const structuredTool = "StructuredOutput"

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
	if slices.Contains(freeTools, c.name) {
		return object{{"decision", "accept"}, {"source", "config"}}
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
