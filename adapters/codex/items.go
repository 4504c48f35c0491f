package codex

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// item maps item.started and item.completed. Items of unknown types, plans and
// warnings give nothing.
func (m *mapper) item(number int64, completed bool, raw jsontext.Value) []executor.Event {
	var head wireItem
	if raw.Kind() != '{' || decode(raw, &head) != nil {
		return m.malformed(number)
	}
	kind, _ := text(head.Type)
	if kind == "agent_message" || kind == "reasoning" {
		if !completed {
			return nil
		}
		var body wireText
		if decode(raw, &body) != nil || body.Text == nil {
			return m.malformed(number)
		}
		return m.message(kind, *body.Text)
	}
	m.repeat = repeat{}
	read := tools[kind]
	if read == nil {
		return nil
	}
	id, _ := text(head.ID)
	tool, err := read(raw)
	if err != nil || id == "" || tool.name == "" {
		return m.malformed(number)
	}
	if !completed {
		return m.calls.start(id, tool)
	}
	return m.calls.complete(id, tool)
}

// tool is a tool item in the words of the contract.
type tool struct {
	name    string
	input   jsontext.Value
	output  string
	isError bool
	// vague: the item is announced without its input; the call waits for it.
	vague bool
}

// tools has one reader per item type that stands for a tool.
var tools = map[string]func(jsontext.Value) (tool, error){
	"command_execution": readCommand,
	"mcp_tool_call":     readMCP,
	"file_change":       readChange,
	"web_search":        readSearch,
}

func bad(status string) bool { return status == "failed" || status == "declined" }

func readCommand(raw jsontext.Value) (tool, error) {
	var w wireCommand
	if err := decode(raw, &w); err != nil {
		return tool{}, err
	}
	return tool{
		name:    "shell",
		input:   object("command", w.Command),
		output:  w.Output,
		isError: bad(w.Status) || w.ExitCode != nil && *w.ExitCode != 0,
	}, nil
}

func readChange(raw jsontext.Value) (tool, error) {
	var w wireChange
	if err := decode(raw, &w); err != nil {
		return tool{}, err
	}
	return tool{name: "apply_patch", input: object("changes", compact(w.Changes)), isError: bad(w.Status)}, nil
}

func readSearch(raw jsontext.Value) (tool, error) {
	var w wireSearch
	if err := decode(raw, &w); err != nil {
		return tool{}, err
	}
	return tool{name: "web_search", input: object("query", w.Query), isError: bad(w.Status), vague: w.Query == ""}, nil
}

// readMCP: a failure of the tool itself leaves error null and puts its text into
// the result; a failure to call it is the other way round.
func readMCP(raw jsontext.Value) (tool, error) {
	var w wireMCP
	if err := decode(raw, &w); err != nil {
		return tool{}, err
	}
	t := tool{name: w.Tool, input: compact(w.Arguments), isError: bad(w.Status) || w.Error != nil}
	switch {
	case w.Error != nil:
		t.output = w.Error.Message
	case w.Result != nil:
		var parts []string
		for _, block := range w.Result.Content {
			var body struct {
				Type jsontext.Value `json:"type"`
				Text jsontext.Value `json:"text"`
			}
			if block.Kind() != '{' || decode(block, &body) != nil {
				continue
			}
			if s, ok := text(body.Text); ok {
				parts = append(parts, s)
			} else {
				parts = append(parts, string(compact(block)))
			}
		}
		t.output = strings.Join(parts, "\n")
		if s := w.Result.Structured; t.output == "" && len(s) > 0 && s.Kind() != 'n' {
			t.output = string(compact(s))
		}
	}
	return t, nil
}

// calls pairs the calls of a run with their results. The zero value is empty.
type calls struct {
	byItem map[string]*call // the latest call of an item
	ids    map[string]bool  // call ids that are taken
	order  []*call
	open   int // calls without a result
}

type call struct {
	id, name string
	closed   bool
}

// announce gives the tool-call event of an item. An item id that comes again after
// its result is another call, and gets an id of its own.
func (c *calls) announce(item string, t tool) executor.Event {
	if c.byItem == nil {
		c.byItem, c.ids = map[string]*call{}, map[string]bool{}
	}
	id := item
	for n := 2; c.ids[id]; n++ {
		id = fmt.Sprintf("%s~%d", item, n)
	}
	it := &call{id: id, name: t.name}
	c.byItem[item], c.ids[id] = it, true
	c.order = append(c.order, it)
	c.open++
	return executor.ToolCall{ID: id, Name: t.name, Input: executor.JSON(t.input)}
}

func (c *calls) start(item string, t tool) []executor.Event {
	if known := c.byItem[item]; t.vague || known != nil && !known.closed {
		return nil
	}
	return []executor.Event{c.announce(item, t)}
}

// complete gives the result, after the call where that did not come before. A
// second completion of an item is a repetition.
func (c *calls) complete(item string, t tool) []executor.Event {
	var out []executor.Event
	known := c.byItem[item]
	if known != nil && known.closed {
		return nil
	}
	if known == nil {
		out = append(out, c.announce(item, t))
		known = c.byItem[item]
	}
	known.closed = true
	c.open--
	return append(out, executor.ToolResult{ID: known.id, Name: known.name, Output: t.output, IsError: t.isError})
}

// close answers every call that is still open: its result will not come.
func (c *calls) close() []executor.Event {
	var out []executor.Event
	for _, it := range c.order {
		if !it.closed {
			it.closed = true
			c.open--
			out = append(out, executor.ToolResult{ID: it.id, Name: it.name, Output: "the run ended before the tool did", IsError: true})
		}
	}
	return out
}
