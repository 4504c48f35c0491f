//go:build unix

package process_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/adaptercheck/adaptercheck/internal/process"
)

// mode makes this test binary the child of its own tests.
const mode = "PROCESS_TEST_MODE"

func TestMain(m *testing.M) {
	if os.Getenv(mode) != "" {
		os.Exit(child(os.Getenv(mode)))
	}
	os.Exit(m.Run())
}

func child(what string) int {
	switch what {
	case "hold": // connect, then live until the test lets go
		return hold()
	case "deaf":
		signal.Ignore(syscall.SIGINT, syscall.SIGTERM)
		return hold()
	case "tool": // a tool in a session of its own, as agent runtimes start them
		if startTool() != nil {
			return 3
		}
		return hold()
	case "deserter": // leaves a tool behind that holds its stdout
		if startTool() != nil {
			return 3
		}
		fmt.Print(strings.Repeat("x", 60_000), "\nlast")
		return 0
	}
	return 2
}

func startTool() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	tool := exec.Command(self)
	tool.Env = append(os.Environ(), mode+"=deaf", "PROCESS_TEST_NAME=tool")
	tool.Stdout = os.Stdout
	tool.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return tool.Start()
}

func hold() int {
	conn, err := net.Dial("unix", os.Getenv("PROCESS_TEST_SOCKET"))
	if err != nil {
		return 3
	}
	name := os.Getenv("PROCESS_TEST_NAME")
	if name == "" {
		name = "main"
	}
	fmt.Fprintln(conn, name)
	_, _ = io.Copy(io.Discard, conn)
	return 0
}

// desk is where children report; a connection that ends is a child that is gone.
type desk struct {
	t        *testing.T
	listener net.Listener
	conns    map[string]net.Conn
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	dir, err := os.MkdirTemp("", "p") // socket paths are short
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{t: t, listener: l, conns: map[string]net.Conn{}}
	t.Cleanup(func() {
		for _, c := range d.conns {
			c.Close()
		}
		l.Close()
		os.RemoveAll(dir)
	})
	return d
}

func (d *desk) env(what string) []string {
	return process.Environ(os.Environ(), nil, []string{
		mode + "=" + what, "PROCESS_TEST_SOCKET=" + d.listener.Addr().String(), "GORACE=atexit_sleep_ms=0"})
}

// await waits until n children have reported.
func (d *desk) await(n int) {
	d.t.Helper()
	for len(d.conns) < n {
		_ = d.listener.(*net.UnixListener).SetDeadline(time.Now().Add(20 * time.Second))
		c, err := d.listener.Accept()
		if err != nil {
			d.t.Fatalf("a child did not report: %v", err)
		}
		name, err := bufio.NewReader(c).ReadString('\n')
		if err != nil {
			d.t.Fatal(err)
		}
		d.conns[strings.TrimSpace(name)] = c
	}
}

// gone waits until the child of that name is dead.
func (d *desk) gone(name string) {
	d.t.Helper()
	c := d.conns[name]
	_ = c.SetReadDeadline(time.Now().Add(20 * time.Second))
	if _, err := c.Read(make([]byte, 1)); errors.Is(err, os.ErrDeadlineExceeded) || err == nil {
		d.t.Errorf("%s is still there: %v", name, err)
	}
}

func start(t *testing.T, o process.Options) *process.Process {
	t.Helper()
	if o.Command == nil {
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		o.Command = []string{self}
	}
	p, err := process.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.Stdout().Close()
		if err := p.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return p
}

func sh(script string, args ...string) []string {
	return append([]string{"/bin/sh", "-c", script}, args...)
}

func waitExit(t *testing.T, p *process.Process) process.Exit {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	exit, err := p.Wait(ctx)
	if err != nil {
		t.Fatalf("wait: %v", err)
	}
	return exit
}

func readAll(t *testing.T, p *process.Process) string {
	t.Helper()
	out, err := io.ReadAll(p.Stdout())
	if err != nil {
		t.Fatalf("read stdout: %v", err)
	}
	return string(out)
}

func TestOutputAndExit(t *testing.T) {
	tests := []struct {
		name, script   string
		args           []string
		stdin          io.Reader
		stdout, stderr string
		exit           process.Exit
		text           string
	}{
		{name: "arguments are not for a shell", script: `printf %s "$1"`, args: []string{"sh", "a b;$(echo no)*"}, stdout: "a b;$(echo no)*", text: "exit code 0"},
		{name: "exit code", script: "exit 7", exit: process.Exit{Code: 7}, text: "exit code 7"},
		{name: "signal", script: "kill -TERM $$", exit: process.Exit{Code: -1, Signal: "SIGTERM"}, text: "signal SIGTERM"},
		{name: "no stdin is the end of stdin", script: "cat; echo end", stdout: "end\n", text: "exit code 0"},
		{name: "stdin", script: "cat", stdin: strings.NewReader("given"), stdout: "given", text: "exit code 0"},
		{name: "both channels", script: "echo out; echo err >&2; exit 1", stdout: "out\n", stderr: "err\n", exit: process.Exit{Code: 1}, text: "exit code 1"},
		{name: "environment is what was given", script: `printf %s "$GIVEN$HOME"`, stdout: "yes", text: "exit code 0"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := start(t, process.Options{Command: sh(test.script, test.args...), Env: []string{"GIVEN=yes"}, Stdin: test.stdin})
			out := readAll(t, p)
			exit := waitExit(t, p)
			stderr, _ := p.Stderr()
			if out != test.stdout || stderr != test.stderr || exit != test.exit || exit.String() != test.text {
				t.Errorf("stdout %q stderr %q exit %v, want %q %q %v", out, stderr, exit, test.stdout, test.stderr, test.exit)
			}
			if exit.Success() != (test.exit == process.Exit{}) {
				t.Errorf("Success = %v", exit.Success())
			}
		})
	}
}

func TestStartFailureIsOneErrorAndLeavesNothing(t *testing.T) {
	defer goleak.VerifyNone(t)
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		o    process.Options
		want error
		text string
	}{
		{"no command", process.Options{}, nil, "start process: the command is empty"},
		{"not found by name", process.Options{Command: []string{"no-such-program-anywhere"}}, exec.ErrNotFound, "start no-such-program-anywhere: executable file not found in $PATH"},
		{"not found by path", process.Options{Command: []string{dir + "/absent"}}, fs.ErrNotExist, "start absent: no such file or directory"},
		{"not executable", process.Options{Command: []string{plain}}, fs.ErrPermission, "start plain: permission denied"},
		{"no working directory", process.Options{Command: sh("true"), Dir: dir + "/absent"}, fs.ErrNotExist, "start sh: working directory: no such file or directory"},
	}
	before := openFiles(t)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := process.Start(test.o)
			if err == nil || err.Error() != test.text || test.want != nil && !errors.Is(err, test.want) {
				t.Errorf("error %q, want %q", err, test.text)
			}
		})
	}
	if after := openFiles(t); after != before {
		t.Errorf("%d files open, %d before", after, before)
	}
}

func TestStderrIsDrainedAndBounded(t *testing.T) {
	p := start(t, process.Options{TailBytes: 100,
		Command: sh(`i=0; while [ $i -lt 3000 ]; do echo "a line of noise on the second channel $i" >&2; i=$((i+1)); done; echo done`)})
	if got := readAll(t, p); got != "done\n" {
		t.Errorf("stdout %q", got)
	}
	waitExit(t, p)
	tail, cut := p.Stderr()
	if len(tail) != 100 || !cut || !strings.HasSuffix(tail, "channel 2999\n") {
		t.Errorf("tail of %d bytes, cut %v: %q", len(tail), cut, tail)
	}
}

func TestStopClimbsTheLadder(t *testing.T) {
	d := newDesk(t)
	p := start(t, process.Options{Env: d.env("deaf")})
	d.await(1)
	err := p.Stop(t.Context(), process.Step{Signal: syscall.SIGINT, Grace: 20 * time.Millisecond}, process.Step{Signal: syscall.SIGTERM, Grace: 20 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if exit := waitExit(t, p); exit.Signal != "SIGKILL" {
		t.Errorf("ended by %v, want SIGKILL", exit)
	}
	for range 2 {
		if err := p.Stop(t.Context()); err != nil {
			t.Errorf("again: %v", err)
		}
	}
	if err := p.Signal(syscall.SIGTERM); err != nil {
		t.Errorf("signal after the end: %v", err)
	}
}

func TestStopIsGentleFirst(t *testing.T) {
	d := newDesk(t)
	p := start(t, process.Options{Env: d.env("hold")})
	d.await(1)
	if err := p.Stop(t.Context(), process.Step{Signal: syscall.SIGTERM, Grace: time.Minute}); err != nil {
		t.Fatal(err)
	}
	if exit := waitExit(t, p); exit.Signal != "SIGTERM" {
		t.Errorf("ended by %v, want SIGTERM", exit)
	}
}

func TestStopWithEndedContextKills(t *testing.T) {
	d := newDesk(t)
	p := start(t, process.Options{Env: d.env("deaf")})
	d.await(1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.Stop(ctx, process.Step{Signal: syscall.SIGTERM, Grace: time.Hour}); err != nil {
		t.Fatal(err)
	}
	if exit := waitExit(t, p); exit.Signal != "SIGKILL" {
		t.Errorf("ended by %v", exit)
	}
}

func TestDescendantsInTheirOwnSessionAreEnded(t *testing.T) {
	ways := map[string]func(*process.Process) error{
		"killed": func(p *process.Process) error { return p.Stop(t.Context()) },
		"dies at the first": func(p *process.Process) error {
			return p.Stop(t.Context(), process.Step{Signal: syscall.SIGTERM, Grace: time.Minute})
		},
		"noted, then exits": nil,
	}
	for name, stop := range ways {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			p := start(t, process.Options{Env: d.env("tool")})
			d.await(2)
			if stop != nil {
				if err := stop(p); err != nil {
					t.Fatal(err)
				}
			} else {
				p.Note()
				d.conns["main"].Close() // the child exits by itself
				if exit := waitExit(t, p); !exit.Success() {
					t.Errorf("exit %v", exit)
				}
			}
			d.gone("tool")
			readAll(t, p)
		})
	}
}

func TestStdoutEndsWithTheChildThoughAToolHoldsIt(t *testing.T) {
	d := newDesk(t)
	p := start(t, process.Options{Env: d.env("deserter")})
	d.await(1)
	waitExit(t, p)
	out := readAll(t, p)
	if len(out) != 60_005 || !strings.HasSuffix(out, "\nlast") {
		t.Errorf("%d bytes of stdout", len(out))
	}
	if n, err := p.Stdout().Read(make([]byte, 1)); n != 0 || !errors.Is(err, io.EOF) {
		t.Errorf("after the end: %d, %v", n, err)
	}
}

func TestAReadThatWaitsEndsWithTheChild(t *testing.T) {
	d := newDesk(t)
	p := start(t, process.Options{Env: d.env("tool")})
	d.await(2)
	got := make(chan error, 1)
	go func() {
		_, err := io.Copy(io.Discard, p.Stdout())
		got <- err
	}()
	d.conns["main"].Close() // exits; the tool, not noted, holds stdout
	if err := <-got; err != nil {
		t.Error(err)
	}
	d.conns["tool"].Close()
}

func TestAnInteractiveChildIsTalkedTo(t *testing.T) {
	p := start(t, process.Options{Command: sh(`read -r line; echo "got $line"; cat`), Interactive: true})
	in, out := p.Stdin(), bufio.NewReader(p.Stdout())
	if _, err := io.WriteString(in, "one\n"); err != nil {
		t.Fatal(err)
	}
	if line, err := out.ReadString('\n'); line != "got one\n" || err != nil {
		t.Errorf("answer %q, %v", line, err)
	}
	if err := in.Close(); err != nil { // the end of what cat reads
		t.Error(err)
	}
	if rest, err := io.ReadAll(out); len(rest) != 0 || err != nil {
		t.Errorf("rest %q, %v", rest, err)
	}
	if exit := waitExit(t, p); !exit.Success() {
		t.Errorf("%v", exit)
	}
	if plain := start(t, process.Options{Command: sh("exit 0")}); plain.Stdin() != nil {
		t.Error("a child that is not interactive has a stdin")
	} else {
		readAll(t, plain)
	}
}

func TestAWriteThatWaitsEndsWithTheChild(t *testing.T) {
	d := newDesk(t)
	p := start(t, process.Options{Env: d.env("hold"), Interactive: true})
	d.await(1)
	wrote := make(chan error, 1)
	go func() {
		_, err := p.Stdin().Write(make([]byte, 1<<20)) // more than a pipe holds
		wrote <- err
	}()
	d.conns["main"].Close()
	if err := <-wrote; err == nil {
		t.Error("a megabyte was written to a child that reads nothing")
	}
	waitExit(t, p)
}

func TestNothingLeaks(t *testing.T) {
	// The first child opens what the runtime keeps open.
	run := func() {
		p := start(t, process.Options{Command: sh("echo out; echo err >&2"), Stdin: strings.NewReader("in")})
		readAll(t, p)
		waitExit(t, p)
		q := start(t, process.Options{Command: sh("sleep 60"), Interactive: true})
		if err := q.Stop(t.Context()); err != nil {
			t.Error(err)
		}
		q.Stdout().Close()
	}
	run()
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	before := openFiles(t)
	for range 20 {
		run()
	}
	if after := openFiles(t); after != before {
		t.Errorf("%d files open, %d before", after, before)
	}
}

func TestWaitObeysItsContext(t *testing.T) {
	d := newDesk(t)
	p := start(t, process.Options{Env: d.env("hold")})
	d.await(1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Wait(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if p.PID() <= 0 {
		t.Errorf("pid %d", p.PID())
	}
}

// openFiles counts this process's descriptors, where the system tells.
func openFiles(t *testing.T) int {
	t.Helper()
	if runtime.GOOS != "linux" {
		return 0
	}
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}
