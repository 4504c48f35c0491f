//go:build unix

package appserver_test

import (
	"strings"
	"testing"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/child/childtest"
	"github.com/adaptercheck/adaptercheck/fakes/codex/appserver"
)

func TestAnswers(t *testing.T) {
	shell, patch := fakes.ToolCall{ID: "t1", Name: "shell", Input: `"ls"`}, fakes.ToolCall{ID: "t1", Name: "apply_patch", Input: `{"changes":[{"path":"/a","kind":"add","diff":"x"}]}`}
	for _, c := range []struct {
		name   string
		call   fakes.ToolCall
		answer string
		allow  bool
		breach string
		want   []string // after serverRequest/resolved
	}{
		{"a command", shell, `"result":{"decision":"accept"}`, true, "", []string{"status active", "completed commandExecution"}},
		{"for the session", shell, `"result":{"decision":"acceptForSession"}`, true, "", []string{"status active", "completed commandExecution"}},
		{"for good", shell, `"result":{"decision":{"acceptWithExecpolicyAmendment":{"execpolicy_amendment":["ls"]}}}`, true, "", []string{"status active", "completed commandExecution"}},
		{"a patch", patch, `"result":{"decision":"accept"}`, true, "", []string{"status active", "completed fileChange"}},
		{"no command", shell, `"result":{"decision":"decline"}`, false, "", []string{"completed commandExecution declined", "status active"}},
		{"no patch", patch, `"result":{"decision":"decline"}`, false, "", []string{"status active", "completed fileChange declined"}},
		{"broken", patch, `"error":{"code":-32000,"message":"x"}`, false, "", []string{"status active", "completed fileChange declined"}},
		{"stop", shell, `"result":{"decision":"cancel"}`, false, "", []string{"status active", "account/rateLimits/updated", "status idle", "turn/completed interrupted"}},
		{"maybe", shell, `"result":{"decision":"maybe"}`, false, appserver.BreachVerdict, []string{"completed commandExecution declined", "status active"}},
		{"nothing", shell, `"result":{}`, false, appserver.BreachVerdict, []string{"completed commandExecution declined", "status active"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := running(t, appserver.Options{})
			childtest.Emit(t, h.run, c.call, fakes.Ask{ID: "q1", Tool: c.call.Name})
			h.lines(t, 2)
			if line := h.Line(t); !strings.Contains(line, `requestApproval","id":0,"params":{`) || !strings.Contains(line, `"itemId":"t1"`) {
				t.Errorf("question %s", line)
			}
			h.Say(t, `{"id":0,`+c.answer+`}`)
			want := []fakes.Call{{Method: fakes.MethodAnswer, Question: "q1", Allow: c.allow}}
			if c.breach != "" {
				want = append(want, fakes.Call{Method: fakes.MethodBreach, Code: c.breach})
			}
			expect(t, "calls", want, h.calls(t, len(want)))
			expect(t, "first", []string{"serverRequest/resolved"}, h.lines(t, 1))
			childtest.Emit(t, h.run, fakes.Result{ID: "t1", Out: "did it"})
			expect(t, "then", c.want, h.lines(t, len(c.want)))
			h.Say(t, `{"id":0,"result":{"decision":"accept"}}`)
			h.finish(t)
			calls := h.calls(t, len(want)+2)
			expect(t, "late answer", fakes.Call{Method: fakes.MethodBreach, Code: appserver.BreachAnswer}, calls[len(want)])
		})
	}
}

// Ids of questions count from 0, whatever the client's own are. A turn waits as long as
// one of them does.
func TestTwoQuestions(t *testing.T) {
	c := running(t, appserver.Options{})
	childtest.Emit(t, c.run, fakes.Ask{ID: "q1", Tool: "shell"}, fakes.Ask{ID: "q2", Tool: "apply_patch"})
	expect(t, "waits", []string{"status active waitingOnApproval"}, c.lines(t, 1))
	if line := c.Line(t); !strings.Contains(line, `"id":0,`) || !strings.Contains(line, `"itemId":"q1"`) || !strings.Contains(line, `commandExecution/requestApproval`) {
		t.Errorf("first %s", line)
	}
	if line := c.Line(t); !strings.Contains(line, `"id":1,`) || !strings.Contains(line, `"itemId":"q2"`) || !strings.Contains(line, `fileChange/requestApproval`) {
		t.Errorf("second %s", line)
	}
	c.Say(t, `{"id":1,"result":{"decision":"accept"}}`)
	c.Say(t, `{"id":0,"result":{"decision":"decline"}}`)
	expect(t, "lines", []string{"serverRequest/resolved", "serverRequest/resolved", "status active"}, c.lines(t, 3))
	expect(t, "calls", []fakes.Call{{Method: fakes.MethodAnswer, Question: "q2", Allow: true}, {Method: fakes.MethodAnswer, Question: "q1"}}, c.calls(t, 2))
}

// What the server asks beside approvals may be answered, too.
func TestNativeRequests(t *testing.T) {
	c := running(t, appserver.Options{})
	childtest.Emit(t, c.run, fakes.Native{Type: "item/tool/requestUserInput", Fields: `{"questions":[]}`}, fakes.Native{Type: "heartbeat", Fields: `{"n":1}`},
		fakes.Native{Type: "item/odd", Fields: `{"turnId":"mine"}`})
	if line := c.Line(t); line != `{"method":"item/tool/requestUserInput","id":0,"params":{"threadId":"`+c.thread+`","turnId":"`+c.turn+`","questions":[]}}`+"\n" {
		t.Errorf("request %s", line)
	}
	if line := c.Line(t); !strings.HasPrefix(line, `{"method":"heartbeat","params":{"n":1},"emittedAtMs":`) {
		t.Errorf("notification %s", line)
	}
	if line := c.Line(t); !strings.HasPrefix(line, `{"method":"item/odd","params":{"threadId":"`+c.thread+`","turnId":"mine"},`) {
		t.Errorf("notification %s", line)
	}
	c.Say(t, `{"id":0,"error":{"code":-32601,"message":"no"}}`)
	expect(t, "calls", []fakes.Call{{Method: fakes.MethodAnswer, Question: "0"}}, c.calls(t, 1))
}
