package config

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/internal/yamltree"
)

var known = Known{Fakes: []string{"codex", "claude"}}

const whole = `# A project with two adapters.
schema: adaptercheck-config-v1
profiles: [executor]
budgets:
  call: 4s
  quiet: 500ms
baseline: known/failures.yaml
subjects:
  mine:
    command: [node, bridge.mjs, "my adapter.mjs"]
    cwd: adapters
    env: [MY_TOKEN, "MY_*"]
    privateHome: true
    restart: true
    fake: codex
  other+1:
    command:
      - ./other
    profiles: [history, executor]
`

func TestParse(t *testing.T) {
	got, err := Parse(filepath.Join("dir", "adaptercheck.yaml"), []byte(whole), known)
	if err != nil {
		t.Fatal(err)
	}
	want := Config{
		Path:     filepath.Join("dir", "adaptercheck.yaml"),
		Budgets:  check.Budgets{Call: 4 * time.Second, Quiet: 500 * time.Millisecond},
		Baseline: filepath.Join("dir", "known", "failures.yaml"), BaselineAt: yamltree.Position{Line: 7, Col: 11},
		Subjects: []Subject{
			{
				Name: "mine", Command: []string{"node", "bridge.mjs", "my adapter.mjs"}, Dir: filepath.Join("dir", "adapters"),
				Env: []string{"MY_TOKEN", "MY_*"}, PrivateHome: true, Restart: true, Fake: "codex",
				Profiles: []report.Profile{report.Executor}, At: yamltree.Position{Line: 9, Col: 3},
			},
			{
				Name: "other+1", Command: []string{"./other"}, Dir: "dir",
				Profiles: []report.Profile{report.History, report.Executor}, At: yamltree.Position{Line: 16, Col: 3},
			},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Editors on Windows leave a byte order mark and other line ends.
func TestParseFromWindows(t *testing.T) {
	want, err := Parse("c.yaml", []byte(whole), known)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Parse("c.yaml", []byte("\ufeff"+strings.ReplaceAll(whole, "\n", "\r\n")), known)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

const head = "schema: adaptercheck-config-v1\n"

// refused are files with one mistake each. The schema refuses them too, but for
// those that only the program can see.
var refused = []struct {
	name, text, want string
	programOnly      bool
}{
	{"empty", "", `c.yaml:1:1: empty file, want a line "schema: adaptercheck-config-v1"`, false},
	{"list", "- a\n", `c.yaml:1:1: found a list, want a map`, false},
	{"no schema", "subjects: {}\n", `c.yaml:1:1: missing schema, want a line "schema: adaptercheck-config-v1"`, false},
	{"other schema", "schema: adaptercheck-config-v2\n", `c.yaml:1:9: unknown schema "adaptercheck-config-v2", want "adaptercheck-config-v1"`, false},
	{"unknown key", head + "subject: {}\n", `c.yaml:2:1: file: unknown key "subject", did you mean "subjects"?`, false},
	{"far key", head + "zzzzzzzzzz: 1\n", `c.yaml:2:1: file: unknown key "zzzzzzzzzz", want one of schema, subjects, profiles, budgets, baseline`, false},
	{"key twice", head + "subjects: {}\nsubjects: {}\n", `c.yaml:3:1: mapping key "subjects" already defined at [2:1]`, true},
	{"subjects in a list", head + "subjects: [a]\n", `c.yaml:2:11: subjects: found a list, want a map from names to subjects`, false},
	{"name", head + "subjects:\n  \"a b\": {command: [x]}\n", `c.yaml:3:3: subjects: "a b" is no name`, false},
	{"subject is text", head + "subjects:\n  a: x\n", `c.yaml:3:6: subject a: found text, want a map with command, cwd`, false},
	{"no command", head + "subjects:\n  a: {fake: codex}\n", `c.yaml:3:3: subject a: missing command`, false},
	{"command is text", head + "subjects:\n  a:\n    command: node x\n", `c.yaml:4:14: command: found text, want a list of a program and its arguments, as [node, adapter.mjs]`, false},
	{"empty command", head + "subjects:\n  a:\n    command: []\n", `c.yaml:4:14: command: the list is empty`, false},
	{"empty argument", head + "subjects:\n  a:\n    command: [\"\"]\n", `c.yaml:4:15: command: the text is empty`, false},
	{"number as argument", head + "subjects:\n  a:\n    command: [x, 7]\n", `c.yaml:4:18: command: found a number 7, want text, quote it`, false},
	{"near key", head + "subjects:\n  a:\n    comand: [x]\n", `c.yaml:4:5: subject a: unknown key "comand", did you mean "command"?`, false},
	{"unknown fake", head + "subjects:\n  a:\n    command: [x]\n    fake: codx\n", `c.yaml:5:11: fake: unknown word "codx", did you mean "codex"?`, true},
	{"value in env", head + "subjects:\n  a:\n    command: [x]\n    env: [B, CANARY=secret]\n", `c.yaml:5:14: env: want the name of a variable alone`, false},
	{"flag is text", head + "subjects:\n  a:\n    command: [x]\n    privateHome: \"yes\"\n", `c.yaml:5:18: privateHome: found text, want true or false`, false},
	{"restart is a number", head + "subjects:\n  a:\n    command: [x]\n    restart: 1\n", `c.yaml:5:14: restart: found a number, want true or false`, false},
	{"unknown profile", head + "profiles: [exectuor]\n", `c.yaml:2:12: profiles: unknown word "exectuor", did you mean "executor"?`, false},
	{"profile twice", head + "profiles: [history, history]\n", `c.yaml:2:21: profiles: history stands there twice`, false},
	{"no profiles", head + "profiles: []\n", `c.yaml:2:11: profiles: want a list of executor, history, host`, false},
	{"unknown budget", head + "budgets: {cal: 2s}\n", `c.yaml:2:11: budgets: unknown key "cal", did you mean "call"?`, false},
	{"budget is a number", head + "budgets: {call: 2}\n", `c.yaml:2:17: budgets: call: want a duration above 0`, false},
	{"budget below zero", head + "budgets: {call: -2s}\n", `c.yaml:2:17: budgets: call: want a duration above 0`, false},
	{"endless budget", head + "budgets: {run: 25h}\n", `c.yaml:2:16: budgets: run: want a duration above 0 and up to 24h`, true},
	{"baseline is a list", head + "baseline: [x]\n", `c.yaml:2:11: baseline: found a list, want text`, false},
	{"no YAML", head + "subjects: [\n", `c.yaml:2:11: `, true},
}

func TestParseRefuses(t *testing.T) {
	for _, tt := range refused {
		_, err := Parse("c.yaml", []byte(tt.text), known)
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.want)
		}
		if err != nil && strings.Contains(err.Error(), "CANARY") {
			t.Errorf("%s: the error shows a value", tt.name)
		}
	}
	if _, err := Parse("c.yaml", make([]byte, 1<<20+1), known); err == nil || !strings.Contains(err.Error(), "at most 1048576 are read") {
		t.Errorf("too large: %v", err)
	}
}
