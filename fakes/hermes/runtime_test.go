//go:build unix

package hermes_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/child/childtest"
	"github.com/adaptercheck/adaptercheck/fakes/hermes"
	"github.com/adaptercheck/adaptercheck/fakes/wire"
)

func number(n int64) *int64 { return &n }

// work is a run with a tool.
func work() []fakes.Frame {
	cost := 0.25
	return []fakes.Frame{
		fakes.Think{Text: "hm"}, fakes.Delta{Text: "I will "}, fakes.Delta{Text: "look."},
		fakes.ToolCall{ID: "t1", Name: "terminal", Input: `{"command":"ls"}`}, fakes.ToolCall{ID: "t2", Name: "read", Input: `"none"`},
		fakes.Result{ID: "t1", Out: "a.txt"}, fakes.Result{ID: "t2", Out: "no such file", Error: true},
		fakes.Usage{In: number(100), Out: number(20), CacheRead: number(30), CacheWrite: number(4), Reasoning: number(5), CostUSD: &cost},
		say("One file."), ok,
	}
}

var isSession = regexp.MustCompile(`^\d{8}_\d{6}_[0-9a-f]{6}$`).MatchString

func TestQuietRun(t *testing.T) {
	rt := newRuntime(t, hermes.Options{Seed: 1})
	h := start(t, rt, append(quiet, "-m", "anthropic/claude"))
	run := childtest.Next(t, rt)

	begun := run.Begun()
	dir, err := filepath.EvalSymlinks(h.Dir)
	if err != nil {
		t.Fatal(err)
	}
	want := fakes.Call{Method: fakes.MethodStart, Session: begun.Session, Message: "go", Model: "anthropic/claude", Args: h.Args[1:],
		Env: []string{"HERMES_HOME", "PATH", "PROBE"}, Dir: dir}
	if diff := cmp.Diff(want, begun); diff != "" || !isSession(begun.Session) {
		t.Errorf("begun (-want +got):\n%s", diff)
	}
	home := rt.Endpoint().Dir
	if diff := cmp.Diff([]string{"user|go"}, ask(t, home, messagesOf, begun.Session)); diff != "" {
		t.Errorf("rows at the start (-want +got):\n%s", diff)
	}
	frames := work()
	if r := childtest.Emit(t, run, frames[:len(frames)-1]...); r != (fakes.Receipt{}) {
		t.Errorf("said before the end: %+v", r)
	}
	calls := `[{"id":"t1","type":"function","function":{"name":"terminal","arguments":"{\"command\":\"ls\"}"}},{"id":"t2","type":"function","function":{"name":"read","arguments":"\"none\""}}]`
	rows := []string{"user|go", "assistant|I will look.|hm|" + calls + "|tool_calls", "tool|a.txt|t1|terminal", `tool|{"error":"no such file"}|t2|read`}
	if diff := cmp.Diff(rows, ask(t, home, messagesOf, begun.Session)); diff != "" {
		t.Errorf("rows while it runs (-want +got):\n%s", diff)
	}
	if r := childtest.Emit(t, run, ok); r != (fakes.Receipt{Frames: 1, Bytes: int64(len("One file.\n"))}) {
		t.Errorf("receipt of the end: %+v", r)
	}
	out, errs, code := finish(t, h)
	if out != "One file.\n" || errs != "\nsession_id: "+begun.Session+"\n" || code != 0 {
		t.Errorf("stdout %q, stderr %q, exit code %d", out, errs, code)
	}
	if err := run.Gone(childtest.Within(t)); err != nil {
		t.Error(err)
	}
	if r := rt.Residue(); !r.Zero() {
		t.Errorf("residue %+v", r)
	}
	if _, err := run.Emit(childtest.Within(t), ok); !errors.Is(err, fakes.ErrGone) {
		t.Errorf("emit after the end: %v", err)
	}
	if diff := cmp.Diff(append(rows, "assistant|One file.|stop"), ask(t, home, messagesOf, begun.Session)); diff != "" {
		t.Errorf("rows at the end (-want +got):\n%s", diff)
	}
	session := ask(t, home, `SELECT concat_ws('|', source, model, cwd, end_reason, message_count, tool_call_count, input_tokens, output_tokens, cache_read_tokens,
		cache_write_tokens, reasoning_tokens, estimated_cost_usd, cost_status, api_call_count, ended_at >= started_at) FROM sessions WHERE id = ?`, begun.Session)
	if diff := cmp.Diff([]string{"cli|anthropic/claude|" + dir + "|cli_close|5|2|100|20|30|4|5|0.25|estimated|1|1"}, session); diff != "" {
		t.Errorf("session (-want +got):\n%s", diff)
	}
	if got := ask(t, home, `SELECT concat_ws('|', model, input_tokens, estimated_cost_usd) FROM session_model_usage`); cmp.Diff([]string{"anthropic/claude|100|0.25"}, got) != "" {
		t.Errorf("usage by model: %q", got)
	}
	if got := ask(t, home, "PRAGMA journal_mode"); got[0] != "wal" {
		t.Errorf("journal %q", got)
	}
	if got := ask(t, home, "SELECT version FROM schema_version"); cmp.Diff([]string{"30"}, got) != "" {
		t.Errorf("schema version %q", got)
	}
}

// lines decodes an output; times become zero.
func lines(t *testing.T, out string) []map[string]any {
	t.Helper()
	var all []map[string]any
	for line := range strings.Lines(out) {
		var x map[string]any
		if err := json.Unmarshal([]byte(line), &x); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if x["timestamp"].(float64) < 1.6e12 {
			t.Errorf("time of %q", line)
		}
		for _, name := range []string{"timestamp", "duration_ms"} {
			delete(x, name)
		}
		all = append(all, x)
	}
	return all
}

func TestStreamRun(t *testing.T) {
	rt := newRuntime(t, hermes.Options{})
	h := start(t, rt, stream)
	run := childtest.Next(t, rt)
	id := run.Begun().Session
	childtest.Emit(t, run, fakes.Init{Model: "m"})
	if line := h.Line(t); !strings.HasPrefix(line, `{"type": "system", "subtype": "init", "model": "m", "session_id": "`+id+`", "timestamp": `) {
		t.Errorf("init %q", line)
	}
	frames := work()
	childtest.Emit(t, run, append([]fakes.Frame{fakes.Native{Type: "x", Fields: `{"timestamp":1700000000000}`}}, frames[:len(frames)-1]...)...)
	childtest.Emit(t, run, fakes.ToolCall{ID: "t3", Name: "n"}, fakes.Result{ID: "t3", Out: strings.Repeat("é", 5001)}, ok)
	out, errs, code := finish(t, h)
	type m = map[string]any
	want := []m{
		{"type": "x"},
		{"type": "text", "text": "I will "}, {"type": "text", "text": "look."},
		{"type": "tool_use", "name": "terminal", "tool_call_id": "t1", "input": m{"command": "ls"}},
		{"type": "tool_use", "name": "read", "tool_call_id": "t2"},
		{"type": "tool_result", "name": "terminal", "tool_call_id": "t1", "output": "a.txt", "is_error": false},
		{"type": "tool_result", "name": "read", "tool_call_id": "t2", "output": `{"error":"no such file"}`, "is_error": true},
		{"type": "text", "text": "One file."},
		{"type": "tool_use", "name": "n", "tool_call_id": "t3"},
		{"type": "tool_result", "name": "n", "tool_call_id": "t3", "output": strings.Repeat("é", 5000) + "...", "is_error": false},
		{"type": "result", "session_id": id, "exit_code": 0.0, "text": "One file.",
			"tokens": m{"input": 100.0, "output": 20.0, "total": 154.0, "cache_read": 30.0, "cache_write": 4.0}},
	}
	if diff := cmp.Diff(want, lines(t, out)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if errs != "\nsession_id: "+id+"\n" || code != 0 {
		t.Errorf("stderr %q, exit code %d", errs, code)
	}
}

// How turns end, by version.
func TestEndings(t *testing.T) {
	newest, middle, oldest := "0.21.5", "0.15.2", "0.4.0"
	broke := fakes.Failure{Code: "overloaded", Message: "HTTP 529", Fatal: true}
	for _, c := range []struct {
		name, version string
		args          []string
		frames        []fakes.Frame
		env           string
		out, errs     string // % is the line of the session
		code          int
	}{
		{"ok", oldest, quiet, []fakes.Frame{say("hi"), ok}, "", "hi\n%", "", 0},
		{"nothing said", newest, quiet, []fakes.Frame{ok}, "", "", "%", 0},
		{"text of the end", newest, quiet, []fakes.Frame{say("hi"), fakes.End{Reason: fakes.EndOK, Text: "ho"}}, "", "ho\n", "%", 0},
		{"other text at last", newest, quiet, []fakes.Frame{fakes.Delta{Text: "hi"}, say("ho"), ok}, "", "ho\n", "%", 0},
		{"whole after its pieces", newest, quiet, []fakes.Frame{fakes.Delta{Text: "h"}, say("ho"), say("!"), say("!"), ok}, "", "ho!!\n", "%", 0},
		{"failure", newest, quiet, []fakes.Frame{broke}, "", "", "Error: HTTP 529\n%", 1},
		{"failure after words", newest, quiet, []fakes.Frame{say("hi"), broke}, "", "hi\n", "%", 1},
		{"failure of a worker", newest, quiet, []fakes.Frame{broke}, "HERMES_KANBAN_TASK=1", "", "Error: HTTP 529\n%", 75},
		{"failure for good of a worker", newest, quiet, []fakes.Frame{fakes.Failure{Code: "auth", Message: "no", Fatal: true}}, "HERMES_KANBAN_TASK=1", "", "Error: no\n%", 78},
		{"failure, before", middle, quiet, []fakes.Frame{broke}, "", "", "Error: HTTP 529\n%", 1},
		{"failure, old", oldest, quiet, []fakes.Frame{broke}, "", "%", "", 0},
		{"end in error", newest, quiet, []fakes.Frame{fakes.End{Reason: fakes.EndOK, Error: true, Text: "no"}}, "", "", "Error: no\n%", 1},
		{"length", newest, quiet, []fakes.Frame{say("hal"), fakes.End{Reason: fakes.EndLength}}, "", "hal\n", "%", 1},
		{"length, before", middle, quiet, []fakes.Frame{say("hal"), fakes.End{Reason: fakes.EndLength}}, "", "hal\n", "%", 0},
		{"refusal", newest, quiet, []fakes.Frame{fakes.End{Reason: fakes.EndRefusal}}, "", "The model declined to answer.\n", "%", 1},
		{"aborted", newest, quiet, []fakes.Frame{say("hi"), fakes.End{Reason: fakes.EndAborted}}, "", "", "%", 130},
		{"aborted, before", middle, quiet, []fakes.Frame{fakes.End{Reason: fakes.EndAborted}}, "", "", "%", 0},
		{"another code", newest, quiet, []fakes.Frame{say("hi"), ok, fakes.Exit{Code: 3}}, "", "hi\n", "%", 3},
		{"by signal", newest, quiet, []fakes.Frame{say("hi"), ok, fakes.Exit{Signal: "KILL"}}, "", "hi\n", "%", -int(syscall.SIGKILL)},
		{"cut", newest, quiet, []fakes.Frame{say("hi"), fakes.Cut{}}, "", "", "", 0},
		{"not quiet", newest, []string{"chat", "-q", "go"}, []fakes.Frame{say("hi"), ok}, "", "Query: go\nhi\n\nResume this session with:\n  hermes --resume ID\n", "", 0},
		{"no frame for quiet", newest, quiet, []fakes.Frame{fakes.Init{}, fakes.Native{Type: "x"}, ok}, "", "", "%", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			rt := newRuntime(t, hermes.Options{Version: c.version})
			h := start(t, rt, c.args, c.env)
			run := childtest.Next(t, rt)
			childtest.Emit(t, run, c.frames...)
			out, errs, code := finish(t, h)
			if len(c.args) < len(quiet) && c.args[len(c.args)-1] == "go" {
				if calls := run.Calls(); len(calls) != 1 || calls[0].Method != fakes.MethodBreach || calls[0].Code != "no-quiet" {
					t.Errorf("calls %+v", calls)
				}
			}
			known := strings.NewReplacer("%", "\nsession_id: "+run.Begun().Session+"\n", "ID", run.Begun().Session)
			if out != known.Replace(c.out) || errs != known.Replace(c.errs) || code != c.code {
				t.Errorf("stdout %q, stderr %q, exit code %d", out, errs, code)
			}
		})
	}
}

// Sessions go on over processes, with their totals.
func TestResume(t *testing.T) {
	rt := newRuntime(t, hermes.Options{})
	home := rt.Endpoint().Dir
	turn := func(frames []fakes.Frame, args ...string) (fakes.Call, string, string) {
		t.Helper()
		h := start(t, rt, append([]string{"chat", "-q", "go", "-Q"}, args...))
		run := childtest.Next(t, rt)
		childtest.Emit(t, run, frames...)
		out, errs, code := finish(t, h)
		if code != 0 {
			t.Fatalf("exit code %d, %q", code, errs)
		}
		return run.Begun(), out, errs
	}
	const id = "00000000-0000-7000-8000-00000000abcd"
	first, _, errs := turn([]fakes.Frame{fakes.Init{Session: id}, fakes.Usage{In: number(100)}, say("one"), ok})
	if errs != "\nsession_id: "+id+"\n" || first.Resume != "" {
		t.Errorf("named: %+v, %q", first, errs)
	}
	if got := ask(t, home, "SELECT id FROM sessions"); cmp.Diff([]string{id}, got) != "" {
		t.Errorf("sessions %q", got)
	}
	again, out, errs := turn([]fakes.Frame{fakes.Init{Session: id}, fakes.Usage{Kind: fakes.UsageTotal, In: number(150)}, say("two"), ok}, "--resume", id)
	if again.Session != id || again.Resume != id || out != "two\n" || errs != "↻ Resumed session "+id+" (1 user message, 2 total messages)\n\nsession_id: "+id+"\n" {
		t.Errorf("resumed: %+v, %q, %q", again, out, errs)
	}
	if last, _, _ := turn([]fakes.Frame{say("three"), ok}, "-c"); last.Session != id || last.Resume != id {
		t.Errorf("continued: %+v", last)
	}
	// A run that takes the id of a session that is there goes on with it.
	turn([]fakes.Frame{fakes.Init{Session: id}, fakes.Usage{Kind: fakes.UsageTotal, In: number(170)}, say("four"), ok})
	if got := ask(t, home, "SELECT concat_ws('|', input_tokens, message_count, (SELECT COUNT(*) FROM messages WHERE session_id = sessions.id)) FROM sessions"); cmp.Diff([]string{"170|8|8"}, got) != "" {
		t.Errorf("totals %q", got)
	}
	// A session that is compressed goes on under another id, and so does who asks for the old one.
	_, _, errs = turn([]fakes.Frame{fakes.Init{}, fakes.Turn{State: "compact"}, say("five"), ok}, "-r", id)
	heir := ask(t, home, "SELECT id FROM sessions WHERE parent_session_id = ?", id)
	if len(heir) != 1 || !strings.HasSuffix(errs, "\nsession_id: "+heir[0]+"\n") {
		t.Fatalf("heir %q, stderr %q", heir, errs)
	}
	if got := ask(t, home, "SELECT end_reason FROM sessions ORDER BY id = ? DESC", id); cmp.Diff([]string{"compression", "cli_close"}, got) != "" {
		t.Errorf("ends %q", got)
	}
	if late, _, errs := turn([]fakes.Frame{say("six"), ok}, "--resume="+id); late.Session != heir[0] || late.Resume != id || !strings.HasPrefix(errs, "Session "+id+" was compressed into "+heir[0]) {
		t.Errorf("heir resumed: %+v, %q", late, errs)
	}
}

func TestResumeOfUnknownSession(t *testing.T) {
	const told = "Session not found: nope\nUse a session ID from a previous CLI run (hermes sessions list).\n"
	for _, c := range []struct {
		version, out, errs string
		args               []string
	}{
		{"0.21.5", "", told, quiet},
		{"0.4.0", told, "", quiet},
		{"0.21.5", "system result", told + "\nsession_id: nope\n", stream},
	} {
		rt := newRuntime(t, hermes.Options{Version: c.version})
		out, errs, code := finish(t, start(t, rt, append(c.args, "--resume", "nope")))
		if strings.HasPrefix(out, "{") {
			var types []string
			for _, line := range lines(t, out) {
				types = append(types, line["type"].(string))
			}
			out = strings.Join(types, " ")
		}
		if out != c.out || errs != c.errs || code != 1 {
			t.Errorf("%s %v: stdout %q, stderr %q, exit code %d", c.version, c.args, out, errs, code)
		}
	}
}

func TestSignals(t *testing.T) {
	for _, c := range []struct {
		name, version string
		args          []string
		signal        syscall.Signal
		code          int
		errs          string // % is the line of the session
		left          int
	}{
		{"TERM", "", quiet, syscall.SIGTERM, 130, "%", 0},
		{"INT", "", quiet, syscall.SIGINT, 130, "%", 0},
		{"HUP", "", stream, syscall.SIGHUP, 130, "%", 0},
		{"TERM", "0.15.2", quiet, syscall.SIGTERM, -int(syscall.SIGINT), "Traceback (most recent call last):\nKeyboardInterrupt\n", 0},
		{"TERM", "0.4.0", quiet, syscall.SIGTERM, -int(syscall.SIGTERM), "", 1},
		{"KILL", "", quiet, syscall.SIGKILL, -int(syscall.SIGKILL), "", 1},
	} {
		t.Run(c.name+c.version, func(t *testing.T) {
			rt := newRuntime(t, hermes.Options{Version: c.version})
			h := start(t, rt, c.args, "HERMES_SIGTERM_GRACE=0.01")
			run := childtest.Next(t, rt)
			childtest.Emit(t, run, fakes.Delta{Text: "so far"}, fakes.Child{OwnSession: true})
			h.Signal(t, c.signal)
			out, errs, code := finish(t, h)
			if errs != strings.ReplaceAll(c.errs, "%", "\nsession_id: "+run.Begun().Session+"\n") || code != c.code {
				t.Errorf("stderr %q, ended by %d", errs, code)
			}
			if len(c.args) == len(stream) {
				last := lines(t, out)[1]
				if last["type"] != "result" || last["exit_code"] != 130.0 || last["error"] != "Interrupted" {
					t.Errorf("result %v", last)
				}
			} else if out != "" {
				t.Errorf("stdout %q", out)
			}
			if err := run.Gone(childtest.Within(t)); err != nil {
				t.Error(err)
			}
			childtest.Await(t, "the descendants are as they should", func() bool { return rt.Residue().Children == c.left })
			if c.signal != syscall.SIGKILL {
				want := []fakes.Call{{Method: fakes.MethodCancel, Session: run.Begun().Session, Signal: c.name}}
				if diff := cmp.Diff(want, run.Calls()); diff != "" {
					t.Errorf("calls (-want +got):\n%s", diff)
				}
			}
		})
	}
}

// While the grace runs, the process still says what it is told to, and hears of further
// signals without another end.
func TestGrace(t *testing.T) {
	rt := newRuntime(t, hermes.Options{})
	h := start(t, rt, quiet, "HERMES_SIGTERM_GRACE=600")
	run := childtest.Next(t, rt)
	for i := range 2 {
		h.Signal(t, syscall.SIGTERM)
		childtest.Await(t, "the signal is heard", func() bool { return len(run.Calls()) == i+1 })
	}
	childtest.Emit(t, run, say("in time"), ok)
	if out, _, code := finish(t, h); out != "in time\n" || code != 0 {
		t.Errorf("stdout %q, exit code %d", out, code)
	}
}

func TestFaultsOfARun(t *testing.T) {
	for _, kind := range []fakes.FaultKind{fakes.FaultDeaf, fakes.FaultHold} {
		t.Run(string(kind), func(t *testing.T) {
			rt := newRuntime(t, hermes.Options{})
			h := start(t, rt, quiet, "HERMES_SIGTERM_GRACE=0")
			run := childtest.Next(t, rt)
			childtest.Fault(t, run, kind)
			h.Signal(t, syscall.SIGTERM)
			childtest.Await(t, "the signal is heard", func() bool { return len(run.Calls()) == 1 })
			childtest.Emit(t, run, say("still here"), ok)
			if out, _, code := finish(t, h); out != "still here\n" || code != 0 {
				t.Errorf("stdout %q, exit code %d", out, code)
			}
		})
	}
	t.Run("silent", func(t *testing.T) {
		rt := newRuntime(t, hermes.Options{})
		h := start(t, rt, quiet)
		run := childtest.Next(t, rt)
		childtest.Fault(t, run, fakes.FaultSilent)
		childtest.Emit(t, run, fakes.ToolCall{ID: "t1", Name: "x"}, say("x"), ok)
		if out, errs, code := finish(t, h); out != "" || errs != "" || code != 0 {
			t.Errorf("stdout %q, stderr %q, exit code %d", out, errs, code)
		}
		if got := ask(t, rt.Endpoint().Dir, messagesOf, run.Begun().Session); cmp.Diff([]string{"user|go"}, got) != "" {
			t.Errorf("rows %q", got)
		}
	})
	t.Run("end and never exit", func(t *testing.T) {
		rt := newRuntime(t, hermes.Options{})
		h := start(t, rt, quiet, "HERMES_SIGTERM_GRACE=0")
		run := childtest.Next(t, rt)
		childtest.Emit(t, run, say("x"), ok, fakes.Silent{})
		if line := h.Line(t); line != "x\n" {
			t.Errorf("stdout %q", line)
		}
		h.Signal(t, syscall.SIGTERM)
		if out, errs, code := finish(t, h); out != "" || strings.Count(errs, "session_id") != 1 || code != 130 {
			t.Errorf("stdout %q, stderr %q, exit code %d", out, errs, code)
		}
	})
	t.Run("cut and never exit", func(t *testing.T) {
		rt := newRuntime(t, hermes.Options{})
		h := start(t, rt, stream, "HERMES_SIGTERM_GRACE=0")
		run := childtest.Next(t, rt)
		childtest.Emit(t, run, fakes.Delta{Text: "x"}, fakes.Cut{}, fakes.Silent{})
		out := h.Rest(t)
		h.Signal(t, syscall.SIGTERM)
		if code := h.Reap(); strings.Count(out, "\n") != 1 || code != 130 {
			t.Errorf("stdout %q, exit code %d", out, code)
		}
	})
	t.Run("nobody reads", func(t *testing.T) {
		rt := newRuntime(t, hermes.Options{})
		h := start(t, rt, quiet)
		run := childtest.Next(t, rt)
		h.CloseOut()
		if _, err := run.Emit(childtest.Within(t), say("x"), ok); err != nil && !errors.Is(err, fakes.ErrGone) {
			t.Error(err)
		}
		if code := h.Reap(); code != 120 {
			t.Errorf("exit code %d", code)
		}
	})
}

// Faults of the wire strike the answer of a quiet run, which is one frame.
func TestWireFaults(t *testing.T) {
	rt := newRuntime(t, hermes.Options{Wire: wire.Faults{{Kind: wire.Noise, Text: "Session ID: noise"}, {Kind: wire.Cut, Byte: 3}}})
	h := start(t, rt, quiet)
	r := childtest.Emit(t, childtest.Next(t, rt), say("hello"), ok)
	if out, _, code := finish(t, h); out != "Session ID: noise\nhel" || r.Bytes != int64(len(out)) || code != 0 {
		t.Errorf("stdout %q, receipt %+v, exit code %d", out, r, code)
	}
}

func TestHealthAndFaultsOfTheRuntime(t *testing.T) {
	rt := newRuntime(t, hermes.Options{Version: "0.15.2"})
	if out, _, code := finish(t, start(t, rt, []string{"--version"})); !strings.HasPrefix(out, "Hermes Agent v0.15.2 (2026.5.29.2)\n") || code != 0 {
		t.Errorf("health: %q, %d", out, code)
	}
	if _, errs, code := finish(t, start(t, rt, stream)); code != 2 || !strings.HasSuffix(errs, "error: unrecognized arguments: --format stream-json\n") {
		t.Errorf("stream-json: %q, %d", errs, code)
	}
	if err := rt.Fault(t.Context(), fakes.Fault{Kind: fakes.FaultRefuse}); err != nil {
		t.Fatal(err)
	}
	if out, errs, code := finish(t, start(t, rt, quiet)); out != "" || errs == "" || code != 1 {
		t.Errorf("refused: %q, %q, %d", out, errs, code)
	}
	if err := rt.Fault(t.Context(), fakes.Fault{Kind: fakes.FaultDown}); err != nil {
		t.Fatal(err)
	}
	if out, _, code := finish(t, start(t, rt, []string{"--version"})); out != "" || code != 1 {
		t.Errorf("down: %q, %d", out, code)
	}
}

// Processes that begin at once on one home share its database, and their ids differ.
func TestConcurrentRuns(t *testing.T) {
	const n = 4
	rt := newRuntime(t, hermes.Options{Seed: 42})
	var hosts []*childtest.Host
	for range n {
		hosts = append(hosts, start(t, rt, quiet))
	}
	var said sync.WaitGroup
	for range n {
		run := childtest.Next(t, rt)
		said.Go(func() {
			for i := range 20 {
				call := fmt.Sprint("t", i)
				if _, err := run.Emit(childtest.Within(t), fakes.ToolCall{ID: call, Name: "x"}, fakes.Result{ID: call, Out: "y"}); err != nil {
					t.Error(err)
				}
			}
			if _, err := run.Emit(childtest.Within(t), say(run.Begun().Session), ok); err != nil {
				t.Error(err)
			}
		})
	}
	said.Wait()
	for _, h := range hosts {
		out, errs, code := finish(t, h)
		if code != 0 || errs != "\nsession_id: "+out {
			t.Errorf("stdout %q, stderr %q, exit code %d", out, errs, code)
		}
	}
	if left, err := filepath.Glob(filepath.Join(rt.Endpoint().Dir, "state.db-*")); err != nil || len(left) > 0 {
		t.Errorf("left: %q, %v", left, err)
	}
	if got := ask(t, rt.Endpoint().Dir, "SELECT message_count FROM sessions"); cmp.Diff([]string{"42", "42", "42", "42"}, got) != "" {
		t.Errorf("messages %q", got)
	}
}

// What a process wrote before it was killed is there, and the next one goes on with it.
func TestKilled(t *testing.T) {
	rt := newRuntime(t, hermes.Options{})
	h := start(t, rt, quiet)
	run := childtest.Next(t, rt)
	id := run.Begun().Session
	childtest.Emit(t, run, fakes.ToolCall{ID: "t1", Name: "x", Input: "{}"}, say("lost"))
	h.Signal(t, syscall.SIGKILL)
	h.Reap()
	h = start(t, rt, append(quiet, "--resume", id))
	childtest.Emit(t, childtest.Next(t, rt), say("back"), ok)
	if out, errs, code := finish(t, h); out != "back\n" || !strings.HasPrefix(errs, "↻ Resumed session "+id+" (1 user message, 2 total messages)\n") || code != 0 {
		t.Errorf("stdout %q, stderr %q, exit code %d", out, errs, code)
	}
}

// What a fake did not make is nobody's to write: a real history stays as it is.
func TestForeignHistoryIsRefused(t *testing.T) {
	rt := newRuntime(t, hermes.Options{})
	home := t.TempDir()
	file := filepath.Join(home, "state.db")
	if err := os.WriteFile(file, []byte("somebody's"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, errs, code := finish(t, start(t, rt, quiet, "HERMES_HOME="+home))
	if out != "" || code != 2 || !strings.Contains(errs, "HERMES_HOME has a state.db that this fake did not make") {
		t.Errorf("stdout %q, stderr %q, exit code %d", out, errs, code)
	}
	entries, err := os.ReadDir(home)
	if err != nil || len(entries) != 1 {
		t.Errorf("home: %v, %v", entries, err)
	}
	if data, err := os.ReadFile(file); err != nil || string(data) != "somebody's" {
		t.Errorf("state.db: %q, %v", data, err)
	}
}

// Files are for their owner alone, in a home of any name; without HERMES_HOME the fake
// keeps its own.
func TestHome(t *testing.T) {
	odd := filepath.Join(t.TempDir(), "a home? 100%41 #1")
	for name, env := range map[string]string{odd: "HERMES_HOME=" + odd, "": "HERMES_HOME="} {
		rt := newRuntime(t, hermes.Options{})
		h := start(t, rt, quiet, env)
		run := childtest.Next(t, rt)
		if name == "" {
			name = filepath.Join(rt.Endpoint().Dir, "sessions")
		}
		for file, mode := range map[string]os.FileMode{"": 0o700, "state.db": 0o600, "state.db-wal": 0o600, "state.db-shm": 0o600} {
			if info, err := os.Stat(filepath.Join(name, file)); err != nil {
				t.Error(err)
			} else if info.Mode().Perm() != mode {
				t.Errorf("%q: %v", file, info.Mode())
			}
		}
		childtest.Emit(t, run, ok)
		finish(t, h)
	}
}

// A query may come from a file or from stdin, and a process without one is no run.
func TestQueries(t *testing.T) {
	rt := newRuntime(t, hermes.Options{})
	file := filepath.Join(t.TempDir(), "query")
	if err := os.WriteFile(file, []byte("from a file"), 0o600); err != nil {
		t.Fatal(err)
	}
	start(t, rt, []string{"chat", "-Q", "--query-file", file, "--source", "tool"})
	if got := childtest.Next(t, rt).Begun(); got.Message != "from a file" {
		t.Errorf("begun %+v", got)
	}
	childtest.StartWith(t, rt, func(h *childtest.Host) { h.Stdin = strings.NewReader("from stdin") }, "chat", "-Q", "--query-file", "-")
	if got := childtest.Next(t, rt).Begun(); got.Message != "from stdin" {
		t.Errorf("begun %+v", got)
	}
	if got := ask(t, rt.Endpoint().Dir, "SELECT source FROM sessions"); cmp.Diff([]string{"tool"}, got) != "" {
		t.Errorf("source %q", got)
	}
	if _, errs, code := finish(t, start(t, rt, []string{"chat", "-Q", "--query-file", file + "2"})); code != 2 || !strings.HasPrefix(errs, "Error: --query-file: ") {
		t.Errorf("no file: %q, %d", errs, code)
	}
	if out, errs, code := finish(t, start(t, rt, []string{"chat"})); out == "" || !strings.HasPrefix(errs, "Warning: Input is not a terminal") || code != 0 {
		t.Errorf("no query: %q, %q, %d", out, errs, code)
	}
}

func TestNewRefusesUnknownVersion(t *testing.T) {
	if rt, err := hermes.New(t.Context(), hermes.Options{Version: "1"}); err == nil {
		rt.Close()
		t.Error("no error")
	}
}
