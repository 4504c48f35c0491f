package codex

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// item maps item.started, item.updated and item.completed. Items of unknown types give
// nothing.
func (m *execMapper) item(number int64, stage string, raw jsontext.Value) []executor.Event {
	var id, kind, body jsontext.Value
	if read(raw, member{"id", &id}, member{"type", &kind}, member{"text", &body}) != nil {
		return m.malformed(number)
	}
	over := stage == "item.completed"
	k := text(kind)
	m.begun = m.begun || k != "error" // which may come before the turn
	switch k {
	case "agent_message", "reasoning":
		if !over {
			return nil
		}
		said, ok := str(body)
		if !ok {
			return m.malformed(number)
		}
		if k == "reasoning" {
			return m.meant.whole(text(id), said)
		}
		return m.said.whole(text(id), said)
	case "error":
		return m.warning(number, raw)
	case "todo_list":
		if over {
			return nil
		}
		return []executor.Event{executor.Status{Phase: executor.PhaseRunning}}
	default:
		return m.tool(number, stage, k, text(id), raw)
	}
}

// warning maps an item that is a warning: an error that is not fatal. Codex gives some
// of them twice.
func (m *execMapper) warning(number int64, raw jsontext.Value) []executor.Event {
	var message jsontext.Value
	if read(raw, member{"message", &message}) != nil {
		return m.malformed(number)
	}
	said := text(message)
	if said == "" || said == m.warned {
		return nil
	}
	m.warned = said
	return []executor.Event{m.trouble(executor.CodeRuntime, said, false)}
}

// tool maps an item that stands for a tool.
func (m *execMapper) tool(number int64, stage, kind, id string, raw jsontext.Value) []executor.Event {
	look := execTools[kind]
	if look == nil {
		return m.elsewhere()
	}
	t, err := look(raw)
	switch {
	case err != nil || id == "" || t.name == "":
		return m.malformed(number)
	case stage == "item.completed":
		return m.complete(id, t)
	case stage == "item.started":
		return m.start(id, t)
	}
	return nil
}

// execTools has one reader per item type that stands for a tool.
var execTools = map[string]func(jsontext.Value) (tool, error){
	"command_execution": func(raw jsontext.Value) (tool, error) {
		var w execCommand
		err := decode(raw, &w)
		return command(w.Command, w.Output, w.Status, w.ExitCode), err
	},
	"file_change": func(raw jsontext.Value) (tool, error) {
		var w execChange
		err := decode(raw, &w)
		return change(w.Changes, w.Status), err
	},
	"web_search": func(raw jsontext.Value) (tool, error) {
		var w execSearch
		err := decode(raw, &w)
		return search(w.Query, w.Status), err
	},
	"mcp_tool_call": func(raw jsontext.Value) (tool, error) {
		var w execServed
		err := decode(raw, &w)
		var failure *string
		if w.Error != nil {
			failure = &w.Error.Message
		}
		return served(w.Tool, w.Arguments, w.Status, failure, w.Result.Content, w.Result.Structured), err
	},
}
