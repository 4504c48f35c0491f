//go:build unix

package claudecode_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/adapters/claudecode"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/double"
)

func TestARunFromStartToEnd(t *testing.T) {
	s := patient(t, "hear", "hold main", initial, hello, success, "heed")
	message := "the \"message\"\nñ \u2028 🦜"
	run := s.start(executor.StartOpts{Message: message, Context: "the context", Model: "opus", ChildToolBlocklist: []string{"Bash", "Write"}})
	if id, bound := run.ID(); bound {
		t.Errorf("bound to %q by start", id)
	}
	stream := s.adapter.Events(run)
	s.LetGo("main")
	first := s.Next(stream)
	id, bound := run.ID()
	if !bound || id == "" || first.Head().RunID != id {
		t.Errorf("after the first event bound=%v to %q, the event has %q", bound, id, first.Head().RunID)
	}
	events := append([]executor.Event{first}, s.Rest(stream)...)
	want := []executor.Kind{"status", "text-delta", "cost", "status", "done"}
	if d := cmp.Diff(want, double.Kinds(events)); d != "" {
		t.Errorf("kinds (-want +got):\n%s", d)
	}
	for i, e := range events {
		h := e.Head()
		if h.RunID != id || h.Seq != int64(i+1) || h.TS != 1234 || h.SessionID == nil || *h.SessionID != session {
			t.Errorf("event %d: %+v", i, h)
		}
	}
	if d := s.Ended(events); d.Reason != executor.ReasonSuccess || d.Summary != "Hello." {
		t.Errorf("done %+v", d)
	}
	c := s.Calls()[0]
	wantArgs := []string{
		"-p", "--output-format", "stream-json", "--verbose", "--input-format", "stream-json", "--include-partial-messages",
		"--permission-prompt-tool", "stdio", "--permission-mode", "default", "--disallowedTools=Bash,Write", "--model=opus",
	}
	if d := cmp.Diff(wantArgs, c.Args); d != "" {
		t.Errorf("arguments (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"the context\n\n" + message}, s.prompts(c)); d != "" || !c.Ended {
		t.Errorf("stdin ended=%v (-want +got):\n%s", c.Ended, d)
	}
	if slices.Contains(c.Env, "HOST_SECRET") || !slices.Contains(c.Env, "ANTHROPIC_API_KEY") || !slices.Contains(c.Env, "GIVEN") || !slices.Contains(c.Env, "PATH") {
		t.Errorf("environment %v", c.Env)
	}
	if want, _ := filepath.EvalSymlinks(s.options.Dir); c.Dir != want {
		t.Errorf("directory %q, want %q", c.Dir, want)
	}
}

func TestHowRunsEnd(t *testing.T) {
	tests := []struct {
		name    string
		steps   []string
		reason  executor.Reason
		code    string
		message string // a part of it
	}{
		{"success", []string{"hear", initial, hello, success, "heed"}, executor.ReasonSuccess, "", ""},
		{"success beats the exit code", []string{"hear", initial, hello, success, "exit 1"}, executor.ReasonSuccess, "", ""},
		{"success of a process that stays", []string{"hear", initial, hello, success, "heed", "hold main"}, executor.ReasonSuccess, "", ""},
		{"success of a deaf process that stays", []string{"deaf", "hear", initial, hello, success, "hold main"}, executor.ReasonSuccess, "", ""},
		{"success of a process that reads nothing", []string{"deaf", initial, hello, success, "hold main", "heed"}, executor.ReasonSuccess, "", ""},
		{"a result without a line end, before stdin ends", []string{"hear", initial, hello, "print " + strings.TrimPrefix(success, "say "), "heed"}, executor.ReasonSuccess, "", ""},
		{"a second turn that nobody announced", []string{"hear", initial, hello, success, "heed", initial, hello, twice}, executor.ReasonSuccess, "", ""},
		{"failure", []string{"hear", initial, hello, `say {"type":"result","subtype":"success","is_error":true,"result":"boom"}`, "heed", "exit 1"}, executor.ReasonError, executor.CodeRuntime, "boom"},
		{"no result, exit 0", []string{"hear", initial, hello}, executor.ReasonError, executor.CodeStreamTruncated, "exit code 0"},
		{"no result, stdout closed, process stays", []string{"hear", initial, hello, "close", "hold main"}, executor.ReasonError, executor.CodeStreamTruncated, "SIGTERM"},
		{"no result, exit 143", []string{"hear", initial, hello, "exit 143"}, executor.ReasonError, executor.CodeExit, "exit code 143"},
		{"killed by somebody else", []string{"hear", initial, hello, "die 9"}, executor.ReasonError, executor.CodeExit, "signal SIGKILL"},
		{"nothing but stderr", []string{"hear", "err keys canary-given and canary-api-key are no good", "exit 1"}, executor.ReasonError, executor.CodeExit, "(exit code 1): keys [redacted] and [redacted] are no good"},
		{"stderr is no failure", []string{"err ERROR noise", "hear", initial, hello, success, "heed"}, executor.ReasonSuccess, "", ""},
		{"a secret in the failure", []string{"hear", initial, `say {"type":"result","subtype":"success","is_error":true,"result":"key canary-given refused"}`}, executor.ReasonError, executor.CodeRuntime, "key [redacted] refused"},
		{"a result that cannot be read", []string{"hear", initial, hello, answered, "say {\"type\":\"result\"", "heed"}, executor.ReasonError, executor.CodeStreamTruncated, "exit code 0"},
		{"a result that is too long", []string{"hear", initial, hello, answered, "fill 2000000", "say", "heed"}, executor.ReasonError, executor.CodeStreamTruncated, "exit code 0"},
		{"a line that is too long", []string{"hear", initial, "fill 2000000", "say", hello, success, "heed"}, executor.ReasonSuccess, "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := newStage(t)
			s.options.MaxLine = 1 << 20
			s.fresh(test.steps...)
			_, events := s.run(executor.StartOpts{})
			d := s.Ended(events)
			if d.Reason != test.reason {
				t.Errorf("reason %q, want %q", d.Reason, test.reason)
			}
			if slices.Contains(test.steps, hello) && d.Summary != "Hello." {
				t.Errorf("summary %q", d.Summary)
			}
			if line := slices.Index(test.steps, "fill 2000000"); line >= 0 {
				i := slices.IndexFunc(events, func(e executor.Event) bool { return e.Kind() == executor.KindError })
				if i < 0 || !strings.Contains(events[i].(executor.Error).Message, fmt.Sprint("line ", line)+" of the runtime's output is too long (2000000 bytes)") {
					t.Errorf("the long line is not reported: %v", double.Kinds(events))
				}
			}
			errs := s.FatalErrors(events)
			if test.code == "" {
				if len(errs) != 0 {
					t.Errorf("fatal errors %v", errs)
				}
				return
			}
			if len(errs) != 1 || *errs[0].Code != test.code || !strings.Contains(errs[0].Message, test.message) {
				t.Errorf("fatal errors %v, want one with code %s and %q", errs, test.code, test.message)
			}
		})
	}
}

func TestAToolThatKeepsStdoutHoldsNoRun(t *testing.T) {
	s := newStage(t, "hear", initial, hello, "tool", "hold main", success, "heed")
	run := s.start(executor.StartOpts{})
	s.Held("tool")
	s.LetGo("main")
	if d := s.Ended(s.Rest(s.adapter.Events(run))); d.Reason != executor.ReasonSuccess {
		t.Errorf("done %+v", d)
	}
	s.Gone("tool")
}

// The runtime's own means come first; who heeds them is not signalled.
func TestAbortAsksBeforeItSignals(t *testing.T) {
	s := patient(t, "hear", initial, hello, callOpen, "hold main", "until interrupt", aborted, "heed")
	run := s.start(executor.StartOpts{})
	stream := s.adapter.Events(run)
	s.Held("main")
	for range 2 {
		if err := s.adapter.Abort(t.Context(), run); err != nil {
			t.Fatal(err)
		}
	}
	s.LetGo("main")
	events := s.Rest(stream)
	if d := s.Ended(events); d.Reason != executor.ReasonAborted || d.Summary != "Hello." || len(s.FatalErrors(events)) != 0 {
		t.Errorf("done %+v, fatal %v", d, s.FatalErrors(events))
	}
	if r, is := events[len(events)-2].(executor.ToolResult); !is || !r.IsError || r.ID != "t1" {
		t.Errorf("the open call was not closed: %v", double.Kinds(events))
	}
	lines := s.heard(s.Calls()[0])
	if len(lines) != 2 || lines[1].Type != "control_request" || lines[1].Request.Subtype != "interrupt" || lines[1].RequestID == "" {
		t.Errorf("heard %+v", lines)
	}
	if err := s.adapter.Abort(t.Context(), run); err != nil {
		t.Errorf("after the end: %v", err)
	}
}

func TestAbortOfProcessesThatDoNotListen(t *testing.T) {
	for name, steps := range map[string][]string{
		"hears nothing":                          {initial, hello, callOpen, "hold main", "heed"},
		"deaf":                                   {"deaf", "hear", initial, hello, callOpen, "hold main"},
		"says nothing at all":                    {"hear", "hold main"},
		"the runtime says success all the same":  {"hear", initial, hello, "hold main", "until interrupt", success, "heed"},
		"deaf, with a tool in its own session":   {"deaf", "hear", initial, hello, "tool", "hold main"},
		"obedient, with a tool that is not ours": {"hear", initial, hello, "tool", "hold main", "until interrupt", aborted, "heed"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, steps...)
			run := s.start(executor.StartOpts{})
			stream := s.adapter.Events(run)
			s.Held("main")
			tool := slices.Contains(steps, "tool")
			if tool {
				s.Held("tool")
			}
			if err := s.adapter.Abort(t.Context(), run); err != nil {
				t.Fatal(err)
			}
			if slices.Contains(steps, "until interrupt") {
				s.LetGo("main")
			}
			events := s.Rest(stream)
			d := s.Ended(events)
			if d.Reason != executor.ReasonAborted || len(s.FatalErrors(events)) != 0 {
				t.Errorf("done %+v, fatal %v", d, s.FatalErrors(events))
			}
			if slices.Contains(steps, hello) && d.Summary != "Hello." {
				t.Errorf("summary %q", d.Summary)
			}
			if tool {
				s.Gone("tool")
			}
			// A later start works.
			s.fresh("hear", initial, hello, success, "heed")
			if _, events := s.run(executor.StartOpts{}); s.Ended(events).Reason != executor.ReasonSuccess {
				t.Error("the session does not start again")
			}
		})
	}
}

func TestStartIsRefused(t *testing.T) {
	s := newStage(t, "hear", "hold main", initial, success, "heed")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.adapter.Start(ctx, executor.TaskHandle{}, executor.StartOpts{SessionKey: "s", Message: "m"}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := s.adapter.Start(t.Context(), executor.TaskHandle{}, executor.StartOpts{Message: "m"}); err == nil {
		t.Error("an empty session key was taken")
	}
	run := s.start(executor.StartOpts{})
	if _, err := s.adapter.Start(t.Context(), executor.TaskHandle{}, executor.StartOpts{SessionKey: "s1", Message: "m"}); !errors.Is(err, executor.ErrBusy) {
		t.Errorf("live session: %v", err)
	}
	s.LetGo("main")
	if d := s.Ended(s.Rest(s.adapter.Events(run))); d.Reason != executor.ReasonSuccess {
		t.Errorf("done %+v", d)
	}
}

func TestStartThatFailsLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	command := filepath.Join(dir, "claude")
	a := claudecode.New(claudecode.Options{Command: []string{command}, Dir: dir})
	for range 2 { // not busy after the first
		_, err := a.Start(t.Context(), executor.TaskHandle{}, executor.StartOpts{SessionKey: "s", Message: "m"})
		if !errors.Is(err, os.ErrNotExist) || strings.Contains(err.Error(), dir) {
			t.Errorf("error %v", err)
		}
	}
	_, err := claudecode.New(claudecode.Options{Command: []string{"no-such-claude-anywhere"}}).Start(t.Context(), executor.TaskHandle{}, executor.StartOpts{SessionKey: "s", Message: "m"})
	if !errors.Is(err, exec.ErrNotFound) || !strings.Contains(err.Error(), "Claude Code is not installed") {
		t.Errorf("error %v", err)
	}
}

func TestResumeAndCosts(t *testing.T) {
	s := newStage(t, "hear", initial, hello, success, "heed")
	run, events := s.run(executor.StartOpts{})
	if got := *s.Ended(events).Usage; got.InputTokens != 70 || *got.CachedInputTokens != 30 || got.OutputTokens != 20 {
		t.Errorf("usage %+v", got)
	}
	blob, err := s.adapter.Serialize(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf(`{"v":1,"sessionKey":"s1","native":%q,"dir":%q,"totals":{"usd":0.5,"input":70,"cached":30,"output":20}}`, session, s.options.Dir)
	if blob != want {
		t.Errorf("blob %s, want %s", blob, want)
	}

	s.fresh("hear", initial, hello, twice, "heed")
	restored, err := s.adapter.Restore(t.Context(), blob)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.adapter.Events(restored).Next(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("the restored handle has a stream: %v", err)
	}
	if err := s.adapter.Abort(t.Context(), restored); err != nil {
		t.Error(err)
	}
	if err := s.adapter.Approve(t.Context(), restored, "q", true); !errors.Is(err, claudecode.ErrNoQuestion) {
		t.Errorf("approve: %v", err)
	}
	_, events = s.run(executor.StartOpts{})
	d := s.Ended(events)
	if usd, _ := d.CostUSD.Get(); usd != 0.25 || d.Usage.InputTokens != 100 || d.Usage.OutputTokens != 5 {
		t.Errorf("the resumed run cost %g, %+v", usd, d.Usage)
	}
	_, _ = s.run(executor.StartOpts{}) // also within one adapter
	for i, c := range s.Calls()[1:] {
		if !slices.Contains(c.Args, "--resume="+session) {
			t.Errorf("call %d: arguments %q", i+1, c.Args)
		}
	}
}

// Claude Code finds a session only in the directory that it began in.
func TestASessionGoesOnInItsOwnDirectory(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	s := newStage(t)
	t.Chdir(first)
	s.options.Dir = ""
	s.fresh("hear", initial, hello, success, "heed")
	run, _ := s.run(executor.StartOpts{})
	blob, err := s.adapter.Serialize(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(second)
	s.fresh("hear", initial, hello, twice, "heed")
	if _, err := s.adapter.Restore(t.Context(), blob); err != nil {
		t.Fatal(err)
	}
	s.run(executor.StartOpts{})
	s.run(executor.StartOpts{SessionKey: "new"})
	want := []string{first, first, second}
	for i, c := range s.Calls() {
		if dir, _ := filepath.EvalSymlinks(want[i]); c.Dir != dir {
			t.Errorf("run %d in %s, want %s", i, c.Dir, dir)
		}
	}
	s.options.Dir = second
	s.fresh("exit 0")
	if _, err := s.adapter.Restore(t.Context(), blob); err == nil || strings.Contains(err.Error(), first) {
		t.Errorf("a session of another directory was taken: %v", err)
	}
}

func TestASessionThatTheRuntimeLostIsForgotten(t *testing.T) {
	for name, steps := range map[string][]string{
		"result":      {"hear", `say {"type":"result","subtype":"error_during_execution","is_error":true,"num_turns":0,"errors":["No conversation found with session ID: x"],"session_id":"` + session + `"}`, "exit 1"},
		"stderr only": {"hear", "err No conversation found with session ID: x", "exit 1"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, steps...)
			blob := fmt.Sprintf(`{"v":1,"sessionKey":"s1","native":%q,"dir":%q,"totals":{"usd":0.5,"input":1,"cached":0,"output":0}}`, session, s.options.Dir)
			if _, err := s.adapter.Restore(t.Context(), blob); err != nil {
				t.Fatal(err)
			}
			if _, events := s.run(executor.StartOpts{}); s.Ended(events).Reason != executor.ReasonError {
				t.Error("the loss was not told")
			}
			s.run(executor.StartOpts{})
			if calls := s.Calls(); !slices.Contains(calls[0].Args, "--resume="+session) || slices.Contains(calls[1].Args, "--resume="+session) {
				t.Errorf("arguments %+v", calls)
			}
		})
	}
}

func TestUnknownHandles(t *testing.T) {
	a := claudecode.New(claudecode.Options{ContextDir: filepath.Join(t.TempDir(), "no")})
	for _, run := range []*executor.Run{nil, executor.NewRun(claudecode.ID, "s1")} {
		if _, err := a.Events(run).Next(t.Context()); !errors.Is(err, io.EOF) {
			t.Errorf("events: %v", err)
		}
		_, serialize := a.Serialize(t.Context(), run)
		for name, err := range map[string]error{
			"abort": a.Abort(t.Context(), run), "model": a.SetModel(t.Context(), run, "m"), "context": a.WriteContext(t.Context(), run, "k", "v"),
			"serialize": serialize, "approve": a.Approve(t.Context(), run, "q", true),
		} {
			if !errors.Is(err, executor.ErrUnknownRun) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func TestDispose(t *testing.T) {
	s := newStage(t, "deaf", "hear", initial, "hold main")
	run := s.start(executor.StartOpts{})
	stream := s.adapter.Events(run)
	s.Held("main")
	for range 2 {
		if err := s.adapter.Dispose(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if d := s.Ended(s.Rest(stream)); d.Reason != executor.ReasonAborted {
		t.Errorf("done %+v", d)
	}
	s.Gone("main")
	if _, err := s.adapter.Start(t.Context(), executor.TaskHandle{}, executor.StartOpts{SessionKey: "s", Message: "m"}); !errors.Is(err, executor.ErrDisposed) {
		t.Errorf("start: %v", err)
	}
}

func TestHealth(t *testing.T) {
	for name, test := range map[string]struct {
		steps []string
		want  executor.Health
	}{
		"well":    {[]string{"say 2.1.332 (Claude Code)"}, executor.Health{OK: true}},
		"failing": {[]string{"err canary", "exit 1"}, executor.Health{Message: "the claude command answered with a failure"}},
		"hanging": {[]string{"deaf", "hold main"}, executor.Health{Message: "the claude command did not answer in time"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			s.options.HealthTimeout = 20 * time.Second
			if name == "hanging" {
				s.options.HealthTimeout = 200 * time.Millisecond
			}
			s.fresh(test.steps...)
			if got, err := s.adapter.Health(t.Context()); got != test.want || err != nil {
				t.Errorf("%+v, %v; want %+v", got, err, test.want)
			}
			if name == "well" {
				if d := cmp.Diff([]string{"--version"}, s.Calls()[0].Args); d != "" {
					t.Error(d)
				}
			}
		})
	}
	got, err := claudecode.New(claudecode.Options{Command: []string{"no-such-claude-anywhere"}}).Health(t.Context())
	if want := (executor.Health{Message: "the claude command was not found"}); got != want || err != nil {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestRunsLeaveNoFilesOpen(t *testing.T) {
	s := newStage(t, "hear", initial, hello, success, "heed")
	s.run(executor.StartOpts{})
	before := s.Files()
	for range 5 {
		s.run(executor.StartOpts{})
	}
	if err := s.adapter.Dispose(t.Context()); err != nil {
		t.Fatal(err)
	}
	if after := s.Files(); after > before {
		t.Errorf("%d files open, %d before", after, before)
	}
}

// A run goes on while work in the background is announced, and no longer than the
// wait for it.
func TestWorkInTheBackground(t *testing.T) {
	const (
		begun = `say {"type":"system","subtype":"task_started","task_id":"b1","is_backgrounded":true}`
		over  = `say {"type":"system","subtype":"task_notification","task_id":"b1","status":"completed"}`
	)
	t.Run("ends, and has a turn of its own", func(t *testing.T) {
		s := patient(t, "hear", initial, hello, begun, success, "hold main", over, initial, `say {"type":"assistant","message":{"id":"m2","content":[{"type":"text","text":"All done."}]}}`,
			`say {"type":"result","subtype":"success","result":"All done.","total_cost_usd":0.75}`, "heed")
		run := s.start(executor.StartOpts{})
		s.LetGo("main")
		events := s.Rest(s.adapter.Events(run))
		if d := s.Ended(events); d.Reason != executor.ReasonSuccess || d.Summary != "All done." {
			t.Errorf("done %+v", d)
		}
		if c := s.Calls()[0]; !c.Ended {
			t.Error("stdin was not ended")
		}
	})
	t.Run("never ends", func(t *testing.T) {
		s := newStage(t)
		s.options.BackgroundWait = 50 * time.Millisecond
		s.fresh("hear", initial, hello, begun, success, "hold main")
		_, events := s.run(executor.StartOpts{})
		if d := s.Ended(events); d.Reason != executor.ReasonSuccess || d.Summary != "Hello." {
			t.Errorf("done %+v", d)
		}
	})
}
