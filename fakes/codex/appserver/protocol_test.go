//go:build unix

package appserver_test

import (
	"strings"
	"syscall"
	"testing"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/child/childtest"
	"github.com/adaptercheck/adaptercheck/fakes/codex/appserver"
)

// The handshake comes first, and once; what else is refused has one code.
func TestRefusals(t *testing.T) {
	const id = "00000000-0000-7000-8000-00000000abcd"
	for _, c := range []struct {
		name, line, want, breach string
	}{
		{"before the handshake", begin, "Not initialized", appserver.BreachHandshake},
		{"no such method", `{"id":7,"method":"no/such"}`, "Invalid request: unknown variant `no/such`, expected one of `initialize`", appserver.BreachMethod},
		{"nobody", `{"id":7,"method":"initialize","params":{}}`, "Invalid request: missing field `clientInfo`", appserver.BreachParams},
		{"second hello", hello, "Already initialized", appserver.BreachHandshake},
		{"directory", `{"id":7,"method":"thread/start","params":{"cwd":5}}`, "Invalid request: invalid type: integer `5`, expected a string", appserver.BreachParams},
		{"sandbox", `{"id":7,"method":"thread/start","params":{"sandbox":"none"}}`, "Invalid request: unknown variant `none`, expected one of `read-only`", appserver.BreachParams},
		{"policy", `{"id":7,"method":"thread/start","params":{"approvalPolicy":"always"}}`, "Invalid request: unknown variant `always`", appserver.BreachParams},
		{"ephemeral", `{"id":7,"method":"thread/start","params":{"ephemeral":1}}`, "Invalid request: invalid type: integer `1`, expected a boolean", appserver.BreachParams},
		{"list", `{"id":7,"method":"thread/start","params":[]}`, "Invalid request: invalid type: sequence, expected struct", appserver.BreachParams},
		{"resume of a name", `{"id":7,"method":"thread/resume","params":{"threadId":"nope"}}`, "invalid thread id: invalid character: expected an optional prefix of `urn:uuid:` followed by [0-9a-fA-F-], found `n` at 1", ""},
		{"resume of part of an id", `{"id":7,"method":"thread/resume","params":{"threadId":"abc"}}`, "invalid thread id: invalid length: expected length 32 for simple format, found 3", ""},
		{"resume of an unknown thread", `{"id":7,"method":"thread/resume","params":{"threadId":"` + id + `"}}`, "no rollout found for thread id " + id, ""},
		{"fork of an unknown thread", `{"id":7,"method":"thread/fork","params":{"threadId":"` + id + `"}}`, "no rollout found for thread id " + id, ""},
		{"resume of nothing", `{"id":7,"method":"thread/resume","params":{}}`, "Invalid request: missing field `threadId`", appserver.BreachParams},
		{"turn without a thread", `{"id":7,"method":"turn/start","params":{"input":[]}}`, "Invalid request: missing field `threadId`", appserver.BreachParams},
		{"turn on an unknown thread", `{"id":7,"method":"turn/start","params":{"threadId":"` + id + `","input":[]}}`, "thread not found: " + id, appserver.BreachThread},
		{"turn without input", `{"id":7,"method":"turn/start","params":{"threadId":"THREAD"}}`, "Invalid request: missing field `input`", appserver.BreachParams},
		{"input of no kind", `{"id":7,"method":"turn/start","params":{"threadId":"THREAD","input":[{"text":"x"}]}}`, "Invalid request: missing field `type`", appserver.BreachParams},
		{"input of text without text", `{"id":7,"method":"turn/start","params":{"threadId":"THREAD","input":[{"type":"text"}]}}`, "Invalid request: missing field `text`", appserver.BreachParams},
		{"input that is text", `{"id":7,"method":"turn/start","params":{"threadId":"THREAD","input":"x"}}`, "Invalid request: invalid type: string \"x\", expected a sequence", appserver.BreachParams},
		{"steering no turn", `{"id":7,"method":"turn/steer","params":{"threadId":"THREAD","expectedTurnId":"x","input":[]}}`, "no active turn to steer", ""},
		{"steering nothing named", `{"id":7,"method":"turn/steer","params":{"threadId":"THREAD","expectedTurnId":"","input":[]}}`, "expectedTurnId must not be empty", ""},
		{"interrupting no turn", `{"id":7,"method":"turn/interrupt","params":{"threadId":"THREAD","turnId":"x"}}`, "no active turn to interrupt", ""},
		{"interrupting nothing named", `{"id":7,"method":"turn/interrupt","params":{"threadId":"THREAD"}}`, "Invalid request: missing field `turnId`", appserver.BreachParams},
	} {
		t.Run(c.name, func(t *testing.T) {
			rt := newRuntime(t, appserver.Options{})
			first := c.name == "before the handshake" || c.name == "nobody"
			var h *client
			if first {
				h = &client{Host: childtest.StartOpen(t, rt, "app-server"), nextID: 1}
			} else {
				h = connect(t, rt).on(t, "thread/start", "")
			}
			h.Say(t, strings.ReplaceAll(c.line, "THREAD", h.thread))
			line := h.Line(t)
			if !strings.HasPrefix(line, `{"error":{"code":-32600,"message":`) {
				t.Errorf("answer %s", line)
			}
			if got := kinds(t, line)[0]; !strings.HasPrefix(got, "refused: "+c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
			// The run that follows tells what was heard before it.
			if first {
				h.Say(t, hello)
				h.lines(t, 3)
				h.Say(t, ready)
				h.on(t, "thread/start", "")
			}
			h.start(t, "go")
			h.run = childtest.Next(t, rt)
			want := []fakes.Call{}
			for _, call := range h.run.Calls() {
				if call.Method == fakes.MethodBreach {
					want = append(want, call)
				}
			}
			if c.breach == "" && len(want) > 0 || c.breach != "" && (len(want) != 1 || want[0].Code != c.breach) {
				t.Errorf("breaches %+v, want %q", want, c.breach)
			}
		})
	}
}

// What is no message costs nothing but itself.
func TestBrokenLinesAreDropped(t *testing.T) {
	c := running(t, appserver.Options{})
	for _, line := range []string{"{nope", "[1]", "null", "{}", `{"id":1}`, `{"id":1.5,"method":"x"}`, `{"id":null,"method":"x"}`, `{"id":{},"result":{}}`, "\xff\xfe", "", "   "} {
		c.Say(t, line)
	}
	expect(t, "answer", []string{"answer"}, kinds(t, c.ask(t, "model/list", `"x":1`)))
	var codes []string
	for _, call := range c.calls(t, 9) {
		codes = append(codes, call.Code)
	}
	expect(t, "breaches", strings.Split(strings.Repeat(appserver.BreachInput+" ", 8)+appserver.BreachInput, " "), codes)
	childtest.Emit(t, c.run, done)
	if rest, code := c.finish(t); code != 0 || !strings.Contains(rest, `"status":"completed"`) {
		t.Errorf("exit code %d, %s", code, rest)
	}
}

// Members that the protocol does not need are no matter, nor is how ids are written.
func TestJSONRPCIsAccepted(t *testing.T) {
	rt := newRuntime(t, appserver.Options{})
	h := childtest.StartOpen(t, rt, "app-server", "--listen", "stdio://")
	h.Say(t, `{"jsonrpc":"2.0","id":"a\u0062","method":"initialize","params":{"clientInfo":{"name":"probe","version":"1","x":1}},"y":2}`+"\r")
	if line := h.Line(t); !strings.HasPrefix(line, `{"id":"ab","result":{"userAgent":"probe/0.171.0 (`) || strings.Contains(line, "jsonrpc") {
		t.Errorf("answer %s", line)
	}
}

// A client may choose not to hear of some things.
func TestUnheardMethods(t *testing.T) {
	rt := newRuntime(t, appserver.Options{})
	h := childtest.StartOpen(t, rt, "app-server")
	h.Say(t, `{"id":0,"method":"initialize","params":{"clientInfo":{"name":"p","version":"1"},"capabilities":{"optOutNotificationMethods":["configWarning"]}}}`)
	h.Line(t)
	expect(t, "after the answer", []string{"remoteControl/status/changed"}, kinds(t, h.Line(t)))
}

func TestSignals(t *testing.T) {
	for name, c := range map[string]struct {
		signal syscall.Signal
		want   int
		left   int
	}{
		"INT":  {syscall.SIGINT, -int(syscall.SIGINT), 1},
		"TERM": {syscall.SIGTERM, 0, 0},
		"HUP":  {syscall.SIGHUP, -int(syscall.SIGHUP), 1},
	} {
		t.Run(name, func(t *testing.T) {
			rt := newRuntime(t, appserver.Options{})
			h := connect(t, rt).on(t, "thread/start", "").start(t, "x")
			h.run = childtest.Next(t, rt)
			childtest.Emit(t, h.run, fakes.Init{}, fakes.Delta{Text: "a"}, fakes.Child{OwnSession: true})
			h.lines(t, 6)
			h.Signal(t, c.signal)
			if rest := h.Rest(t); rest != "" {
				t.Errorf("it said %s", rest)
			}
			if code := h.Reap(); code != c.want {
				t.Errorf("ended by %d, want %d", code, c.want)
			}
			childtest.Await(t, "the descendants are as they should", func() bool { return rt.Residue().Children == c.left })
			expect(t, "calls", []fakes.Call{{Method: fakes.MethodCancel, Signal: name}}, h.calls(t, 1))
		})
	}
}

// The end of the input ends the process, whatever goes on.
func TestEndOfInput(t *testing.T) {
	c := running(t, appserver.Options{})
	childtest.Emit(t, c.run, fakes.Delta{Text: "a"}, fakes.Child{OwnSession: true}, fakes.Silent{})
	c.lines(t, 2)
	if rest, code := c.finish(t); rest != "" || code != 0 {
		t.Errorf("exit code %d, %q", code, rest)
	}
	if err := c.run.Gone(childtest.Within(t)); err != nil {
		t.Error(err)
	}
}
