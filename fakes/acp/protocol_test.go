//go:build unix

package acp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/acp"
	"github.com/adaptercheck/adaptercheck/fakes/child/childtest"
)

// What is refused is refused as the agents do, and is heard of.
func TestRefusals(t *testing.T) {
	for _, c := range []struct{ name, line, want, breach string }{
		{"no such method", `{"jsonrpc":"2.0","id":7,"method":"no/such"}`, `refused -32601: "Method not found": no/such`, acp.BreachMethod},
		{"extension", `{"jsonrpc":"2.0","id":7,"method":"_x/y","params":{}}`, `refused -32601: "Method not found": _x/y`, ""},
		{"version of nothing", `{"jsonrpc":"2.0","id":7,"method":"initialize","params":{}}`, "refused -32602: Invalid params", acp.BreachParams},
		{"another version", `{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"protocolVersion":2}}`, "answer", acp.BreachHandshake},
		{"directory", `{"jsonrpc":"2.0","id":7,"method":"session/new","params":{"cwd":"w","mcpServers":[]}}`, "refused -32602: Invalid params: cwd must be an absolute path", acp.BreachPath},
		{"servers", `{"jsonrpc":"2.0","id":7,"method":"session/new","params":{"cwd":"/w"}}`, "refused -32602: Invalid params", acp.BreachParams},
		{"unknown session", `{"jsonrpc":"2.0","id":7,"method":"session/load","params":{"sessionId":"x","cwd":"/w","mcpServers":[]}}`, "refused -32602: Invalid params: session not found: x", ""},
		{"prompt to nobody", `{"jsonrpc":"2.0","id":7,"method":"session/prompt","params":{"sessionId":"x","prompt":[]}}`, "refused -32602: Invalid params: session not found: x", acp.BreachSession},
		{"no prompt", `{"jsonrpc":"2.0","id":7,"method":"session/prompt","params":{"sessionId":"S"}}`, "refused -32602: Invalid params", acp.BreachParams},
		{"model of nothing", `{"jsonrpc":"2.0","id":7,"method":"session/set_model","params":{"sessionId":"S"}}`, "refused -32602: Invalid params", acp.BreachParams},
		{"option of nothing", `{"jsonrpc":"2.0","id":7,"method":"session/set_config_option","params":{"sessionId":"S","configId":"model"}}`, "refused -32602: Invalid params", acp.BreachParams},
		{"way in", `{"jsonrpc":"2.0","id":7,"method":"authenticate","params":{"methodId":"m"}}`, "answer", ""},
		{"mode", `{"jsonrpc":"2.0","id":7,"method":"session/set_mode","params":{"sessionId":"S","modeId":"m"}}`, "answer", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			rt := newRuntime(t, acp.Options{})
			h := connect(t, rt).on(t, begin)
			h.Say(t, strings.ReplaceAll(c.line, `"S"`, `"`+h.session+`"`))
			expect(t, "answer", []string{c.want}, h.lines(t, 1))
			h.prompt(t, "go") // the run tells what was heard before it
			h.run = childtest.Next(t, rt)
			if got := strings.Join(h.breaches(), " "); got != c.breach {
				t.Errorf("breaches %q, want %q", got, c.breach)
			}
		})
	}
}

func TestBeforeTheHandshake(t *testing.T) {
	rt := newRuntime(t, acp.Options{})
	h := &host{Host: childtest.StartOpen(t, rt), nextID: 1}
	h.on(t, begin)
	h.prompt(t, "go")
	h.run = childtest.Next(t, rt)
	expect(t, "breaches", []string{acp.BreachHandshake, acp.BreachHandshake}, h.breaches())
}

// What is no message gets what the agent gives: one answers, the others log.
func TestBrokenLines(t *testing.T) {
	lines := []string{"{nope", "[1]", "null", "{}", `{"id":1,"method":"x"}`, `{"jsonrpc":"2.0","id":{},"result":{}}`, "\xff\xfe"}
	for _, version := range acp.Versions() {
		h := running(t, acp.Options{Version: version})
		for _, line := range lines {
			h.Say(t, line)
		}
		if version == acp.Versions()[1] {
			expect(t, version, strings.Split(strings.Repeat(";refused -32700: Parse error", len(lines))[1:], ";"), h.lines(t, len(lines)))
		}
		h.calls(t, len(lines))
		expect(t, "breaches", len(lines), len(h.breaches()))
		childtest.Emit(t, h.run, done)
		if rest, code := h.finish(t); code != 0 || rest[len(rest)-1] != "answer end_turn" {
			t.Errorf("%s: exit code %d, %q", version, code, rest)
		}
		if strings.Contains(h.Errs.String(), "nope") {
			t.Error("the log repeats what came")
		}
	}
}

// Ids are any text or number, and answers have them as they came.
func TestIDs(t *testing.T) {
	rt := newRuntime(t, acp.Options{})
	h := &host{Host: childtest.StartOpen(t, rt), nextID: 1}
	for _, id := range []string{`"a b"`, "-1", "1e3", `""`} {
		h.Say(t, strings.Replace(hi, `"id":0`, `"id":`+id, 1))
		if line := h.Line(t); !strings.Contains(line, `"id":`+id+`,`) {
			t.Errorf("%s: %s", id, line)
		}
	}
}

// A session goes on in a later process: its history comes before the answer, and money
// goes on. Resumed, it has no history.
func TestSessionsGoOn(t *testing.T) {
	for _, version := range acp.Versions()[:2] {
		t.Run(version, func(t *testing.T) {
			rt := newRuntime(t, acp.Options{Version: version})
			h := connect(t, rt).on(t, begin)
			h.prompt(t, "one")
			h.run = childtest.Next(t, rt)
			usd := 0.25
			childtest.Emit(t, h.run, fakes.Think{Text: "hm"}, fakes.Delta{Text: "a"}, fakes.Delta{Text: "b"}, fakes.ToolCall{ID: "t1", Name: "read", Input: `{"p":1}`},
				fakes.Result{ID: "t1", Out: "x"}, final("c"), fakes.Usage{CostUSD: &usd}, done)
			if _, code := h.finish(t); code != 0 {
				t.Fatalf("exit code %d", code)
			}
			next := connect(t, rt)
			next.session = h.session
			next.send(t, "session/load", `,"cwd":"/v","mcpServers":[]`)
			expect(t, "history", []string{"user_message_chunk one", "agent_thought_chunk hm", "agent_message_chunk ab", "tool_call t1 pending", "tool_call_update t1 completed",
				"agent_message_chunk c", "answer", "available_commands_update"}, next.lines(t, 8))
			next.prompt(t, "two")
			next.run = childtest.Next(t, rt)
			if b := next.run.Begun(); b.Resume != h.session || b.Session != h.session || b.Dir != "/v" {
				t.Errorf("begun %+v", b)
			}
			childtest.Emit(t, next.run, fakes.Usage{CostUSD: &usd}, done)
			next.In.Close()
			if out := next.Rest(t); !strings.Contains(out, `"amount":0.5`) {
				t.Error(out)
			}
			again := connect(t, rt)
			again.session = h.session
			again.send(t, "session/resume", `,"cwd":"/v","mcpServers":[]`)
			expect(t, "resumed", []string{"answer", "available_commands_update"}, again.lines(t, 2))
		})
	}
}

// What the client chooses is told again, and the run has it.
func TestModels(t *testing.T) {
	for method, members := range map[string]string{
		"session/set_model": `,"modelId":"m-9"`, "session/set_config_option": `,"configId":"model","value":"m-9"`,
	} {
		rt := newRuntime(t, acp.Options{})
		h := connect(t, rt).on(t, begin)
		h.send(t, method, members)
		if line := h.Line(t); method != "session/set_model" && !strings.Contains(line, `"currentValue":"m-9"`) {
			t.Error(line)
		}
		h.prompt(t, "go")
		h.run = childtest.Next(t, rt)
		h.send(t, method, strings.ReplaceAll(members, "m-9", "m-10"))
		h.Line(t)
		expect(t, "begun with", "m-9", h.run.Begun().Model)
		expect(t, "calls", []fakes.Call{{Method: fakes.MethodSetModel, Model: "m-10"}}, h.calls(t, 1))
	}
}

// A second prompt waits for the first one's answer.
func TestPromptsAreQueued(t *testing.T) {
	h := running(t, acp.Options{})
	h.prompt(t, "second")
	h.calls(t, 1)
	childtest.Emit(t, h.run, fakes.Delta{Text: "a"}, done, fakes.Delta{Text: "b"}, fakes.End{Reason: fakes.EndMaxTurns})
	h.In.Close()
	out := h.Rest(t)
	expect(t, "said", []string{"agent_message_chunk a", "usage_update", "answer end_turn", "agent_message_chunk b", "usage_update", "answer max_turn_requests"}, kinds(t, out))
	if i, j := strings.Index(out, `"id":2,`), strings.Index(out, `"id":3,`); i < 0 || j < i {
		t.Errorf("answers at %d and %d", i, j)
	}
	if c := h.run.Calls()[0]; c.Method != fakes.MethodStart || c.Message != "second" {
		t.Errorf("heard %+v", c)
	}
}

// What is said when no turn goes on is still said, and an end answers once more.
func TestAfterTheEnd(t *testing.T) {
	h := running(t, acp.Options{})
	childtest.Emit(t, h.run, done, fakes.Delta{Text: "late"}, fakes.End{Reason: fakes.EndRefusal}, fakes.Failure{Code: "-32000", Message: "who are you", Fatal: true})
	expect(t, "said", []string{"usage_update", "answer end_turn", "agent_message_chunk late", "answer refusal", "refused -32000: who are you"}, h.lines(t, 5))
}

func TestCancel(t *testing.T) {
	t.Run("open calls fail, prompts that wait end too", func(t *testing.T) {
		h := running(t, acp.Options{})
		h.prompt(t, "second")
		childtest.Emit(t, h.run, fakes.ToolCall{ID: "t1", Name: "read"})
		h.cancel(t)
		expect(t, "said", []string{"tool_call t1 pending", "tool_call_update t1 in_progress", "tool_call_update t1 failed", "usage_update", "answer cancelled", "usage_update", "answer cancelled"}, h.lines(t, 7))
		expect(t, "breaches", []string{}, h.breaches())
	})
	t.Run("nothing goes on", func(t *testing.T) {
		h := running(t, acp.Options{})
		childtest.Emit(t, h.run, done)
		h.cancel(t)
		h.calls(t, 1)
		if rest, code := h.finish(t); code != 0 || len(rest) != 2 {
			t.Errorf("exit code %d, %q", code, rest)
		}
	})
	t.Run("of another session", func(t *testing.T) {
		h := running(t, acp.Options{})
		h.session = "other"
		h.cancel(t)
		h.calls(t, 2)
		expect(t, "breaches", []string{acp.BreachSession}, h.breaches())
	})
	answer := func(id int, outcome string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"outcome":%s}}`, id, outcome)
	}
	t.Run("waits for the answer to a question", func(t *testing.T) {
		h := running(t, acp.Options{})
		childtest.Emit(t, h.run, fakes.ToolCall{ID: "t1", Name: "read"}, fakes.Ask{ID: "q", Tool: "read"})
		h.lines(t, 2)
		h.cancel(t)
		h.calls(t, 1)
		childtest.Emit(t, h.run, fakes.Delta{Text: "still here"})
		h.Say(t, answer(0, `{"outcome":"cancelled"}`))
		expect(t, "said", []string{"agent_message_chunk still here", "tool_call_update t1 failed", "usage_update", "answer cancelled"}, h.lines(t, 4))
		expect(t, "breaches", []string{}, h.breaches())
	})
	t.Run("takes no yes", func(t *testing.T) {
		h := running(t, acp.Options{})
		childtest.Emit(t, h.run, fakes.Ask{ID: "q", Tool: "read"})
		h.Line(t)
		h.cancel(t)
		h.Say(t, answer(0, `{"outcome":"selected","optionId":"once"}`))
		expect(t, "said", []string{"usage_update", "answer cancelled"}, h.lines(t, 2))
		expect(t, "breaches", []string{acp.BreachCancel}, h.breaches())
	})
}

func TestPermissions(t *testing.T) {
	for _, c := range []struct {
		name, answer string
		allow        bool
		breach       string
		then         []string
	}{
		{"once", `"result":{"outcome":{"outcome":"selected","optionId":"once"}}`, true, "", []string{"tool_call_update t1 in_progress", "tool_call_update t1 completed"}},
		{"always", `"result":{"outcome":{"outcome":"selected","optionId":"always"}}`, true, "", []string{"tool_call_update t1 in_progress", "tool_call_update t1 completed"}},
		{"rejected", `"result":{"outcome":{"outcome":"selected","optionId":"reject"}}`, false, "", []string{"tool_call_update t1 in_progress", "tool_call_update t1 failed"}},
		{"cancelled", `"result":{"outcome":{"outcome":"cancelled"}}`, false, "", []string{"tool_call_update t1 in_progress", "tool_call_update t1 failed"}},
		{"what there is not", `"result":{"outcome":{"outcome":"selected","optionId":"never"}}`, false, acp.BreachVerdict, []string{"tool_call_update t1 in_progress", "tool_call_update t1 failed"}},
		{"an error", `"error":{"code":-32601,"message":"x"}`, false, acp.BreachVerdict, []string{"tool_call_update t1 in_progress", "tool_call_update t1 failed"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := running(t, acp.Options{})
			childtest.Emit(t, h.run, fakes.ToolCall{ID: "t1", Name: "read", Input: `{"p":1}`}, fakes.Ask{ID: "q", Tool: "read"})
			h.Line(t) // the tool is not told to begin
			if line := h.Line(t); !strings.Contains(line, `"toolCallId":"t1"`) || !strings.Contains(line, `"rawInput":{"p":1}`) {
				t.Error(line)
			}
			h.Say(t, `{"jsonrpc":"2.0","id":0,`+c.answer+`}`)
			got := h.calls(t, 1)[0]
			expect(t, "heard", fakes.Call{Method: fakes.MethodAnswer, Question: "q", Allow: c.allow}, got)
			childtest.Emit(t, h.run, fakes.Result{ID: "t1", Out: "x"}, done)
			rest, _ := h.finish(t)
			expect(t, "said", append(c.then, "usage_update", "answer end_turn"), rest)
			if got := strings.Join(h.breaches(), " "); got != c.breach {
				t.Errorf("breaches %q, want %q", got, c.breach)
			}
		})
	}
	h := running(t, acp.Options{})
	childtest.Emit(t, h.run, fakes.Ask{ID: "q", Tool: "read"})
	h.Say(t, `{"jsonrpc":"2.0","id":9,"result":{}}`)
	h.finish(t)
	expect(t, "breaches", []string{acp.BreachAnswer, acp.BreachUnanswered}, h.breaches())
}

// A frame is a request, a notification, or an update.
func TestNative(t *testing.T) {
	h := running(t, acp.Options{})
	childtest.Emit(t, h.run, fakes.Native{Type: "fs/read_text_file", Fields: `{"path":"/w/a"}`}, fakes.Native{Type: "_x/y"}, fakes.Native{Type: "$/odd"},
		fakes.Native{Type: "brand_new", Fields: `{"n":1}`})
	expect(t, "said", []string{"asks fs/read_text_file", "_x/y", "$/odd", "brand_new"}, h.lines(t, 4))
	h.Say(t, `{"jsonrpc":"2.0","id":0,"result":{"content":"x"}}`)
	expect(t, "heard", []fakes.Call{{Method: fakes.MethodAnswer, Question: "0", Allow: true}}, h.calls(t, 1))
}
