package codex

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// tool is an item that stands for a tool, in the words of the contract.
type tool struct {
	name    string
	input   jsontext.Value
	output  string
	isError bool
	// vague: the item is announced without its input; the call waits for it.
	vague bool
}

// bad reports whether a status is one of failure.
func bad(status string) bool { return status == "failed" || status == "declined" }

// command is a command of the shell.
func command(line, output, status string, exit *int64) tool {
	return tool{
		name:    "shell",
		input:   object("command", line),
		output:  output,
		isError: bad(status) || exit != nil && *exit != 0,
	}
}

// change is an edit of files.
func change(changes jsontext.Value, status string) tool {
	return tool{name: "apply_patch", input: object("changes", compact(changes)), isError: bad(status)}
}

// search is a search of the web. Its query is not known when it begins.
func search(query, status string) tool {
	return tool{name: "web_search", input: object("query", query), isError: bad(status), vague: query == ""}
}

// served is a call of a server's tool: a failure of the tool itself leaves the error
// null and puts its text into the result; a failure to call it is the other way round.
func served(name string, arguments jsontext.Value, status string, failure *string, content, structured jsontext.Value) tool {
	t := tool{name: name, input: compact(arguments), isError: bad(status) || failure != nil}
	if failure != nil {
		t.output = *failure
		return t
	}
	var parts []string
	elements(content, func(block jsontext.Value) {
		var body jsontext.Value
		if read(block, member{"text", &body}) != nil {
			return
		}
		if s, ok := str(body); ok {
			parts = append(parts, s)
		} else {
			parts = append(parts, string(compact(block)))
		}
	})
	t.output = strings.Join(parts, "\n")
	if t.output == "" && set(structured) {
		t.output = string(compact(structured))
	}
	return t
}

// start announces the call of an item that began. One that is announced without its
// input waits for it.
func (s *story) start(item string, t tool) []executor.Event {
	out := s.elsewhere()
	if _, open := s.calls.Known(item); t.vague || open {
		return out
	}
	return append(out, s.announce(item, t))
}

// complete gives the result, after the call where that did not come before. A second
// completion of an item is a repetition.
func (s *story) complete(item string, t tool) []executor.Event {
	out := s.elsewhere()
	if known, _ := s.calls.Known(item); !known {
		out = append(out, s.announce(item, t))
	}
	return append(out, s.calls.Answer(item, t.output, t.isError)...)
}

func (s *story) announce(item string, t tool) executor.Event {
	return s.calls.Announce(item, t.name, executor.JSON(t.input))
}
