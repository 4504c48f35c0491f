package appserver

import (
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/codex/tool"
)

// work is what kind of item a call is.
type work interface {
	// item is how it stands: inProgress, completed, failed, declined. The result is nil
	// before there is one.
	item(c *call, t *turn, status string, result *fakes.Result, at times) any
}

// workOf is the kind of item that a tool stands for.
func workOf(name, input string, dir string) (work, error) {
	v := jsontext.Value(input)
	if input == "" {
		v = nil
	} else if !v.IsValid() {
		return nil, unplayable("tool input that is no JSON")
	}
	switch {
	case tool.IsShell(name):
		return shellOf(input), nil
	case name == tool.Patch:
		return patchOf(v, dir)
	case name == tool.Search:
		return searchOf(v)
	}
	server, name := tool.MCP(name)
	return mcpWork{server, name, v}, nil
}

// detailsOf checks the details of a result, and reads what a patch changed.
func detailsOf(w work, details string) (diff string, err error) {
	if details == "" {
		return "", nil
	}
	v := jsontext.Value(details)
	if !v.IsValid() {
		return "", unplayable("details that are no JSON")
	}
	switch w.(type) {
	case patch:
		var given struct {
			Diff *string `json:"diff"`
		}
		if json.Unmarshal(v, &given, json.RejectUnknownMembers(true)) != nil || given.Diff == nil {
			return "", unplayable("details of a patch other than {diff: TEXT}")
		}
		return *given.Diff, nil
	case shell:
		_, err = exitCode(details)
	case search:
		err = unplayable("details of a search")
	}
	return "", err
}

// exitCode reads the details of a command.
func exitCode(details string) (int, error) {
	var given struct {
		Code *int `json:"exit_code"`
	}
	if json.Unmarshal([]byte(details), &given, json.RejectUnknownMembers(true)) != nil || given.Code == nil {
		return 0, unplayable("details of a command other than {exit_code: N}")
	}
	return *given.Code, nil
}

// command is a command line, and why the model wants to run it without a sandbox.
type shell struct{ line, why string }

func shellOf(input string) shell {
	var given struct {
		Why string `json:"justification"`
	}
	_ = json.Unmarshal([]byte(input), &given) // other inputs have no reason
	return shell{tool.Command(input), given.Why}
}

// inner is the command that the shell is given.
func (w shell) inner() string {
	for _, shell := range []string{"/bin/bash -lc ", "/bin/sh -c ", "bash -lc ", "sh -c "} {
		if rest, ok := strings.CutPrefix(w.line, shell); ok {
			if n := len(rest); n > 1 && rest[0] == rest[n-1] && (rest[0] == '\'' || rest[0] == '"') {
				rest = rest[1 : n-1]
			}
			return rest
		}
	}
	return w.line
}

// words are those of a command that is one plain command; nil for others.
func (w shell) words() []string {
	if strings.ContainsAny(w.inner(), ";|&<>$`\"'\\(){}*?\n") {
		return nil
	}
	return strings.Fields(w.inner())
}

// actions are what the server understands the command to do: it knows ls.
func (w shell) actions() []commandAction {
	words := w.words()
	if len(words) == 0 || words[0] != "ls" {
		return []commandAction{{Type: "unknown", Command: w.inner()}}
	}
	var path *string
	for _, word := range words[1:] {
		if !strings.HasPrefix(word, "-") {
			path = &word
		}
	}
	return []commandAction{{Type: "listFiles", Command: w.inner(), Path: &path}}
}

func (w shell) item(c *call, t *turn, status string, result *fakes.Result, at times) any {
	item := commandItem{Type: "commandExecution", ID: c.id, Command: w.line, Dir: t.of.dir, Source: "agent", Status: status, Actions: w.actions(), times: at}
	if !c.asked || c.allowed {
		item.Source = "unifiedExecStartup"
		if c.process != "" {
			item.Process = &c.process
		}
	}
	if result == nil {
		return item
	}
	code := 0
	if result.Error {
		code = 1
	}
	if result.Details != "" {
		code, _ = exitCode(result.Details) // it was checked
	}
	if code != 0 && status == "completed" {
		item.Status = "failed"
	}
	took := *at.Completed - at.Started
	item.Output, item.ExitCode, item.Duration = &result.Out, &code, &took
	return item
}

// mcpWork is a call of a tool of an MCP server.
type mcpWork struct {
	server, tool string
	input        jsontext.Value // nil is null
}

func (w mcpWork) item(c *call, _ *turn, status string, result *fakes.Result, at times) any {
	item := mcpItem{Type: "mcpToolCall", ID: c.id, Server: w.server, Tool: w.tool, Status: status, Arguments: w.input, times: at}
	if result == nil {
		return item
	}
	took := *at.Completed - at.Started
	item.Duration = &took
	item.Result = &mcpResult{Content: []mcpText{{"text", result.Out}}}
	if result.Details != "" {
		v := jsontext.Value(result.Details)
		item.Result.Structured = &v
	}
	return item
}

// patch is a change of files.
type patch []fileChange

// patchOf reads the changes of a patch, as `codex exec` takes them, with the text of each
// as its diff.
func patchOf(input jsontext.Value, dir string) (work, error) {
	var given struct {
		Changes []struct {
			Path string `json:"path"`
			Kind string `json:"kind"`
			Diff string `json:"diff"`
		} `json:"changes"`
	}
	if len(input) > 0 && json.Unmarshal(input, &given, jsontext.AllowInvalidUTF8(true)) != nil {
		return nil, unplayable("a patch without changes of a path and a kind each")
	}
	p := patch{}
	for _, x := range given.Changes {
		change := fileChange{Path: x.Path, Kind: changeKind{Type: x.Kind}, Diff: x.Diff}
		if !filepath.IsAbs(x.Path) {
			change.Path = filepath.Join(dir, x.Path)
		}
		switch x.Kind {
		case "add", "delete":
		case "update":
			change.Kind.Move = new(*string)
		default:
			return nil, unplayable("a change of kind %q", x.Kind)
		}
		p = append(p, change)
	}
	return p, nil
}

func (w patch) item(c *call, _ *turn, status string, _ *fakes.Result, at times) any {
	return fileItem{"fileChange", c.id, w, status, at}
}

// search is what is looked for in the web. Its item begins without it.
type search string

func searchOf(input jsontext.Value) (work, error) {
	var given struct {
		Query string `json:"query"`
	}
	if len(input) > 0 && json.Unmarshal(input, &given, jsontext.AllowInvalidUTF8(true)) != nil {
		return nil, unplayable("a search without a query")
	}
	return search(given.Query), nil
}

func (w search) item(c *call, _ *turn, _ string, result *fakes.Result, at times) any {
	item := searchItem{Type: "webSearch", ID: c.id, Action: searchAction{Type: "other"}, times: at}
	if result != nil {
		query := string(w)
		item.Query, item.Action = query, searchAction{"search", &query}
	}
	return item
}
