package claudecode

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/oneshot"
)

func TestIdentityAndCapabilities(t *testing.T) {
	a := New(Options{})
	if a.ID() != "claude-code" || a.ParticipantKind() != executor.Agent {
		t.Errorf("%s, %s", a.ID(), a.ParticipantKind())
	}
	want := executor.Capabilities{
		Streaming: true, Resume: true, ToolApproval: true, Steerable: true,
		Models: []string{"sonnet", "opus", "haiku"}, ContextWindowTokens: 200_000, RuntimeClass: executor.WrappedOneshot,
		NativeSkills: executor.PreserveNone, NativeMemory: executor.PreserveNone, NativeChannels: executor.NoChannels,
	}
	got := a.Capabilities()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	got.Models[0] = "changed"
	if d := cmp.Diff(want, a.Capabilities()); d != "" {
		t.Errorf("the answer is shared (-want +got):\n%s", d)
	}
	for name, test := range map[string]struct {
		o                   Options
		mcp, worktrees, ask bool
	}{
		"directory": {Options{Dir: "/w"}, false, true, true},
		"open":      {Options{Dir: "/w", PermissionMode: PermissionBypass}, false, false, false},
		"silent":    {Options{Dir: "/w", PermissionMode: PermissionDontAsk}, false, true, false},
		"server":    {Options{MCPConfig: []string{"servers.json"}}, true, false, true},
	} {
		if c := New(test.o).Capabilities(); c.MCP != test.mcp || c.Worktrees != test.worktrees || c.ToolApproval != test.ask {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

func TestArguments(t *testing.T) {
	o := Options{
		MCPConfig: []string{`{"mcpServers":{}}`, "servers.json"}, StrictMCP: true, MaxTurns: 3, PermissionMode: PermissionPlan, Args: []string{"--add-dir", "lib"},
	}.withDefaults()
	got := o.arguments(oneshot.Request[state]{State: state{Native: "id"}, Model: "opus", Blocklist: []string{"Bash"}, Prompt: "secret prompt"})
	want := []string{
		"-p", "--output-format", "stream-json", "--verbose", "--input-format", "stream-json", "--include-partial-messages",
		"--permission-prompt-tool", "stdio", "--permission-mode", "plan", `--mcp-config={"mcpServers":{}}`, "--mcp-config=servers.json",
		"--strict-mcp-config", "--max-turns=3", "--disallowedTools=Bash", "--model=opus", "--resume=id", "--add-dir", "lib",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestEnvironment(t *testing.T) {
	host := []string{"PATH=/bin", "ANTHROPIC_API_KEY=k", "CLAUDE_CONFIG_DIR=/c", "GITHUB_TOKEN=t", "CLAUDE_CODE_X=x"}
	for name, test := range map[string]struct {
		o    Options
		want []string
	}{
		"by default":     {Options{}, []string{"PATH=/bin", "ANTHROPIC_API_KEY=k", "CLAUDE_CONFIG_DIR=/c"}},
		"own home":       {Options{Home: "/h", Env: []string{"A=b"}}, []string{"PATH=/bin", "ANTHROPIC_API_KEY=k", "CLAUDE_CONFIG_DIR=/h", "A=b"}},
		"own list":       {Options{AllowEnv: []string{"CLAUDE_CODE_*"}}, []string{"PATH=/bin", "CLAUDE_CODE_X=x"}},
		"nothing at all": {Options{AllowEnv: []string{}}, []string{"PATH=/bin"}},
	} {
		if d := cmp.Diff(test.want, test.o.withDefaults().environ(host)); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

func TestOptionsThatCannotBeUsed(t *testing.T) {
	for want, o := range map[string]Options{
		"option PermissionMode: unknown mode \"ask\", want one of default, acceptEdits, plan, dontAsk, bypassPermissions": {PermissionMode: "ask"},
		"option Env, entry 2: want name=value":                                 {Env: []string{"A=b", "KEY"}},
		"option MCPConfig, entry 1: neither the path of a file nor valid JSON": {MCPConfig: []string{"{bad"}},
		"option MCPConfig, entry 1: empty":                                     {MCPConfig: []string{" "}},
		"option MaxTurns: less than 0":                                         {MaxTurns: -1},
	} {
		a := New(o)
		_, err := a.Start(t.Context(), executor.TaskHandle{}, executor.StartOpts{SessionKey: "s", Message: "m"})
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
		if h, err := a.Health(t.Context()); h.OK || err != nil {
			t.Errorf("health %+v, %v", h, err)
		}
	}
}

func TestCallersKeepTheirOptions(t *testing.T) {
	env := []string{"A=b"}
	a := New(Options{Env: env, Command: []string{"x"}})
	env[0] = "A=c"
	if a.options.Env[0] != "A=b" {
		t.Error("the slice is shared")
	}
}

func TestRestoreRefusesWhatIsNoSession(t *testing.T) {
	a := New(Options{})
	const totals = `"totals":{"usd":0,"input":0,"cached":0,"output":0}`
	for name, blob := range map[string]string{
		"empty":              "",
		"no session":         `{"v":1,"native":"` + session + `","dir":"/w",` + totals + `}`,
		"a name":             `{"v":1,"sessionKey":"s","native":"last","dir":"/w",` + totals + `}`,
		"no directory":       `{"v":1,"sessionKey":"s","native":"` + session + `","dir":"",` + totals + `}`,
		"relative directory": `{"v":1,"sessionKey":"s","native":"` + session + `","dir":"w",` + totals + `}`,
		"negative":           `{"v":1,"sessionKey":"s","native":"` + session + `","dir":"/w","totals":{"usd":-1,"input":0,"cached":0,"output":0}}`,
		"totals of none":     `{"v":1,"sessionKey":"s","native":"","dir":"","totals":{"usd":1,"input":0,"cached":0,"output":0}}`,
		"an unknown key":     `{"v":1,"sessionKey":"s","native":"","dir":"",` + totals + `,"more":1}`,
	} {
		if run, err := a.Restore(t.Context(), blob); err == nil {
			t.Errorf("%s: taken as %v", name, run)
		}
	}
	run, err := a.Restore(t.Context(), `{"v":1,"sessionKey":"s","native":"","dir":"",`+totals+`}`)
	if err != nil || run.SessionKey() != "s" || run.AdapterID() != ID {
		t.Errorf("a session that has not begun: %v, %v", run, err)
	}
	if err := a.Dispose(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := a.Restore(t.Context(), `{"v":1,"sessionKey":"s","native":"","dir":"",`+totals+`}`); !errors.Is(err, executor.ErrDisposed) {
		t.Errorf("after dispose: %v", err)
	}
}
