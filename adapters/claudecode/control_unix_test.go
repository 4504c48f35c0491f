//go:build unix

package claudecode_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/adapters/claudecode"
	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// asks is a question of the runtime, with the input that it is about.
func asks(id string) string {
	return `say {"type":"control_request","request_id":"` + id + `","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"ls"}}}`
}

// question reads up to the next question and returns its id.
func (s *stage) question(stream executor.Stream) string {
	s.Helper()
	for {
		if st, is := s.Next(stream).(executor.Status); is {
			if id, asked := strings.CutPrefix(st.Detail, executor.DetailApproval+":"); asked {
				return id
			}
		}
	}
}

func TestQuestionsAreAnsweredOnce(t *testing.T) {
	for _, allow := range []bool{true, false} {
		s := newStage(t, "hear", initial, asks("q1"), "hear", hello, success, "heed")
		run := s.start(executor.StartOpts{})
		stream := s.adapter.Events(run)
		if id := s.question(stream); id != "q1" {
			t.Errorf("question %q", id)
		}
		if err := s.adapter.Approve(t.Context(), run, "never", true); !errors.Is(err, claudecode.ErrNoQuestion) {
			t.Errorf("a question that nobody asked: %v", err)
		}
		if err := s.adapter.Approve(t.Context(), run, "q1", allow); err != nil {
			t.Error(err)
		}
		if err := s.adapter.Approve(t.Context(), run, "q1", !allow); !errors.Is(err, claudecode.ErrNoQuestion) {
			t.Errorf("a second answer: %v", err)
		}
		if d := s.Ended(s.Rest(stream)); d.Reason != executor.ReasonSuccess {
			t.Errorf("done %+v", d)
		}
		lines := s.heard(s.Calls()[0])
		if len(lines) != 2 {
			t.Fatalf("heard %+v", lines)
		}
		got := lines[1].Response
		if got.Subtype != "success" || got.RequestID != "q1" {
			t.Errorf("answer %+v", got)
		}
		if allow {
			if d := cmp.Diff(any(map[string]any{"command": "ls"}), got.Response.UpdatedInput); d != "" || got.Response.Behavior != "allow" {
				t.Errorf("answer %+v\n%s", got, d)
			}
		} else if got.Response.Behavior != "deny" || got.Response.Message == "" {
			t.Errorf("answer %+v", got)
		}
	}
}

func TestAQuestionThatNobodyAnswersIsDenied(t *testing.T) {
	s := newStage(t)
	s.options.ApprovalTimeout = 10 * time.Millisecond
	s.fresh("hear", initial, asks("q1"), "hear", hello, success, "heed")
	run, events := s.run(executor.StartOpts{})
	if d := s.Ended(events); d.Reason != executor.ReasonSuccess {
		t.Errorf("done %+v", d)
	}
	if lines := s.heard(s.Calls()[0]); len(lines) != 2 || lines[1].Response.Response.Behavior != "deny" {
		t.Errorf("heard %+v", lines)
	}
	if err := s.adapter.Approve(t.Context(), run, "q1", true); !errors.Is(err, claudecode.ErrNoQuestion) {
		t.Errorf("after the end: %v", err)
	}
}

func TestAQuestionThatIsWithdrawnTakesNoAnswer(t *testing.T) {
	s := newStage(t, "hear", initial, asks("q1"), `say {"type":"control_cancel_request","request_id":"q1"}`, hello, "hold main", success, "heed")
	run := s.start(executor.StartOpts{})
	stream := s.adapter.Events(run)
	for s.Next(stream).Kind() != executor.KindTextDelta {
		continue // the withdrawal has been read by then
	}
	if err := s.adapter.Approve(t.Context(), run, "q1", true); !errors.Is(err, claudecode.ErrNoQuestion) {
		t.Errorf("%v", err)
	}
	s.LetGo("main")
	s.Rest(stream)
	if lines := s.heard(s.Calls()[0]); len(lines) != 1 {
		t.Errorf("heard %+v", lines)
	}
}

func TestAnAbortSettlesQuestions(t *testing.T) {
	s := newStage(t, "hear", initial, asks("q1"), "hold main", "heed")
	run := s.start(executor.StartOpts{})
	stream := s.adapter.Events(run)
	s.question(stream)
	s.Held("main")
	if err := s.adapter.Abort(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	if err := s.adapter.Approve(t.Context(), run, "q1", true); !errors.Is(err, claudecode.ErrNoQuestion) {
		t.Errorf("%v", err)
	}
	s.LetGo("main")
	s.Rest(stream)
	for _, l := range s.heard(s.Calls()[0]) {
		if l.Response.Response.Behavior != "" {
			t.Errorf("heard %+v", l)
		}
	}
}

func TestRequestsThatTheHostDoesNotKnowAreRefused(t *testing.T) {
	s := newStage(t, "hear", initial, `say {"type":"control_request","request_id":"h1","request":{"subtype":"hook_callback"}}`, "hear", hello, success, "heed")
	_, events := s.run(executor.StartOpts{})
	if d := s.Ended(events); d.Reason != executor.ReasonSuccess {
		t.Errorf("done %+v", d)
	}
	if lines := s.heard(s.Calls()[0]); len(lines) != 2 || lines[1].Response.Subtype != "error" || lines[1].Response.RequestID != "h1" {
		t.Errorf("heard %+v", lines)
	}
}

func TestModelAndContextReachTheLiveRun(t *testing.T) {
	s := patient(t, "hear", initial, "hold main", "hear", "hear", "hear", hello, success, "heed")
	run := s.start(executor.StartOpts{})
	s.Held("main")
	for _, model := range []string{"haiku", ""} {
		if err := s.adapter.SetModel(t.Context(), run, model); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.adapter.WriteContext(t.Context(), run, "NOTES.md", "contract-context"); err != nil {
		t.Fatal(err)
	}
	if err := s.adapter.SetModel(t.Context(), run, "--yolo"); err == nil {
		t.Error("a flag was taken for a model")
	}
	for _, key := range []string{"", "..", "../x", "/etc/x", "a/../../x", `..\x`, "a\nb", "a\x00b"} {
		if err := s.adapter.WriteContext(t.Context(), run, key, "v"); err == nil {
			t.Errorf("key %q was taken", key)
		}
	}
	s.LetGo("main")
	s.Rest(s.adapter.Events(run))
	c := s.Calls()[0]
	lines := s.heard(c)
	if len(lines) != 4 || lines[1].Request.Subtype != "set_model" || *lines[1].Request.Model != "haiku" || lines[2].Request.Model != nil || lines[1].RequestID == lines[2].RequestID {
		t.Errorf("heard %+v", lines)
	}
	if d := cmp.Diff([]string{"go", "NOTES.md:\ncontract-context"}, s.prompts(c)); d != "" {
		t.Error(d)
	}
}

func TestModelAndContextReachTheNextRun(t *testing.T) {
	s := newStage(t, "hear", initial, hello, success, "heed")
	run, _ := s.run(executor.StartOpts{})
	if err := s.adapter.SetModel(t.Context(), run, "haiku"); err != nil {
		t.Fatal(err)
	}
	for _, kv := range [][2]string{{"NOTES.md", "old"}, {"dir/MORE.md", "more"}, {"NOTES.md", "contract-context"}} {
		if err := s.adapter.WriteContext(t.Context(), run, kv[0], kv[1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.adapter.WriteContext(t.Context(), run, "big", strings.Repeat("x", 2<<20)); err == nil {
		t.Error("no bound on context")
	}
	s.run(executor.StartOpts{Message: "second", Context: "ctx"})
	s.run(executor.StartOpts{Message: "third"})
	s.run(executor.StartOpts{Message: "fourth", Model: "opus"})
	var got [][]string
	for _, c := range s.Calls() {
		model := ""
		for _, arg := range c.Args {
			if name, is := strings.CutPrefix(arg, "--model="); is {
				model = name
			}
		}
		got = append(got, append([]string{model}, s.prompts(c)...))
	}
	want := [][]string{{"", "go"}, {"haiku", "NOTES.md:\ncontract-context\n\ndir/MORE.md:\nmore\n\nctx\n\nsecond"}, {"haiku", "third"}, {"opus", "fourth"}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("model and prompt (-want +got):\n%s", d)
	}
}

// With a directory for it, context is kept as files too, and never outside.
func TestContextFiles(t *testing.T) {
	s := newStage(t)
	outside := t.TempDir()
	s.options.ContextDir = filepath.Join(t.TempDir(), "context")
	s.fresh("hear", initial, hello, success, "heed")
	run, _ := s.run(executor.StartOpts{})
	for _, value := range []string{"old", "new"} {
		if err := s.adapter.WriteContext(t.Context(), run, "dir/NOTES.md", value); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(filepath.Join(s.options.ContextDir, "dir", "NOTES.md"))
	if err != nil || string(got) != "new" {
		t.Errorf("%q, %v", got, err)
	}
	for path, mode := range map[string]os.FileMode{".": 0o700, "dir": 0o700, "dir/NOTES.md": 0o600} {
		if info, err := os.Stat(filepath.Join(s.options.ContextDir, path)); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	if entries, _ := os.ReadDir(filepath.Join(s.options.ContextDir, "dir")); len(entries) != 1 {
		t.Errorf("%d files are left", len(entries))
	}
	if err := os.Symlink(outside, filepath.Join(s.options.ContextDir, "link")); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"link/x.md", "../x.md", "dir"} {
		if err := s.adapter.WriteContext(t.Context(), run, key, "canary"); err == nil || strings.Contains(err.Error(), s.options.ContextDir) {
			t.Errorf("key %s: %v", key, err)
		}
	}
	if entries, _ := os.ReadDir(outside); len(entries) != 0 {
		t.Error("something was written outside")
	}
}

// A process that reads nothing holds up no call.
func TestCallsDoNotWaitForTheProcess(t *testing.T) {
	s := newStage(t, initial, "hold main", hello, success, "heed")
	run := s.start(executor.StartOpts{Message: strings.Repeat("word ", 1<<20)})
	s.Held("main")
	big := strings.Repeat("x", 1<<20)
	for range 3 {
		if err := s.adapter.WriteContext(t.Context(), run, "k", big); err != nil {
			t.Fatal(err)
		}
	}
	s.LetGo("main")
	s.Rest(s.adapter.Events(run))
}
