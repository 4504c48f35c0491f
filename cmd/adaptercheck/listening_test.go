package main

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// listeners are the fakes that a test script has started, by name.
type listeners map[string]*listener

type listener struct {
	cmd    *exec.Cmd
	stdout *bufio.Reader
	said   bytes.Buffer
	stderr bytes.Buffer
}

// listenersKey is where a script keeps them.
type listenersKey struct{}

// listen prepares a script for listeners, which end with it.
func listen(e *testscript.Env) {
	all := listeners{}
	e.Values[listenersKey{}] = all
	e.Defer(func() {
		for _, l := range all {
			_ = l.cmd.Process.Kill() // it may have ended
			_ = l.cmd.Wait()
		}
	})
}

func listenersOf(ts *testscript.TestScript) listeners { return ts.Value(listenersKey{}).(listeners) }

// serve NAME ARGS... starts "adaptercheck fake ARGS..." and sets the variable NAME to the
// first line that it prints: its address.
func serve(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: serve NAME ARGS...")
	}
	l := &listener{cmd: exec.Command("adaptercheck", append([]string{"fake"}, args[1:]...)...)}
	l.cmd.Dir = ts.MkAbs(".")
	l.cmd.Stderr = &l.stderr
	out, err := l.cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(l.cmd.Start())
	listenersOf(ts)[args[0]] = l
	l.stdout = bufio.NewReader(out)
	line, err := l.stdout.ReadString('\n')
	if err != nil {
		_ = l.cmd.Wait() // it has ended, or soon will
		ts.Fatalf("no address: %v; it said %s", err, l.stderr.String())
	}
	ts.Setenv(args[0], strings.TrimSpace(line))
}

// stopped CODE NAME interrupts it, wants the exit code, and writes what else it printed to
// the files NAME.out and NAME.err.
func stopped(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: stopped CODE NAME")
	}
	l := listenersOf(ts)[args[1]]
	if l == nil {
		ts.Fatalf("%s was not started", args[1])
	}
	delete(listenersOf(ts), args[1])
	ts.Check(l.cmd.Process.Signal(os.Interrupt))
	_, err := io.Copy(&l.said, l.stdout)
	ts.Check(err)
	_ = l.cmd.Wait() // the exit code tells
	ts.Check(os.WriteFile(ts.MkAbs(args[1]+".out"), l.said.Bytes(), 0o600))
	ts.Check(os.WriteFile(ts.MkAbs(args[1]+".err"), l.stderr.Bytes(), 0o600))
	if got := strconv.Itoa(l.cmd.ProcessState.ExitCode()); got != args[0] {
		ts.Fatalf("exit code %s, want %s; it said %s", got, args[0], l.stderr.String())
	}
}

// ask STATUS URL FILE posts a file with a key, wants the status, and writes the body of
// the answer to the file answer.
func ask(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: ask STATUS URL FILE")
	}
	r, err := http.NewRequest(http.MethodPost, args[1], strings.NewReader(ts.ReadFile(args[2])))
	ts.Check(err)
	r.Header.Set("Authorization", "Bearer sk-of-the-script")
	r.Header.Set("Anthropic-Version", "2023-06-01")
	answer, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
	ts.Check(err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs("answer"), body, 0o600))
	if got := strconv.Itoa(answer.StatusCode); got != args[0] {
		ts.Fatalf("status %s, want %s: %s", got, args[0], body)
	}
}
