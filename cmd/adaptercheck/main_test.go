package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/acp"
	"github.com/adaptercheck/adaptercheck/fakes/claudecode"
	"github.com/adaptercheck/adaptercheck/fakes/codex"
	"github.com/adaptercheck/adaptercheck/fakes/codex/appserver"
	"github.com/adaptercheck/adaptercheck/fakes/hermes"
	fakepi "github.com/adaptercheck/adaptercheck/fakes/pi"
	"github.com/adaptercheck/adaptercheck/mutants/rawmutants"
)

// TestMain lets the test binary be the program, with further subjects in it: under
// its name in the PATH of the tests, as a worker of itself, and as its own fakes.
func TestMain(m *testing.M) {
	if played, code := fakes.PlayChild(codex.Player(), appserver.Player(), acp.Player(), claudecode.Player(), hermes.Player(), fakepi.Player(), rawmutants.Player()); played {
		os.Exit(code)
	}
	program := func() { os.Exit(run(os.Args[1:], testSystem())) }
	if len(os.Args) > 1 && os.Args[1] == "worker" {
		program() // and not the tests, again and again
	}
	testscript.Main(m, map[string]func(){"adaptercheck": program, "test-subject": serveSubject})
}

func testSystem() system {
	return system{
		subjects: testSubjects,
		fakes:    processFakes(),
		// Only workers that do not end by themselves get to know it.
		grace:  500 * time.Millisecond,
		stdin:  os.Stdin,
		stdout: os.Stdout,
		stderr: os.Stderr,
	}
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		// PROGRAMS is the directory of the programs of the tests, first in the PATH.
		Setup: func(e *testscript.Env) error {
			first, _, _ := strings.Cut(e.Getenv("PATH"), string(os.PathListSeparator))
			e.Setenv("PROGRAMS", first)
			listen(e)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":   exits,
			"refuses": refuses,
			"mode":    mode,
			"valid":   valid,
			"entries": entries,
			"serve":   serve,
			"stopped": stopped,
			"ask":     ask,
		},
	})
}

// exits CODE PROGRAM ARGS... runs a program that must exit with the code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARGS...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	if got := exitCodeOf(ts, args[1:]); got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

func exitCodeOf(ts *testscript.TestScript, argv []string) int {
	err := ts.Exec(argv[0], argv[1:]...)
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	ts.Fatalf("%v", err)
	return -1
}

// refuses PATTERN ARGS... runs the program, which must exit with 2, print nothing,
// say one line that matches, and make no file.
func refuses(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: refuses PATTERN ARGS...")
	}
	before := files(ts)
	code := exitCodeOf(ts, append([]string{"adaptercheck"}, args[1:]...))
	out, line := ts.ReadFile("stdout"), ts.ReadFile("stderr")
	switch {
	case code != exitUsage:
		ts.Fatalf("exit code %d, want %d", code, exitUsage)
	case out != "":
		ts.Fatalf("stdout is not empty")
	case strings.Count(line, "\n") != 1 || !strings.HasSuffix(line, "\n"):
		ts.Fatalf("stderr is not one line")
	case !regexp.MustCompile("^adaptercheck: .*" + args[0]).MatchString(line):
		ts.Fatalf("stderr does not match %q", args[0])
	case files(ts) != before:
		ts.Fatalf("files were made: %s", files(ts))
	}
}

func files(ts *testscript.TestScript) string {
	found, err := os.ReadDir(ts.MkAbs("."))
	ts.Check(err)
	return fmt.Sprint(found)
}

// mode FILE BITS compares the permissions of a file.
func mode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: mode FILE BITS")
	}
	info, err := os.Stat(ts.MkAbs(args[0]))
	ts.Check(err)
	if got := fmt.Sprintf("%04o", info.Mode().Perm()); got != args[1] {
		ts.Fatalf("%s has mode %s, want %s", args[0], got, args[1])
	}
}

// valid FILE [RUNS] reads a report, strictly, and counts its runs; valid -catalog
// FILE [CHECKS] reads a catalog and wants at least so many checks.
func valid(ts *testscript.TestScript, neg bool, args []string) {
	catalog := len(args) > 0 && args[0] == "-catalog"
	if catalog {
		args = args[1:]
	}
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: valid [-catalog] FILE [COUNT]")
	}
	want := -1
	if len(args) == 2 {
		n, err := strconv.Atoi(args[1])
		ts.Check(err)
		want = n
	}
	if catalog {
		c, err := report.UnmarshalCatalog([]byte(ts.ReadFile(args[0])))
		ts.Check(err)
		if len(c.Checks) < want {
			ts.Fatalf("%d checks, want at least %d", len(c.Checks), want)
		}
		return
	}
	r, err := report.Unmarshal([]byte(ts.ReadFile(args[0])))
	ts.Check(err)
	if want >= 0 && len(r.Runs) != want {
		ts.Fatalf("%d runs, want %d", len(r.Runs), want)
	}
}

// entries DIR N counts what is in a directory.
func entries(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: entries DIR N")
	}
	found, err := os.ReadDir(ts.MkAbs(args[0]))
	ts.Check(err)
	if strconv.Itoa(len(found)) != args[1] {
		ts.Fatalf("%s holds %v, want %s", args[0], found, args[1])
	}
}
