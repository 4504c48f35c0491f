package tool_test

import (
	"testing"

	"github.com/adaptercheck/adaptercheck/fakes/codex/tool"
)

func TestCommand(t *testing.T) {
	for input, want := range map[string]string{
		``: ``, `"ls -1"`: `ls -1`, `{"command":"ls"}`: `ls`, `{"cmd":["bash","-lc","ls"]}`: `bash -lc ls`, `["a","b"]`: `a b`,
		`{"command":["a",1]}`: `{"command":["a",1]}`, `{"x":1}`: `{"x":1}`, `not json`: `not json`, `{"command":1,"cmd":"b"}`: `b`,
	} {
		if got := tool.Command(input); got != want {
			t.Errorf("%s: %q, want %q", input, got, want)
		}
	}
}

func TestMCP(t *testing.T) {
	for name, want := range map[string][2]string{
		"read": {"fake", "read"}, "mcp__calc__add": {"calc", "add"}, "mcp__calc__a__b": {"calc", "a__b"}, "mcp__calc": {"fake", "mcp__calc"},
	} {
		if server, tool := tool.MCP(name); server != want[0] || tool != want[1] {
			t.Errorf("%s: %s, %s", name, server, tool)
		}
	}
}

func TestIsShell(t *testing.T) {
	for name, want := range map[string]bool{"shell": true, "exec": true, "bash": true, "exec_command": true, "Bash": false, "": false, tool.Patch: false} {
		if tool.IsShell(name) != want {
			t.Errorf("%q is a shell: %v", name, !want)
		}
	}
}
