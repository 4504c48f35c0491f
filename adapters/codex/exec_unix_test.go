//go:build unix

package codex_test

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/adapters/codex"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/double"
)

const (
	thread    = "01890a5d-ac96-774b-bcce-b302099a8057"
	other     = "01890a5d-ac96-774b-bcce-b302099a8058"
	begin     = `say {"type":"thread.started","thread_id":"` + thread + `"}`
	turn      = `say {"type":"turn.started"}`
	hello     = `say {"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"Hello."}}`
	toolOpen  = `say {"type":"item.started","item":{"id":"item_1","type":"command_execution","command":"ls"}}`
	completed = `say {"type":"turn.completed","usage":{"input_tokens":100,"cached_input_tokens":30,"output_tokens":20}}`
	twice     = `say {"type":"turn.completed","usage":{"input_tokens":200,"cached_input_tokens":60,"output_tokens":40}}`
)

func TestARunFromStartToEnd(t *testing.T) {
	s := newStage(t, "hold main", begin, turn, hello, completed)
	run := s.start(executor.StartOpts{Message: "the message", Context: "the context", Model: "gpt-5"})
	if id, bound := run.ID(); bound {
		t.Errorf("bound to %q by start", id)
	}
	if run.AdapterID() != "codex" || run.SessionKey() != "s1" {
		t.Errorf("handle of %q, session %q", run.AdapterID(), run.SessionKey())
	}
	stream := s.adapter.Events(run)
	s.LetGo("main")
	first := s.Next(stream)
	id, bound := run.ID()
	if !bound || id == "" || first.Head().RunID != id {
		t.Errorf("after the first event bound=%v to %q, the event has %q", bound, id, first.Head().RunID)
	}
	events := append([]executor.Event{first}, s.Rest(stream)...)
	want := []executor.Kind{"status", "status", "text-delta", "cost", "done"}
	if d := cmp.Diff(want, double.Kinds(events)); d != "" {
		t.Errorf("kinds (-want +got):\n%s", d)
	}
	for i, e := range events {
		h := e.Head()
		if h.RunID != id || h.Seq != int64(i+1) || h.TS != 1234 || h.SessionID == nil || *h.SessionID != thread {
			t.Errorf("event %d: %+v", i, h)
		}
	}
	if d := s.Ended(events); d.Reason != executor.ReasonSuccess || d.Summary != "Hello." {
		t.Errorf("done %+v", d)
	}
	c := s.Calls()[0]
	wantArgs := []string{"exec", "--json", "--skip-git-repo-check", "--sandbox", "workspace-write", "--model", "gpt-5", "--", "the context\n\nthe message"}
	if d := cmp.Diff(wantArgs, c.Args); d != "" {
		t.Errorf("arguments (-want +got):\n%s", d)
	}
	if c.Stdin != "" {
		t.Errorf("stdin %q", c.Stdin)
	}
	if slices.Contains(c.Env, "HOST_SECRET") || !slices.Contains(c.Env, "API_KEY") || !slices.Contains(c.Env, "PATH") {
		t.Errorf("environment %v", c.Env)
	}
	if want, _ := filepath.EvalSymlinks(s.options.Dir); c.Dir != want {
		t.Errorf("directory %q, want %q", c.Dir, want)
	}
}

func TestSessionIDIsNullUntilTheThreadIsKnown(t *testing.T) {
	s := newStage(t, turn, begin, completed)
	_, events := s.run(executor.StartOpts{})
	if events[0].Head().SessionID != nil {
		t.Error("a session id before the thread is known")
	}
	if id := events[1].Head().SessionID; id == nil || *id != thread {
		t.Error("no session id with the thread")
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
		{"success", []string{begin, turn, hello, completed}, executor.ReasonSuccess, "", ""},
		{"success beats the exit code", []string{begin, turn, hello, completed, "exit 1"}, executor.ReasonSuccess, "", ""},
		{"success of a process that stays", []string{begin, turn, hello, completed, "hold main"}, executor.ReasonSuccess, "", ""},
		{"success of a deaf process that stays", []string{"deaf", begin, turn, hello, completed, "hold main"}, executor.ReasonSuccess, "", ""},
		{"success, and a tool keeps stdout", []string{begin, turn, hello, "tool", "hold main", completed}, executor.ReasonSuccess, "", ""},
		{"failure", []string{begin, turn, hello, `say {"type":"error","message":"boom"}`, `say {"type":"turn.failed","error":{"message":"boom"}}`, "exit 1"}, executor.ReasonError, executor.CodeRuntime, "boom"},
		{"no terminal, exit 0", []string{begin, turn, hello}, executor.ReasonError, executor.CodeStreamTruncated, "exit code 0"},
		{"no terminal, stdout closed, process stays", []string{begin, turn, hello, "close", "hold main"}, executor.ReasonError, executor.CodeStreamTruncated, "SIGTERM"},
		{"no terminal, exit 3", []string{begin, turn, hello, "exit 3"}, executor.ReasonError, executor.CodeExit, "exit code 3"},
		{"killed by somebody else", []string{begin, turn, hello, "die 9"}, executor.ReasonError, executor.CodeExit, "signal SIGKILL"},
		{"terminated by somebody else", []string{begin, turn, hello, "die 15"}, executor.ReasonError, executor.CodeExit, "signal SIGTERM"},
		{"nothing but stderr", []string{"err Reading additional input from stdin...", "err Error: key canary-key-123 is no good", "exit 1"}, executor.ReasonError, executor.CodeExit, "(exit code 1): Error: key [redacted] is no good"},
		{"stderr is no failure", []string{"err ERROR noise", begin, turn, hello, completed}, executor.ReasonSuccess, "", ""},
		{"a secret in the failure", []string{begin, turn, hello, `say {"type":"turn.failed","error":{"message":"key canary-key-123 refused"}}`}, executor.ReasonError, executor.CodeRuntime, "key [redacted] refused"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := newStage(t)
			if !slices.Contains(test.steps, "hold main") {
				s.options.Grace = time.Minute // nothing is to be ended, however slow the machine is
			}
			s.fresh(test.steps...)
			if slices.Contains(test.steps, "tool") {
				run := s.start(executor.StartOpts{})
				s.Held("tool")
				s.LetGo("main")
				events := s.Rest(s.adapter.Events(run))
				if d := s.Ended(events); d.Reason != test.reason {
					t.Errorf("done %+v", d)
				}
				return
			}
			_, events := s.run(executor.StartOpts{})
			d := s.Ended(events)
			if d.Reason != test.reason {
				t.Errorf("reason %q, want %q", d.Reason, test.reason)
			}
			if slices.Contains(test.steps, hello) && d.Summary != "Hello." {
				t.Errorf("summary %q", d.Summary)
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

func TestAbort(t *testing.T) {
	tests := []struct {
		name  string
		steps []string
	}{
		{"obedient", []string{begin, turn, hello, toolOpen, "hold main"}},
		{"deaf", []string{"deaf", begin, turn, hello, toolOpen, "hold main"}},
		{"the runtime says success all the same", []string{"deaf", begin, turn, hello, toolOpen, "tool", "hold main", completed}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := newStage(t, test.steps...)
			run := s.start(executor.StartOpts{})
			stream := s.adapter.Events(run)
			s.Held("main")
			if slices.Contains(test.steps, "tool") {
				s.Held("tool")
			}
			for range 2 {
				if err := s.adapter.Abort(t.Context(), run); err != nil {
					t.Fatal(err)
				}
			}
			if slices.Contains(test.steps, completed) {
				s.LetGo("main")
			}
			events := s.Rest(stream)
			if d := s.Ended(events); d.Reason != executor.ReasonAborted || d.Summary != "Hello." {
				t.Errorf("done %+v", d)
			}
			if errs := s.FatalErrors(events); len(errs) != 0 {
				t.Errorf("fatal errors %v", errs)
			}
			if r, is := events[len(events)-2].(executor.ToolResult); !is || !r.IsError || r.ID != "item_1" {
				t.Errorf("the open call was not closed: %v", double.Kinds(events))
			}
			if err := s.adapter.Abort(t.Context(), run); err != nil {
				t.Errorf("after the end: %v", err)
			}
			if slices.Contains(test.steps, "tool") {
				s.Gone("tool")
			}
		})
	}
}

func TestAbortEndsTheToolsOfTheProcess(t *testing.T) {
	s := newStage(t, begin, turn, "tool", "hold main")
	run := s.start(executor.StartOpts{})
	s.Held("main")
	s.Held("tool")
	if err := s.adapter.Abort(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	if d := s.Ended(s.Rest(s.adapter.Events(run))); d.Reason != executor.ReasonAborted {
		t.Errorf("done %+v", d)
	}
	s.Gone("tool")
}

func TestToolsThatOutliveTheProcessAreEnded(t *testing.T) {
	s := newStage(t, begin, turn, toolOpen, "tool", "hold main", hello, "hold again", "exit 0")
	run := s.start(executor.StartOpts{})
	stream := s.adapter.Events(run)
	s.Held("tool")
	s.LetGo("main")
	for s.Next(stream).Kind() != executor.KindTextDelta {
		continue
	}
	s.LetGo("again")
	if d := s.Ended(s.Rest(stream)); d.Reason != executor.ReasonError {
		t.Errorf("done %+v", d)
	}
	s.Gone("tool")
}

func TestAbortBeforeAnyFrame(t *testing.T) {
	s := newStage(t, "hold main")
	run := s.start(executor.StartOpts{})
	if err := s.adapter.Abort(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	events := s.Rest(s.adapter.Events(run))
	if d := s.Ended(events); len(events) != 1 || d.Reason != executor.ReasonAborted || d.RunID == "" {
		t.Errorf("events %v, done %+v", double.Kinds(events), d)
	}
	// A later start works.
	s.fresh(begin, turn, hello, completed)
	if _, events := s.run(executor.StartOpts{}); s.Ended(events).Reason != executor.ReasonSuccess {
		t.Error("the session does not start again")
	}
}

func TestStartIsRefused(t *testing.T) {
	s := newStage(t, "hold main", begin, completed)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.adapter.Start(ctx, executor.TaskHandle{}, executor.StartOpts{SessionKey: "s", Message: "m"}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := s.adapter.Start(t.Context(), executor.TaskHandle{}, executor.StartOpts{Message: "m"}); err == nil {
		t.Error("an empty session key was taken")
	}
	if _, err := s.adapter.Start(t.Context(), executor.TaskHandle{}, executor.StartOpts{SessionKey: "s", Model: "--yolo"}); err == nil {
		t.Error("a flag was taken for a model")
	}
	run := s.start(executor.StartOpts{})
	if _, err := s.adapter.Start(t.Context(), executor.TaskHandle{}, executor.StartOpts{SessionKey: "s1", Message: "m"}); !errors.Is(err, executor.ErrBusy) {
		t.Errorf("live session: %v", err)
	}
	second := s.start(executor.StartOpts{SessionKey: "s2"}) // another session is free
	s.Held("main")
	s.Rename("main", "first")
	s.LetGo("main")
	s.LetGo("first")
	for _, r := range []*executor.Run{run, second} {
		if d := s.Ended(s.Rest(s.adapter.Events(r))); d.Reason != executor.ReasonSuccess {
			t.Errorf("done %+v", d)
		}
	}
}

func TestStartOutlivesItsContext(t *testing.T) {
	s := newStage(t, "hold main", begin, completed)
	ctx, cancel := context.WithCancel(t.Context())
	run, err := s.adapter.Start(ctx, executor.TaskHandle{}, executor.StartOpts{SessionKey: "s1", Message: "m"})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	s.LetGo("main")
	if d := s.Ended(s.Rest(s.adapter.Events(run))); d.Reason != executor.ReasonSuccess {
		t.Errorf("done %+v", d)
	}
}

func TestStartThatFailsLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	command := filepath.Join(dir, "codex")
	a := codex.New(codex.Options{Command: []string{command}, Dir: dir})
	for range 2 { // not busy after the first
		_, err := a.Start(t.Context(), executor.TaskHandle{}, executor.StartOpts{SessionKey: "s", Message: "m"})
		if !errors.Is(err, os.ErrNotExist) {
			t.Errorf("error %v", err)
		}
	}
	if err := os.WriteFile(command, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Start(t.Context(), executor.TaskHandle{}, executor.StartOpts{SessionKey: "s", Message: "m"}); !errors.Is(err, os.ErrPermission) {
		t.Errorf("error %v", err)
	}
	_, err := codex.New(codex.Options{Command: []string{"no-such-codex-anywhere"}}).Start(t.Context(), executor.TaskHandle{}, executor.StartOpts{SessionKey: "s", Message: "m"})
	if !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("error %v", err)
	}
}

func TestPromptsThatNoArgumentCanHold(t *testing.T) {
	for name, message := range map[string]string{"a dash": "-", "long": strings.Repeat("word ", 60_000), "zero byte": "a\x00b"} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, begin, completed)
			s.run(executor.StartOpts{Message: message})
			c := s.Calls()[0]
			if c.Stdin != message || c.Args[len(c.Args)-1] != "-" {
				t.Errorf("%d bytes of stdin, last argument %q", len(c.Stdin), c.Args[len(c.Args)-1])
			}
		})
	}
}

func TestResumeAndCosts(t *testing.T) {
	s := newStage(t, begin, turn, hello, completed)
	run, events := s.run(executor.StartOpts{})
	blob, err := s.adapter.Serialize(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"v":1,"sessionKey":"s1","thread":"` + thread + `","totals":{"input":100,"cached":30,"output":20}}`
	if blob != want {
		t.Errorf("blob %s, want %s", blob, want)
	}
	if got := *s.Ended(events).Usage; got.InputTokens != 70 || got.OutputTokens != 20 {
		t.Errorf("usage %+v", got)
	}

	s.fresh(begin, turn, hello, twice)
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
	if again, err := s.adapter.Serialize(t.Context(), restored); err != nil || again != blob {
		t.Errorf("serialized again: %s, %v", again, err)
	}
	_, events = s.run(executor.StartOpts{})
	if got := *s.Ended(events).Usage; got.InputTokens != 70 || *got.CachedInputTokens != 30 || got.OutputTokens != 20 {
		t.Errorf("usage of the resumed run %+v", got)
	}
	_, _ = s.run(executor.StartOpts{}) // also within one adapter
	for i, c := range s.Calls()[1:] {
		if at := slices.Index(c.Args, "resume"); at < 0 || c.Args[at+1] != thread || c.Args[at+2] != "--" {
			t.Errorf("call %d: arguments %q", i+1, c.Args)
		}
	}
}

func TestNothingIsResumedByAName(t *testing.T) {
	s := newStage(t, `say {"type":"thread.started","thread_id":"not-a-uuid"}`, completed)
	run, _ := s.run(executor.StartOpts{})
	if blob, err := s.adapter.Serialize(t.Context(), run); err != nil || strings.Contains(blob, "not-a-uuid") {
		t.Errorf("blob %s, %v", blob, err)
	}
	s.run(executor.StartOpts{})
	if c := s.Calls()[1]; slices.Contains(c.Args, "resume") {
		t.Errorf("arguments %q", c.Args)
	}
}

func TestAThreadThatTheRuntimeLostIsForgotten(t *testing.T) {
	s := newStage(t, "err Error: thread/resume failed: no rollout found for thread id "+thread, "exit 1")
	if _, err := s.adapter.Restore(t.Context(), `{"v":1,"sessionKey":"s1","thread":"`+thread+`","totals":{"input":0,"cached":0,"output":0}}`); err != nil {
		t.Fatal(err)
	}
	if _, events := s.run(executor.StartOpts{}); s.Ended(events).Reason != executor.ReasonError {
		t.Error("the loss was not told")
	}
	s.run(executor.StartOpts{})
	if calls := s.Calls(); !slices.Contains(calls[0].Args, thread) || slices.Contains(calls[1].Args, thread) {
		t.Errorf("arguments %+v", calls)
	}
}

func TestRestoreRefuses(t *testing.T) {
	a := codex.New(codex.Options{})
	const totals = `"totals":{"input":0,"cached":0,"output":0}`
	for name, blob := range map[string]string{
		"empty":           "",
		"not JSON":        "{",
		"null":            "null",
		"another version": `{"v":2,"sessionKey":"s","thread":"` + thread + `",` + totals + `}`,
		"no session":      `{"v":1,"thread":"` + thread + `",` + totals + `}`,
		"a name":          `{"v":1,"sessionKey":"s","thread":"last",` + totals + `}`,
		"a key twice":     `{"v":1,"v":1,"sessionKey":"s","thread":"",` + totals + `}`,
		"an unknown key":  `{"v":1,"sessionKey":"s","thread":"","more":1,` + totals + `}`,
		"negative":        `{"v":1,"sessionKey":"s","thread":"` + thread + `","totals":{"input":-1,"cached":0,"output":0}}`,
		"totals of none":  `{"v":1,"sessionKey":"s","thread":"","totals":{"input":1,"cached":0,"output":0}}`,
		"two values":      `{"v":1,"sessionKey":"s","thread":"",` + totals + `}{}`,
	} {
		if run, err := a.Restore(t.Context(), blob); err == nil {
			t.Errorf("%s: taken as %v", name, run)
		}
	}
}

func TestModelAndContextReachTheNextRun(t *testing.T) {
	s := newStage(t, begin, completed)
	run, _ := s.run(executor.StartOpts{})
	if err := s.adapter.SetModel(t.Context(), run, "o4-mini"); err != nil {
		t.Fatal(err)
	}
	for _, kv := range [][2]string{{"NOTES.md", "old"}, {"dir/MORE.md", "more"}, {"NOTES.md", "contract-context"}} {
		if err := s.adapter.WriteContext(t.Context(), run, kv[0], kv[1]); err != nil {
			t.Fatal(err)
		}
	}
	s.run(executor.StartOpts{Message: "second", Context: "ctx"})
	s.run(executor.StartOpts{Message: "third"})
	s.run(executor.StartOpts{Message: "fourth", Model: "gpt-5"})
	var got [][]string
	for _, c := range s.Calls() {
		model := ""
		if i := slices.Index(c.Args, "--model"); i >= 0 {
			model = c.Args[i+1]
		}
		got = append(got, []string{model, c.Args[len(c.Args)-1]})
	}
	want := [][]string{{"", "go"}, {"o4-mini", "NOTES.md:\ncontract-context\n\ndir/MORE.md:\nmore\n\nctx\n\nsecond"}, {"o4-mini", "third"}, {"gpt-5", "fourth"}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("model and prompt (-want +got):\n%s", d)
	}
	for _, key := range []string{"", "..", "../x", "/etc/x", "a/../../x", `..\x`, "a\nb", "a\x00b"} {
		if err := s.adapter.WriteContext(t.Context(), run, key, "v"); err == nil {
			t.Errorf("key %q was taken", key)
		}
	}
	if err := s.adapter.WriteContext(t.Context(), run, "big", strings.Repeat("x", 2<<20)); err == nil {
		t.Error("no bound on context")
	}
}

func TestAFailedStartKeepsTheContext(t *testing.T) {
	s := newStage(t, begin, completed)
	run, _ := s.run(executor.StartOpts{})
	if err := s.adapter.WriteContext(t.Context(), run, "k", "kept"); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(s.options.Dir, s.options.Dir+"x"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.adapter.Start(t.Context(), executor.TaskHandle{}, executor.StartOpts{SessionKey: "s1", Message: "m"}); err == nil {
		t.Fatal("started without a directory")
	}
	if err := os.Rename(s.options.Dir+"x", s.options.Dir); err != nil {
		t.Fatal(err)
	}
	s.run(executor.StartOpts{Message: "m"})
	if c := s.Calls()[1]; c.Args[len(c.Args)-1] != "k:\nkept\n\nm" {
		t.Errorf("arguments %q", c.Args)
	}
}

func TestUnknownHandles(t *testing.T) {
	a := codex.New(codex.Options{})
	for _, run := range []*executor.Run{nil, executor.NewRun("codex", "s1")} {
		if _, err := a.Events(run).Next(t.Context()); !errors.Is(err, io.EOF) {
			t.Errorf("events: %v", err)
		}
		_, serialize := a.Serialize(t.Context(), run)
		for name, err := range map[string]error{
			"abort": a.Abort(t.Context(), run), "model": a.SetModel(t.Context(), run, "m"),
			"context": a.WriteContext(t.Context(), run, "k", "v"), "serialize": serialize,
			"approve": a.Approve(t.Context(), run, "q", true),
		} {
			if !errors.Is(err, executor.ErrUnknownRun) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// Codex exec asks nothing, so that no answer is one.
func TestExecHasNoQuestions(t *testing.T) {
	s := newStage(t, begin, turn, "hold main", completed)
	run := s.start(executor.StartOpts{})
	s.Held("main")
	if err := s.adapter.Approve(t.Context(), run, "q", true); !errors.Is(err, codex.ErrNoQuestion) {
		t.Errorf("live: %v", err)
	}
	s.LetGo("main")
	s.Rest(s.adapter.Events(run))
	if err := s.adapter.Approve(t.Context(), run, "q", true); !errors.Is(err, codex.ErrNoQuestion) {
		t.Errorf("over: %v", err)
	}
}

// Codex has no thread before its first turn: one that never had a turn is begun anew.
func TestAThreadWithoutATurnIsNotKept(t *testing.T) {
	s := newStage(t, begin, "hold main")
	run := s.start(executor.StartOpts{})
	stream := s.adapter.Events(run)
	s.Next(stream)
	s.Held("main")
	if err := s.adapter.Abort(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	s.Rest(stream)
	if blob, err := s.adapter.Serialize(t.Context(), run); err != nil || strings.Contains(blob, thread) {
		t.Errorf("blob %s, %v", blob, err)
	}
}

func TestObservers(t *testing.T) {
	s := newStage(t, begin, turn, hello, "hold main", completed)
	run := s.start(executor.StartOpts{})
	first := s.adapter.Events(run)
	for range 3 {
		s.Next(first)
	}
	s.Held("main")
	late, closed := s.adapter.Events(run), s.adapter.Events(run)
	for range 2 {
		if err := closed.Close(); err != nil {
			t.Error(err)
		}
	}
	s.LetGo("main")
	a, b := s.Rest(first), s.Rest(late)
	if len(a) != 2 || len(b) != 5 {
		t.Fatalf("%d and %d events", len(a), len(b))
	}
	if d := cmp.Diff(a, b[3:], cmp.AllowUnexported(executor.Nullable[float64]{})); d != "" {
		t.Errorf("observers differ:\n%s", d)
	}
	if again := s.Rest(s.adapter.Events(run)); len(again) != 0 {
		t.Errorf("an ended run was given again: %v", double.Kinds(again))
	}
}

func TestTheFirstObserverMayComeAfterTheEnd(t *testing.T) {
	s := newStage(t, begin, turn, hello, completed)
	run := s.start(executor.StartOpts{})
	if err := s.adapter.Dispose(t.Context()); err != nil { // waits for the end
		t.Fatal(err)
	}
	events := s.Rest(s.adapter.Events(run))
	s.Ended(events)
	if id, bound := run.ID(); !bound || id != events[0].Head().RunID {
		t.Errorf("bound=%v to %q", bound, id)
	}
}

func TestDispose(t *testing.T) {
	s := newStage(t, begin, "hold main")
	run := s.start(executor.StartOpts{})
	stream := s.adapter.Events(run)
	s.Held("main")
	expired, cancel := context.WithCancel(t.Context())
	cancel()
	_ = s.adapter.Dispose(expired) // may or may not be in time; the end comes anyway
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
	if h, err := s.adapter.Health(t.Context()); h.OK || err != nil {
		t.Errorf("health %+v, %v", h, err)
	}
}

func TestHealth(t *testing.T) {
	tests := []struct {
		name  string
		steps []string
		want  executor.Health
	}{
		{"well", []string{"say codex-cli 0.171.0"}, executor.Health{OK: true}},
		{"failing", []string{"err canary", "exit 1"}, executor.Health{Message: "the codex command answered with a failure"}},
		{"hanging", []string{"deaf", "hold main"}, executor.Health{Message: "the codex command did not answer in time"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := newStage(t, test.steps...)
			s.options.HealthTimeout = 20 * time.Second
			if test.name == "hanging" {
				s.options.HealthTimeout = 200 * time.Millisecond
			}
			got, err := codex.New(s.options).Health(t.Context())
			if got != test.want || err != nil {
				t.Errorf("%+v, %v; want %+v", got, err, test.want)
			}
			if test.name == "well" {
				if d := cmp.Diff([]string{"--version"}, s.Calls()[0].Args); d != "" {
					t.Error(d)
				}
			}
		})
	}
	got, err := codex.New(codex.Options{Command: []string{"no-such-codex-anywhere"}}).Health(t.Context())
	if want := (executor.Health{Message: "the codex command was not found"}); got != want || err != nil {
		t.Errorf("%+v, %v", got, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err := codex.New(codex.Options{}).Health(ctx); got.OK || err != nil {
		t.Errorf("cancelled: %+v, %v", got, err)
	}
}

func TestRunsLeaveNoFilesOpen(t *testing.T) {
	s := newStage(t, begin, turn, hello, completed)
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
