package codex

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseArgs(t *testing.T) {
	prompt := func(s string) *string { return &s }
	for _, c := range []struct {
		args string
		want invocation
	}{
		{"--version", invocation{command: cmdVersion}},
		{"login status", invocation{command: cmdLogin}},
		{"", invocation{}},
		{"exec --json -s danger-full-access go", invocation{command: cmdExec, json: true, prompt: prompt("go")}},
		{"exec --experimental-json --sandbox read-only", invocation{command: cmdExec, json: true}},
		{"exec --json -", invocation{command: cmdExec, json: true, prompt: prompt("-")}},
		{"exec --json -- --version", invocation{command: cmdExec, json: true, prompt: prompt("--version")}},
		{"exec -- resume", invocation{command: cmdExec, prompt: prompt("resume")}},
		{"-m a exec -c x=1 -c y=2 --cd=/d go", invocation{command: cmdExec, model: "a", dir: "/d", prompt: prompt("go"), config: config{"x": "1", "y": "2"}}},
		{"exec -mgpt -C=/d -o out go", invocation{command: cmdExec, model: "gpt", dir: "/d", message: "out", prompt: prompt("go")}},
		{"exec resume T1 go", invocation{command: cmdExec, resume: true, thread: "T1", prompt: prompt("go")}},
		{"exec resume T1 --json go", invocation{command: cmdExec, json: true, resume: true, thread: "T1", prompt: prompt("go")}},
		{"exec resume --last go", invocation{command: cmdExec, resume: true, last: true, prompt: prompt("go")}},
		{"exec --json resume T1", invocation{command: cmdExec, json: true, resume: true, thread: "T1"}},
		{"exec --json fork T1 go", invocation{command: cmdExec, json: true, fork: true, thread: "T1", prompt: prompt("go")}},
		{"exec -c a=1 --config a=2 --ephemeral --output-schema s go", invocation{command: cmdExec, prompt: prompt("go"), config: config{"a": "2"}, ephemeral: true, schema: "s"}},
		{"exec -i a b go --json", invocation{command: cmdExec, json: true}}, // images swallow the prompt
	} {
		got, err := parseArgs(strings.Fields(c.args))
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
	const execUsage = "Usage: codex exec [OPTIONS] [PROMPT]\n       codex exec [OPTIONS] <COMMAND> [ARGS]\n\nFor more information, try '--help'.\n"
	for _, c := range []struct{ args, want string }{
		{"exec --json -s danger-full-access --no-such-flag go",
			"error: unexpected argument '--no-such-flag' found\n\n  tip: to pass '--no-such-flag' as a value, use '-- --no-such-flag'\n\n" + execUsage},
		{"exec --json -s nope go", "error: invalid value 'nope' for '--sandbox <SANDBOX_MODE>'\n  [possible values: read-only, workspace-write, danger-full-access]\n\nFor more information, try '--help'.\n"},
		{"exec one two", "error: unexpected argument 'two' found\n\n" + execUsage},
		{"exec --json --json go", "error: the argument '--json' cannot be used multiple times\n\n" + execUsage},
		{"exec --model", "error: a value is required for '--model <MODEL>' but none was supplied\n\nFor more information, try '--help'.\n"},
		{"exec -a never go", "error: unexpected argument '-a' found\n\n  tip: to pass '-a' as a value, use '-- -a'\n\n" + execUsage},
		{"exec --json=yes go", "error: unexpected value 'yes' for '--json' found; no more were expected\n\n" + execUsage},
	} {
		_, err := parseArgs(strings.Fields(c.args))
		var usage *usageError
		if !errors.As(err, &usage) {
			t.Errorf("%s: %v", c.args, err)
			continue
		}
		if diff := cmp.Diff(c.want, usage.text); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.args, diff)
		}
	}
}
