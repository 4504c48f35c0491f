package tool

import (
	"strings"

	"github.com/go-json-experiment/json"
)

// Tools that are neither shells nor tools of a server.
const (
	Patch  = "apply_patch"
	Search = "web_search"
)

// IsShell reports whether a tool runs a command.
func IsShell(name string) bool {
	switch name {
	case "shell", "exec", "bash", "exec_command":
		return true
	}
	return false
}

// MCP is the server of a tool and its name there: of mcp__SERVER__NAME, else the server
// is "fake".
func MCP(name string) (server, tool string) {
	if rest, ok := strings.CutPrefix(name, "mcp__"); ok {
		if server, tool, ok := strings.Cut(rest, "__"); ok {
			return server, tool
		}
	}
	return "fake", name
}

// Command is the command line in a shell's input: the input itself if it is text, its
// field command or cmd (text, or words), else the JSON text.
func Command(input string) string {
	var v any
	if json.Unmarshal([]byte(input), &v) != nil {
		return input
	}
	if fields, ok := v.(map[string]any); ok {
		for _, name := range []string{"command", "cmd"} {
			if command, ok := line(fields[name]); ok {
				return command
			}
		}
	}
	if command, ok := line(v); ok {
		return command
	}
	return input
}

// line is text, or words made one line.
func line(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case []any:
		var parts []string
		for _, word := range v {
			s, ok := word.(string)
			if !ok {
				return "", false
			}
			parts = append(parts, s)
		}
		return strings.Join(parts, " "), true
	}
	return "", false
}
