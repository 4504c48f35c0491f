//go:build unix

package claudecode_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/child/childtest"
	"github.com/adaptercheck/adaptercheck/fakes/claudecode"
)

// started is a process whose run has begun with a message on stdin.
func started(t *testing.T, o claudecode.Options, args ...string) (*childtest.Host, fakes.Run) {
	t.Helper()
	rt := newRuntime(t, o)
	h := childtest.StartOpen(t, rt, append(open, args...)...)
	h.Say(t, message)
	run := childtest.Next(t, rt)
	childtest.Emit(t, run, fakes.Init{})
	h.Line(t)
	return h, run
}

// lines reads so many and names them.
func lines(t *testing.T, h *childtest.Host, n int) []string {
	t.Helper()
	var out strings.Builder
	for range n {
		out.WriteString(h.Line(t))
	}
	return kinds(t, out.String())
}

func expect(t *testing.T, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// calls waits for so many calls.
func calls(t *testing.T, run fakes.Run, n int) []fakes.Call {
	t.Helper()
	childtest.Await(t, "all is heard", func() bool { return len(run.Calls()) >= n })
	got := run.Calls()
	for i := range got {
		if got[i].Session != run.Begun().Session {
			t.Errorf("call %d of session %q", i, got[i].Session)
		}
		got[i].Session = ""
	}
	return got
}

// A client says hello before it says what it wants.
func TestInitializeComesBeforeTheRun(t *testing.T) {
	rt := newRuntime(t, claudecode.Options{})
	h := childtest.StartOpen(t, rt, open...)
	h.Say(t, `{"request_id":"i1","type":"control_request","request":{"subtype":"initialize","hooks":null}}`)
	if line := h.Line(t); !strings.HasPrefix(line, `{"type":"control_response","response":{"subtype":"success","request_id":"i1","response":{"commands":[`) {
		t.Errorf("answer %q", line)
	}
	h.Say(t, message)
	run := childtest.Next(t, rt)
	if m := run.Begun().Message; m != "hello" {
		t.Errorf("message %q", m)
	}
	childtest.Emit(t, run, fakes.Init{}, done)
	expect(t, "lines", []string{"system/init", "result/success"}, lines(t, h, 2))
	h.In.Close()
	if h.Rest(t); h.Reap() != 0 {
		t.Errorf("exit code %d", h.Reap())
	}
	expect(t, "calls", []fakes.Call{{Method: fakes.MethodInputEnd}}, calls(t, run, 1))
}

// A message waits for the next model call of the turn, or for the next turn.
func TestMessagesDuringATurn(t *testing.T) {
	h, run := started(t, claudecode.Options{})
	say := func(text string) {
		h.Say(t, strings.Replace(message, "hello", text, 1))
	}
	say("merged")
	calls(t, run, 1)
	childtest.Emit(t, run, fakes.ToolCall{ID: "t1", Name: "Bash", Input: "{}"}, fakes.Result{ID: "t1", Out: "x"})
	say("next")
	got := calls(t, run, 2)
	expect(t, "calls", []fakes.Call{{Method: fakes.MethodInput, Value: "merged"}, {Method: fakes.MethodInput, Value: "next"}}, got)
	h.In.Close()
	calls(t, run, 3)
	childtest.Emit(t, run, done) // one turn is left, so that the process lives
	childtest.Emit(t, run, fakes.Init{}, text("two"), fakes.Failure{Message: "m", Fatal: true})
	expect(t, "lines", []string{"assistant", "user", "result/success", "system/init", "assistant", "assistant", "result/success"}, kinds(t, h.Rest(t)))
	if code := h.Reap(); code != 1 {
		t.Errorf("exit code %d", code)
	}
}

func TestControlRequests(t *testing.T) {
	h, run := started(t, claudecode.Options{})
	for _, c := range []struct {
		request string
		want    []string
		say     string
	}{
		{`{"subtype":"set_model","model":"claude-haiku-4-5"}`, []string{"user", "control_response/success"}, `{"model":"claude-haiku-4-5"}`},
		{`{"subtype":"set_permission_mode","mode":"plan"}`, []string{"control_response/success", "system/status"}, `{"mode":"plan"}`},
		{`{"subtype":"no_such"}`, []string{"control_response/error"}, `"error_code":"unsupported_request"`},
		{`{"subtype":"interrupt"}`, []string{"control_response/success", "user", "result/error_during_execution"}, `{"still_queued":[]}`},
		{`{"subtype":"interrupt"}`, []string{"control_response/success"}, `{"still_queued":[]}`},
	} {
		h.Say(t, `{"type":"control_request","request_id":"r","request":`+c.request+`}`)
		var out strings.Builder
		for range c.want {
			out.WriteString(h.Line(t))
		}
		expect(t, c.request, c.want, kinds(t, out.String()))
		if !strings.Contains(out.String(), c.say) {
			t.Errorf("%s: %s", c.request, out.String())
		}
	}
	h.Say(t, strings.Replace(message, "hello", "again", 1))
	calls(t, run, 5)
	childtest.Emit(t, run, fakes.Init{})
	if line := h.Line(t); !strings.Contains(line, `"model":"claude-haiku-4-5"`) || !strings.Contains(line, `"permissionMode":"plan"`) {
		t.Errorf("first line %q", line)
	}
	expect(t, "calls", []fakes.Call{{Method: fakes.MethodSetModel, Model: "claude-haiku-4-5"}, {Method: fakes.MethodBreach, Code: claudecode.BreachRequest},
		{Method: fakes.MethodCancel}, {Method: fakes.MethodCancel}, {Method: fakes.MethodInput, Value: "again"}}, calls(t, run, 5))
}

// An interrupt takes questions back, and ends the tools.
func TestInterruptWithdrawsQuestions(t *testing.T) {
	h, run := started(t, claudecode.Options{})
	childtest.Emit(t, run, fakes.ToolCall{ID: "t1", Name: "Bash", Input: "{}"}, fakes.Child{OwnSession: true}, fakes.Ask{ID: "q1", Tool: "Bash"})
	lines(t, h, 2)
	h.Say(t, `{"type":"control_request","request_id":"r","request":{"subtype":"interrupt"}}`)
	expect(t, "lines", []string{"control_cancel_request", "control_response/success", "user", "user", "result/error_during_execution"}, lines(t, h, 5))
	h.Say(t, `{"type":"control_response","response":{"subtype":"success","request_id":"q1","response":{"behavior":"allow","updatedInput":{}}}}`)
	h.In.Close()
	if h.Rest(t); h.Reap() != 1 {
		t.Errorf("exit code %d", h.Reap())
	}
	expect(t, "calls", []fakes.Call{{Method: fakes.MethodCancel}, {Method: fakes.MethodBreach, Code: claudecode.BreachAnswer}, {Method: fakes.MethodInputEnd}}, calls(t, run, 3))
}

func TestAnswers(t *testing.T) {
	answer := func(rest string) string {
		return `{"type":"control_response","response":{"request_id":"q1",` + rest + `}}`
	}
	for _, c := range []struct {
		name, line string
		call       fakes.Call
		breach     string
		out        string // the tool result
		denied     bool
		ends       bool // the turn is over
	}{
		{"allow", answer(`"subtype":"success","response":{"behavior":"allow","updatedInput":{"x":1}}`), fakes.Call{Allow: true}, "", "did it", false, false},
		{"allow without the input", answer(`"subtype":"success","response":{"behavior":"allow"}`), fakes.Call{Allow: true}, claudecode.BreachVerdict, "did it", false, false},
		{"deny", answer(`"subtype":"success","response":{"behavior":"deny","message":"host says no"}`), fakes.Call{}, "", "host says no", true, false},
		{"deny and stop", answer(`"subtype":"success","response":{"behavior":"deny","message":"no","interrupt":true}`), fakes.Call{}, "", "STOP what you are doing", true, true},
		{"error", answer(`"subtype":"error","error":"host broke"`), fakes.Call{}, "", "Tool permission request failed: Error: host broke", true, false},
		{"neither", answer(`"subtype":"success","response":{"behavior":"maybe"}`), fakes.Call{}, claudecode.BreachVerdict, "neither allows nor denies", true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, run := started(t, claudecode.Options{})
			childtest.Emit(t, run, fakes.ToolCall{ID: "t1", Name: "Bash", Input: `{"command":"ls"}`}, fakes.Ask{ID: "q1", Tool: "Bash"})
			h.Line(t)
			if line := h.Line(t); !strings.Contains(line, `"request_id":"q1"`) || !strings.Contains(line, `"tool_use_id":"t1"`) || !strings.Contains(line, `"input":{"command":"ls"}`) {
				t.Errorf("question %q", line)
			}
			h.Say(t, c.line)
			want := []fakes.Call{{Method: fakes.MethodAnswer, Question: "q1", Allow: c.call.Allow}}
			if c.breach != "" {
				want = append(want, fakes.Call{Method: fakes.MethodBreach, Code: c.breach})
			}
			expect(t, "calls", want, calls(t, run, len(want)))
			if !c.ends {
				childtest.Emit(t, run, fakes.Result{ID: "t1", Out: "did it"}, done)
			}
			h.In.Close()
			out := h.Rest(t)
			if !strings.Contains(out, c.out) || strings.Contains(out, "did it") == c.denied || strings.Contains(out, `"permission_denials":[]`) == c.denied {
				t.Errorf("stdout %s", out)
			}
		})
	}
}

// A client that cannot be asked is not asked; that it was necessary is a breach.
func TestUnaskedClientIsDenied(t *testing.T) {
	rt := newRuntime(t, claudecode.Options{})
	h := childtest.Start(t, rt, argv...)
	run := childtest.Next(t, rt)
	childtest.Emit(t, run, fakes.Init{}, fakes.ToolCall{ID: "t1", Name: "Bash", Input: "{}"}, fakes.Ask{ID: "q1", Tool: "Bash"}, fakes.Result{ID: "t1", Out: "did it"}, done)
	expect(t, "lines", []string{"system/init", "assistant", "system/permission_denied", "user", "result/success"}, kinds(t, h.Rest(t)))
	expect(t, "calls", []fakes.Call{{Method: fakes.MethodBreach, Code: claudecode.BreachUnasked}}, calls(t, run, 1))
}

// A line that cannot be is fatal, or a breach alone.
func TestBreaches(t *testing.T) {
	for _, c := range []struct {
		name, version, line string
		codes               []string
		exit                int
	}{
		{"no JSON", "", "{not json", []string{claudecode.BreachInput}, 1},
		{"no object", "", "[1]", []string{claudecode.BreachInput}, 1},
		{"other role", "", `{"type":"user","message":{"role":"assistant","content":"x"}}`, []string{claudecode.BreachRole}, 1},
		{"no role", "", `{"type":"user"}`, []string{claudecode.BreachRole}, 1},
		{"empty request", "", `{"type":"control_request","request_id":"r"}`, []string{claudecode.BreachRequest}, 1},
		{"unknown type", "", `{"type":"wat"}`, []string{claudecode.BreachType}, 0},
		{"unknown type, old", "2.0", `{"type":"wat"}`, []string{claudecode.BreachType}, 1},
		{"unknown answer", "", `{"type":"control_response","response":{"subtype":"success","request_id":"x"}}`, []string{claudecode.BreachAnswer}, 0},
		{"blank", "", "  ", nil, 0},
		{"withdrawal", "", `{"type":"control_cancel_request","request_id":"x"}`, nil, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, run := started(t, claudecode.Options{Version: c.version})
			childtest.Emit(t, run, done)
			h.Say(t, c.line)
			if c.exit == 0 {
				h.In.Close()
			}
			h.Rest(t)
			if code := h.Reap(); code != c.exit || c.exit > 0 && h.Errs.Len() == 0 {
				t.Errorf("exit code %d, stderr %q", code, &h.Errs)
			}
			if err := run.Gone(childtest.Within(t)); err != nil {
				t.Fatal(err)
			}
			var codes []string
			for _, call := range run.Calls() {
				if call.Method == fakes.MethodBreach {
					codes = append(codes, call.Code)
				}
			}
			expect(t, "breaches", c.codes, codes)
		})
	}
}

// A run that was not asked for lines is a breach from the start.
func TestOtherFormatsAreABreach(t *testing.T) {
	rt := newRuntime(t, claudecode.Options{})
	h := childtest.Start(t, rt, "-p", "hello")
	run := childtest.Next(t, rt)
	expect(t, "calls", []fakes.Call{{Method: fakes.MethodBreach, Code: claudecode.BreachFormat}}, calls(t, run, 1))
	childtest.Emit(t, run, fakes.Init{}, text("the answer"), done)
	expect(t, "stdout", "the answer\n", h.Rest(t))
}

// A request of a frame that no word covers may be answered.
func TestNativeRequests(t *testing.T) {
	h, run := started(t, claudecode.Options{})
	childtest.Emit(t, run, fakes.Native{Type: "control_request", Fields: `{"request_id":"h1","request":{"subtype":"hook_callback","callback_id":"c"}}`})
	h.Line(t)
	h.Say(t, `{"type":"control_response","response":{"subtype":"success","request_id":"h1","response":{"continue":true}}}`)
	expect(t, "calls", []fakes.Call{{Method: fakes.MethodAnswer, Question: "h1", Allow: true}}, calls(t, run, 1))
}
