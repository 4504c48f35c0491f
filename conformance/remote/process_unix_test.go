//go:build unix

package remote_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/remote"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
)

func TestCannotStart(t *testing.T) {
	plain := filepath.Join(t.TempDir(), "plain")
	if err := os.WriteFile(plain, []byte("no program"), 0o600); err != nil {
		t.Fatal(err)
	}
	noFormat := filepath.Join(t.TempDir(), "no-format")
	if err := os.WriteFile(noFormat, []byte("\x7fELF"), 0o700); err != nil {
		t.Fatal(err)
	}
	command := func(argv ...string) func(*testing.T) remote.Options {
		return func(*testing.T) remote.Options { return remote.Options{Command: argv} }
	}
	noInterpreter := filepath.Join(t.TempDir(), "no-interpreter")
	if err := os.WriteFile(noInterpreter, []byte("#!/no/such/interpreter\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	program := func(name string, change ...func(*remote.Options)) func(*testing.T) remote.Options {
		return func(t *testing.T) remote.Options {
			o := self(name)
			for _, c := range change {
				c(&o)
			}
			return o
		}
	}
	named := func(o *remote.Options) { o.Name = "mine" }
	soon := func(o *remote.Options) { o.StartTimeout = 200 * time.Millisecond }
	faked := func(o *remote.Options) {
		o.Fake = func(context.Context, check.RuntimeOptions) (fakes.Runtime, error) {
			return nil, errors.New("not called")
		}
	}
	for _, test := range []struct {
		name    string
		options func(*testing.T) remote.Options
		kind    error
		says    string
		stderr  string
	}{
		{"no such command", command("there-is-no-such-command"), remote.ErrNotFound, "subject there-is-no-such-command: not found", ""},
		{"no such file", command(plain + "-not"), remote.ErrNotFound, "subject plain-not: not found", ""},
		{"no such directory", func(*testing.T) remote.Options {
			return remote.Options{Command: []string{"true"}, Dir: "/no/such/directory"}
		}, remote.ErrNotFound, "the working directory", ""},
		{"not executable", command(plain), remote.ErrNotExecutable, "subject plain: not executable", ""},
		{"no program", command(noFormat), remote.ErrNotExecutable, "subject no-format: not executable", ""},
		{"no such interpreter", command(noInterpreter), remote.ErrNotFound, "subject no-interpreter: not found: the interpreter that", ""},
		{"no such interpreter there", func(*testing.T) remote.Options {
			return remote.Options{Command: []string{"./no-interpreter"}, Dir: filepath.Dir(noInterpreter)}
		}, remote.ErrNotFound, "subject no-interpreter: not found: the interpreter that", ""},
		{"no such command by name", func(*testing.T) remote.Options {
			return remote.Options{Command: []string{"there-is-no-such-command"}, Name: "mine"}
		}, remote.ErrNotFound, "subject mine (there-is-no-such-command): not found", ""},
		{"exits at once by name", program("exits-at-once", named), remote.ErrExited, "subject mine (", "cannot go on"},
		{"exits with success", command("true"), remote.ErrExited, "exit code 0", ""},
		{"exits with failure", command("false"), remote.ErrExited, "exit code 1", ""},
		{"exits at once", program("exits-at-once"), remote.ErrExited, "exit code 3", "cannot go on"},
		{"says nothing", program("silent", soon), remote.ErrTimeout, "200ms", ""},
		{"prints what is none of it", program("prints-first", soon), remote.ErrTimeout, "within 200ms; lines on its stdout that are not the protocol's: 2", ""},
		{"needs long to start", program("slow-start", soon), remote.ErrTimeout, "200ms", ""},
		{"closes its output", program("closes-stdout"), remote.ErrProtocol, "closed its standard output", ""},
		{"wrong version", program("wrong-version"), remote.ErrVersion, "want adaptercheck-subject-v1", ""},
		{"no object", program("no-object"), remote.ErrProtocol, "no object", ""},
		{"unknown mode", program("odd-mode"), remote.ErrProtocol, "mode is neither", ""},
		{"unknown feature", program("odd-feature"), remote.ErrProtocol, "features[0]", ""},
		{"unsafe name", program("odd-name"), remote.ErrProtocol, "name is not", ""},
		{"name twice", program("twice-named"), remote.ErrProtocol, "a field twice", ""},
		{"wrong type", program("odd-type"), remote.ErrProtocol, "the answer to initialize: mode has the wrong type", ""},
		{"refuses", program("refuses"), remote.ErrProtocol, "error -32601", ""},
		{"fake for a harness", program("well", faked), remote.ErrMode, "brings its own", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			unleakedHere(t)
			_, _, err := remote.Subject(t.Context(), test.options(t))
			e, ok := errors.AsType[*remote.Error](err)
			if !ok || !errors.Is(err, test.kind) {
				t.Fatalf("got %v, want %v", err, test.kind)
			}
			if !strings.Contains(err.Error(), test.says) {
				t.Errorf("got %q, want %q in it", err, test.says)
			}
			if strings.Contains(err.Error(), "/") {
				t.Errorf("the error tells a path: %v", err)
			}
			if !strings.Contains(e.Stderr, test.stderr) {
				t.Errorf("stderr %q, want %q in it", e.Stderr, test.stderr)
			}
		})
	}
}

// begin starts a program and makes one adapter in it.
func begin(t *testing.T, o remote.Options) (*remote.Process, executor.Adapter) {
	t.Helper()
	unleakedHere(t)
	s, p, err := remote.Subject(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 10*time.Second)
		defer cancel()
		if err := p.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	in, err := s.Executor(t.Context(), fakes.Endpoint{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 100*time.Millisecond)
		defer cancel()
		_ = in.Close(ctx) // many of them cannot
	})
	return p, in.Adapter
}

// Lines that break the protocol are counted and hold nothing up.
func TestBreaches(t *testing.T) {
	for name, want := range map[string]map[remote.Breach]int{
		"well":          {},
		"garbage":       {remote.LineGarbage: 5},
		"not-object":    {remote.LineNotObject: 4},
		"blank":         {remote.LineBlank: 3},
		"notifications": {remote.Notification: 2},
		"unknown-ids":   {remote.AnswerUnknownID: 3},
		"odd-calls":     {remote.CallMalformed: 2},
		"unknown-call":  {remote.CallUnknown: 1},
		"byte-mark":     {remote.LineGarbage: 1},
		"fifty-mb":      {remote.LineGarbage: 1},
		"long-line":     {remote.LineTooLong: 1},
		"stderr-flood":  {},
		"answers-twice": {remote.AnswerRepeated: 3},
	} {
		t.Run(name, func(t *testing.T) {
			p, a := begin(t, self(name))
			h, err := a.Health(t.Context())
			if err != nil || !h.OK {
				t.Errorf("health: %+v, %v", h, err)
			}
			if name == "unknown-call" || name == "answers-twice" { // what comes after the answer
				if got := a.ID(); got != "program" {
					t.Errorf("id %q", got)
				}
			}
			got := p.Breaches()
			if name == "answers-twice" && got[remote.AnswerRepeated] >= 3 {
				got[remote.AnswerRepeated] = 3 // the fourth may be under way
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("breaches (-want +got):\n%s", d)
			}
		})
	}
}

// A subject that does not answer costs the time of whoever asks, and no more.
func TestNoAnswer(t *testing.T) {
	for _, name := range []string{"never-answers", "wrong-id"} {
		t.Run(name, func(t *testing.T) {
			unleakedHere(t)
			s, p, err := remote.Subject(t.Context(), self(name))
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close(context.WithoutCancel(t.Context()))
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			in, err := s.Executor(ctx, fakes.Endpoint{})
			if err == nil {
				_, err = in.Adapter.Health(ctx)
			}
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// A subject that reads no more does not block its suite, however much it is sent.
func TestDeaf(t *testing.T) {
	unleakedHere(t)
	s, p, err := remote.Subject(t.Context(), self("deaf"))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close(context.WithoutCancel(t.Context()))
	for range 3 {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		_, err := s.Executor(ctx, fakes.Endpoint{Dir: strings.Repeat("d", 1<<20)})
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	}
}

// A subject that ends in the middle of a request is named as such.
func TestEndsInTheMiddle(t *testing.T) {
	for name, says := range map[string]string{"exits-in-the-middle": "exit code 7", "half-a-line": "exit code 0"} {
		t.Run(name, func(t *testing.T) {
			p, a := begin(t, self(name))
			_, err := a.Health(t.Context())
			if !errors.Is(err, remote.ErrExited) || !strings.Contains(err.Error(), says) {
				t.Errorf("got %v", err)
			}
			if _, err := a.Health(t.Context()); !errors.Is(err, remote.ErrExited) {
				t.Errorf("the next call: %v", err)
			}
			if text, _ := p.Stderr(); name == "exits-in-the-middle" && !strings.Contains(text, "out of ideas") {
				t.Errorf("stderr %q", text)
			}
		})
	}
}

// An answer without a result is a breach and an error of the call.
func TestNoResult(t *testing.T) {
	unleakedHere(t)
	s, p, err := remote.Subject(t.Context(), self("no-result"))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close(context.WithoutCancel(t.Context()))
	if _, err := s.Executor(t.Context(), fakes.Endpoint{}); !errors.Is(err, remote.ErrProtocol) {
		t.Errorf("got %v", err)
	}
	if n := p.Breaches()[remote.AnswerMalformed]; n != 1 {
		t.Errorf("%d malformed answers", n)
	}
}

// What the subject started ends with it, also what holds its pipes.
func TestChildLeft(t *testing.T) {
	for _, program := range []string{"leaves-a-child", "leaves-a-daemon"} {
		t.Run(program, func(t *testing.T) {
			if program == "leaves-a-daemon" && runtime.GOOS != "linux" {
				t.Skip("only Linux tells the environment of processes")
			}
			childLeft(t, program)
		})
	}
}

func childLeft(t *testing.T, program string) {
	p, a := begin(t, self(program))
	if _, err := a.Health(t.Context()); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	if err := p.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("closing took %v", took)
	}
	text, _ := p.Stderr()
	var pid int
	if _, err := fmt.Sscanf(text, "child %d", &pid); err != nil {
		t.Fatalf("stderr %q: %v", text, err)
	}
	tick := time.NewTicker(10 * time.Millisecond) // it has been killed, and takes its time
	defer tick.Stop()
	for living(pid) {
		select {
		case <-tick.C:
		case <-t.Context().Done():
			t.Fatal("the child is still there")
		}
		if time.Since(begun) > 30*time.Second {
			t.Fatal("the child is still there")
		}
	}
}

// living reports whether a process runs; one that only waits to be reaped does not.
func living(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	state, err := exec.Command("ps", "-o", "stat=", "-p", strconv.Itoa(pid)).Output()
	return err == nil && !strings.HasPrefix(strings.TrimSpace(string(state)), "Z")
}

// The environment is an allow list, the temporary directory private, and a value
// that was passed on purpose is masked where it comes back.
func TestEnvironment(t *testing.T) {
	t.Setenv("REMOTE_TEST_SECRET", "hunter2-hunter2")
	t.Setenv("REMOTE_TEST_OTHER", "not-passed")
	o := self("tells-env")
	o.Env = append(o.Env, "REMOTE_TEST_SECRET")
	o.PrivateHome = true
	p, a := begin(t, o)
	if _, err := a.Health(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := p.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	text, _ := p.Stderr()
	if !strings.HasPrefix(text, "secret=[redacted] other= home=") || strings.Contains(text, os.Getenv("HOME")+"\n") {
		t.Errorf("stderr %q", text)
	}
}

func TestTempFiles(t *testing.T) {
	unleakedHere(t)
	s, p, err := remote.Subject(t.Context(), self("leaves-tmp"))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close(context.WithoutCancel(t.Context()))
	if n := p.TempFiles(); n != 0 {
		t.Errorf("%d files at the start", n)
	}
	if _, err := s.Executor(t.Context(), fakes.Endpoint{}); err != nil {
		t.Fatal(err)
	}
	if n := p.TempFiles(); n != 1 {
		t.Errorf("%d files", n)
	}
}

// Each check has a process of its own where that is asked for.
func TestRestartPerCheck(t *testing.T) {
	for _, restart := range []bool{false, true} {
		o := self("garbage")
		o.RestartPerCheck = restart
		unleakedHere(t)
		s, p, err := remote.Subject(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		pids := map[int]bool{}
		for range 3 {
			// Two instances at once are one check.
			var all []*check.ExecutorInstance
			for range 2 {
				in, err := s.Executor(t.Context(), fakes.Endpoint{})
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, in)
				pids[p.PID()] = true
			}
			for _, in := range all {
				if err := in.Close(t.Context()); err != nil {
					t.Error(err)
				}
			}
		}
		want := map[bool]int{false: 1, true: 3}[restart]
		if len(pids) != want {
			t.Errorf("restart %t: %d processes, want %d", restart, len(pids), want)
		}
		// Counts outlive their process.
		if n := p.Breaches()[remote.LineGarbage]; n != 5*want {
			t.Errorf("restart %t: %d lines of garbage, want %d", restart, n, 5*want)
		}
		if err := p.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
