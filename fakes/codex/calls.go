package codex

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/codex/tool"
)

// call is a tool call as an item of the wire.
type call interface {
	// started is the item when the call begins.
	started(id string) any
	// completed is the item when it is answered.
	completed(id string, r fakes.Result) (any, error)
}

// callOf is the item that a tool stands for. Without input it is one whose beginning
// was not told.
func callOf(name string, input jsontext.Value) (call, error) {
	switch {
	case tool.IsShell(name):
		return shell(tool.Command(string(input))), nil
	case name == tool.Patch:
		return patchOf(input)
	case name == tool.Search:
		var given struct {
			Query string `json:"query"`
		}
		if len(input) > 0 && json.Unmarshal(input, &given, jsontext.AllowInvalidUTF8(true)) != nil {
			return nil, unplayable("a search without a query")
		}
		return search(given.Query), nil
	}
	server, name := tool.MCP(name)
	return mcpCall{server: server, tool: name, arguments: input}, nil
}

// shell is a command line.
type shell string

func (c shell) started(id string) any {
	return commandItem{ID: id, Type: "command_execution", Command: string(c), Status: "in_progress"}
}

func (c shell) completed(id string, r fakes.Result) (any, error) {
	code := 0
	if r.Error {
		code = 1
	}
	if r.Details != "" {
		var details struct {
			ExitCode *int `json:"exit_code"`
		}
		if json.Unmarshal([]byte(r.Details), &details, json.RejectUnknownMembers(true)) != nil || details.ExitCode == nil {
			return nil, unplayable("details of a command other than {exit_code: N}")
		}
		code = *details.ExitCode
	}
	return commandItem{id, "command_execution", string(c), r.Out, &code, status(r.Error || code != 0)}, nil
}

func status(failed bool) string {
	if failed {
		return "failed"
	}
	return "completed"
}

// mcpCall is a call of a tool of an MCP server.
type mcpCall struct {
	server, tool string
	arguments    jsontext.Value // nil is null
}

func (c mcpCall) item(id, status string) mcpItem {
	return mcpItem{ID: id, Type: "mcp_tool_call", Server: c.server, Tool: c.tool, Arguments: c.arguments, Status: status}
}

func (c mcpCall) started(id string) any { return c.item(id, "in_progress") }

func (c mcpCall) completed(id string, r fakes.Result) (any, error) {
	result := mcpResult{Content: []mcpText{{"text", r.Out}}}
	if r.Details != "" {
		details := jsontext.Value(r.Details)
		if !details.IsValid() {
			return nil, unplayable("details that are no JSON")
		}
		result.Structured = &details
	}
	item := c.item(id, status(r.Error))
	item.Result = &result
	return item, nil
}

// patch is a change of files.
type patch []fileChange

func patchOf(input jsontext.Value) (patch, error) {
	given := struct {
		Changes patch `json:"changes"`
	}{patch{}}
	if len(input) > 0 && json.Unmarshal(input, &given, jsontext.AllowInvalidUTF8(true)) != nil {
		return nil, unplayable("a patch without changes of a path and a kind each")
	}
	for _, c := range given.Changes {
		if c.Kind != "add" && c.Kind != "delete" && c.Kind != "update" {
			return nil, unplayable("a change of kind %q", c.Kind)
		}
	}
	return given.Changes, nil
}

func (c patch) started(id string) any { return changeItem{id, "file_change", c, "in_progress"} }

func (c patch) completed(id string, r fakes.Result) (any, error) {
	if r.Details != "" {
		return nil, unplayable("details of a patch")
	}
	return changeItem{id, "file_change", c, status(r.Error)}, nil
}

// search is what is looked for in the web. Its item begins without it.
type search string

func (s search) item(id string) searchItem {
	return searchItem{ID: id, Search: "ws_" + strings.TrimPrefix(id, "item_"), Action: searchAction{Type: "other"}}
}

func (s search) started(id string) any { return s.item(id) }

func (s search) completed(id string, r fakes.Result) (any, error) {
	if r.Details != "" {
		return nil, unplayable("details of a search")
	}
	item := s.item(id)
	item.Query, item.Action = string(s), searchAction{"search", string(s)}
	return item, nil
}
