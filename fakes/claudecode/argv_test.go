package claudecode

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseArgs(t *testing.T) {
	text := func(s string) *string { return &s }
	of := func(change func(*invocation)) invocation {
		inv := invocation{output: "text", input: "text", mode: "default"}
		change(&inv)
		return inv
	}
	for _, c := range []struct {
		args string
		want invocation
	}{
		{"", of(func(*invocation) {})},
		{"-p go", of(func(i *invocation) { i.prompt = text("go") })},
		{"go -p", of(func(i *invocation) { i.prompt = text("go") })},
		{"-p -- --version", of(func(i *invocation) { i.prompt = text("--version") })},
		{"--version", of(func(i *invocation) { i.version = true })},
		{"-p go --output-format=json --model=m --max-turns=3", of(func(i *invocation) {
			i.prompt, i.output, i.model, i.maxTurns = text("go"), "json", "m", 3
		})},
		{"-p --allowedTools Bash Read go", of(func(i *invocation) { i.allowed = []string{"Bash", "Read", "go"} })}, // tools swallow the prompt
		{"-p go --allowed-tools Bash,Read --disallowed-tools=Write", of(func(i *invocation) {
			i.prompt, i.allowed, i.blocked = text("go"), []string{"Bash,Read"}, []string{"Write"}
		})},
		{"-p go -r", of(func(i *invocation) { i.prompt, i.resume = text("go"), text("") })},
		{"-r S1 -p go", of(func(i *invocation) { i.prompt, i.resume = text("go"), text("S1") })},
		{"-p --resume S1 --fork-session go", of(func(i *invocation) { i.prompt, i.resume, i.fork = text("go"), text("S1"), true })},
		{"-p go --max-turns -2", of(func(i *invocation) { i.prompt, i.maxTurns = text("go"), -2 })},
		{"-p go --dangerously-skip-permissions", of(func(i *invocation) { i.prompt, i.skipsAsks, i.mode = text("go"), true, "bypassPermissions" })},
		{"-p --mcp-config a b --strict-mcp-config --permission-prompt-tool stdio", of(func(i *invocation) {
			i.mcp, i.asker = []string{"a", "b"}, "stdio"
		})},
	} {
		got, err := parseArgs(strings.Fields(c.args), versions[0])
		if err != nil {
			t.Errorf("%s: %v", c.args, err)
			continue
		}
		if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(invocation{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.args, diff)
		}
	}
}

func TestParseArgsRefuses(t *testing.T) {
	const id = "00000000-0000-4000-8000-000000000001"
	for _, c := range []struct{ args, want string }{
		{"-p go --nope", "error: unknown option '--nope'\n"},
		{"-p go -x", "error: unknown option '-x'\n"},
		{"-p go --model", "error: option '--model <model>' argument missing\n"},
		{"-p go --allowedTools", "error: option '--allowedTools, --allowed-tools <tools...>' argument missing\n"},
		{"-p go --input-format yaml", "error: option '--input-format <format>' argument 'yaml' is invalid. Allowed choices are text, stream-json.\n"},
		{"-p go --max-budget-usd much", "error: option '--max-budget-usd <amount>' argument 'much' is invalid. must be a number\n"},
		{"-p go --replay-user-messages", "Error: --replay-user-messages requires both --input-format=stream-json and --output-format=stream-json.\n"},
		{"-p go --continue --session-id " + id, "Error: --session-id can only be used with --continue or --resume if --fork-session is also specified.\n"},
	} {
		if _, err := parseArgs(strings.Fields(c.args), versions[0]); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", c.args, err, c.want)
		}
	}
}
