package codex_test

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/codex"
	"github.com/adaptercheck/adaptercheck/fakes/script"
	"github.com/adaptercheck/adaptercheck/fixtures"
)

// A script can be played without a child process, into any writer.
func ExamplePlayScript() {
	s, err := script.Parse("hello.yaml", []byte(`schema: adaptercheck-script-v1
steps:
  - init: {session: 00000000-0000-7000-8000-000000000001}
  - final: "Hello."
  - usage: {in: 100, out: 20, cacheRead: 30}
  - end: ok
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	code := codex.PlayScript(context.Background(), s.Frames, fakes.Play{Stdout: os.Stdout, Stderr: os.Stderr}, codex.Options{})
	fmt.Println("exit code", code)
	// Output:
	// {"type":"thread.started","thread_id":"00000000-0000-7000-8000-000000000001"}
	// {"type":"turn.started"}
	// {"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"Hello."}}
	// {"type":"turn.completed","usage":{"input_tokens":100,"cached_input_tokens":30,"cache_write_input_tokens":0,"output_tokens":20,"reasoning_output_tokens":0}}
	// exit code 0
}

// The scripts that come with the module play on this fake.
func TestFixtureScriptsPlay(t *testing.T) {
	want := map[string]int{"hello.yaml": 0, "tool.yaml": 0, "error.yaml": 1, "cut.yaml": 0, "abort.yaml": 1}
	for name, exit := range want {
		data, err := fs.ReadFile(fixtures.Scripts(), name)
		if err != nil {
			t.Fatal(err)
		}
		s, err := script.Parse(name, data)
		if err != nil {
			t.Error(err)
			continue
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel() // only a script that waits takes notice
		var errs strings.Builder
		if code := codex.PlayScript(ctx, s.Frames, fakes.Play{Stdout: io.Discard, Stderr: &errs}, codex.Options{}); code != exit || errs.Len() > 0 {
			t.Errorf("%s: exit code %d, want %d, stderr %q", name, code, exit, &errs)
		}
	}
}

// What a tool gives programs is the structured content of its item.
func TestDetailsOfAResult(t *testing.T) {
	var out strings.Builder
	frames := []fakes.Frame{fakes.Init{}, fakes.ToolCall{ID: "t", Name: "add"}, fakes.Result{ID: "t", Out: "5", Details: `{"sum":5}`}, fakes.End{Reason: fakes.EndOK}}
	code := codex.PlayScript(t.Context(), frames, fakes.Play{Stdout: &out, Stderr: &out}, codex.Options{})
	if want := `"result":{"content":[{"type":"text","text":"5"}],"structured_content":{"sum":5}}`; code != 0 || !strings.Contains(out.String(), want) {
		t.Errorf("exit code %d, no %s in\n%s", code, want, &out)
	}
}
