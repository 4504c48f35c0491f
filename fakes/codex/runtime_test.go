//go:build unix

package codex_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/child/childtest"
	"github.com/adaptercheck/adaptercheck/fakes/codex"
	"github.com/adaptercheck/adaptercheck/fakes/wire"
	"github.com/adaptercheck/adaptercheck/fixtures"
)

func TestMain(m *testing.M) { os.Exit(fakes.Main(m, codex.Player())) }

var nameOf = map[syscall.Signal]string{syscall.SIGINT: "INT", syscall.SIGTERM: "TERM"}

func newRuntime(t *testing.T, o codex.Options) *codex.Runtime {
	t.Helper()
	rt, err := codex.New(t.Context(), o)
	return childtest.Closing(t, rt, err)
}

func command(rt *codex.Runtime) *exec.Cmd {
	return exec.Command(rt.Endpoint().Command[0], "exec", "--json", "go")
}

func say(text string) fakes.Final { return fakes.Final{Text: &text} }

var ok = fakes.End{Reason: fakes.EndOK}

func TestRunFromStartToEnd(t *testing.T) {
	rt := newRuntime(t, codex.Options{Seed: 1})
	h := childtest.Start(t, rt, "exec", "--json", "-m", "gpt-5", "hello")
	run := childtest.Next(t, rt)

	begun := run.Begun()
	wantEnv := []string{"PATH", "PROBE"}
	if diff := cmp.Diff(wantEnv, begun.Env); diff != "" {
		t.Errorf("env (-want +got):\n%s", diff)
	}
	dir, err := filepath.EvalSymlinks(h.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(fakes.Call{Method: fakes.MethodStart, Session: begun.Session, Message: "hello", Model: "gpt-5", Args: h.Args[1:], Env: wantEnv, Dir: dir}, begun); diff != "" {
		t.Errorf("begun (-want +got):\n%s", diff)
	}
	if r := rt.Residue(); r.Children != 1 {
		t.Errorf("residue while it runs: %+v", r)
	}

	first := childtest.Emit(t, run, fakes.Init{})
	if got := h.Line(t) + h.Line(t); int64(len(got)) != first.Bytes || first.Frames != 2 || !strings.Contains(got, begun.Session) {
		t.Errorf("receipt %+v of %q", first, got)
	}
	second := childtest.Emit(t, run, say("hi"), ok)
	want := `{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"hi"}}
{"type":"turn.completed","usage":{"input_tokens":0,"cached_input_tokens":0,"cache_write_input_tokens":0,"output_tokens":0,"reasoning_output_tokens":0}}
`
	if diff := cmp.Diff(want, h.Rest(t)); diff != "" {
		t.Errorf("stdout (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(fakes.Receipt{Frames: 2, Bytes: int64(len(want))}, second); diff != "" {
		t.Errorf("receipt (-want +got):\n%s", diff)
	}
	if code := h.Reap(); code != 0 {
		t.Errorf("exit code %d, stderr %q", code, &h.Errs)
	}
	if err := run.Gone(childtest.Within(t)); err != nil {
		t.Error(err)
	}
	if r := rt.Residue(); !r.Zero() {
		t.Errorf("residue after: %+v", r)
	}
	if _, err := run.Emit(childtest.Within(t), say("late")); !errors.Is(err, fakes.ErrGone) {
		t.Errorf("emit after the end: %v", err)
	}
	if diff := cmp.Diff("Reading additional input from stdin...\n", h.Errs.String()); diff != "" {
		t.Errorf("stderr (-want +got):\n%s", diff)
	}
}

func TestStdinIsPartOfTheMessage(t *testing.T) {
	for _, c := range []struct {
		name, stdin, want string
		args              []string
	}{
		{"alone", "from stdin", "from stdin", []string{"exec", "--json"}},
		{"dash", "from stdin\n", "from stdin\n", []string{"exec", "--json", "-"}},
		{"beside the prompt", "more\n", "go\n\n<stdin>\nmore\n</stdin>", []string{"exec", "--json", "go"}},
		{"prompt that looks like a flag", "", "--version", []string{"exec", "--json", "--", "--version"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			rt := newRuntime(t, codex.Options{})
			childtest.StartWith(t, rt, func(cmd *childtest.Host) { cmd.Stdin = strings.NewReader(c.stdin) }, c.args...)
			if diff := cmp.Diff(c.want, childtest.Next(t, rt).Begun().Message); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A prompt in argv and a stdin that nobody closes hang, as with the real one; the
// process counts, and Close ends it.
func TestOpenStdinHangs(t *testing.T) {
	rt := newRuntime(t, codex.Options{})
	h := childtest.StartOpen(t, rt, "exec", "--json", "go")
	childtest.Await(t, "it is known", func() bool { return rt.Residue().Children == 1 })
	if err := rt.Close(); err != nil {
		t.Error(err)
	}
	if code := h.Reap(); code != 70 {
		t.Errorf("exit code %d, stderr %q", code, &h.Errs)
	}
	if _, err := rt.Next(childtest.Within(t)); !errors.Is(err, fakes.ErrClosed) {
		t.Errorf("next after close: %v", err)
	}
}

// An older version does not read a stdin that it needs not.
func TestOpenStdinOfAnOldVersion(t *testing.T) {
	rt := newRuntime(t, codex.Options{Version: "0.98.0"})
	h := childtest.StartOpen(t, rt, "exec", "--json", "go")
	childtest.Emit(t, childtest.Next(t, rt), ok)
	h.Rest(t)
	if code := h.Reap(); code != 0 || h.Errs.Len() > 0 {
		t.Errorf("exit code %d, stderr %q", code, &h.Errs)
	}
}

func TestUsageIsCumulativePerThread(t *testing.T) {
	rt := newRuntime(t, codex.Options{})
	n := func(v int64) *int64 { return &v }
	bill := fakes.Usage{In: n(100), Out: n(20), CacheRead: n(30), Reasoning: n(5)}
	turn := func(args ...string) (fakes.Call, string) {
		h := childtest.Start(t, rt, append([]string{"exec", "--json"}, args...)...)
		run := childtest.Next(t, rt)
		childtest.Emit(t, run, fakes.Init{}, bill, ok)
		out := h.Rest(t)
		if code := h.Reap(); code != 0 {
			t.Fatalf("exit code %d", code)
		}
		lines := strings.Split(out, "\n")
		return run.Begun(), lines[2]
	}
	const line = `{"type":"turn.completed","usage":{"input_tokens":%,"cached_input_tokens":%,"cache_write_input_tokens":0,"output_tokens":%,"reasoning_output_tokens":%}}`
	want := func(numbers ...string) string {
		s := line
		for _, n := range numbers {
			s = strings.Replace(s, "%", n, 1)
		}
		return s
	}
	first, usage := turn("go")
	if diff := cmp.Diff(want("100", "30", "20", "5"), usage); diff != "" {
		t.Errorf("first (-want +got):\n%s", diff)
	}
	if begun, usage := turn("resume", first.Session, "again"); begun.Session != first.Session || begun.Resume != first.Session || usage != want("200", "60", "40", "10") {
		t.Errorf("resumed: %+v, %s", begun, usage)
	}
	if begun, usage := turn("resume", "--last", "again"); begun.Session != first.Session || usage != want("300", "90", "60", "15") {
		t.Errorf("resumed last: %+v, %s", begun, usage)
	}
	if begun, usage := turn("fork", first.Session, "again"); begun.Session == first.Session || usage != want("400", "120", "80", "20") {
		t.Errorf("forked: %+v, %s", begun, usage)
	}
	if begun, usage := turn("resume", "no-such-name", "again"); begun.Session == first.Session || begun.Resume != "no-such-name" || usage != want("100", "30", "20", "5") {
		t.Errorf("unknown name: %+v, %s", begun, usage)
	}
}

// Nobody knows the thread: an error, or a new thread.
func TestUnknownThread(t *testing.T) {
	const id = "00000000-0000-7000-8000-00000000abcd"
	for _, c := range []struct{ version, command, stderr string }{
		{"0.171.0", "resume", "Error: thread/resume: thread/resume failed: no rollout found for thread id " + id + " (code -32600)\n"},
		{"0.171.0", "fork", "Error: thread/fork: thread/fork failed: no rollout found for thread id " + id + " (code -32600)\n"},
		{"0.144.6", "resume", "Error: thread/resume: thread/resume failed: no rollout found for thread id " + id + " (code -32600)\n"},
		{"0.125.0", "resume", "Error: thread/resume: thread/resume failed: no rollout found for thread id " + id + "\n"},
		{"0.98.0", "resume", ""},
	} {
		t.Run(c.version+" "+c.command, func(t *testing.T) {
			rt := newRuntime(t, codex.Options{Version: c.version})
			h := childtest.Start(t, rt, "exec", "--json", c.command, id, "go")
			if c.stderr == "" {
				if begun := childtest.Next(t, rt).Begun(); begun.Resume != id || begun.Session == id {
					t.Errorf("%+v", begun)
				}
				return
			}
			if out, code := h.Rest(t), h.Reap(); out != "" || code != 1 {
				t.Errorf("exit code %d, stdout %q", code, out)
			}
			if diff := cmp.Diff(c.stderr, h.Errs.String()); diff != "" {
				t.Errorf("stderr (-want +got):\n%s", diff)
			}
		})
	}
}

// An ephemeral run leaves no thread that one could go on with.
func TestEphemeralThread(t *testing.T) {
	rt := newRuntime(t, codex.Options{})
	h := childtest.Start(t, rt, "exec", "--json", "--ephemeral", "go")
	run := childtest.Next(t, rt)
	childtest.Emit(t, run, fakes.Init{}, ok)
	h.Rest(t)
	h.Reap()
	id := run.Begun().Session
	h = childtest.Start(t, rt, "exec", "--json", "resume", id, "go")
	if out, code := h.Rest(t), h.Reap(); out != "" || code != 1 || !strings.Contains(h.Errs.String(), "no rollout found for thread id "+id) {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, out, &h.Errs)
	}
}

func TestSignals(t *testing.T) {
	for _, c := range []struct {
		name    string
		version string
		signal  syscall.Signal
		want    int
	}{
		{"INT", "", syscall.SIGINT, 1},
		{"INT", "0.98.0", syscall.SIGINT, 0},
		{"TERM", "", syscall.SIGTERM, -int(syscall.SIGTERM)},
		{"HUP", "", syscall.SIGHUP, -int(syscall.SIGHUP)},
	} {
		t.Run(c.name+c.version, func(t *testing.T) {
			rt := newRuntime(t, codex.Options{Version: c.version})
			h := childtest.Start(t, rt, "exec", "--json", "go")
			run := childtest.Next(t, rt)
			childtest.Emit(t, run, fakes.Init{})
			if err := h.Process.Signal(c.signal); err != nil {
				t.Fatal(err)
			}
			if out := h.Rest(t); strings.Contains(out, "turn.completed") || strings.Contains(out, "turn.failed") {
				t.Errorf("terminal frame in %q", out)
			}
			if code := h.Reap(); code != c.want {
				t.Errorf("ended by %d, want %d", code, c.want)
			}
			if err := run.Gone(childtest.Within(t)); err != nil {
				t.Error(err)
			}
			want := []fakes.Call{{Method: fakes.MethodCancel, Session: run.Begun().Session, Signal: c.name}}
			if diff := cmp.Diff(want, run.Calls()); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFaultsOfARun(t *testing.T) {
	deafened := map[string]func(*testing.T, fakes.Run){
		"deaf": func(t *testing.T, run fakes.Run) { childtest.Fault(t, run, fakes.FaultDeaf) },
		"hold": func(t *testing.T, run fakes.Run) { childtest.Fault(t, run, fakes.FaultHold) },
		"words": func(t *testing.T, run fakes.Run) {
			childtest.Emit(t, run, fakes.Ignore{Signal: "INT"}, fakes.Ignore{Signal: "TERM"})
		},
	}
	for name, deafen := range deafened {
		t.Run(name, func(t *testing.T) {
			rt := newRuntime(t, codex.Options{})
			h := childtest.Start(t, rt, "exec", "--json", "go")
			run := childtest.Next(t, rt)
			deafen(t, run)
			for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
				if err := h.Process.Signal(s); err != nil {
					t.Fatal(err)
				}
				childtest.Await(t, "the signal is heard", func() bool {
					return slices.ContainsFunc(run.Calls(), func(c fakes.Call) bool { return c.Signal == nameOf[s] })
				})
				childtest.Emit(t, run, say("still here"))
			}
			if code := exitCode(t, h, run); code != 4 {
				t.Errorf("exit code %d", code)
			}
			if calls := run.Calls(); len(calls) != 2 || calls[0].Signal != "INT" || calls[1].Signal != "TERM" {
				t.Errorf("calls %+v", calls)
			}
		})
	}
	t.Run("kill", func(t *testing.T) {
		rt := newRuntime(t, codex.Options{})
		h := childtest.Start(t, rt, "exec", "--json", "go")
		run := childtest.Next(t, rt)
		childtest.Fault(t, run, fakes.FaultDeaf)
		if err := h.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if code := h.Reap(); code != -int(syscall.SIGKILL) {
			t.Errorf("ended by %d", code)
		}
	})
	t.Run("silent", func(t *testing.T) {
		rt := newRuntime(t, codex.Options{})
		h := childtest.Start(t, rt, "exec", "--json", "go")
		run := childtest.Next(t, rt)
		childtest.Fault(t, run, fakes.FaultSilent)
		if r := childtest.Emit(t, run, fakes.Init{}, say("x")); r != (fakes.Receipt{}) {
			t.Errorf("receipt %+v", r)
		}
		childtest.Emit(t, run, fakes.Exit{Code: 3})
		if out, code := h.Rest(t), h.Reap(); out != "" || code != 3 {
			t.Errorf("stdout %q, exit code %d", out, code)
		}
	})
	t.Run("cut", func(t *testing.T) {
		rt := newRuntime(t, codex.Options{})
		h := childtest.Start(t, rt, "exec", "--json", "go")
		run := childtest.Next(t, rt)
		childtest.Emit(t, run, say("half"))
		childtest.Fault(t, run, fakes.FaultCut)
		if out, code := h.Rest(t), h.Reap(); strings.Count(out, "\n") != 1 || code != 0 {
			t.Errorf("stdout %q, exit code %d", out, code)
		}
	})
	t.Run("unplayable", func(t *testing.T) {
		rt := newRuntime(t, codex.Options{})
		childtest.Start(t, rt, "exec", "--json", "go")
		run := childtest.Next(t, rt)
		if err := run.Fault(childtest.Within(t), fakes.Fault{Kind: fakes.FaultDown}); !errors.Is(err, fakes.ErrUnplayable) {
			t.Errorf("down: %v", err)
		}
		if err := rt.Fault(childtest.Within(t), fakes.Fault{Kind: fakes.FaultCut}); !errors.Is(err, fakes.ErrUnplayable) {
			t.Errorf("cut: %v", err)
		}
		if r, err := run.Emit(childtest.Within(t), say("x"), fakes.Delta{Text: "y"}); !errors.Is(err, fakes.ErrUnplayable) || r != (fakes.Receipt{}) {
			t.Errorf("delta: %+v, %v", r, err)
		}
	})
}

// exitCode ends the run by frames and reaps it.
func exitCode(t *testing.T, h *childtest.Host, run fakes.Run) int {
	t.Helper()
	childtest.Emit(t, run, fakes.Exit{Code: 4})
	h.Rest(t)
	return h.Reap()
}

func TestEndingsInOneEmit(t *testing.T) {
	for _, c := range []struct {
		name   string
		frames []fakes.Frame
		lives  bool
		want   int
	}{
		{"end", []fakes.Frame{ok}, false, 0},
		{"failure", []fakes.Frame{fakes.Failure{Message: "m", Fatal: true}}, false, 1},
		{"end, then another code", []fakes.Frame{ok, fakes.Exit{Code: 3}}, false, 3},
		{"end, then by signal", []fakes.Frame{ok, fakes.Exit{Signal: "KILL"}}, false, -int(syscall.SIGKILL)},
		{"abort of the process", []fakes.Frame{fakes.Exit{Signal: "ABRT"}}, false, -int(syscall.SIGABRT)},
		{"end and never exit", []fakes.Frame{ok, fakes.Silent{}}, true, -int(syscall.SIGTERM)},
		{"cut and never exit", []fakes.Frame{fakes.Cut{}, fakes.Silent{}}, true, -int(syscall.SIGTERM)},
	} {
		t.Run(c.name, func(t *testing.T) {
			rt := newRuntime(t, codex.Options{})
			h := childtest.Start(t, rt, "exec", "--json", "go")
			run := childtest.Next(t, rt)
			childtest.Emit(t, run, c.frames...)
			if c.lives {
				if _, err := run.Emit(childtest.Within(t), fakes.Stderr{Text: ""}); err != nil { // a fence
					t.Fatalf("it does not live: %v", err)
				}
				if err := h.Process.Signal(syscall.SIGTERM); err != nil {
					t.Fatal(err)
				}
			}
			h.Rest(t)
			if code := h.Reap(); code != c.want {
				t.Errorf("ended by %d, want %d", code, c.want)
			}
		})
	}
}

// Emit does not wait for a reader, and nothing is lost for one who comes late.
func TestEmitWithoutAReader(t *testing.T) {
	rt := newRuntime(t, codex.Options{})
	h := childtest.Start(t, rt, "exec", "--json", "go")
	run := childtest.Next(t, rt)
	big := strings.Repeat("x", 1<<20)
	r := childtest.Emit(t, run, say(big), say(big), fakes.Stderr{N: 1 << 20})
	r2 := childtest.Emit(t, run, ok)
	out := h.Rest(t)
	if int64(len(out)) != r.Bytes+r2.Bytes || strings.Count(out, "\n") != r.Frames+r2.Frames {
		t.Errorf("receipts %+v %+v, %d bytes came", r, r2, len(out))
	}
	if code := h.Reap(); code != 0 || h.Errs.Len() < 1<<20 {
		t.Errorf("exit code %d, %d bytes on stderr", code, h.Errs.Len())
	}
}

// A host that closes stdout makes the process panic, as the real one.
func TestBrokenStdout(t *testing.T) {
	rt := newRuntime(t, codex.Options{})
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := command(rt)
	cmd.Stdout = w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	run := childtest.Next(t, rt)
	r.Close()
	if _, err := run.Emit(childtest.Within(t), say("x")); err != nil && !errors.Is(err, fakes.ErrGone) {
		t.Errorf("emit: %v", err)
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 101 {
		t.Errorf("exit: %v", err)
	}
}

func TestDescendants(t *testing.T) {
	for _, c := range []struct {
		name   string
		signal syscall.Signal
		left   int
	}{
		{"INT ends the tools", syscall.SIGINT, 0},
		{"TERM leaks them", syscall.SIGTERM, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			rt := newRuntime(t, codex.Options{})
			h := childtest.Start(t, rt, "exec", "--json", "go")
			run := childtest.Next(t, rt)
			childtest.Emit(t, run, fakes.Child{OwnSession: true})
			if r := rt.Residue(); r.Children != 2 {
				t.Errorf("residue %+v", r)
			}
			if err := h.Process.Signal(c.signal); err != nil {
				t.Fatal(err)
			}
			h.Rest(t)
			h.Reap()
			if err := run.Gone(childtest.Within(t)); err != nil {
				t.Error(err)
			}
			childtest.Await(t, "the descendants are as they should", func() bool { return rt.Residue().Children == c.left })
			if err := rt.Close(); err != nil {
				t.Error(err)
			}
			if r := rt.Residue(); !r.Zero() {
				t.Errorf("residue after close: %+v", r)
			}
		})
	}
}

func TestHealthAndFaultsOfTheRuntime(t *testing.T) {
	rt := newRuntime(t, codex.Options{Version: "0.144.6"})
	health := func() (string, int) {
		h := childtest.Start(t, rt, "--version")
		return h.Rest(t), h.Reap()
	}
	if out, code := health(); out != "codex-cli 0.144.6\n" || code != 0 {
		t.Errorf("health: %q, %d", out, code)
	}
	h := childtest.Start(t, rt, "exec", "--json", "--no-such-flag", "go")
	if out, code := h.Rest(t), h.Reap(); out != "" || code != 2 || !strings.Contains(h.Errs.String(), "unexpected argument '--no-such-flag' found") {
		t.Errorf("unknown flag: %q, %d, %q", out, code, &h.Errs)
	}
	for _, kind := range []fakes.FaultKind{fakes.FaultSlow, fakes.FaultRefuse} {
		if err := rt.Fault(t.Context(), fakes.Fault{Kind: kind, Delay: 1}); err != nil {
			t.Fatal(err)
		}
	}
	if out, code := health(); out == "" || code != 0 {
		t.Errorf("health while the next start is refused: %q, %d", out, code)
	}
	h = childtest.Start(t, rt, "exec", "--json", "go")
	if out, code := h.Rest(t), h.Reap(); out != "" || code != 1 {
		t.Errorf("refused: %q, %d", out, code)
	}
	h = childtest.Start(t, rt, "exec", "--json", "go")
	childtest.Emit(t, childtest.Next(t, rt), ok)
	h.Rest(t)
	if code := h.Reap(); code != 0 {
		t.Errorf("after the refused one: %d", code)
	}
	if err := rt.Fault(t.Context(), fakes.Fault{Kind: fakes.FaultDown}); err != nil {
		t.Fatal(err)
	}
	if out, code := health(); out != "" || code != 1 {
		t.Errorf("down: %q, %d", out, code)
	}
	if r := rt.Residue(); !r.Zero() {
		t.Errorf("residue %+v", r)
	}
}

// A recording is printed byte for byte, and ends as it was recorded.
func TestRecordings(t *testing.T) {
	for _, name := range fixtures.Names("codex-0.171.0") {
		if strings.HasPrefix(name, "app-") {
			continue // of another mode
		}
		t.Run(name, func(t *testing.T) {
			rec, err := fixtures.Load("codex-0.171.0", name)
			if err != nil {
				t.Fatal(err)
			}
			o := codex.Options{Recording: rec.Stdout}
			stop, ended := stopOf(rec)
			if o.WaitSignal = stop != 0; !o.WaitSignal {
				o.Exit = *rec.Exit
			}
			rt := newRuntime(t, o)
			h := childtest.Start(t, rt, "exec", "--json", "go")
			run := childtest.Next(t, rt)
			if stop != 0 {
				for range rec.Lines() {
					h.Line(t)
				}
				h.Signal(t, stop)
				h.Rest(t)
			} else if diff := cmp.Diff(string(rec.Stdout), h.Rest(t)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if code := h.Reap(); code != ended {
				t.Errorf("ended by %d, want %d", code, ended)
			}
			if _, err := run.Emit(childtest.Within(t), ok); !errors.Is(err, fakes.ErrUnplayable) {
				t.Errorf("emit: %v", err)
			}
		})
	}
}

var signals = map[string]syscall.Signal{"SIGINT": syscall.SIGINT, "SIGTERM": syscall.SIGTERM, "SIGHUP": syscall.SIGHUP, "SIGKILL": syscall.SIGKILL}

// stopOf is the signal that a recorded process was sent, if any, and how it ended: its
// exit code, or its signal as -N.
func stopOf(rec fixtures.Recording) (stop syscall.Signal, ended int) {
	for _, a := range rec.Actions {
		if a.Signal != "" {
			stop = signals[a.Signal]
		}
	}
	if rec.Exit != nil {
		return stop, *rec.Exit
	}
	return stop, -int(signals[*rec.Signal])
}

func TestWireFaults(t *testing.T) {
	rt := newRuntime(t, codex.Options{Wire: wire.Faults{{Kind: wire.Split, N: 1}, {Kind: wire.CRLF}, {Kind: wire.NoFinalNewline}, {Kind: wire.BOM}, {Kind: wire.Noise, Text: "noise"}}})
	h := childtest.Start(t, rt, "exec", "--json", "go")
	r := childtest.Emit(t, childtest.Next(t, rt), fakes.Turn{State: "running"}, ok)
	out := h.Rest(t)
	if !strings.HasPrefix(out, "\xef\xbb\xbfnoise\r\n{\"type\":\"turn.started\"}\r\n{") || strings.HasSuffix(out, "\n") {
		t.Errorf("stdout %q", out)
	}
	if r.Frames != 2 || r.Bytes != int64(len(out)) {
		t.Errorf("receipt %+v of %d bytes", r, len(out))
	}
}

// Two runs at once do not mix, and the ids of a seed repeat.
func TestConcurrentRunsAndSeed(t *testing.T) {
	var sessions [2][]string
	for i := range sessions {
		rt := newRuntime(t, codex.Options{Seed: 42})
		a, b := childtest.Start(t, rt, "exec", "--json", "a"), (*childtest.Host)(nil)
		runA := childtest.Next(t, rt)
		b = childtest.Start(t, rt, "exec", "--json", "b")
		runB := childtest.Next(t, rt)
		childtest.Emit(t, runA, fakes.Init{})
		childtest.Emit(t, runB, fakes.Init{}, say("from b"), ok)
		childtest.Emit(t, runA, say("from a"), ok)
		if out := a.Rest(t); strings.Contains(out, "from b") || !strings.Contains(out, "from a") {
			t.Errorf("a said %q", out)
		}
		if out := b.Rest(t); strings.Contains(out, "from a") || !strings.Contains(out, "from b") {
			t.Errorf("b said %q", out)
		}
		sessions[i] = []string{runA.Begun().Session, runB.Begun().Session}
	}
	if diff := cmp.Diff(sessions[0], sessions[1]); diff != "" || sessions[0][0] == sessions[0][1] {
		t.Errorf("one seed, other ids: %v", sessions)
	}
}

func TestCloseIsIdempotentAndLeavesNothing(t *testing.T) {
	rt := newRuntime(t, codex.Options{})
	dir := filepath.Dir(rt.Endpoint().Command[0])
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("directory: %v, %v", info, err)
	}
	h := childtest.Start(t, rt, "exec", "--json", "go")
	run := childtest.Next(t, rt)
	childtest.Fault(t, run, fakes.FaultDeaf)
	stopped := childtest.Start(t, rt, "exec", "--json", "go")
	childtest.Next(t, rt)
	if err := stopped.Process.Signal(syscall.SIGSTOP); err != nil { // it does not notice anything
		t.Fatal(err)
	}
	for range 2 {
		if err := rt.Close(); err != nil {
			t.Error(err)
		}
	}
	if code := h.Reap(); code != 70 {
		t.Errorf("ended by %d", code)
	}
	if code := stopped.Reap(); code != -int(syscall.SIGKILL) {
		t.Errorf("the stopped one ended by %d", code)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("directory is left: %v", err)
	}
	if err := rt.Fault(t.Context(), fakes.Fault{Kind: fakes.FaultDown}); !errors.Is(err, fakes.ErrClosed) {
		t.Errorf("fault after close: %v", err)
	}
	if _, err := run.Emit(childtest.Within(t), ok); !errors.Is(err, fakes.ErrGone) {
		t.Errorf("emit after close: %v", err)
	}
}

func TestNextObeysItsContext(t *testing.T) {
	rt := newRuntime(t, codex.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := rt.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestNewRefusesUnknownVersion(t *testing.T) {
	if rt, err := codex.New(t.Context(), codex.Options{Version: "1"}); err == nil {
		rt.Close()
		t.Error("no error")
	}
}

// A process that has ended counts until its parent has reaped it.
func TestUnreapedProcessIsResidue(t *testing.T) {
	rt := newRuntime(t, codex.Options{})
	h := childtest.Start(t, rt, "exec", "--json", "go")
	run := childtest.Next(t, rt)
	childtest.Emit(t, run, ok)
	childtest.Await(t, "it has ended", func() bool {
		_, err := run.Emit(childtest.Within(t), say("?"))
		return errors.Is(err, fakes.ErrGone)
	})
	if r := rt.Residue(); r.Children != 1 {
		t.Errorf("residue before it is reaped: %+v", r)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := run.Gone(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("gone before it is reaped: %v", err)
	}
	h.Reap()
	if err := run.Gone(childtest.Within(t)); err != nil {
		t.Error(err)
	}
	if r := rt.Residue(); !r.Zero() {
		t.Errorf("residue after: %+v", r)
	}
}
