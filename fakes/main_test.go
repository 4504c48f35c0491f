package fakes_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// echo is a fake that says what it was given, and whether it could start a fake.
var echo = fakes.Player{Name: "echo", Play: func(_ context.Context, p fakes.Play) int {
	in, err := io.ReadAll(p.Stdin)
	if err != nil {
		return 1
	}
	fmt.Fprintf(p.Stdout, "%q %s %s\n", p.Args, in, p.Getenv("PROBE"))
	fmt.Fprintln(p.Stderr, fakes.Startable("echo"))
	return 7
}}

func TestMain(m *testing.M) { os.Exit(fakes.Main(m, echo)) }

// start runs this test binary again with the variable set.
func start(t *testing.T, fake string) (stdout, stderr string, code int) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var out, errs strings.Builder
	cmd := exec.CommandContext(t.Context(), self, "a", "--b")
	cmd.Env = append(os.Environ(), fakes.EnvFake+"="+fake, "PROBE=1", "PROBE=2")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader("in"), &out, &errs
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

func TestChildPlaysTheFake(t *testing.T) {
	stdout, stderr, code := start(t, "echo")
	if diff := cmp.Diff("[\"a\" \"--b\"] in 2\n", stdout); diff != "" {
		t.Errorf("stdout (-want +got):\n%s", diff)
	}
	if code != 7 {
		t.Errorf("exit code %d, want 7", code)
	}
	if !strings.Contains(stderr, "this process is itself a fake") {
		t.Errorf("a fake may start a fake: %q", stderr)
	}
}

func TestChildRefusesUnknownFake(t *testing.T) {
	stdout, stderr, code := start(t, "nobody")
	if stdout != "" || code != 2 || !strings.Contains(stderr, `cannot play the fake "nobody"`) {
		t.Errorf("code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
}

func TestStartable(t *testing.T) {
	if err := fakes.Startable("echo"); err != nil {
		t.Error(err)
	}
	err := fakes.Startable("codex")
	if err == nil || !strings.Contains(err.Error(), "fakes.Main(m, codex.Player())") {
		t.Errorf("the error does not say what to add: %v", err)
	}
}
