package claudecode

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
)

// mcpServer is a server that the client wants the CLI to use.
type mcpServer struct {
	name    string
	Command string `json:"command"`
	URL     string `json:"url"`
}

// mcpServers reads what --mcp-config was given: files, or JSON.
func mcpServers(configs []string, dir string) ([]mcpServer, error) {
	var all []mcpServer
	for _, config := range configs {
		var read struct {
			Servers map[string]mcpServer `json:"mcpServers"`
		}
		if json.Unmarshal([]byte(config), &read) != nil {
			path := config
			if !filepath.IsAbs(path) {
				path = filepath.Join(dir, path)
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return nil, refuse("Error: Invalid MCP configuration:\nMCP config file not found: %s\n", path)
			}
			if json.Unmarshal(data, &read) != nil {
				return nil, refuse("Error: Invalid MCP configuration:\nMCP config is not a valid JSON\n")
			}
		}
		for name, server := range read.Servers {
			server.name = name
			all = append(all, server)
		}
	}
	slices.SortFunc(all, func(a, b mcpServer) int { return cmp.Compare(a.name, b.name) })
	return all, nil
}

// status is what the CLI says of a server. Nobody connects: a program that is there
// would answer.
func (s mcpServer) status() string {
	if s.URL != "" {
		return "connected"
	}
	if _, err := exec.LookPath(s.Command); err != nil {
		return "failed"
	}
	return "connected"
}

// toolOf tells the server and the tool in a tool's full name, mcp__SERVER__TOOL.
func toolOf(name string) (server, tool string, ok bool) {
	rest, ok := strings.CutPrefix(name, "mcp__")
	if !ok {
		return "", "", false
	}
	return strings.Cut(rest, "__")
}
