package remote_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/adaptercheck/adaptercheck/conformance/remote"
	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/acp"
	"github.com/adaptercheck/adaptercheck/fakes/claudecode"
	"github.com/adaptercheck/adaptercheck/fakes/codex"
	"github.com/adaptercheck/adaptercheck/fakes/codex/appserver"
	"github.com/adaptercheck/adaptercheck/fakes/hermes"
	fakepi "github.com/adaptercheck/adaptercheck/fakes/pi"
	"github.com/adaptercheck/adaptercheck/subjects"
)

// play as the first argument makes the test binary a subject, named by the second:
// one of this tree, served, or a program that behaves badly.
const play = "play-subject"

func TestMain(m *testing.M) {
	if played, code := fakes.PlayChild(codex.Player(), appserver.Player(), acp.Player(), claudecode.Player(), hermes.Player(), fakepi.Player()); played {
		os.Exit(code)
	}
	if len(os.Args) > 2 && os.Args[1] == play {
		os.Exit(serve(os.Args[2]))
	}
	// Each subject under the race detector would sleep a second before it ends.
	if err := os.Setenv("GORACE", "atexit_sleep_ms=0"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func serve(name string) int {
	if program, ok := programs[name]; ok {
		return program()
	}
	s, ok := subjects.Find(name)
	switch name {
	case "ports":
		s, ok = portUser(), true
	case "five-frames":
		s, ok = fiveFrames(), true
	}
	if fault, isWrong := strings.CutPrefix(name, "wrong-"); isWrong {
		s, ok = wrong[fault](), true
	}
	if !ok {
		fmt.Fprintf(os.Stderr, "no subject %q\n", name)
		return 2
	}
	if err := remote.Serve(context.Background(), os.Stdin, os.Stdout, s); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// self starts the test binary as a subject.
func self(name string, more ...string) remote.Options {
	return remote.Options{Command: append([]string{os.Args[0], play, name}, more...), Env: []string{"GOCOVERDIR", "GORACE"}}
}

// unleakedHere fails the test if a goroutine of it is left at its end.
func unleakedHere(t *testing.T) {
	t.Helper()
	before := goleak.IgnoreCurrent()
	t.Cleanup(func() {
		if err := goleak.Find(before); err != nil {
			t.Error(err)
		}
	})
}
