package acp

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// toolStyle is how an agent tells of a tool.
type toolStyle interface {
	// begin tells of a call that the model made, works that the tool begins, ends how it
	// ended. Details are nil, or what the tool says to programs.
	begin(*call) []toolUpdate
	works(*call) []toolUpdate
	ends(c *call, out string, failed bool, details jsontext.Value) []toolUpdate
	// recall tells of a call that is over when its session is loaded.
	recall(c *call, out string, failed bool) []toolUpdate
	// detailed reports whether details have a place.
	detailed() bool
}

// call is a tool call.
type call struct {
	id, tool string
	input    jsontext.Value // nil is none
	dir      string
	held     bool // that the tool begins is told with the answer to a question
	answered bool
	declined bool
}

// shell reports whether the tool is the agents' own shell, which they tell of otherwise
// than of other tools.
func (c *call) shell() bool { return strings.EqualFold(c.tool, "bash") }

// field is a text in the input; empty is none.
func (c *call) field(name string) string {
	var in map[string]jsontext.Value
	var s string
	if c.input.Kind() == '{' && json.Unmarshal(c.input, &in) == nil {
		_ = json.Unmarshal(in[name], &s) // what is no text is none
	}
	return s
}

// title is what a person reads of the call.
func (c *call) title() string {
	if line := c.field("command"); c.shell() && line != "" {
		return line
	}
	return c.tool
}

// given is the input as it came, nil for none.
func (c *call) given() any {
	if len(c.input) == 0 {
		return nil
	}
	return c.input
}

type openCodeTools struct{}

func (openCodeTools) detailed() bool { return true }

// places are where the tool works: opencode names the directory of its shell.
func (openCodeTools) places(c *call) any {
	if c.shell() {
		return []location{{c.dir}}
	}
	return []location{}
}

// input is that of the call, with the directory if it is the shell's.
func (openCodeTools) input(c *call) any {
	var in object
	if !c.shell() || json.Unmarshal(c.input, &in) != nil || in == nil {
		return c.given()
	}
	in["cwd"] = c.dir
	return in
}

func (s openCodeTools) begin(c *call) []toolUpdate {
	in := object{}
	if c.shell() {
		in["cwd"] = c.dir
	}
	return []toolUpdate{{Kind: "tool_call", ID: c.id, Title: c.tool, Of: kindOf(c.tool), Status: "pending", Locations: s.places(c), Input: in}}
}

func (s openCodeTools) works(c *call) []toolUpdate {
	return []toolUpdate{{Kind: "tool_call_update", ID: c.id, Status: "in_progress", Of: kindOf(c.tool), Title: c.title(), Locations: s.places(c), Input: s.input(c)}}
}

func (s openCodeTools) ends(c *call, out string, failed bool, details jsontext.Value) []toolUpdate {
	if failed {
		output := object{"error": out}
		if len(details) > 0 {
			output["metadata"] = details
		}
		u := s.works(c)
		u[0].Status, u[0].Content, u[0].Output = "failed", said(out), output
		return u
	}
	output := object{"output": out, "metadata": object{}}
	var all []toolUpdate
	if c.shell() {
		all = s.works(c)
		all[0].Content = said(out)
		output["metadata"] = object{"output": out, "exit": 0, "truncated": false}
	}
	if len(details) > 0 {
		output["metadata"] = details
	}
	return append(all, toolUpdate{Kind: "tool_call_update", ID: c.id, Status: "completed", Title: c.title(), Content: said(out), Output: output})
}

func (s openCodeTools) recall(c *call, out string, failed bool) []toolUpdate {
	begun, ended := s.works(c)[0], s.ends(c, out, failed, nil)
	begun.Kind, begun.Status = "tool_call", "pending"
	return []toolUpdate{begun, ended[len(ended)-1]}
}

type claudeTools struct{}

func (claudeTools) detailed() bool { return true }

func (claudeTools) meta(c *call, response jsontext.Value) any {
	m := object{"toolName": c.tool}
	if len(response) > 0 {
		m["toolResponse"] = response
	}
	return object{"claudeCode": m}
}

func (s claudeTools) begin(c *call) []toolUpdate {
	title := c.tool
	if c.shell() {
		title = "Terminal"
	}
	return []toolUpdate{{Meta: s.meta(c, nil), Kind: "tool_call", ID: c.id, Name: c.tool, Input: object{}, Status: "pending", Title: title,
		Of: kindOf(c.tool), Content: []toolContent{}}}
}

func (s claudeTools) works(c *call) []toolUpdate {
	u := toolUpdate{Meta: s.meta(c, nil), Kind: "tool_call_update", ID: c.id, Input: c.given(), Title: c.title()}
	if about := c.field("description"); c.shell() && about != "" {
		u.Content = said(about)
	}
	return []toolUpdate{u}
}

func (s claudeTools) ends(c *call, out string, failed bool, details jsontext.Value) []toolUpdate {
	var all []toolUpdate
	if len(details) > 0 {
		all = append(all, toolUpdate{Meta: s.meta(c, details), Kind: "tool_call_update", ID: c.id})
	}
	u := toolUpdate{Meta: s.meta(c, nil), Kind: "tool_call_update", ID: c.id, Status: "completed", Output: out, Content: said(out)}
	if c.shell() {
		u.Content = said("```console\n" + out + "\n```")
	}
	if failed {
		u.Status = "failed"
	}
	return append(all, u)
}

func (s claudeTools) recall(c *call, out string, failed bool) []toolUpdate {
	begun, worked := s.begin(c)[0], s.works(c)[0]
	begun.Title, begun.Input = worked.Title, worked.Input
	if worked.Content != nil {
		begun.Content = worked.Content
	}
	return append([]toolUpdate{begun}, s.ends(c, out, failed, nil)...)
}

type piTools struct{}

func (piTools) detailed() bool { return false }

func (piTools) begin(c *call) []toolUpdate {
	u := toolUpdate{Kind: "tool_call", ID: c.id, Title: c.title(), Of: kindOf(c.tool), Status: "pending"}
	if c.shell() {
		u.Content = []toolContent{{Type: "terminal", Terminal: c.id}}
		u.Meta = object{"terminal_info": object{"terminal_id": c.id, "cwd": c.dir}}
	} else {
		u.Input = c.given()
	}
	return []toolUpdate{u}
}

func (piTools) works(c *call) []toolUpdate {
	return []toolUpdate{{Kind: "tool_call_update", ID: c.id, Title: c.title(), Of: kindOf(c.tool), Status: "in_progress"}}
}

func (piTools) ends(c *call, out string, failed bool, _ jsontext.Value) []toolUpdate {
	last := toolUpdate{Kind: "tool_call_update", ID: c.id, Status: "completed"}
	code := 0
	if failed {
		last.Status, code = "failed", 1
	}
	if !c.shell() {
		last.Content = said(out)
		return []toolUpdate{last}
	}
	last.Meta = object{"terminal_exit": object{"terminal_id": c.id, "exit_code": code, "signal": nil}}
	return []toolUpdate{
		{Meta: object{"terminal_output": object{"terminal_id": c.id, "data": out}}, Kind: "tool_call_update", ID: c.id, Status: "in_progress"},
		last,
	}
}

func (s piTools) recall(c *call, out string, failed bool) []toolUpdate {
	begun, ended := s.begin(c)[0], s.ends(c, out, failed, nil)
	last := ended[len(ended)-1]
	begun.Title, begun.Status = c.tool, last.Status
	if c.shell() {
		meta := object{}
		for _, u := range ended {
			for name, v := range u.Meta.(object) {
				meta[name] = v
			}
		}
		last.Meta = meta
	}
	return []toolUpdate{begun, last}
}
