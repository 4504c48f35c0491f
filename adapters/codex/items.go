package codex

import (
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
		return m.start(id, tool)
	}
	return m.complete(id, tool)
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

// start announces the call of an item that began. One that is announced without its
// input waits for it.
func (m *mapper) start(item string, t tool) []executor.Event {
	if _, open := m.calls.Known(item); t.vague || open {
		return nil
	}
	return []executor.Event{m.announce(item, t)}
}

// complete gives the result, after the call where that did not come before. A
// second completion of an item is a repetition.
func (m *mapper) complete(item string, t tool) []executor.Event {
	var out []executor.Event
	if known, _ := m.calls.Known(item); !known {
		out = append(out, m.announce(item, t))
	}
	return append(out, m.calls.Answer(item, t.output, t.isError)...)
}

func (m *mapper) announce(item string, t tool) executor.Event {
	return m.calls.Announce(item, t.name, executor.JSON(t.input))
}
