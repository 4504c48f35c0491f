package codex

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// itemStarted maps the begin of an item.
func (m *serverMapper) itemStarted(n *notice) ([]executor.Event, bool) {
	var id, kind jsontext.Value
	if read(n.item, member{"id", &id}, member{"type", &kind}) != nil {
		return nil, false
	}
	switch k := text(kind); k {
	case "agentMessage":
		return m.said.begin(text(id)), true
	case "reasoning":
		return m.meant.begin(text(id)), true
	case "userMessage":
		m.said.overtake()
		return m.elsewhere(), true
	default:
		return m.item(k, text(id), n.item, m.start)
	}
}

// itemCompleted maps the end of an item, which has it whole.
func (m *serverMapper) itemCompleted(n *notice) ([]executor.Event, bool) {
	var id, kind, body jsontext.Value
	if read(n.item, member{"id", &id}, member{"type", &kind}, member{"text", &body}) != nil {
		return nil, false
	}
	switch k := text(kind); k {
	case "agentMessage":
		said, ok := str(body)
		if !ok {
			return nil, false
		}
		return m.said.whole(text(id), said), true
	case "reasoning":
		return m.reasoned(text(id), n.item)
	default:
		return m.item(k, text(id), n.item, m.complete)
	}
}

// spoke maps an increment of an answer.
func (m *serverMapper) spoke(n *notice) ([]executor.Event, bool) {
	piece, ok := str(n.delta)
	return m.said.delta(text(n.itemID), piece), ok
}

// thought maps an increment of reasoning. Its parts are paragraphs.
func (m *serverMapper) thought(n *notice) ([]executor.Event, bool) {
	piece, ok := str(n.delta)
	id := text(n.itemID)
	part := id + " " + string(n.index)
	if m.thinking != part && strings.HasPrefix(m.thinking, id+" ") && piece != "" {
		piece = "\n\n" + piece
	}
	m.thinking = part
	return m.meant.delta(id, piece), ok
}

// reasoned ends an item of reasoning. What came of it in increments stands; a summary
// is preferred to the whole of the thinking.
func (m *serverMapper) reasoned(id string, item jsontext.Value) ([]executor.Event, bool) {
	var summary, content jsontext.Value
	if read(item, member{"summary", &summary}, member{"content", &content}) != nil {
		return nil, false
	}
	if strings.HasPrefix(m.thinking, id+" ") {
		m.thinking = ""
		return m.meant.whole(id, ""), true
	}
	for _, list := range []jsontext.Value{summary, content} {
		var parts []string
		elements(list, func(v jsontext.Value) { parts = append(parts, text(v)) })
		if whole := strings.Join(parts, "\n\n"); whole != "" {
			return m.meant.whole(id, whole), true
		}
	}
	return nil, true
}

// item maps an item that stands for a tool; how says which stage it has come to. Items
// of other types give nothing.
func (m *serverMapper) item(kind, id string, raw jsontext.Value, how func(string, tool) []executor.Event) ([]executor.Event, bool) {
	look := serverTools[kind]
	if look == nil {
		return m.elsewhere(), true
	}
	t, err := look(raw)
	if err != nil || id == "" || t.name == "" {
		return nil, false
	}
	return how(id, t), true
}

// serverTools has one reader per item type that stands for a tool.
var serverTools = map[string]func(jsontext.Value) (tool, error){
	"commandExecution": func(raw jsontext.Value) (tool, error) {
		var w serverCommand
		err := decode(raw, &w)
		output := ""
		if w.Output != nil {
			output = *w.Output
		}
		return command(w.Command, output, w.Status, w.ExitCode), err
	},
	"fileChange": func(raw jsontext.Value) (tool, error) {
		var w execChange
		err := decode(raw, &w)
		return change(w.Changes, w.Status), err
	},
	"webSearch": func(raw jsontext.Value) (tool, error) {
		var w execSearch
		err := decode(raw, &w)
		return search(w.Query, w.Status), err
	},
	"mcpToolCall": func(raw jsontext.Value) (tool, error) {
		var w serverServed
		err := decode(raw, &w)
		var failure *string
		if w.Error != nil {
			failure = &w.Error.Message
		}
		return served(w.Tool, w.Arguments, w.Status, failure, w.Result.Content, w.Result.Structured), err
	},
}
