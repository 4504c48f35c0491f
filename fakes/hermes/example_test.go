package hermes_test

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/hermes"
	"github.com/adaptercheck/adaptercheck/fakes/script"
	"github.com/adaptercheck/adaptercheck/fixtures"
)

// A script can be played without a child process, into any writer.
func ExamplePlayScript() {
	s, err := script.Parse("hello.yaml", []byte(`schema: adaptercheck-script-v1
steps:
  - init: {session: 20260101_000000_00ab12}
  - delta: "Hello"
  - delta: " there."
  - end: ok
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	code := hermes.PlayScript(context.Background(), s.Frames, fakes.Play{Stdout: os.Stdout, Stderr: os.Stdout}, hermes.Options{})
	fmt.Println("exit code", code)
	// Output:
	// Hello there.
	//
	// session_id: 20260101_000000_00ab12
	// exit code 0
}

// The scripts that come with the module play on this fake, but for the one with an error
// that ends nothing.
func TestFixtureScriptsPlay(t *testing.T) {
	want := map[string]int{"hello.yaml": 0, "tool.yaml": 0, "text-then-tool.yaml": 0, "cut.yaml": 0, "abort.yaml": 130, "error.yaml": 2}
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
		code := hermes.PlayScript(ctx, s.Frames, fakes.Play{Stdout: io.Discard, Stderr: &errs}, hermes.Options{})
		if code != exit || strings.Contains(errs.String(), "adaptercheck") != (exit == 2) {
			t.Errorf("%s: exit code %d, want %d, stderr %q", name, code, exit, &errs)
		}
	}
}

// By hand, a history is kept only where one is asked for.
func TestPlayScriptKeepsHistoryWhereAsked(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	answer := "hi"
	for _, args := range [][]string{{"chat", "-Q", "-q", "one"}, {"chat", "-Q", "-q", "two", "-c"}} {
		code := hermes.PlayScript(t.Context(), []fakes.Frame{fakes.Final{Text: &answer}, fakes.End{Reason: fakes.EndOK}},
			fakes.Play{Args: args, Stdout: io.Discard, Stderr: io.Discard, Env: []string{"HERMES_HOME=" + home}}, hermes.Options{})
		if code != 0 {
			t.Errorf("%q: exit code %d", args, code)
		}
	}
	entries, err := os.ReadDir(home)
	if err != nil || len(entries) != 2 {
		t.Errorf("home: %v, %v", entries, err)
	}
}

func TestPlayRecording(t *testing.T) {
	var out strings.Builder
	code := hermes.PlayRecording(t.Context(), []byte("an answer\nof two lines\n"), 3, fakes.Play{Stdout: &out, Stderr: io.Discard})
	if out.String() != "an answer\nof two lines\n" || code != 3 {
		t.Errorf("%q, exit code %d", &out, code)
	}
}
