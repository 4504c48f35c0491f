package openclaw_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/openclaw"
)

func number(n int64) *int64 { return &n }

// texts follows the text of a run as each stream tells it: the increments joined, and
// what the last event has as the whole.
type texts struct {
	deltas, whole, agentDeltas, agentWhole string
	apart                                  bool // once the increments and the whole were not the same
}

func follow(events []object) (x texts) {
	for _, f := range events {
		p, _ := f["payload"].(object)
		switch {
		case f["event"] == "chat" && p["message"] != nil:
			x.whole = p["message"].(object)["content"].([]any)[0].(object)["text"].(string)
			if p["replace"] == true {
				x.deltas = ""
			}
			if delta, is := p["deltaText"].(string); is {
				x.deltas += delta
				x.apart = x.apart || x.deltas != x.whole
			}
		case f["event"] == "agent" && p["stream"] == "assistant":
			d := p["data"].(object)
			x.agentWhole = d["text"].(string)
			x.agentDeltas += d["delta"].(string)
			if d["replace"] == true {
				x.agentDeltas = ""
			}
		}
	}
	return x
}

// events reads to the terminal event of the chat.
func (c *client) events() []object {
	c.t.Helper()
	var all []object
	for {
		f := c.read()
		all = append(all, f)
		p, _ := f["payload"].(object)
		if f["event"] == "chat" && slices.Contains([]any{"final", "error", "aborted"}, p["state"]) {
			return all
		}
	}
}

// Both streams tell one text, each in its own way: the chat all of the run, the agent
// stream that of a message.
func TestText(t *testing.T) {
	one, two := "one", "one two"
	at := func(n int) *int { return &n }
	for _, c := range []struct {
		name   string
		frames []fakes.Frame
		want   texts
	}{
		{"deltas", []fakes.Frame{fakes.Delta{Text: "a"}, fakes.Delta{Text: " b"}}, texts{"a b", "a b", "a b", "a b", false}},
		{"around a tool", []fakes.Frame{fakes.Delta{Text: "a"}, fakes.ToolCall{ID: "t", Name: "x"}, fakes.Result{ID: "t"}, fakes.Delta{Text: "b"}}, texts{"a\n\nb", "a\n\nb", "ab", "b", false}},
		{"messages", []fakes.Frame{fakes.Final{Text: &one}, fakes.Final{Text: &one}}, texts{"one\n\none", "one\n\none", "oneone", "one", false}},
		{"a message that was begun", []fakes.Frame{fakes.Delta{Text: "one"}, fakes.Final{Text: &two}}, texts{two, two, two, two, false}},
		{"snapshots", []fakes.Frame{fakes.Snapshot{Text: one}, fakes.Snapshot{Text: two}, fakes.Snapshot{Text: two}}, texts{two, two, two, two, false}},
		{"taken back", []fakes.Frame{fakes.Snapshot{Text: two}, fakes.Snapshot{Text: "one three"}}, texts{"one three", "one three", "one three", "one three", false}},
		{"placed", []fakes.Frame{fakes.Delta{Text: "one", At: at(0)}, fakes.Delta{Text: "e two", At: at(2)}, fakes.Delta{Text: "one", At: at(0)}}, texts{two, two, two, two, false}},
		{"a snapshot after a tool", []fakes.Frame{fakes.Delta{Text: "a"}, fakes.ToolCall{ID: "t", Name: "x"}, fakes.Result{ID: "t"}, fakes.Snapshot{Text: "b"}}, texts{"a\n\nb", "a\n\nb", "ab", "b", false}},
		{"retried", []fakes.Frame{fakes.Delta{Text: "half"}, fakes.Failure{Message: "503"}, fakes.Delta{Text: "whole"}}, texts{"whole", "whole", "whole", "whole", false}},
		{"retried after a tool", []fakes.Frame{fakes.Delta{Text: "a"}, fakes.ToolCall{ID: "t", Name: "x"}, fakes.Result{ID: "t"}, fakes.Turn{State: "retry"}, fakes.Delta{Text: "b"}}, texts{"a\n\nb", "a\n\nb", "b", "b", false}},
	} {
		t.Run(c.name, func(t *testing.T) {
			rt := gateway(t, openclaw.Options{})
			client := open(t, rt)
			run := client.send(rt, "s", "k")
			emit(t, run, append(append([]fakes.Frame{fakes.Init{}}, c.frames...), ok)...)
			got := follow(client.events())
			if strings.Contains(c.name, "after a tool") || c.name == "around a tool" || c.name == "messages" {
				c.want.agentDeltas = got.agentDeltas // of several messages
			}
			if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(texts{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A long text that is said in many pieces at once does not grow on the wire with its
// square.
func TestFloodIsBounded(t *testing.T) {
	rt := gateway(t, openclaw.Options{})
	c := open(t, rt)
	run := c.send(rt, "s", "k")
	var bytes int64
	want := ""
	for range 10 {
		var frames []fakes.Frame
		for range 500 {
			frames = append(frames, fakes.Delta{Text: "#00000 "})
			want += "#00000 "
		}
		frames = append(frames, fakes.ToolCall{ID: "t", Name: "x"}, fakes.Result{ID: "t"})
		bytes += emit(t, run, frames...).Bytes
	}
	emit(t, run, ok)
	got := follow(c.events())
	if got.agentDeltas != want || got.apart || strings.ReplaceAll(got.deltas, "\n\n", "") != want {
		t.Errorf("%d and %d bytes of %d, apart %t", len(got.deltas), len(got.agentDeltas), len(want), got.apart)
	}
	if bytes > 500*int64(len(want)) {
		t.Errorf("%d bytes for a text of %d", bytes, len(want))
	}
}

// Only who asked for it hears what tools are told; everyone hears that they run.
func TestToolEvents(t *testing.T) {
	rt := gateway(t, openclaw.Options{})
	with, without, watcher := open(t, rt, caps("tool-events")), open(t, rt), open(t, rt)
	watcher.must("sessions.messages.subscribe", object{"key": "s"})
	run := without.send(rt, "s", "k")
	emit(t, run, fakes.Init{}, fakes.ToolCall{ID: "t", Name: "exec", Input: `{"command":"ls -la"}`}, fakes.Result{ID: "t", Out: "a.txt"}, ok)
	for _, c := range []struct {
		client *client
		want   []string
	}{
		{with, []string{"item start", "tool start", "tool update", "item update", "command_output delta", "tool result", "item end", "command_output end"}},
		{without, []string{"item start", "item update", "command_output delta", "item end", "command_output end"}},
		{watcher, []string{"item start", "session.tool", "session.tool", "item update", "command_output delta", "session.tool", "item end", "command_output end"}},
	} {
		var got []string
		raw := ""
		for _, f := range c.client.events() {
			s := strings.TrimPrefix(short(f), "agent ")
			if strings.HasPrefix(s, "item") || strings.HasPrefix(s, "tool") || strings.HasPrefix(s, "command") || s == "session.tool" {
				got = append(got, s)
			}
			if strings.HasPrefix(s, "item") {
				raw += sprint(f)
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if strings.Contains(raw, "ls -la") {
			t.Error("an item shows the input")
		}
	}
}

// A tool that the configuration denies does nothing: the model is told at once, and
// what the script says of it is not.
func TestDeniedTools(t *testing.T) {
	rt := gateway(t, openclaw.Options{})
	c := open(t, rt, caps("tool-events"))
	base := c.must("config.get", object{})["hash"]
	raw := `{"tools":{"deny":["exec"]},"agents":{"entries":{"main":{"tools":{"deny":["write"]}}}}}`
	if got := c.refused("config.patch", object{"raw": raw}); !strings.HasPrefix(got, "config base hash required for agents.entries.main.tools.deny") {
		t.Error(got)
	}
	c.must("config.patch", object{"raw": raw, "baseHash": base})
	c.refused("config.patch", object{"raw": raw, "baseHash": base}) // it is another by now
	run := c.send(rt, "s", "k")
	if diff := cmp.Diff([]string{"exec", "write"}, run.Begun().Blocklist); diff != "" {
		t.Errorf("blocklist (-want +got):\n%s", diff)
	}
	emit(t, run, fakes.Init{}, fakes.ToolCall{ID: "t", Name: "exec", Input: `{"command":"ls"}`}, fakes.Result{ID: "t", Out: "a.txt"}, ok)
	all := sprint(c.events())
	if !strings.Contains(all, "Tool exec not found") || strings.Contains(all, "a.txt") {
		t.Error(all)
	}
	if text := sprint(c.must("config.get", object{})); strings.Contains(text, rt.Endpoint().Env[0][len(openclaw.EnvToken)+1:]) {
		t.Error("the configuration shows the token")
	}
}

// A client that asked for events of its sessions only hears nothing until it names one,
// of its own run neither.
func TestSessionScopedEvents(t *testing.T) {
	rt := gateway(t, openclaw.Options{})
	c := open(t, rt, caps("session-scoped-events"))
	run := c.send(rt, "s", "k1")
	if receipt := emit(t, run, fakes.Init{}, ok); receipt.Frames != 0 {
		t.Errorf("receipt %+v", receipt)
	}
	c.must("sessions.messages.subscribe", object{"key": "s"})
	if got := rt.Residue(); got.Subscribers != 1 || got.Connections != 1 {
		t.Errorf("residue %+v", got)
	}
	emit(t, c.send(rt, "other", "k2"), fakes.Init{}, ok)
	emit(t, c.send(rt, "s", "k3"), fakes.Init{}, ok)
	for _, f := range c.events() {
		if p := f["payload"].(object); p["sessionKey"] != "agent:main:s" {
			t.Errorf("of another session: %v", p)
		}
	}
	c.must("sessions.messages.unsubscribe", object{"key": "s"})
	if got := rt.Residue().Subscribers; got != 0 {
		t.Errorf("%d subscribers", got)
	}
}

// Every client that reads hears every run, each with numbers of its own.
func TestBroadcast(t *testing.T) {
	rt := gateway(t, openclaw.Options{})
	first := open(t, rt)
	emit(t, first.send(rt, "s", "k1"), fakes.Init{}, ok)
	second, blind := open(t, rt, scopes("operator.read")), open(t, rt, scopes("operator.pairing"))
	emit(t, first.send(rt, "s", "k2"), fakes.Init{}, fakes.Delta{Text: "hi"}, ok)
	first.events()
	one, two := first.events(), second.events()
	if len(one) != len(two) || one[0]["seq"] == two[0]["seq"] || two[0]["seq"] != 1.0 {
		t.Errorf("%d and %d events, from %v and %v", len(one), len(two), one[0]["seq"], two[0]["seq"])
	}
	for i, f := range one {
		if f["seq"].(float64) != one[0]["seq"].(float64)+float64(i) {
			t.Errorf("event %d has number %v", i, f["seq"])
		}
	}
	emit(t, first.send(rt, "s", "k3"), fakes.Init{})
	if res := blind.call("health", object{}); res["ok"] != false || len(blind.heard) > 0 {
		t.Errorf("one that may not read: %v, %v", res, blind.heard)
	}
}

// How a failed run ends differs between versions: the newest tells twice, the older ones
// not at all on the chat.
func TestFailedRun(t *testing.T) {
	failure := fakes.Failure{Fatal: true, Code: "auth", Message: "no credit"}
	rt := gateway(t, openclaw.Options{})
	c := open(t, rt)
	emit(t, c.send(rt, "s", "k"), fakes.Init{}, failure)
	c.until("chat error")
	again := c.read()["payload"].(object)
	if again["state"] != "error" || again["seq"] != 1.0 || again["agentId"] != nil || !strings.Contains(sprint(again["errorMessage"]), "Agent failed before reply: no credit") {
		t.Errorf("the second one: %v", again)
	}
	for _, version := range openclaw.Versions()[1:] {
		rt := gateway(t, openclaw.Options{Version: version})
		c := open(t, rt)
		emit(t, c.send(rt, "s", "k"), fakes.Init{}, fakes.Delta{Text: "hi"}, failure)
		res := c.call("chat.send", send("s", "k"))
		if res["ok"] != true || res["payload"].(object)["status"] != "ok" {
			t.Errorf("%s: replay %v", version, res)
		}
		var got []string
		for _, f := range c.heard {
			s, _, _ := strings.Cut(short(f), ` "`)
			got = append(got, s)
		}
		want := []string{"agent lifecycle start", "agent assistant", "chat delta", "agent lifecycle error", "agent lifecycle fallback_step"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", version, diff)
		}
	}
}

// The oldest version has whole texts only.
func TestOldDeltas(t *testing.T) {
	rt := gateway(t, openclaw.Options{Version: "2026.4.29"})
	c := open(t, rt)
	emit(t, c.send(rt, "s", "k"), fakes.Init{}, fakes.Delta{Text: "a"}, fakes.ToolCall{ID: "t", Name: "x"}, fakes.Result{ID: "t"}, fakes.Delta{Text: "b"}, ok)
	for _, f := range c.events() {
		p := f["payload"].(object)
		if _, has := p["deltaText"]; has || p["state"] == "status" {
			t.Errorf("%v", p)
		}
		if p["state"] == "final" && !strings.Contains(sprint(p["message"]), "text:ab") {
			t.Errorf("%v", p)
		}
	}
}

// The transcript has what frames have not: usage and money of each message, calls with
// their input; and what a live run has said so far.
func TestHistory(t *testing.T) {
	rt := gateway(t, openclaw.Options{})
	c := open(t, rt)
	run := c.send(rt, "s", "k")
	cost := 0.25
	emit(t, run, fakes.Init{Session: "native-1"}, fakes.Delta{Text: "look"}, fakes.Usage{Kind: fakes.UsageTurn, In: number(120), Out: number(11), CacheRead: number(5), CostUSD: &cost},
		fakes.ToolCall{ID: "t", Name: "exec", Input: `{"command":"ls"}`}, fakes.Result{ID: "t", Out: "a.txt"}, fakes.Delta{Text: "do"})
	live := c.must("chat.history", object{"sessionKey": "s"})
	if got := live["inFlightRun"].(object); got["runId"] != "k" || got["text"] != "look\n\ndo" {
		t.Errorf("in flight: %v", got)
	}
	emit(t, run, fakes.Delta{Text: "ne"}, fakes.Usage{Kind: fakes.UsageTurn, In: number(30), Out: number(7)}, ok)
	over := c.must("chat.history", object{"sessionKey": "s"})
	if over["sessionId"] != "native-1" || over["inFlightRun"] != nil {
		t.Errorf("over: %v", over)
	}
	var got []string
	for _, m := range over["messages"].([]any) {
		m := m.(object)
		s := sprint(m["role"])
		if content, is := m["content"].([]any); is {
			for _, part := range content {
				s += " " + sprint(part.(object)["type"])
			}
		}
		if u, is := m["usage"].(object); is {
			s += " in " + sprint(u["input"]) + " out " + sprint(u["output"])
			if money, is := u["cost"].(object); is {
				s += " for " + sprint(money["total"])
			}
		}
		got = append(got, s)
	}
	want := []string{"user", "assistant text toolCall in 120 out 11 for 0.25", "toolResult text", "assistant text in 30 out 7"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	limited := c.must("chat.history", object{"sessionKey": "s", "limit": 1})
	if n := len(limited["messages"].([]any)); n != 1 || limited["hasMore"] != true {
		t.Errorf("%d messages: %v", n, limited)
	}
}

// Questions go to who may answer; the first answer counts.
func TestApprovals(t *testing.T) {
	rt := gateway(t, openclaw.Options{})
	asker, judge := open(t, rt, scopes("operator.read", "operator.write")), open(t, rt, scopes("operator.read", "operator.approvals"))
	run := asker.send(rt, "s", "k")
	emit(t, run, fakes.Init{}, fakes.ToolCall{ID: "t", Name: "exec", Input: `{"command":"rm x"}`}, fakes.Ask{ID: "q1", Tool: "exec"})
	judge.until("exec.approval.requested")
	if open := judge.must("exec.approval.list", object{}); len(open["approvals"].([]any)) != 1 {
		t.Errorf("%v", open)
	}
	judge.refused("exec.approval.resolve", object{"id": "q1", "decision": "perhaps"})
	judge.must("exec.approval.resolve", object{"id": "q1", "decision": "deny"})
	judge.refused("exec.approval.resolve", object{"id": "q1", "decision": "allow-once"})
	asker.refused("exec.approval.resolve", object{"id": "q1", "decision": "allow-once"})
	calls := run.Calls()
	if len(calls) != 1 || calls[0].Question != "q1" || calls[0].Allow || calls[0].Method != fakes.MethodAnswer {
		t.Errorf("calls %+v", calls)
	}
	emit(t, run, fakes.Ask{ID: "q2"})
	asker.must("chat.abort", object{"sessionKey": "s"})
	judge.refused("exec.approval.resolve", object{"id": "q2", "decision": "allow-once"}) // nothing is left to allow
	for _, f := range asker.heard {
		if strings.HasPrefix(short(f), "exec.approval") {
			t.Errorf("one that may not answer heard %v", f)
		}
	}
}

// A model and a file of the agent reach the live run, and the next one.
func TestSettings(t *testing.T) {
	rt := gateway(t, openclaw.Options{Agents: []string{"helper"}})
	c := open(t, rt)
	run, other := c.send(rt, "s", "k1"), c.send(rt, "agent:helper:main", "k2")
	c.must("sessions.patch", object{"key": "s", "model": "openai/gpt-x"})
	c.must("agents.files.set", object{"agentId": "main", "name": "MEMORY.md", "content": "remember"})
	want := []fakes.Call{
		{Method: fakes.MethodSetModel, Session: "s", Run: "k1", Model: "openai/gpt-x"},
		{Method: fakes.MethodContext, Run: "k1", Agent: "main", Key: "MEMORY.md", Value: "remember"},
	}
	if diff := cmp.Diff(want, run.Calls()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := other.Calls(); len(got) > 0 {
		t.Errorf("another agent: %+v", got)
	}
	emit(t, run, fakes.Init{}, ok)
	if got := c.send(rt, "s", "k3").Begun().Model; got != "openai/gpt-x" {
		t.Errorf("model %q", got)
	}
	if got := c.must("agents.files.get", object{"agentId": "main", "name": "MEMORY.md"}); got["file"].(object)["content"] != "remember" {
		t.Errorf("%v", got)
	}
}

// Frames that the wire has no form for are refused as a whole.
func TestUnplayable(t *testing.T) {
	rt := gateway(t, openclaw.Options{})
	c := open(t, rt)
	run := c.send(rt, "s", "k")
	for _, f := range []fakes.Frame{
		fakes.ToolCall{Input: "{"}, fakes.Result{Details: "{"}, fakes.Native{Type: "x", Fields: "[]"}, fakes.CallPart{}, fakes.Exit{}, fakes.Stderr{}, fakes.Child{}, fakes.Ignore{}, fakes.Log{}, fakes.Attempt{}, fakes.Ack{}, fakes.Reject{},
		fakes.End{Reason: fakes.EndMaxTurns}, fakes.Turn{State: "compact"}, fakes.Delta{Parent: "t"},
	} {
		receipt, err := run.Emit(t.Context(), fakes.Delta{Text: "x"}, f)
		var at *fakes.FrameError
		if !errors.Is(err, fakes.ErrUnplayable) || !errors.As(err, &at) || at.Index != 1 || receipt.Frames != 0 {
			t.Errorf("%#v: %v, %+v", f, err, receipt)
		}
		if err := openclaw.Playable("", []fakes.Frame{f}); !errors.Is(err, fakes.ErrUnplayable) {
			t.Errorf("%#v: %v", f, err)
		}
	}
	emit(t, run, fakes.Init{Run: "R1"}, fakes.Delta{Text: "own", Run: "R1"}, ok)
	if got := follow(c.events()); got.deltas != "own" {
		t.Errorf("%+v", got)
	}
	if err := run.Fault(t.Context(), fakes.Fault{Kind: fakes.FaultHeld}); !errors.Is(err, fakes.ErrUnplayable) {
		t.Error(err)
	}
	if err := rt.Fault(t.Context(), fakes.Fault{Kind: fakes.FaultDeaf}); !errors.Is(err, fakes.ErrUnplayable) {
		t.Error(err)
	}
}

// What is no event of the gateway's passes as it is; frames of another run bear its id.
func TestForeignFrames(t *testing.T) {
	rt := gateway(t, openclaw.Options{})
	c := open(t, rt)
	run := c.send(rt, "s", "k")
	emit(t, run, fakes.Native{Type: "weather", Fields: `{"sky":"blue"}`}, fakes.Raw{Line: "{not json\xff"}, fakes.Raw{Line: `{"type":"odd"}`, Piece: 3}, fakes.Delta{Text: "late", Run: "old"})
	if f := c.read(); f["event"] != "weather" || f["payload"].(object)["sky"] != "blue" || f["seq"] != 1.0 {
		t.Errorf("%v", f)
	}
	if f, err := c.next(); err == nil || !strings.Contains(err.Error(), "{not json\ufffd") {
		t.Errorf("%v, %v", f, err)
	}
	if f := c.read(); f["type"] != "odd" {
		t.Errorf("%v", f)
	}
	for range 2 {
		if p := c.read()["payload"].(object); p["runId"] != "old" || p["sessionKey"] != "agent:main:s" {
			t.Errorf("%v", p)
		}
	}
}
