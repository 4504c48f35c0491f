package claudecode

import (
	"slices"
	"strconv"
	"strings"

	"github.com/adaptercheck/adaptercheck/internal/oneshot"
	"github.com/adaptercheck/adaptercheck/internal/process"
)

// arguments returns the arguments after the command. The prompt is not among them:
// it goes through stdin, which stays open for the runtime's protocol, has no bound on
// its length, and is seen by nobody else. Values stand in one argument with their
// flag, so that none is taken for a flag itself.
func (o Options) arguments(r oneshot.Request[state]) []string {
	args := []string{
		"-p", "--output-format", "stream-json", "--verbose", "--input-format", "stream-json",
		"--include-partial-messages", "--permission-prompt-tool", "stdio", "--permission-mode", o.PermissionMode,
	}
	for _, c := range o.MCPConfig {
		args = append(args, "--mcp-config="+c)
	}
	if o.StrictMCP {
		args = append(args, "--strict-mcp-config")
	}
	if o.MaxTurns > 0 {
		args = append(args, "--max-turns="+strconv.Itoa(o.MaxTurns))
	}
	if len(r.Blocklist) > 0 {
		args = append(args, "--disallowedTools="+strings.Join(r.Blocklist, ","))
	}
	if r.Model != "" {
		args = append(args, "--model="+r.Model)
	}
	if r.State.Native != "" {
		args = append(args, "--resume="+r.State.Native)
	}
	return append(args, o.Args...)
}

// child describes the process for the arguments.
func (o Options) child(host []string, dir string, args []string) process.Options {
	return process.Options{Command: slices.Concat(o.Command, args), Dir: dir, Env: o.environ(host)}
}
