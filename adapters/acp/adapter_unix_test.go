//go:build unix

package acp_test

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/double"
)

const (
	welcome  = `say {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":true}}}`
	opened   = `say {"jsonrpc":"2.0","id":1,"result":{"sessionId":"S"}}`
	unknown  = `say {"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"Method not found"}}`
	says     = `say {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"S","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Hello."}}}}`
	calls    = `say {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"S","update":{"sessionUpdate":"tool_call","toolCallId":"t1","title":"bash","status":"in_progress"}}}`
	asks     = `say {"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"S","toolCall":{"toolCallId":"t1"},"options":[{"optionId":"yes","kind":"allow_once","name":"a"}]}}`
	ends     = `say {"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn"}}`
	stopped  = `say {"jsonrpc":"2.0","id":3,"result":{"stopReason":"cancelled"}}`
	fails    = `say {"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":"key canary-key-123 refused"}}`
	beatsAll = `say {"jsonrpc":"2.0","id":3,"error":{"code":-32800,"message":"Request cancelled"}}`
)

// shake is the handshake, up to the prompt, and what follows it.
func shake(steps ...string) []string {
	return slices.Concat([]string{"until initialize", welcome, "until session/", opened, "until _adaptercheck/fence", unknown, "until session/prompt"}, steps)
}

func TestARunFromStartToEnd(t *testing.T) {
	s := newStage(t, shake("hold main", says, ends, "heed")...)
	run := s.start(executor.StartOpts{Message: "the message", Context: "the context"})
	if id, bound := run.ID(); bound {
		t.Errorf("bound to %q by start", id)
	}
	stream := s.adapter.Events(run)
	s.LetGo("main")
	events := s.Rest(stream)
	if d := cmp.Diff([]executor.Kind{"status", "text-delta", "done"}, double.Kinds(events)); d != "" {
		t.Errorf("kinds (-want +got):\n%s", d)
	}
	id, _ := run.ID()
	for i, e := range events {
		if h := e.Head(); h.RunID != id || h.Seq != int64(i+1) || h.SessionID == nil || *h.SessionID != "S" {
			t.Errorf("event %d: %+v", i, h)
		}
	}
	if d := s.Ended(events); d.Reason != executor.ReasonSuccess || d.Summary != "Hello." {
		t.Errorf("done %+v", d)
	}
	c := s.Calls()[0]
	dir, _ := filepath.EvalSymlinks(s.options.Dir)
	if !c.Ended || c.Dir != dir || len(c.Args) != 0 {
		t.Errorf("stdin ended: %v, directory %q, arguments %q", c.Ended, c.Dir, c.Args)
	}
	if !strings.Contains(c.Stdin, `"text":"the context\n\nthe message"`) || !strings.Contains(c.Stdin, `"cwd":"`+s.options.Dir+`"`) {
		t.Errorf("stdin %s", c.Stdin)
	}
	if slices.Contains(c.Env, "HOST_SECRET") || !slices.Contains(c.Env, "API_KEY") {
		t.Errorf("environment %v", c.Env)
	}
}

func TestHowRunsEnd(t *testing.T) {
	for _, test := range []struct {
		name    string
		steps   []string
		reason  executor.Reason
		code    string
		message string // a part of it
	}{
		{"success", shake(says, ends, "heed"), executor.ReasonSuccess, "", ""},
		{"success beats the exit code", shake(says, ends, "heed", "exit 1"), executor.ReasonSuccess, "", ""},
		{"success of a process that stays", shake(says, ends, "hold main"), executor.ReasonSuccess, "", ""},
		{"success of a deaf process that stays", slices.Concat([]string{"deaf"}, shake(says, ends, "hold main")), executor.ReasonSuccess, "", ""},
		{"failure", shake(says, fails, "heed"), executor.ReasonError, executor.CodeRuntime, "key [redacted] refused"},
		{"no answer, exit 0", shake(says), executor.ReasonError, executor.CodeStreamTruncated, "exit code 0"},
		{"no answer, exit 3", shake(says, "exit 3"), executor.ReasonError, executor.CodeExit, "exit code 3"},
		{"no answer, stdout closed", shake(says, "close", "hold main"), executor.ReasonError, executor.CodeStreamTruncated, "SIGTERM"},
		{"killed by somebody else", shake(says, "die 9"), executor.ReasonError, executor.CodeExit, "signal SIGKILL"},
		{"half an answer", shake(says, `print {"jsonrpc":"2.0","id":3,"result":{"stop`), executor.ReasonError, executor.CodeStreamTruncated, "exit code 0"},
		{"nothing but stderr", []string{"hear", "err Error: key canary-key-123 is no good", "exit 1"}, executor.ReasonError, executor.CodeExit, "(exit code 1): Error: key [redacted] is no good"},
		{"a session that is refused", []string{"until initialize", welcome, "until session/new", `say {"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"no session today"}}`, "heed"}, executor.ReasonError, executor.CodeRuntime, "refused session/new: no session today"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := impatient(t, test.steps...)
			_, events := s.run(executor.StartOpts{})
			d := s.Ended(events)
			if d.Reason != test.reason {
				t.Errorf("reason %q, want %q", d.Reason, test.reason)
			}
			if slices.Contains(test.steps, says) && d.Summary != "Hello." {
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
				t.Errorf("errors %+v, want one %s %q", errs, test.code, test.message)
			}
		})
	}
}

func TestAborts(t *testing.T) {
	for _, test := range []struct {
		name  string
		steps []string
		cuts  bool // the turn is cancelled, rather than not begun
	}{
		{"cancelled", shake("hold main", says, "until session/cancel", stopped, "heed"), true},
		{"cancelled by an error", shake("hold main", says, "until session/cancel", beatsAll, "heed"), true},
		{"ended well all the same", shake("hold main", says, "until session/cancel", ends, "heed"), true},
		{"not heard", slices.Concat([]string{"deaf"}, shake("hold main", says, "until session/cancel", "hold main")), true},
		{"before the session", []string{"until initialize", "hold main", "heed"}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := impatient(t, test.steps...)
			run := s.start(executor.StartOpts{})
			stream := s.adapter.Events(run)
			s.Held("main")
			if test.cuts {
				s.LetGo("main")
				for s.Next(stream).Kind() != executor.KindTextDelta {
					continue
				}
			}
			for range 2 {
				if err := s.adapter.Abort(t.Context(), run); err != nil {
					t.Error(err)
				}
			}
			if !test.cuts {
				s.LetGo("main")
			}
			if d := s.Ended(s.Rest(stream)); d.Reason != executor.ReasonAborted {
				t.Errorf("done %+v", d)
			}
			if got := strings.Count(s.Calls()[0].Stdin, `"session/cancel"`); got > 1 || got == 0 && test.cuts {
				t.Errorf("cancelled %d times", got)
			}
			if strings.Contains(s.Calls()[0].Stdin, "session/prompt") != test.cuts {
				t.Error("the prompt was sent, or was not")
			}
		})
	}
}

// A permission that is open when the run is aborted is answered with cancelled, after
// the cancel.
func TestAbortWithAnOpenQuestion(t *testing.T) {
	s := newStage(t, shake(calls, asks, "until session/cancel", "until cancelled", stopped, "heed")...)
	run := s.start(executor.StartOpts{})
	stream := s.adapter.Events(run)
	for {
		if st, is := s.Next(stream).(executor.Status); is && st.Detail == executor.DetailApproval+":t1" {
			break
		}
	}
	if err := s.adapter.Abort(t.Context(), run); err != nil {
		t.Error(err)
	}
	events := s.Rest(stream)
	if d := s.Ended(events); d.Reason != executor.ReasonAborted {
		t.Errorf("done %+v", d)
	}
	if r, is := events[0].(executor.ToolResult); !is || !r.IsError {
		t.Errorf("%+v", events)
	}
}

func TestApprove(t *testing.T) {
	s := newStage(t, shake(calls, asks, "until optionId", says, ends, "heed")...)
	run := s.start(executor.StartOpts{})
	stream := s.adapter.Events(run)
	for s.Next(stream).Kind() != executor.KindToolCall {
		continue
	}
	s.Next(stream)
	if err := s.adapter.Approve(t.Context(), run, "t1", true); err != nil {
		t.Error(err)
	}
	if err := s.adapter.Approve(t.Context(), run, "t1", false); err == nil {
		t.Error("answered twice")
	}
	s.Ended(s.Rest(stream))
	if in := s.Calls()[0].Stdin; !strings.Contains(in, `"optionId":"yes"`) || strings.Contains(in, "cancelled") {
		t.Errorf("stdin %s", in)
	}
	if err := s.adapter.Approve(t.Context(), executor.NewRun("x", "y"), "t1", true); !errors.Is(err, executor.ErrUnknownRun) {
		t.Error(err)
	}
}

// A session goes on in the next run, with what was written for it and the model that was
// set.
func TestTheNextRun(t *testing.T) {
	const loads = `say {"jsonrpc":"2.0","id":1,"result":{"configOptions":[{"id":"model","category":"model","type":"select","currentValue":"m0","options":[]}]}}`
	s := newStage(t, shake(says, ends, "heed")...)
	run, _ := s.run(executor.StartOpts{})
	blob, err := s.adapter.Serialize(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	s.perform("until initialize", welcome, "until session/load", loads, "until set_config_option", `say {"jsonrpc":"2.0","id":2,"result":{}}`,
		"until fence", strings.Replace(unknown, `"id":2`, `"id":3`, 1), "until session/prompt", says, strings.Replace(ends, `"id":3`, `"id":4`, 1), "heed")
	restored, err := s.adapter.Restore(t.Context(), blob)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.adapter.SetModel(t.Context(), restored, "m9"), s.adapter.WriteContext(t.Context(), restored, "NOTES.md", "a note")); err != nil {
		t.Fatal(err)
	}
	_, events := s.run(executor.StartOpts{Message: "more"})
	if d := s.Ended(events); d.Reason != executor.ReasonSuccess {
		t.Errorf("done %+v", d)
	}
	if st := events[0].(executor.Status); st.Model != "m9" {
		t.Errorf("%+v", st)
	}
	told := map[string]map[string]any{}
	for line := range strings.Lines(s.Calls()[1].Stdin) {
		var m struct {
			Method string         `json:"method"`
			Params map[string]any `json:"params"`
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		told[m.Method] = m.Params
	}
	want := map[string]any{"sessionId": "S", "configId": "model", "value": "m9"}
	if d := cmp.Diff(want, told["session/set_config_option"]); d != "" {
		t.Errorf("model (-want +got):\n%s", d)
	}
	want = map[string]any{"sessionId": "S", "prompt": []any{map[string]any{"type": "text", "text": "NOTES.md:\na note\n\nmore"}}}
	if d := cmp.Diff(want, told["session/prompt"]); d != "" {
		t.Errorf("prompt (-want +got):\n%s", d)
	}
	for name, err := range map[string]error{
		"a key that leads out": s.adapter.WriteContext(t.Context(), restored, "../x", "y"),
		"a model that is none": s.adapter.SetModel(t.Context(), restored, "-x"),
	} {
		if err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

// An agent that does not get ready fails its run, and is ended.
func TestAgentsThatDoNotAnswer(t *testing.T) {
	for method, steps := range map[string][]string{
		"initialize":  {"until initialize", "deaf", "hold main"},
		"session/new": {"until initialize", welcome, "until session/new", "hold main"},
	} {
		t.Run(method, func(t *testing.T) {
			s := impatient(t)
			s.options.StartTimeout = 100 * time.Millisecond
			s.perform(steps...)
			_, events := s.run(executor.StartOpts{})
			errs := s.FatalErrors(events)
			if d := s.Ended(events); d.Reason != executor.ReasonError || len(errs) != 1 {
				t.Fatalf("done %+v, errors %v", d, errs)
			}
			// Under load the first answer may be late too.
			if !strings.Contains(errs[0].Message, "did not answer") {
				t.Error(errs[0].Message)
			}
		})
	}
}

func TestHealth(t *testing.T) {
	for _, test := range []struct {
		name  string
		steps []string
		ok    bool
	}{
		{"answers", []string{"until initialize", welcome, "heed"}, true},
		{"fails", []string{"until initialize", "exit 1"}, false},
		{"hangs", []string{"deaf", "hold main"}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := impatient(t)
			if test.name == "hangs" {
				s.options.HealthTimeout = 400 * time.Millisecond
			}
			s.perform(test.steps...)
			h, err := s.adapter.Health(t.Context())
			if err != nil || h.OK != test.ok || strings.Contains(h.Message, "canary") {
				t.Errorf("%+v, %v", h, err)
			}
		})
	}
	s := newStage(t)
	s.options.Command = []string{filepath.Join(t.TempDir(), "no-such-agent")}
	s.perform()
	if h, err := s.adapter.Health(t.Context()); h.OK || err != nil || h.Message != "the acp command was not found" {
		t.Errorf("%+v, %v", h, err)
	}
	if _, err := s.adapter.Start(t.Context(), executor.TaskHandle{}, executor.StartOpts{SessionKey: "s", Message: "m"}); err == nil {
		t.Error("started")
	}
}

// A second start on a live session is refused; the first run goes on.
func TestBusy(t *testing.T) {
	s := newStage(t, shake("hold main", says, ends, "heed")...)
	run := s.start(executor.StartOpts{})
	stream := s.adapter.Events(run)
	if _, err := s.adapter.Start(t.Context(), executor.TaskHandle{}, executor.StartOpts{SessionKey: "s1", Message: "x"}); !errors.Is(err, executor.ErrBusy) {
		t.Error(err)
	}
	s.LetGo("main")
	if d := s.Ended(s.Rest(stream)); d.Reason != executor.ReasonSuccess {
		t.Errorf("done %+v", d)
	}
}

// A line of two megabytes is no matter.
func TestLongLines(t *testing.T) {
	head, tail, _ := strings.Cut(strings.TrimPrefix(says, "say "), "Hello.")
	steps := []string{"print " + head, "fill 2097152", "say " + tail}
	s := newStage(t, shake(append(steps, ends, "heed")...)...)
	_, events := s.run(executor.StartOpts{})
	if d := s.Ended(events); d.Reason != executor.ReasonSuccess || len(d.Summary) < 2<<20 {
		t.Errorf("done %s, %d bytes", d.Reason, len(d.Summary))
	}
}
