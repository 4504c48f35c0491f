//go:build unix

package codex_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/adapters/codex"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/double"
)

const (
	welcome     = `say {"id":0,"result":{"userAgent":"x"}}`
	threadIs    = `say {"id":1,"result":{"thread":{"id":"` + thread + `"},"model":"gpt-5.5"}}`
	turnIs      = `say {"id":2,"result":{"turn":{"id":"T1","status":"inProgress"}}}`
	turnBegins  = `say {"method":"turn/started","params":{"threadId":"` + thread + `","turn":{"id":"T1"}}}`
	says        = `say {"method":"item/agentMessage/delta","params":{"threadId":"` + thread + `","turnId":"T1","itemId":"m1","delta":"Hello."}}`
	callOpens   = `say {"method":"item/started","params":{"threadId":"` + thread + `","turnId":"T1","item":{"type":"commandExecution","id":"c1","command":"ls","status":"inProgress"}}}`
	costs       = `say {"method":"thread/tokenUsage/updated","params":{"threadId":"` + thread + `","turnId":"T1","tokenUsage":{"total":{"inputTokens":100,"cachedInputTokens":30,"outputTokens":20}}}}`
	costsTwice  = `say {"method":"thread/tokenUsage/updated","params":{"threadId":"` + thread + `","turnId":"T1","tokenUsage":{"total":{"inputTokens":200,"cachedInputTokens":60,"outputTokens":40}}}}`
	rests       = `say {"method":"thread/status/changed","params":{"threadId":"` + thread + `","status":{"type":"idle"}}}`
	turnEnds    = `say {"method":"turn/completed","params":{"threadId":"` + thread + `","turn":{"id":"T1","status":"completed","error":null,"items":[]}}}`
	turnFails   = `say {"method":"turn/completed","params":{"threadId":"` + thread + `","turn":{"id":"T1","status":"failed","error":{"message":"key canary-key-123 refused"}}}}`
	interrupted = `say {"method":"turn/completed","params":{"threadId":"` + thread + `","turn":{"id":"T1","status":"interrupted","error":null}}}`
)

// shake is the handshake, up to the begin of the turn, and what follows it.
func shake(steps ...string) []string {
	return slices.Concat([]string{"until initialize", welcome, "until thread/", threadIs, "until turn/start", turnIs, turnBegins}, steps)
}

// newServer is newStage for the other mode. No process is ended by the adapter unless
// a test is about that, however slow the machine is.
func newServer(t *testing.T, steps ...string) *stage {
	t.Helper()
	s := newStage(t)
	s.options.Mode, s.options.Grace = codex.ModeAppServer, time.Minute
	s.fresh(steps...)
	return s
}

// impatient is newServer for what ends processes.
func impatient(t *testing.T, steps ...string) *stage {
	t.Helper()
	s := newServer(t)
	s.options.Grace = 50 * time.Millisecond
	s.fresh(steps...)
	return s
}

// heardLine is a line that a double read.
type heardLine struct {
	ID     any
	Method string
	Params struct {
		ThreadID, TurnID, ExpectedTurnID, Model, Cwd, Sandbox, ApprovalPolicy string
		Input                                                                 []struct{ Type, Text string }
	}
	Result *struct{ Decision string }
	Error  *struct {
		Code    int
		Message string
	}
}

// heard is what a double read, line by line.
func (s *stage) heard(c double.Call) []heardLine {
	s.Helper()
	var all []heardLine
	for line := range strings.Lines(c.Stdin) {
		var l heardLine
		if err := json.Unmarshal([]byte(line), &l, json.MatchCaseInsensitiveNames(true)); err != nil {
			s.Fatalf("%v in %q", err, line)
		}
		all = append(all, l)
	}
	return all
}

// asked lists what a double was asked, in a word each.
func (s *stage) asked(c double.Call) []string {
	s.Helper()
	var all []string
	for _, l := range s.heard(c) {
		switch {
		case l.Method == "turn/start", l.Method == "turn/steer":
			all = append(all, l.Method+" "+l.Params.ExpectedTurnID+l.Params.Input[0].Text)
		case l.Method == "thread/resume", l.Method == "turn/interrupt":
			all = append(all, l.Method+" "+l.Params.ThreadID+l.Params.TurnID)
		case l.Method != "":
			all = append(all, l.Method)
		case l.Result != nil:
			all = append(all, fmt.Sprintf("%v %s", l.ID, l.Result.Decision))
		default:
			all = append(all, fmt.Sprintf("%v refused", l.ID))
		}
	}
	return all
}

func TestAServersRunFromStartToEnd(t *testing.T) {
	s := newServer(t, shake("hold main", says, costs, rests, turnEnds, "heed")...)
	s.options.Config = []string{`mcp_servers.s.url="http://localhost"`}
	s.fresh(shake("hold main", says, costs, rests, turnEnds, "heed")...)
	run := s.start(executor.StartOpts{Message: "the message", Context: "the context", Model: "gpt-5"})
	if id, bound := run.ID(); bound {
		t.Errorf("bound to %q by start", id)
	}
	stream := s.adapter.Events(run)
	s.LetGo("main")
	events := s.Rest(stream)
	if d := cmp.Diff([]executor.Kind{"status", "status", "text-delta", "cost", "done"}, double.Kinds(events)); d != "" {
		t.Errorf("kinds (-want +got):\n%s", d)
	}
	id, _ := run.ID()
	for i, e := range events {
		if h := e.Head(); h.RunID != id || h.Seq != int64(i+1) || h.SessionID == nil || *h.SessionID != thread {
			t.Errorf("event %d: %+v", i, h)
		}
	}
	if st := events[0].(executor.Status); st.Phase != executor.PhaseInit || st.Model != "gpt-5.5" {
		t.Errorf("%+v", st)
	}
	if d := s.Ended(events); d.Reason != executor.ReasonSuccess || d.Summary != "Hello." || d.Usage.InputTokens != 70 {
		t.Errorf("done %+v", d)
	}
	c := s.Calls()[0]
	if d := cmp.Diff([]string{"app-server", "-c", s.options.Config[0]}, c.Args); d != "" {
		t.Errorf("arguments (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"initialize", "initialized", "thread/start", "turn/start the context\n\nthe message"}, s.asked(c)); d != "" {
		t.Errorf("asked (-want +got):\n%s", d)
	}
	lines := s.heard(c)
	if p := lines[2].Params; p.Cwd != "" || p.Sandbox != codex.SandboxWorkspaceWrite || p.ApprovalPolicy != codex.ApprovalOnRequest {
		t.Errorf("thread %+v", p)
	}
	if p := lines[3].Params; p.ThreadID != thread || p.Model != "gpt-5" {
		t.Errorf("turn %+v", p)
	}
	if want, _ := filepath.EvalSymlinks(s.options.Dir); !c.Ended || c.Dir != want {
		t.Errorf("stdin ended: %v, directory %q, want %q", c.Ended, c.Dir, want)
	}
	if slices.Contains(c.Env, "HOST_SECRET") || !slices.Contains(c.Env, "API_KEY") {
		t.Errorf("environment %v", c.Env)
	}
}

func TestHowServersRunsEnd(t *testing.T) {
	tests := []struct {
		name    string
		steps   []string
		reason  executor.Reason
		code    string
		message string // a part of it
	}{
		{"success", shake(says, rests, turnEnds, "heed"), executor.ReasonSuccess, "", ""},
		{"success beats the exit code", shake(says, rests, turnEnds, "heed", "exit 1"), executor.ReasonSuccess, "", ""},
		{"success of a process that stays", shake(says, rests, turnEnds, "hold main"), executor.ReasonSuccess, "", ""},
		{"success of a deaf process that stays", slices.Concat([]string{"deaf"}, shake(says, rests, turnEnds, "hold main")), executor.ReasonSuccess, "", ""},
		{"failure", shake(says, turnFails, "heed"), executor.ReasonError, executor.CodeRuntime, "key [redacted] refused"},
		{"no end of the turn, exit 0", shake(says), executor.ReasonError, executor.CodeStreamTruncated, "exit code 0"},
		{"no end of the turn, exit 3", shake(says, "exit 3"), executor.ReasonError, executor.CodeExit, "exit code 3"},
		{"no end of the turn, stdout closed", shake(says, "close", "hold main"), executor.ReasonError, executor.CodeStreamTruncated, "SIGTERM"},
		{"killed by somebody else", shake(says, "die 9"), executor.ReasonError, executor.CodeExit, "signal SIGKILL"},
		{"an end that cannot be read", shake(says, rests, "say {garbage", "heed"), executor.ReasonError, executor.CodeStreamTruncated, "exit code 0"},
		{"half an end", shake(says, rests, `print {"method":"turn/comp`, "heed"), executor.ReasonError, executor.CodeStreamTruncated, "exit code 0"},
		{"nothing but stderr", []string{"hear", "err Error: key canary-key-123 is no good", "exit 1"}, executor.ReasonError, executor.CodeExit, "(exit code 1): Error: key [redacted] is no good"},
		{"a thread that is refused", []string{"until initialize", welcome, "until thread/start", `say {"id":1,"error":{"code":-32600,"message":"no thread today"}}`, "heed"}, executor.ReasonError, executor.CodeRuntime, "refused thread/start: no thread today"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := newServer(t)
			if ended := slices.ContainsFunc(test.steps, func(s string) bool { return s == "hold main" || strings.HasPrefix(s, "print ") }); ended {
				s = impatient(t)
			}
			s.fresh(test.steps...)
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
				t.Errorf("fatal errors %v, want one with code %s and %q", errs, test.code, test.message)
			}
		})
	}
}

// A process that does not answer is not waited for for ever. What it does not answer is
// told by TestWhatIsNotAnswered.
func TestAServerThatDoesNotAnswer(t *testing.T) {
	for name, steps := range map[string][]string{
		"obedient": {"until initialize", "heed"},
		"deaf":     {"deaf", "hold main"},
	} {
		t.Run(name, func(t *testing.T) {
			s := impatient(t)
			s.options.StartTimeout = 200 * time.Millisecond
			s.fresh(steps...)
			_, events := s.run(executor.StartOpts{})
			errs := s.FatalErrors(events)
			if d := s.Ended(events); d.Reason != executor.ReasonError || len(errs) != 1 || errs[0].Message != "codex app-server did not answer initialize in time" {
				t.Errorf("done %+v, errors %v", d, errs)
			}
		})
	}
}

// An abort works wherever the talk is: what has not begun does not begin, and a turn
// whose name is not known is interrupted when it is.
func TestAbortOfAServer(t *testing.T) {
	tests := []struct {
		name  string
		steps []string
		asked []string
		words string
	}{
		{"before the first answer", []string{"until initialize", "hold main", welcome, "heed"}, []string{"initialize"}, ""},
		{"before the thread", []string{"until initialize", welcome, "until thread/start", "hold main", threadIs, "heed"}, []string{"initialize", "initialized", "thread/start"}, ""},
		{"before the answer with the turn", []string{"until initialize", welcome, "until thread/start", threadIs, "until turn/start", "hold main", turnIs, "until turn/interrupt", `say {"id":3,"result":{}}`, turnBegins, "until turn/interrupt", interrupted, "heed"},
			[]string{"initialize", "initialized", "thread/start", "turn/start go", "turn/interrupt " + thread, "turn/interrupt " + thread + "T1"}, ""},
		{"before the turn runs", []string{"until initialize", welcome, "until thread/start", threadIs, "until turn/start", turnIs, "hold main", "until turn/interrupt", `say {"id":3,"result":{}}`, interrupted, "heed"},
			[]string{"initialize", "initialized", "thread/start", "turn/start go", "turn/interrupt " + thread}, ""},
		{"in the turn", shake(says, callOpens, "hold main", "until turn/interrupt", `say {"id":3,"result":{}}`, interrupted, "heed"),
			[]string{"initialize", "initialized", "thread/start", "turn/start go", "turn/interrupt " + thread + "T1"}, "Hello."},
		{"as the turn ends", shake(says, "hold main", "until turn/interrupt", turnEnds, "heed"),
			[]string{"initialize", "initialized", "thread/start", "turn/start go", "turn/interrupt " + thread + "T1"}, "Hello."},
		{"there is no turn to interrupt", shake(says, "hold main", "until turn/interrupt", `say {"id":3,"error":{"code":-32600,"message":"no active turn"}}`, "heed"),
			[]string{"initialize", "initialized", "thread/start", "turn/start go", "turn/interrupt " + thread + "T1"}, "Hello."},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := newServer(t, test.steps...)
			run := s.start(executor.StartOpts{})
			stream := s.adapter.Events(run)
			s.Held("main")
			var events []executor.Event
			for slices.Contains(test.steps, says) && !slices.Contains(double.Kinds(events), executor.KindTextDelta) {
				events = append(events, s.Next(stream)) // the turn is known by then
			}
			for range 2 {
				if err := s.adapter.Abort(t.Context(), run); err != nil {
					t.Fatal(err)
				}
			}
			s.LetGo("main")
			events = append(events, s.Rest(stream)...)
			if d := s.Ended(events); d.Reason != executor.ReasonAborted || d.Summary != test.words {
				t.Errorf("done %+v", d)
			}
			if errs := s.FatalErrors(events); len(errs) != 0 {
				t.Errorf("fatal errors %v", errs)
			}
			if slices.Contains(test.steps, callOpens) {
				if r, is := events[len(events)-2].(executor.ToolResult); !is || !r.IsError || r.ID != "c1" {
					t.Errorf("the open call was not closed: %v", double.Kinds(events))
				}
			}
			if err := s.adapter.Abort(t.Context(), run); err != nil {
				t.Errorf("after the end: %v", err)
			}
			c := s.Calls()[0]
			if d := cmp.Diff(test.asked, s.asked(c)); d != "" || !c.Ended {
				t.Errorf("ended=%v, asked (-want +got):\n%s", c.Ended, d)
			}
			// A later start works.
			s.fresh(shake(turnEnds, "heed")...)
			if _, events := s.run(executor.StartOpts{}); s.Ended(events).Reason != executor.ReasonSuccess {
				t.Error("the session does not start again")
			}
		})
	}
}

// A process that does not obey gets the signals, and so do its tools.
func TestAbortOfAServerThatIsDeaf(t *testing.T) {
	for name, steps := range map[string][]string{
		"in the turn":             slices.Concat([]string{"deaf"}, shake(says, "tool", "hold main")),
		"before the turn":         {"deaf", "until initialize", "tool", "hold main"},
		"before it is named":      {"deaf", "until initialize", welcome, "until thread/start", threadIs, "until turn/start", "tool", "hold main"},
		"after the end of a turn": slices.Concat([]string{"deaf"}, shake(says, "until turn/interrupt", interrupted, "tool", "hold main")),
	} {
		t.Run(name, func(t *testing.T) {
			s := impatient(t, steps...)
			run := s.start(executor.StartOpts{})
			stream := s.adapter.Events(run)
			if name == "after the end of a turn" {
				for s.Next(stream).Kind() != executor.KindTextDelta {
					continue
				}
			} else {
				s.Held("main")
				s.Held("tool")
			}
			if err := s.adapter.Abort(t.Context(), run); err != nil {
				t.Fatal(err)
			}
			if d := s.Ended(s.Rest(stream)); d.Reason != executor.ReasonAborted {
				t.Errorf("done %+v", d)
			}
			s.Gone("main")
			s.Gone("tool")
		})
	}
}

// asks is a question of the runtime about a call.
func asks(id, item string) string {
	return `say {"method":"item/commandExecution/requestApproval","id":` + id + `,"params":{"threadId":"` + thread + `","turnId":"T1","itemId":"` + item + `","command":"ls","availableDecisions":["accept","cancel"]}}`
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

// answers are the last lines that the first double heard.
func (s *stage) answers(n int) []string {
	s.Helper()
	all := s.asked(s.Calls()[0])
	return all[len(all)-n:]
}

func TestQuestionsAreAnsweredOnce(t *testing.T) {
	for _, allow := range []bool{true, false} {
		s := newServer(t, shake(callOpens, asks("0", "c1"), "hear", says, turnEnds, "heed")...)
		run := s.start(executor.StartOpts{})
		stream := s.adapter.Events(run)
		if id := s.question(stream); id != "c1" {
			t.Errorf("question %q", id)
		}
		if err := s.adapter.Approve(t.Context(), run, "never", true); !errors.Is(err, codex.ErrNoQuestion) {
			t.Errorf("a question that nobody asked: %v", err)
		}
		if err := s.adapter.Approve(t.Context(), run, "c1", allow); err != nil {
			t.Error(err)
		}
		if err := s.adapter.Approve(t.Context(), run, "c1", !allow); !errors.Is(err, codex.ErrNoQuestion) {
			t.Errorf("a second answer: %v", err)
		}
		if d := s.Ended(s.Rest(stream)); d.Reason != executor.ReasonSuccess {
			t.Errorf("done %+v", d)
		}
		want := map[bool]string{true: "0 accept", false: "0 decline"}[allow]
		if d := cmp.Diff([]string{"turn/start go", want}, s.answers(2)); d != "" {
			t.Errorf("heard (-want +got):\n%s", d)
		}
	}
}

// Questions about one call are several, each with an answer of its own.
func TestQuestionsAreKeptApart(t *testing.T) {
	other := strings.Replace(asks(`"x"`, "c1"), "commandExecution", "fileChange", 1)
	own := strings.Replace(asks("7", "c1"), `"itemId"`, `"approvalId":"sub","itemId"`, 1)
	none := strings.Replace(asks("8", "c1"), `"itemId":"c1",`, "", 1)
	s := newServer(t, shake(asks("0", "c1"), other, own, none, "hear", "hear", "hear", "hear", turnEnds, "heed")...)
	run := s.start(executor.StartOpts{})
	stream := s.adapter.Events(run)
	var got []string
	for range 4 {
		got = append(got, s.question(stream))
	}
	if d := cmp.Diff([]string{"c1", "c1~2", "sub", "request-8"}, got); d != "" {
		t.Errorf("questions (-want +got):\n%s", d)
	}
	for i, id := range []string{"c1~2", "sub", "c1", "request-8"} {
		if err := s.adapter.Approve(t.Context(), run, id, i%2 == 0); err != nil {
			t.Error(err)
		}
	}
	s.Rest(stream)
	if d := cmp.Diff([]string{"x accept", "7 decline", "0 accept", "8 decline"}, s.answers(4)); d != "" {
		t.Errorf("heard (-want +got):\n%s", d)
	}
}

func TestAQuestionThatNobodyAnswersIsDenied(t *testing.T) {
	s := newServer(t)
	s.options.ApprovalTimeout = 10 * time.Millisecond
	s.fresh(shake(asks("0", "c1"), "hear", says, turnEnds, "heed")...)
	run, events := s.run(executor.StartOpts{})
	if d := s.Ended(events); d.Reason != executor.ReasonSuccess {
		t.Errorf("done %+v", d)
	}
	if d := cmp.Diff([]string{"turn/start go", "0 decline"}, s.answers(2)); d != "" {
		t.Errorf("heard (-want +got):\n%s", d)
	}
	if err := s.adapter.Approve(t.Context(), run, "c1", true); !errors.Is(err, codex.ErrNoQuestion) {
		t.Errorf("after the end: %v", err)
	}
}

func TestAQuestionThatIsWithdrawnTakesNoAnswer(t *testing.T) {
	resolved := `say {"method":"serverRequest/resolved","params":{"threadId":"` + thread + `","requestId":0}}`
	s := newServer(t, shake(asks("0", "c1"), resolved, says, "hold main", turnEnds, "heed")...)
	run := s.start(executor.StartOpts{})
	stream := s.adapter.Events(run)
	for s.Next(stream).Kind() != executor.KindTextDelta {
		continue // the withdrawal has been read by then
	}
	if err := s.adapter.Approve(t.Context(), run, "c1", true); !errors.Is(err, codex.ErrNoQuestion) {
		t.Errorf("%v", err)
	}
	s.LetGo("main")
	s.Rest(stream)
	if d := cmp.Diff([]string{"turn/start go"}, s.answers(1)); d != "" {
		t.Errorf("heard (-want +got):\n%s", d)
	}
}

func TestAnAbortSettlesQuestions(t *testing.T) {
	s := newServer(t, shake(asks("0", "c1"), "hold main", "until turn/interrupt", asks("1", "c2"), interrupted, "heed")...)
	run := s.start(executor.StartOpts{})
	stream := s.adapter.Events(run)
	s.question(stream)
	s.Held("main")
	if err := s.adapter.Abort(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	if err := s.adapter.Approve(t.Context(), run, "c1", true); !errors.Is(err, codex.ErrNoQuestion) {
		t.Errorf("%v", err)
	}
	s.LetGo("main")
	for _, e := range s.Rest(stream) {
		if st, is := e.(executor.Status); is && st.Detail != "" {
			t.Errorf("asked after the abort: %+v", st)
		}
	}
	if d := cmp.Diff([]string{"turn/start go", "turn/interrupt " + thread + "T1"}, s.answers(2)); d != "" {
		t.Errorf("heard (-want +got):\n%s", d)
	}
}

func TestRequestsThatTheHostDoesNotKnowAreRefused(t *testing.T) {
	s := newServer(t, shake(`say {"method":"mcpServer/elicitation/request","id":2,"params":{}}`, "hear", says, turnEnds, "heed")...)
	_, events := s.run(executor.StartOpts{})
	if d := s.Ended(events); d.Reason != executor.ReasonSuccess {
		t.Errorf("done %+v", d)
	}
	lines := s.heard(s.Calls()[0])
	if l := lines[len(lines)-1]; l.ID != 2.0 || l.Error == nil || l.Error.Code != -32601 {
		t.Errorf("heard %+v", l)
	}
}

// Context reaches the live run: with the message as long as there is no turn, and as a
// message to the turn then.
func TestContextReachesTheLiveRun(t *testing.T) {
	s := newServer(t, "until initialize", "hold main", welcome, "until thread/start", threadIs, "until turn/start", "hold unnamed", turnIs, turnBegins, says, "until three",
		`say {"id":3,"result":{"turnId":"T1"}}`, `say {"id":4,"result":{"turnId":"T1"}}`, turnEnds, "heed")
	run := s.start(executor.StartOpts{})
	stream := s.adapter.Events(run)
	write := func(key, value string) {
		t.Helper()
		if err := s.adapter.WriteContext(t.Context(), run, key, value); err != nil {
			t.Fatal(err)
		}
	}
	s.Held("main")
	write("NOTES.md", "one")
	s.LetGo("main")
	s.Held("unnamed")
	write("MORE.md", "two")
	s.LetGo("unnamed")
	for s.Next(stream).Kind() != executor.KindTextDelta {
		continue
	}
	write("MORE.md", "three")
	for _, key := range []string{"", "..", "../x", "/etc/x", "a/../../x", `..\x`, "a\nb", "a\x00b"} {
		if err := s.adapter.WriteContext(t.Context(), run, key, "v"); err == nil {
			t.Errorf("key %q was taken", key)
		}
	}
	s.Rest(stream)
	want := []string{"turn/start NOTES.md:\none\n\ngo", "turn/steer T1MORE.md:\ntwo", "turn/steer T1MORE.md:\nthree"}
	if d := cmp.Diff(want, s.answers(3)); d != "" {
		t.Errorf("heard (-want +got):\n%s", d)
	}
}

// What a turn does not take, as it has ended, goes to the next run.
func TestContextThatTheTurnDoesNotTake(t *testing.T) {
	refused := `say {"id":%d,"error":{"code":-32600,"message":"no active turn to steer"}}`
	for name, test := range map[string]struct {
		steps []string
		next  string
	}{
		"refused":           {shake(says, "until two", fmt.Sprintf(refused, 3), fmt.Sprintf(refused, 4), turnEnds, "heed"), "k:\ntwo\n\ngo"},
		"the first refused": {shake(says, "until two", fmt.Sprintf(refused, 3), `say {"id":4,"result":{}}`, turnEnds, "heed"), "k:\none\n\ngo"},
		"not answered":      {shake(says, "until two", turnEnds, "heed"), "k:\ntwo\n\ngo"},
		"taken":             {shake(says, "until two", `say {"id":3,"result":{}}`, `say {"id":4,"result":{}}`, turnEnds, "heed"), "go"},
		"the process dies":  {shake(says, "until two", "die 9"), "k:\ntwo\n\ngo"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, test.steps...)
			run := s.start(executor.StartOpts{})
			stream := s.adapter.Events(run)
			for s.Next(stream).Kind() != executor.KindTextDelta {
				continue
			}
			for _, value := range []string{"one", "two"} {
				if err := s.adapter.WriteContext(t.Context(), run, "k", value); err != nil {
					t.Fatal(err)
				}
			}
			for _, e := range s.Rest(stream) {
				if err, is := e.(executor.Error); is && !err.Fatal {
					t.Errorf("%+v", err)
				}
			}
			again := s.start(executor.StartOpts{})
			stream = s.adapter.Events(again)
			for s.Next(stream).Kind() != executor.KindTextDelta {
				continue
			}
			// The double does in this run as in the one before.
			if err := s.adapter.WriteContext(t.Context(), again, "k", "two"); err != nil {
				t.Fatal(err)
			}
			s.Rest(stream)
			if got := s.asked(s.Calls()[1])[3]; got != "turn/start "+test.next {
				t.Errorf("heard %q, want %q", got, test.next)
			}
		})
	}
}

func TestModelReachesTheServersNextRun(t *testing.T) {
	s := newServer(t, shake(turnEnds, "heed")...)
	run, _ := s.run(executor.StartOpts{})
	if err := s.adapter.SetModel(t.Context(), run, "o4-mini"); err != nil {
		t.Fatal(err)
	}
	s.run(executor.StartOpts{})
	s.run(executor.StartOpts{Model: "gpt-5"})
	var got []string
	for _, c := range s.Calls() {
		got = append(got, s.heard(c)[3].Params.Model)
	}
	if d := cmp.Diff([]string{"", "o4-mini", "gpt-5"}, got); d != "" {
		t.Errorf("models (-want +got):\n%s", d)
	}
}

// Two processes of one thread count its usage once, in either mode and from one to the
// other, within an adapter and through what a session is written down as.
func TestTwoProcessesOfOneThreadCountUsageOnce(t *testing.T) {
	steps := map[string][2][]string{
		codex.ModeExec:      {{begin, turn, hello, completed}, {begin, turn, hello, twice}},
		codex.ModeAppServer: {shake(says, costs, turnEnds, "heed"), slices.Concat([]string{"until initialize", welcome, "until thread/resume", threadIs, costs, "until turn/start", turnIs, turnBegins}, []string{says, costsTwice, turnEnds, "heed"})},
	}
	for _, first := range []string{codex.ModeExec, codex.ModeAppServer} {
		for _, second := range []string{codex.ModeExec, codex.ModeAppServer} {
			t.Run(first+" then "+second, func(t *testing.T) {
				s := newStage(t)
				s.options.Mode, s.options.Grace = first, time.Minute
				s.fresh(steps[first][0]...)
				run, events := s.run(executor.StartOpts{})
				each := executor.Usage{InputTokens: 70, OutputTokens: 20, CachedInputTokens: new(int64)}
				*each.CachedInputTokens = 30
				if d := cmp.Diff(&each, s.Ended(events).Usage); d != "" {
					t.Errorf("first (-want +got):\n%s", d)
				}
				blob, err := s.adapter.Serialize(t.Context(), run)
				want := `{"v":1,"sessionKey":"s1","thread":"` + thread + `","totals":{"input":100,"cached":30,"output":20}}`
				if err != nil || blob != want {
					t.Errorf("blob %s, %v, want %s", blob, err, want)
				}
				s.options.Mode = second
				s.fresh(steps[second][1]...)
				if _, err := s.adapter.Restore(t.Context(), blob); err != nil {
					t.Fatal(err)
				}
				again, events := s.run(executor.StartOpts{})
				if d := cmp.Diff(&each, s.Ended(events).Usage); d != "" {
					t.Errorf("second (-want +got):\n%s", d)
				}
				var sum int64
				for _, e := range events {
					if c, is := e.(executor.Cost); is {
						sum += c.Usage.InputTokens
					}
				}
				if sum != 70 {
					t.Errorf("costs of the second run sum up to %d", sum)
				}
				if later, err := s.adapter.Serialize(t.Context(), again); err != nil || later != strings.NewReplacer("100", "200", "30,", "60,", "20}", "40}").Replace(want) {
					t.Errorf("blob %s, %v", later, err)
				}
			})
		}
	}
}

func TestAThreadThatTheServerLostIsForgotten(t *testing.T) {
	s := newServer(t, "until initialize", welcome, "until thread/", `say {"id":1,"error":{"code":-32600,"message":"no rollout found for thread id `+thread+`"}}`, "heed")
	if _, err := s.adapter.Restore(t.Context(), `{"v":1,"sessionKey":"s1","thread":"`+thread+`","totals":{"input":0,"cached":0,"output":0}}`); err != nil {
		t.Fatal(err)
	}
	for _, method := range []string{"thread/resume " + thread, "thread/start"} {
		if _, events := s.run(executor.StartOpts{}); s.Ended(events).Reason != executor.ReasonError {
			t.Error("the loss was not told")
		}
		calls := s.Calls()
		if got := s.asked(calls[len(calls)-1])[2]; got != method {
			t.Errorf("asked %s, want %s", got, method)
		}
	}
}

// A process that reads nothing holds up no call.
func TestCallsDoNotWaitForTheServer(t *testing.T) {
	s := newServer(t, "hold main", "until initialize", welcome, "until thread/start", threadIs, "until turn/start", turnIs, turnBegins, "hold turn", turnEnds, "heed")
	run := s.start(executor.StartOpts{Message: strings.Repeat("word ", 1<<20)})
	s.LetGo("main")
	s.Held("turn")
	big := strings.Repeat("x", 300<<10)
	for i := range 6 {
		if err := s.adapter.WriteContext(t.Context(), run, fmt.Sprint("k", i), big); err != nil {
			t.Fatal(err)
		}
	}
	s.LetGo("turn")
	s.Rest(s.adapter.Events(run))
}

func TestDisposeOfAServer(t *testing.T) {
	s := newServer(t, shake("hold main", "until turn/interrupt", interrupted, "heed")...)
	run := s.start(executor.StartOpts{})
	stream := s.adapter.Events(run)
	s.Held("main")
	expired, cancel := context.WithCancel(t.Context())
	cancel()
	_ = s.adapter.Dispose(expired) // may or may not be in time; the end comes anyway
	s.LetGo("main")
	if err := s.adapter.Dispose(t.Context()); err != nil {
		t.Fatal(err)
	}
	if d := s.Ended(s.Rest(stream)); d.Reason != executor.ReasonAborted {
		t.Errorf("done %+v", d)
	}
}

func TestServersLeaveNoFilesOpen(t *testing.T) {
	s := newServer(t, shake(says, turnEnds, "heed")...)
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
