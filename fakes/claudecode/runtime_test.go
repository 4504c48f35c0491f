//go:build unix

package claudecode_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/child"
	"github.com/adaptercheck/adaptercheck/fakes/child/childtest"
	"github.com/adaptercheck/adaptercheck/fakes/claudecode"
	"github.com/adaptercheck/adaptercheck/fakes/fidelity"
	"github.com/adaptercheck/adaptercheck/fakes/wire"
	"github.com/adaptercheck/adaptercheck/fixtures"
)

var (
	argv = []string{"-p", "hello", "--output-format", "stream-json", "--verbose"}
	open = []string{"-p", "--output-format", "stream-json", "--verbose", "--input-format", "stream-json", "--permission-prompt-tool", "stdio"}
	done = fakes.End{Reason: fakes.EndOK}
)

func text(s string) fakes.Final { return fakes.Final{Text: &s} }

func newRuntime(t testing.TB, o claudecode.Options) *claudecode.Runtime {
	t.Helper()
	rt, err := claudecode.New(t.Context(), o)
	return childtest.Closing(t, rt, err)
}

// kinds names the lines of an output: type and subtype.
func kinds(t testing.TB, out string) []string {
	t.Helper()
	var all []string
	for line := range strings.Lines(out) {
		var x struct {
			Type, Subtype string
			Response      struct{ Subtype string }
		}
		if err := json.Unmarshal([]byte(line), &x, json.MatchCaseInsensitiveNames(true)); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		kind := x.Type
		if x.Subtype+x.Response.Subtype != "" {
			kind += "/" + x.Subtype + x.Response.Subtype
		}
		all = append(all, kind)
	}
	return all
}

const message = `{"type":"user","message":{"role":"user","content":"hello"}}`

func TestRunFromStartToEnd(t *testing.T) {
	rt := newRuntime(t, claudecode.Options{Seed: 1})
	h := childtest.Start(t, rt, append(argv, "--model", "claude-haiku-4-5", "--disallowedTools", "Bash,Write", "--agent", "a")...)
	run := childtest.Next(t, rt)

	begun := run.Begun()
	dir, err := filepath.EvalSymlinks(h.Dir)
	if err != nil {
		t.Fatal(err)
	}
	want := fakes.Call{Method: fakes.MethodStart, Session: begun.Session, Message: "hello", Model: "claude-haiku-4-5", Agent: "a",
		Blocklist: []string{"Bash", "Write"}, Args: h.Args[1:], Env: []string{"PATH", "PROBE"}, Dir: dir}
	if diff := cmp.Diff(want, begun); diff != "" {
		t.Errorf("begun (-want +got):\n%s", diff)
	}
	first := childtest.Emit(t, run, fakes.Init{})
	if line := h.Line(t); first != (fakes.Receipt{Frames: 1, Bytes: int64(len(line))}) || !strings.Contains(line, begun.Session) || !strings.Contains(line, `"model":"claude-haiku-4-5"`) {
		t.Errorf("receipt %+v of %q", first, line)
	}
	second := childtest.Emit(t, run, text("hi"), done)
	out := h.Rest(t)
	if diff := cmp.Diff([]string{"assistant", "result/success"}, kinds(t, out)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if second != (fakes.Receipt{Frames: 2, Bytes: int64(len(out))}) {
		t.Errorf("receipt %+v of %d bytes", second, len(out))
	}
	if code := h.Reap(); code != 0 || h.Errs.Len() > 0 {
		t.Errorf("exit code %d, stderr %q", code, &h.Errs)
	}
	if err := run.Gone(childtest.Within(t)); err != nil {
		t.Error(err)
	}
	if r := rt.Residue(); !r.Zero() {
		t.Errorf("residue %+v", r)
	}
	if _, err := run.Emit(childtest.Within(t), done); !errors.Is(err, fakes.ErrGone) {
		t.Errorf("emit after the end: %v", err)
	}
}

// Signals end a run as the table of the CLI says.
func TestSignals(t *testing.T) {
	for _, c := range []struct {
		name, version string
		signal        syscall.Signal
		idle, tool    bool
		exit          int
		want          []string // after what was said
	}{
		{"INT", "", syscall.SIGINT, false, false, 0, []string{"assistant", "user", "result/error_during_execution"}},
		{"INT while a tool runs", "", syscall.SIGINT, false, true, 0, []string{"user", "user", "result/error_during_execution"}},
		{"INT while a tool runs, before", "2.1.197", syscall.SIGINT, false, true, 1, []string{"user", "user", "result/error_during_execution"}},
		{"INT, old", "2.0", syscall.SIGINT, false, false, 0, nil},
		{"INT, oldest", "1.0", syscall.SIGINT, false, true, 0, nil},
		{"INT after the result", "", syscall.SIGINT, true, false, 0, nil},
		{"TERM", "", syscall.SIGTERM, false, false, 143, nil},
		{"HUP", "", syscall.SIGHUP, false, false, 129, nil},
		{"KILL", "", syscall.SIGKILL, false, false, -int(syscall.SIGKILL), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			rt := newRuntime(t, claudecode.Options{Version: c.version})
			h := childtest.StartOpen(t, rt, open...)
			h.Say(t, message)
			run := childtest.Next(t, rt)
			childtest.Emit(t, run, fakes.Init{})
			said := 1
			switch {
			case c.idle:
				childtest.Emit(t, run, done)
				said++
			case c.tool:
				childtest.Emit(t, run, fakes.ToolCall{ID: "t1", Name: "Bash", Input: "{}"})
				said++
			default:
				childtest.Emit(t, run, fakes.Delta{Text: "so far"})
			}
			for range said {
				h.Line(t)
			}
			h.Signal(t, c.signal)
			if diff := cmp.Diff(c.want, kinds(t, h.Rest(t))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if code := h.Reap(); code != c.exit {
				t.Errorf("ended by %d, want %d", code, c.exit)
			}
		})
	}
}

func TestDescendants(t *testing.T) {
	for _, c := range []struct {
		name   string
		signal os.Signal
		left   int
	}{{"INT ends the tools", syscall.SIGINT, 0}, {"TERM leaks them", syscall.SIGTERM, 2}} {
		t.Run(c.name, func(t *testing.T) {
			rt := newRuntime(t, claudecode.Options{})
			h := childtest.Start(t, rt, argv...)
			run := childtest.Next(t, rt)
			childtest.Emit(t, run, fakes.Init{}, fakes.Child{OwnSession: true}, fakes.Child{})
			if r := rt.Residue(); r.Children != 3 {
				t.Errorf("residue %+v", r)
			}
			h.Signal(t, c.signal)
			h.Rest(t)
			h.Reap()
			childtest.Await(t, "the descendants are as they should", func() bool { return rt.Residue().Children == c.left })
		})
	}
}

func TestFaultsOfARun(t *testing.T) {
	begin := func(t *testing.T, kind fakes.FaultKind) (*childtest.Host, fakes.Run) {
		rt := newRuntime(t, claudecode.Options{})
		h := childtest.StartOpen(t, rt, open...)
		h.Say(t, message)
		run := childtest.Next(t, rt)
		childtest.Emit(t, run, fakes.Init{})
		h.Line(t)
		childtest.Fault(t, run, kind)
		return h, run
	}
	interrupt := `{"type":"control_request","request_id":"r1","request":{"subtype":"interrupt"}}`
	heard := func(t *testing.T, run fakes.Run, n int) {
		childtest.Await(t, "the cancel is heard", func() bool { return len(run.Calls()) == n })
	}
	t.Run("silent", func(t *testing.T) {
		h, run := begin(t, fakes.FaultSilent)
		h.Say(t, interrupt)
		heard(t, run, 1)
		if r := childtest.Emit(t, run, text("x"), done); r.Frames > 0 {
			t.Errorf("it said %+v", r)
		}
		h.Signal(t, syscall.SIGTERM)
		if out := h.Rest(t); out != "" || h.Reap() != 143 {
			t.Errorf("it said %q and ended by %d", out, h.Reap())
		}
	})
	t.Run("deaf", func(t *testing.T) {
		h, run := begin(t, fakes.FaultDeaf)
		h.Say(t, interrupt)
		h.Signal(t, syscall.SIGINT)
		heard(t, run, 2)
		childtest.Emit(t, run, done)
		h.In.Close()
		if diff := cmp.Diff([]string{"result/success"}, kinds(t, h.Rest(t))); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
	t.Run("hold", func(t *testing.T) {
		h, run := begin(t, fakes.FaultHold)
		h.Say(t, interrupt)
		if diff := cmp.Diff([]string{"control_response/success"}, kinds(t, h.Line(t))); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		childtest.Emit(t, run, text("late"), done)
		h.In.Close()
		if diff := cmp.Diff([]string{"assistant", "result/success"}, kinds(t, h.Rest(t))); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
	// What the wire does to bytes is seen on the wire, and is told with what struck.
	for _, kind := range []fakes.FaultKind{fakes.FaultTorn, fakes.FaultCRLF, fakes.FaultHeld} {
		t.Run(string(kind), func(t *testing.T) {
			h, run := begin(t, kind)
			childtest.Emit(t, run, done)
			want := map[fakes.FaultKind]wire.Fault{fakes.FaultTorn: {Kind: wire.Split, Frame: 1, N: 1}, fakes.FaultCRLF: {Kind: wire.CRLF, Frame: 1}, fakes.FaultHeld: {Kind: wire.Holder, Frame: 1}}[kind]
			if struck := run.(*child.Run).Strikes(); len(struck) != 1 || struck[0].Fault != want {
				t.Errorf("struck %+v, want %+v", struck, want)
			}
			line := h.Line(t)
			if kinds := kinds(t, line); strings.HasSuffix(line, "\r\n") != (kind == fakes.FaultCRLF) || kinds[0] != "result/success" {
				t.Errorf("line %q", line)
			}
			h.In.Close()
		})
	}
	t.Run("cut", func(t *testing.T) {
		h, _ := begin(t, fakes.FaultCut)
		if out := h.Rest(t); out != "" || h.Reap() != 0 {
			t.Errorf("it said %q and ended by %d", out, h.Reap())
		}
	})
}

func TestFaultsOfTheRuntime(t *testing.T) {
	rt := newRuntime(t, claudecode.Options{Version: "2.0"})
	health := func() (string, int) {
		h := childtest.Start(t, rt, "--version")
		return h.Rest(t), h.Reap()
	}
	if out, code := health(); out != "2.0.77 (Claude Code)\n" || code != 0 {
		t.Errorf("health: %q, %d", out, code)
	}
	if err := rt.Fault(t.Context(), fakes.Fault{Kind: fakes.FaultRefuse}); err != nil {
		t.Fatal(err)
	}
	h := childtest.Start(t, rt, argv...)
	if out := h.Rest(t); out != "" || h.Reap() != 1 {
		t.Errorf("refused: %q, %d", out, h.Reap())
	}
	if err := rt.Fault(t.Context(), fakes.Fault{Kind: fakes.FaultDown}); err != nil {
		t.Fatal(err)
	}
	if out, code := health(); out != "" || code != 1 {
		t.Errorf("down: %q, %d", out, code)
	}
}

func TestEndingsInOneEmit(t *testing.T) {
	for _, c := range []struct {
		name   string
		frames []fakes.Frame
		lives  bool
		want   int
	}{
		{"end", []fakes.Frame{done}, false, 0},
		{"an end that is an error", []fakes.Frame{fakes.End{Reason: fakes.EndOK, Error: true}}, false, 1},
		{"failure", []fakes.Frame{fakes.Failure{Message: "m", Fatal: true}}, false, 1},
		{"limit", []fakes.Frame{fakes.End{Reason: fakes.EndMaxTurns}}, false, 1},
		{"aborted", []fakes.Frame{fakes.End{Reason: fakes.EndAborted}}, false, 1},
		{"a success after an error", []fakes.Frame{fakes.Failure{Message: "m", Fatal: true}, done}, false, 0},
		{"end, then another code", []fakes.Frame{done, fakes.Exit{Code: 3}}, false, 3},
		{"end, then by signal", []fakes.Frame{done, fakes.Exit{Signal: "KILL"}}, false, -int(syscall.SIGKILL)},
		{"end and never exit", []fakes.Frame{done, fakes.Silent{}}, true, 143},
	} {
		t.Run(c.name, func(t *testing.T) {
			rt := newRuntime(t, claudecode.Options{})
			h := childtest.Start(t, rt, argv...)
			run := childtest.Next(t, rt)
			childtest.Emit(t, run, c.frames...)
			if c.lives {
				if _, err := run.Emit(childtest.Within(t), fakes.Stderr{Text: ""}); err != nil { // a fence
					t.Fatalf("it does not live: %v", err)
				}
				h.Signal(t, syscall.SIGTERM)
			}
			h.Rest(t)
			if code := h.Reap(); code != c.want {
				t.Errorf("ended by %d, want %d", code, c.want)
			}
		})
	}
}

// A host that reads no more ends the process quietly.
func TestBrokenStdout(t *testing.T) {
	rt := newRuntime(t, claudecode.Options{})
	h := childtest.StartOpen(t, rt, open...)
	h.Say(t, message)
	run := childtest.Next(t, rt)
	h.CloseOut()
	if _, err := run.Emit(childtest.Within(t), fakes.Init{}); err != nil && !errors.Is(err, fakes.ErrGone) {
		t.Errorf("emit: %v", err)
	}
	if code := h.Reap(); code != 0 || h.Errs.Len() > 0 {
		t.Errorf("exit code %d, stderr %q", code, &h.Errs)
	}
}

// What the fake remembers of a session depends on where the CLI would look.
func TestSessionsAreWhereTheCLILooks(t *testing.T) {
	rt := newRuntime(t, claudecode.Options{})
	dir, other, home := t.TempDir(), t.TempDir(), t.TempDir()
	play := func(dir, home string, args ...string) *childtest.Host {
		return childtest.StartWith(t, rt, func(h *childtest.Host) { h.Dir, h.Env = dir, append(h.Env, "HOME="+home) }, append(argv, args...)...)
	}
	ends := func(h *childtest.Host) fakes.Call {
		run := childtest.Next(t, rt)
		childtest.Emit(t, run, fakes.Init{}, done)
		h.Rest(t)
		if code := h.Reap(); code != 0 {
			t.Errorf("exit code %d", code)
		}
		return run.Begun()
	}
	session := ends(play(dir, home)).Session
	for _, args := range [][]string{{"--resume", session}, {"--continue"}} {
		if begun := ends(play(dir, home, args...)); begun.Session != session || begun.Resume != session {
			t.Errorf("%v: session %q, resumed %q", args, begun.Session, begun.Resume)
		}
	}
	for name, h := range map[string]*childtest.Host{
		"another directory": play(other, home, "--resume", session),
		"another home":      play(dir, other, "--resume", session),
	} {
		h.Rest(t)
		if code := h.Reap(); code != 1 || !strings.HasPrefix(h.Errs.String(), "No conversation found with session ID: ") {
			t.Errorf("%s: exit code %d, stderr %q", name, code, &h.Errs)
		}
	}
}

// A running total goes on from process to process, whatever the version's results
// count.
func TestTotalsOfASession(t *testing.T) {
	total := func(in int64) fakes.Frame { return fakes.Usage{Kind: fakes.UsageTotal, In: &in, Out: new(int64)} }
	for version, want := range map[string]string{"2.1.332": `"inputTokens":5400`, "2.1.197": `"inputTokens":200`, "2.0": `"inputTokens":200`, "1.0": `"inputTokens":200`} {
		rt := newRuntime(t, claudecode.Options{Version: version})
		dir, out := t.TempDir(), ""
		for n, in := range []int64{5000, 5200, 5400} {
			args := argv
			if n > 0 {
				args = append(slices.Clone(argv), "--continue")
			}
			h := childtest.StartWith(t, rt, func(h *childtest.Host) { h.Dir = dir; h.Stdin = strings.NewReader("") }, args...)
			childtest.Emit(t, childtest.Next(t, rt), fakes.Init{}, total(in), done)
			out = h.Rest(t)
			h.Reap()
		}
		if !strings.Contains(out, want) {
			t.Errorf("%s: no %s in %s", version, want, out)
		}
	}
}

// A stream that a signal ends says what the recorded one said, and ends as it did.
func TestFidelityOfSignals(t *testing.T) {
	signals := map[string]syscall.Signal{"sigterm-stream": syscall.SIGTERM, "sighup-stream": syscall.SIGHUP, "sigkill-stream": syscall.SIGKILL}
	for name, s := range signals {
		rec := load(t, "2.1.332", name)
		rt := newRuntime(t, claudecode.Options{})
		h := childtest.StartWith(t, rt, func(h *childtest.Host) {
			h.Stdin = strings.NewReader("")
			h.Dir, h.Env = rec.known["<CWD>"], append(h.Env, "ANTHROPIC_API_KEY=x")
		}, rec.Args...)
		childtest.Emit(t, childtest.Next(t, rt), frames(t, ticks)...)
		var got [][]byte
		for range rec.Lines() {
			got = append(got, []byte(strings.TrimSuffix(h.Line(t), "\n")))
		}
		h.Signal(t, s)
		if problem := fidelity.Differ(rec.Lines(), got, rec.known); problem != "" || h.Rest(t) != "" {
			t.Errorf("%s: %s", name, problem)
		}
		exit := -int(s)
		if rec.Exit != nil {
			exit = *rec.Exit
		}
		if code := h.Reap(); code != exit {
			t.Errorf("%s: ended by %d, recorded %d", name, code, exit)
		}
	}
}

// Recordings play byte for byte.
func TestRecordings(t *testing.T) {
	for _, name := range []string{"text", "err401", "sigterm-stream"} {
		rec, err := fixtures.Load("claude-code-2.1.332", name)
		if err != nil {
			t.Fatal(err)
		}
		rt := newRuntime(t, claudecode.Options{Recording: rec.Stdout, Exit: *rec.Exit, WaitSignal: *rec.Exit == 143})
		h := childtest.Start(t, rt, argv...)
		run := childtest.Next(t, rt)
		var out strings.Builder
		for range rec.Lines() {
			out.WriteString(h.Line(t))
		}
		if *rec.Exit == 143 {
			h.Signal(t, syscall.SIGTERM)
		}
		if diff := cmp.Diff(string(rec.Stdout), out.String()+h.Rest(t)); diff != "" || h.Reap() != *rec.Exit {
			t.Errorf("%s: exit code %d (-want +got):\n%s", name, h.Reap(), diff)
		}
		if _, err := run.Emit(childtest.Within(t), done); !errors.Is(err, fakes.ErrUnplayable) {
			t.Errorf("emit: %v", err)
		}
	}
}
