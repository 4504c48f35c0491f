package hermes

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseArgs(t *testing.T) {
	for _, c := range []struct {
		args string // words; an underscore is a space
		want invocation
	}{
		{"--version", invocation{command: cmdVersion}},
		{"version", invocation{command: cmdVersion}},
		{"", invocation{}},
		{"chat -q go -Q --yolo --accept-hooks", invocation{command: cmdChat, query: "go", quiet: true}},
		{"chat -qgo -Qv", invocation{command: cmdChat, query: "go", quiet: true}},
		{"chat --query=-go -Q", invocation{command: cmdChat, query: "-go", quiet: true}},
		{"chat -q -a_flag?_no -Q", invocation{command: cmdChat, query: "-a flag? no", quiet: true}},
		{"chat -q -5 -Q", invocation{command: cmdChat, query: "-5", quiet: true}},
		{"chat -q go --format stream-json", invocation{command: cmdChat, query: "go", stream: true}},
		{"chat -q go --format=text", invocation{command: cmdChat, query: "go"}},
		{"chat --query-file - -Q", invocation{command: cmdChat, queryFile: "-", quiet: true}},
		{"-m a --resume S1 chat -q go --provider p", invocation{command: cmdChat, query: "go", model: "a", resume: "S1"}},
		{"chat -q go -r S1 -m a -t web,terminal", invocation{command: cmdChat, query: "go", model: "a", resume: "S1"}},
		{"chat -q go --continue my_title", invocation{command: cmdChat, query: "go", resume: "my title"}},
		{"chat -c -q go", invocation{command: cmdChat, query: "go", goesOn: true}},
	} {
		var args []string
		for _, word := range strings.Fields(c.args) {
			args = append(args, strings.ReplaceAll(word, "_", " "))
		}
		got, err := parseArgs(args, versions[0])
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
	newest, oldest := versions[0], versions[len(versions)-1]
	for _, c := range []struct {
		args    string
		version version
		want    string // the last line
	}{
		{"chat -q --no-such -Q", newest, "hermes chat: error: argument -q/--query: expected one argument"},
		{"chat -q -go", newest, "hermes chat: error: argument -q/--query: expected one argument"},
		{"chat -q", newest, "hermes chat: error: argument -q/--query: expected one argument"},
		{"chat -q go --no-such x", newest, "hermes chat: error: unrecognized arguments: --no-such x"},
		{"-q go", newest, "hermes: error: argument command: invalid choice: 'go' (choose from chat, version)"},
		{"chat -q go --format json", newest, "hermes chat: error: argument --format: invalid choice: 'json' (choose from 'text', 'stream-json')"},
		{"chat -q go --yolo=1", newest, "hermes chat: error: argument --yolo: ignored explicit argument '1'"},
		{"chat --format stream-json", newest, "Error: --format stream-json requires -q/--query."},
		{"chat -q go --format stream-json", oldest, "hermes chat: error: unrecognized arguments: --format stream-json"},
	} {
		_, err := parseArgs(strings.Fields(c.args), c.version)
		var usage *usageError
		if !errors.As(err, &usage) {
			t.Errorf("%s: %v", c.args, err)
			continue
		}
		text := strings.TrimSuffix(usage.text, "\n")
		if got := text[strings.LastIndex(text, "\n")+1:]; got != c.want {
			t.Errorf("%s: %q, want %q", c.args, got, c.want)
		}
	}
}
