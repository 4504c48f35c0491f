//go:build unix

package codex

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/executortest"
	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/child/childtest"
)

func newRuntime(t testing.TB) *Runtime {
	t.Helper()
	rt, err := New(t.Context(), Options{Program: standInProgram(t)})
	return childtest.Closing(t, rt, err)
}

// start starts the program as an adapter would.
func start(t testing.TB, rt *Runtime, args ...string) (*childtest.Host, *Run) {
	t.Helper()
	h := childtest.StartWith(t, rt, func(h *childtest.Host) { h.Env = append(h.Env, "CODEX_HOME="+rt.Endpoint().Dir) }, args...)
	return h, childtest.Next(t, rt).(*Run)
}

func say(text string) fakes.Frame { return fakes.Final{Text: &text} }

func usage(kind fakes.UsageKind, in, out int64) fakes.Frame {
	return fakes.Usage{Kind: kind, In: &in, Out: &out}
}

var ok = fakes.End{Reason: fakes.EndOK}

// What arrives at the provider, and what the program makes of what it is told.
func TestRun(t *testing.T) {
	rt := newRuntime(t)
	h, run := start(t, rt, "exec", "--json", "--model", "m1", "--", "say hi")
	begun := run.Begun()
	if begun.Session == "" {
		t.Fatal("no thread")
	}
	thread := begun.Session
	want := fakes.Call{Method: fakes.MethodStart, Message: "say hi", Model: "m1", Session: thread,
		Args: []string{"exec", "--json", "--model", "m1", "--", "say hi"}, Env: []string{"CODEX_HOME", "PATH", "PROBE"}, Dir: begun.Dir}
	if diff := cmp.Diff(want, begun); diff != "" {
		t.Errorf("begun (-want +got):\n%s", diff)
	}
	receipt := childtest.Emit(t, run, fakes.Init{Session: "any"}, fakes.Think{Text: "why"}, say("hi\u2028 🦜"), usage(fakes.UsageTurn, 7, 3), usage(fakes.UsageTurn, 1, 1), ok)
	if receipt.Frames != 2+6+6+1 || receipt.Bytes == 0 || receipt.Session != thread {
		t.Errorf("receipt %+v", receipt)
	}
	lines := strings.Split(strings.TrimSpace(h.Rest(t)), "\n")
	wantLines := []string{
		`{"thread_id":"` + thread + `","type":"thread.started"}`,
		`{"type":"turn.started"}`,
		`{"item":{"id":"item_0","text":"why","type":"reasoning"},"type":"item.completed"}`,
		`{"item":{"id":"item_1","text":"hi` + "\u2028" + ` 🦜","type":"agent_message"},"type":"item.completed"}`,
		`{"type":"turn.completed","usage":{"cached_input_tokens":0,"input_tokens":8,"output_tokens":4}}`,
	}
	if diff := cmp.Diff(wantLines, canonical(t, lines)); diff != "" {
		t.Errorf("stdout (-want +got):\n%s", diff)
	}
	if code := h.Reap(); code != 0 {
		t.Errorf("exit %d", code)
	}
	if err := run.Gone(childtest.Within(t)); err != nil {
		t.Error(err)
	}
	if calls := run.Calls(); len(calls) > 0 {
		t.Errorf("calls %+v", calls)
	}
	if _, err := run.Emit(t.Context(), ok); !errors.Is(err, fakes.ErrGone) {
		t.Errorf("after the end: %v", err)
	}

	// The next process of the thread: what was used before is not told again.
	h, run = start(t, rt, "exec", "resume", thread, "--", "and now?")
	if begun := run.Begun(); begun.Resume != thread || begun.Session != thread {
		t.Errorf("resumed: %+v", begun)
	}
	childtest.Emit(t, run, say("bye"), usage(fakes.UsageTotal, 10, 5), ok)
	if out := h.Rest(t); !strings.Contains(out, `"input_tokens":2,"cached_input_tokens":0,"output_tokens":1}`) {
		t.Errorf("stdout of the second run:\n%s", out)
	}
	h.Reap()
	if !rt.Residue().Zero() {
		t.Errorf("residue %+v", rt.Residue())
	}
}

// canonical sorts the members of each line.
func canonical(t *testing.T, lines []string) []string {
	t.Helper()
	var out []string
	for _, l := range lines {
		v := jsontext.Value(l)
		if err := v.Canonicalize(); err != nil {
			t.Fatalf("%s: %v", l, err)
		}
		out = append(out, string(v))
	}
	return out
}

// The program has said nothing before the gate opens, and everything but a run passes.
func TestGate(t *testing.T) {
	rt := newRuntime(t)
	health := childtest.StartWith(t, rt, func(*childtest.Host) {}, "--version")
	if out := health.Rest(t); out != "codex-cli 0.0.0\n" || health.Reap() != 0 {
		t.Errorf("version: %q", out)
	}
	h, run := start(t, rt, "exec", "--", "hi")
	h.Signal(t, syscall.SIGINT)
	if out := h.Rest(t); out != "" {
		t.Errorf("before the gate opened: %q", out)
	}
	if code := h.Reap(); code != -int(syscall.SIGINT) {
		t.Errorf("exit %d", code)
	}
	if calls := run.Calls(); len(calls) != 1 || calls[0].Method != fakes.MethodCancel || calls[0].Signal != "INT" {
		t.Errorf("calls %+v", calls)
	}
	if _, err := run.Emit(t.Context(), ok); !errors.Is(err, fakes.ErrGone) {
		t.Errorf("after the end: %v", err)
	}
	if begun := run.Begun(); begun.Method != fakes.MethodStart || begun.Message != "" {
		t.Errorf("begun %+v", begun)
	}
	if err := rt.Fault(t.Context(), fakes.Fault{Kind: fakes.FaultDown}); err != nil {
		t.Fatal(err)
	}
	down := childtest.StartWith(t, rt, func(*childtest.Host) {}, "--version")
	if down.Rest(t); down.Reap() == 0 {
		t.Error("a runtime that is down answers")
	}
}

// A tool is a command that runs until its result is said.
func TestTools(t *testing.T) {
	rt := newRuntime(t)
	h, run := start(t, rt, "exec", "--", "hi")
	call := func(id, input string) fakes.Frame { return fakes.ToolCall{ID: id, Name: "sh", Input: input} }
	childtest.Emit(t, run, call("a", "{\"x\":\n1}"), call("b", `"it's"`))
	childtest.Emit(t, run, fakes.Result{ID: "b", Out: "it's\n$HOME `x` \\n", Error: true})
	childtest.Emit(t, run, say("between"), fakes.Result{ID: "a", Out: strings.Repeat("long ", 8_000)}, ok)
	out := h.Rest(t)
	h.Reap()
	var kinds []string
	for _, l := range canonical(t, strings.Split(strings.TrimSpace(out), "\n")) {
		switch {
		case strings.Contains(l, `"item.started"`):
			kinds = append(kinds, "start")
			if !strings.Contains(l, `# sh {\"x\": 1}`) && !strings.Contains(l, `# sh \"it's\"`) {
				t.Errorf("the input is not shown: %s", l)
			}
		case strings.Contains(l, `"status":"failed"`):
			kinds = append(kinds, "failed")
			if !strings.Contains(l, `"aggregated_output":"it's\n$HOME `+"`x`"+` \\n"`) {
				t.Errorf("the output is another: %s", l)
			}
		case strings.Contains(l, `"status":"completed"`):
			kinds = append(kinds, "completed")
			if strings.Count(l, "long ") != 8_000 {
				t.Errorf("the output is cut: %d", strings.Count(l, "long "))
			}
		case strings.Contains(l, "between"):
			kinds = append(kinds, "text")
		}
	}
	if want := []string{"start", "start", "failed", "text", "completed"}; !slices.Equal(kinds, want) {
		t.Errorf("%v, want %v", kinds, want)
	}
}

// The end of a flood waits until the program has taken it in.
func TestFlood(t *testing.T) {
	rt := newRuntime(t)
	h, run := start(t, rt, "exec", "--", "hi")
	var frames []fakes.Frame
	for range flood + 3 {
		frames = append(frames, say("."))
	}
	receipt := childtest.Emit(t, run, append(frames, ok)...)
	// Six for a message before the flood and one in it, four for a function that there is
	// not, and two answers with their beginning and end.
	if want := 6*flood + 3 + 4 + 2*3; receipt.Frames != want {
		t.Errorf("%d events, want %d", receipt.Frames, want)
	}
	if out := h.Rest(t); strings.Count(out, "agent_message") != len(frames) || !strings.Contains(out, "turn.completed") {
		t.Errorf("stdout:\n%s", out)
	}
	h.Reap()
}

// A tool whose result is never said does not outlive the runtime.
func TestOpenTool(t *testing.T) {
	rt := newRuntime(t)
	h, run := start(t, rt, "exec", "--", "hi")
	childtest.Emit(t, run, fakes.ToolCall{ID: "a", Name: "sh", Input: "{}"}, say("on"), ok)
	if out := h.Rest(t); !strings.Contains(out, "turn.completed") {
		t.Errorf("stdout:\n%s", out)
	}
	h.Reap()
	waits := func() bool {
		all, err := filepath.Glob("/proc/[0-9]*/cmdline")
		if err != nil {
			t.Fatal(err)
		}
		return slices.ContainsFunc(all, func(path string) bool {
			line, _ := os.ReadFile(path) // it may just have ended
			return strings.Contains(string(line), rt.pipe(1))
		})
	}
	if _, err := os.Stat("/proc/self/cmdline"); err == nil && !waits() {
		t.Error("the tool does not wait")
	}
	if err := rt.Close(); err != nil {
		t.Error(err)
	}
	childtest.Await(t, "the end of the tool", func() bool { return !waits() })
}

func TestEnds(t *testing.T) {
	rt := newRuntime(t)
	for _, c := range []struct {
		name   string
		frames []fakes.Frame
		want   []string // in stdout
		exit   int
	}{
		{"failure", []fakes.Frame{fakes.Failure{Message: "no quota", Fatal: true}}, []string{"turn.failed", "no quota"}, 1},
		{"error flag", []fakes.Frame{fakes.End{Reason: fakes.EndOK, Error: true, Text: "no"}}, []string{"turn.failed"}, 1},
		{"length", []fakes.Frame{say("a"), fakes.End{Reason: fakes.EndLength}}, []string{"response.incomplete"}, 1},
		{"refusal, twice", []fakes.Frame{fakes.End{Reason: fakes.EndRefusal}}, []string{"Reconnecting", "response.incomplete"}, 1},
		{"mild", []fakes.Frame{say("one"), fakes.Failure{Message: "x"}, fakes.Turn{State: "retry"}, say("two"), ok}, []string{"one", "Reconnecting", "two", "turn.completed"}, 0},
		{"pieces", []fakes.Frame{fakes.Delta{Text: "a"}, fakes.Delta{Text: "b"}, fakes.Delta{Text: "c", Msg: "2"}, ok}, []string{`"ab"`, `"c"`}, 0},
		{"pieces and the whole", []fakes.Frame{fakes.Delta{Text: "a"}, say("abc"), ok}, []string{`"abc"`}, 0},
		{"cut", []fakes.Frame{say("one"), fakes.Cut{}}, []string{"one"}, -int(syscall.SIGKILL)},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, run := start(t, rt, "exec", "--", "hi")
			childtest.Emit(t, run, c.frames...)
			out := h.Rest(t)
			rest := out
			for _, w := range c.want {
				_, after, found := strings.Cut(rest, w)
				if !found {
					t.Errorf("no %q, in order, in\n%s", w, out)
				}
				rest = after
			}
			if code := h.Reap(); code != c.exit {
				t.Errorf("exit %d, want %d", code, c.exit)
			}
			if err := run.Gone(childtest.Within(t)); err != nil {
				t.Error(err)
			}
			if calls := run.Calls(); len(calls) > 0 {
				t.Errorf("calls %+v", calls)
			}
		})
	}
}

// What has no form leaves nothing, and the run goes on.
func TestUnplayable(t *testing.T) {
	rt := newRuntime(t)
	h, run := start(t, rt, "exec", "--", "hi")
	money, zero := 1.0, int64(0)
	place := 3
	for _, f := range []fakes.Frame{
		fakes.Delta{Text: "x", At: &place}, fakes.Delta{Text: "x", Parent: "t"}, fakes.Final{}, fakes.Think{Parent: "t"}, fakes.Snapshot{Text: "x"},
		fakes.ToolCall{ID: "", Name: "sh"}, fakes.ToolCall{ID: "a"}, fakes.Result{ID: "a"}, fakes.CallPart{}, fakes.Ask{}, fakes.Usage{CostUSD: &money},
		fakes.End{Reason: fakes.EndMaxTurns}, fakes.Turn{State: "thinking"}, fakes.Ack{}, fakes.Reject{}, fakes.Attempt{}, fakes.Native{Type: "x"},
		fakes.Log{}, fakes.Raw{}, fakes.Stderr{}, fakes.Exit{}, fakes.Child{}, fakes.Ignore{},
	} {
		_, err := run.Emit(childtest.Within(t), say("never"), f)
		var where *fakes.FrameError
		if !errors.Is(err, fakes.ErrUnplayable) || !errors.As(err, &where) || where.Index != 1 || where.Word != f.Word() {
			t.Errorf("%s: %v", f.Word(), err)
		}
	}
	for _, after := range []fakes.Frame{say("x"), ok, fakes.Failure{}, fakes.Cut{}, fakes.Silent{}, fakes.ToolCall{ID: "a", Name: "b"}, fakes.Ask{ID: "q"}} {
		if _, err := run.Emit(childtest.Within(t), ok, after); !errors.Is(err, fakes.ErrUnplayable) {
			t.Errorf("%s after the end: %v", after.Word(), err)
		}
	}
	total := fakes.Usage{Kind: fakes.UsageLast, TotalIn: &zero, TotalOut: &zero}
	if err := run.Fault(t.Context(), fakes.Fault{Kind: fakes.FaultTorn}); !errors.Is(err, fakes.ErrUnplayable) {
		t.Errorf("torn: %v", err)
	}
	if err := rt.Fault(t.Context(), fakes.Fault{Kind: fakes.FaultRefuse}); !errors.Is(err, fakes.ErrUnplayable) {
		t.Errorf("refuse: %v", err)
	}
	childtest.Emit(t, run, total, say("heard"), ok)
	if out := h.Rest(t); strings.Contains(out, "never") || !strings.Contains(out, "heard") {
		t.Errorf("stdout:\n%s", out)
	}
	h.Reap()
}

// A program that is told to stop while it waits for its provider.
func TestCancel(t *testing.T) {
	rt := newRuntime(t)
	for _, c := range []struct {
		name    string
		before  []fakes.Frame
		silence bool
	}{
		{"nothing said", nil, false},
		{"in an answer", []fakes.Frame{say("one")}, false},
		{"silent", []fakes.Frame{say("one"), fakes.Silent{}, say("two"), ok}, false},
		{"silenced", []fakes.Frame{say("one")}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, run := start(t, rt, "exec", "--", "hi")
			childtest.Emit(t, run, c.before...)
			if c.silence {
				childtest.Fault(t, run, fakes.FaultSilent)
				childtest.Emit(t, run, say("two"), ok)
			}
			h.Signal(t, syscall.SIGTERM)
			if out := h.Rest(t); strings.Contains(out, "two") || strings.Contains(out, "turn.completed") {
				t.Errorf("stdout:\n%s", out)
			}
			h.Reap()
			childtest.Await(t, "the cancel", func() bool { return len(run.Calls()) > 0 })
			if calls := run.Calls(); len(calls) != 1 || calls[0].Method != fakes.MethodCancel {
				t.Errorf("calls %+v", calls)
			}
			if _, err := run.Emit(childtest.Within(t), ok); !errors.Is(err, fakes.ErrGone) {
				t.Errorf("after the end: %v", err)
			}
		})
	}
}

// A deaf program heeds nothing but its death; a cut one dies at once.
func TestFaults(t *testing.T) {
	rt := newRuntime(t)
	h, run := start(t, rt, "exec", "--", "hi")
	childtest.Emit(t, run, say("one"))
	childtest.Fault(t, run, fakes.FaultDeaf)
	h.Signal(t, syscall.SIGTERM)
	h.Signal(t, syscall.SIGKILL)
	if code := h.Reap(); code != -int(syscall.SIGKILL) {
		t.Errorf("exit %d", code)
	}
	h, run = start(t, rt, "exec", "--", "hi")
	childtest.Emit(t, run, say("one"))
	childtest.Fault(t, run, fakes.FaultCut)
	if code := h.Reap(); code != -int(syscall.SIGKILL) {
		t.Errorf("exit %d", code)
	}
	if calls := run.Calls(); len(calls) > 0 {
		t.Errorf("calls %+v", calls)
	}
}

// Further input makes the program ask anew; nothing of the answer before holds.
func TestFurtherInput(t *testing.T) {
	rt := newRuntime(t)
	h, run := start(t, rt, "exec", "--", "hi")
	childtest.Emit(t, run, fakes.Delta{Text: "half"})
	h.Signal(t, syscall.SIGUSR1)
	childtest.Await(t, "further input", func() bool { return len(run.Calls()) > 0 })
	if c := run.Calls()[0]; c.Method != fakes.MethodInput || c.Value != "further input" {
		t.Errorf("call %+v", c)
	}
	childtest.Emit(t, run, say("whole"), ok)
	if out := h.Rest(t); strings.Contains(out, "half") || !strings.Contains(out, "whole") {
		t.Errorf("stdout:\n%s", out)
	}
	h.Reap()
}

// A question is answered with the next request.
func TestQuestion(t *testing.T) {
	rt := newRuntime(t)
	for _, allow := range []bool{true, false} {
		prompt := map[bool]string{true: "allow it", false: "forbid it"}[allow]
		h, run := start(t, rt, "exec", "--", prompt)
		childtest.Emit(t, run, fakes.Ask{ID: "q1", Tool: "shell"})
		childtest.Await(t, "the answer", func() bool { return len(run.Calls()) > 0 })
		if c := run.Calls()[0]; c.Method != fakes.MethodAnswer || c.Question != "q1" || c.Allow != allow {
			t.Errorf("call %+v", c)
		}
		childtest.Emit(t, run, say("on"), ok)
		if out := h.Rest(t); !strings.Contains(out, "turn.completed") {
			t.Errorf("stdout:\n%s", out)
		}
		h.Reap()
	}
}

func TestNew(t *testing.T) {
	if _, err := New(t.Context(), Options{Program: filepath.Join(t.TempDir(), "none")}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no program: %v", err)
	}
	if got, err := Version(t.Context(), standInProgram(t)); err != nil || got != "codex-cli 0.0.0" {
		t.Errorf("version %q, %v", got, err)
	}
	rt := newRuntime(t)
	if err := rt.Close(); err != nil {
		t.Error(err)
	}
	if _, err := rt.Next(t.Context()); !errors.Is(err, fakes.ErrClosed) {
		t.Errorf("after the close: %v", err)
	}
	if _, err := os.Stat(rt.Endpoint().Dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the home is left: %v", err)
	}
}

// envProgram names the real program, for the test that needs it.
const envProgram = "ADAPTERCHECK_CODEX"

// Checks of the executor contract pass over the stand-in, and over the real program
// where there is one: everything together works.
func TestJudges(t *testing.T) {
	ids := []string{
		"executor.start.message", "executor.start.options", "executor.binding.not-before", "executor.text.increments",
		"executor.tools.result", "executor.terminal.success", "executor.terminal.failure", "executor.terminal.truncated",
		"executor.terminal.mild-error", "executor.codec.resumes", "executor.events.session-id", "executor.abort.stops", "executor.residue.run-end",
	}
	judge := func(t *testing.T, s check.Subject) {
		for _, ch := range executortest.Checks() {
			if !slices.Contains(ids, ch.ID) {
				continue
			}
			r := &check.Runner{Subject: s, Budgets: check.DefaultBudgets(true).Scale(4)}
			if o := r.Execute(t.Context(), ch); o.State != report.Passed {
				t.Errorf("%s: %s %v %v %v", ch.ID, o.State, o.Codes, o.Fault, o.Details)
			}
		}
	}
	t.Run("stand-in", func(t *testing.T) {
		judge(t, Subjects(Options{Program: standInProgram(t)})[0])
	})
	t.Run("real", func(t *testing.T) {
		path := os.Getenv(envProgram)
		if path == "" {
			t.Skipf("no %s: set it to the binary of Codex, or use make real-runtimes", envProgram)
		}
		version, err := Version(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		t.Log(version)
		for _, s := range Subjects(Options{Program: path}) {
			judge(t, s)
		}
	})
}

// A subject offers what the program can be made to do, and no more.
func TestSubjects(t *testing.T) {
	for _, s := range Subjects(Options{}) {
		for _, f := range s.Offers {
			if f != fakes.Observers && !slices.Contains(features, f) {
				t.Errorf("%s offers %s", s.Name, f)
			}
		}
		if !s.Offers.Has(fakes.Tools) || Flooded(s).Offers.Has(fakes.Tools) {
			t.Errorf("%s: tools offered to all checks but floods", s.Name)
		}
	}
}
