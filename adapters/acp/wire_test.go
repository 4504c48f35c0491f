package acp

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/oneshot"
)

const (
	welcome = `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":true}}}`
	session = `{"jsonrpc":"2.0","id":1,"result":{"sessionId":"S"}}`
)

// shaken is the handshake up to the prompt.
var shaken = []string{welcome, session, fenced}

func update(fields string) string {
	return `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"S","update":{` + fields + `}}}`
}

func said(text string) string {
	return update(fmt.Sprintf(`"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":%q}`, text))
}

func saidBy(message, text string) string {
	return update(fmt.Sprintf(`"sessionUpdate":"agent_message_chunk","messageId":%q,"content":{"type":"text","text":%q}`, message, text))
}

func called(fields string) string { return update(`"sessionUpdate":"tool_call",` + fields) }

func about(fields string) string { return update(`"sessionUpdate":"tool_call_update",` + fields) }

func costs(usd string) string {
	return update(`"sessionUpdate":"usage_update","used":1,"size":2,"cost":{"amount":` + usd + `,"currency":"USD"}`)
}

func stops(fields string) string { return `{"jsonrpc":"2.0","id":3,"result":{` + fields + `}}` }

const ends = `{"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn"}}`

func permission(id, fields string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"session/request_permission","params":{"sessionId":"S","toolCall":{` + fields +
		`},"options":[{"optionId":"y!","kind":"allow_always","name":"a"},{"optionId":"y","kind":"allow_once","name":"a"},{"optionId":"n","kind":"reject_once","name":"r"}]}}`
}

// What an agent says after the prompt, and what comes of it.
func TestTurns(t *testing.T) {
	unread := "error malformed-frame fatal=false line %d of the runtime's output could not be read and was skipped"
	for _, c := range []struct {
		name  string
		lines []string
		want  []string // after the status init
	}{
		{"text and an end", []string{said("a"), said(" b"), ends}, []string{`text "a b"`, `done success "a b"`}},
		{"nothing but an end", []string{ends}, []string{`done success ""`}},
		{"no end", []string{said("a")}, []string{`text "a"`, "error stream-truncated fatal=true acp ended without saying how the turn ended (exit code 0)", `done error "a"`}},
		{"thinking", []string{update(`"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"hm"}`), said("a"), ends}, []string{`thought "hm"`, `text "a"`, `done success "a"`}},
		{"messages apart", []string{saidBy("1", "a"), saidBy("1", "b"), saidBy("2", "c"), saidBy("3", " d"), ends}, []string{`text "ab\n\nc d"`, `done success " d"`}},
		{"messages without names", []string{said("a"), called(`"toolCallId":"t","title":"x","status":"completed"`), said("b"), ends},
			[]string{`text "a"`, "call t x ", `result t ""`, `text "\n\nb"`, `done success "b"`}},
		{"other content", []string{update(`"sessionUpdate":"agent_message_chunk","content":{"type":"image","data":"","mimeType":"x"}`), said("a"), ends}, []string{`text "a"`, `done success "a"`}},
		{"what is known and not read", []string{update(`"sessionUpdate":"available_commands_update","availableCommands":[]`), update(`"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"go"}`),
			update(`"sessionUpdate":"config_option_update","configOptions":[]`), update(`"sessionUpdate":"session_info_update","title":"x"`), said("a"), ends}, []string{`text "a"`, `done success "a"`}},
		{"progress", []string{update(`"sessionUpdate":"plan","entries":[{"content":"secret","priority":"low","status":"pending"}]`), update(`"sessionUpdate":"current_mode_update","currentModeId":"m"`), ends},
			[]string{"status running", "status running", `done success ""`}},
		{"what nobody knows", []string{update(`"sessionUpdate":"brand_new","content":{"type":"text","text":"no"}`), `{"jsonrpc":"2.0","method":"_x/y","params":{"text":"no"}}`, `{"jsonrpc":"2.0","method":"$/cancel_request"}`,
			`{"jsonrpc":"2.0","id":99,"result":{}}`, `{"jsonrpc":"2.0","id":"3","result":{"stopReason":"refusal"}}`, `{"type":7}`, said("a"), ends}, []string{`text "a"`, `done success "a"`}},
		{"another session", []string{strings.Replace(said("no"), `"S"`, `"other"`, 1), said("a"), ends}, []string{`text "a"`, `done success "a"`}},
		{"garbage", []string{"{half", "null", "[1]", `"x"`, "panic: x", "\x00\xff", `{"jsonrpc":"2.0","method":7}`, update(`"sessionUpdate":7`), said("a"), ends},
			[]string{fmt.Sprintf(unread, 1), fmt.Sprintf(unread, 2), fmt.Sprintf(unread, 3), fmt.Sprintf(unread, 4), fmt.Sprintf(unread, 5), fmt.Sprintf(unread, 6), fmt.Sprintf(unread, 7), fmt.Sprintf(unread, 8),
				`text "a"`, `done success "a"`}},
		{"an end that cannot be read", []string{said("a"), `{"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn"`}, []string{`text "a"`, fmt.Sprintf(unread, 2),
			"error stream-truncated fatal=true acp ended without saying how the turn ended (exit code 0)", `done error "a"`}},
		{"text that is none", []string{update(`"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":5}`), ends}, []string{fmt.Sprintf(unread, 1), `done success ""`}},
		{"the agent could not read", []string{`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`, said("a"), ends},
			[]string{"error runtime-error fatal=false the agent could not read what it was sent: Parse error", `text "a"`, `done success "a"`}},

		{"turn limit", []string{said("a"), stops(`"stopReason":"max_turn_requests"`)}, []string{`text "a"`, `done max_turns "a"`}},
		{"token limit", []string{said("a"), stops(`"stopReason":"max_tokens"`)}, []string{`text "a"`, "error token-limit fatal=true the answer was cut at the limit of tokens", `done error "a"`}},
		{"refusal", []string{stops(`"stopReason":"refusal"`)}, []string{"error runtime-error fatal=true the agent refused to go on", `done error ""`}},
		{"cancelled by itself", []string{said("a"), stops(`"stopReason":"cancelled"`)}, []string{`text "a"`, `done aborted "a"`}},
		{"a reason of the future", []string{stops(`"stopReason":"bored"`)}, []string{"error runtime-error fatal=true the agent ended the turn for a reason that this protocol does not have", `done error ""`}},
		{"no reason", []string{stops(``)}, []string{"error runtime-error fatal=true the agent ended the turn for a reason that this protocol does not have", `done error ""`}},
		{"an answer of another kind", []string{`{"jsonrpc":"2.0","id":3,"result":5}`}, []string{fmt.Sprintf(unread, 1), "error runtime-error fatal=true the agent's answer to the prompt cannot be read", `done error ""`}},
		{"an error", []string{said("a"), `{"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":"Internal error","data":{"details":"no credit","x":"secret"}}}`},
			[]string{`text "a"`, "error runtime-error fatal=true Internal error: no credit", `done error "a"`}},
		{"an error with a text", []string{`{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"Invalid params","data":"Unknown"}}`}, []string{"error runtime-error fatal=true Invalid params: Unknown", `done error ""`}},
		{"an error without a word", []string{`{"jsonrpc":"2.0","id":3,"error":{"code":1}}`}, []string{"error runtime-error fatal=true the agent refused session/prompt", `done error ""`}},
		{"two ends", []string{said("a"), ends, stops(`"stopReason":"refusal"`)}, []string{`text "a"`, `done success "a"`}},
		{"an error after the end", []string{said("a"), ends, `{"jsonrpc":"2.0","id":3,"error":{"code":1,"message":"x"}}`}, []string{`text "a"`, `done success "a"`}},
		{"text after a good end", []string{said("a"), ends, said(" b")}, []string{`text "a b"`, `done success "a b"`}},
		{"text after a bad end", []string{said("a"), stops(`"stopReason":"refusal"`), said(" b")}, []string{`text "a"`, "error runtime-error fatal=true the agent refused to go on", `done error "a"`}},

		{"a call", []string{called(`"toolCallId":"t","title":"read","kind":"read","status":"in_progress","rawInput":{"n":1.50}`), about(`"toolCallId":"t","status":"completed","content":[{"type":"content","content":{"type":"text","text":"x"}}]`), ends},
			[]string{`call t read {"n":1.50}`, `result t "x"`, `done success ""`}},
		{"a call whose input comes later", []string{called(`"toolCallId":"t","title":"read","status":"pending","rawInput":{}`), about(`"toolCallId":"t","rawInput":{"p":1},"title":"Reading 1"`), about(`"toolCallId":"t","status":"in_progress","rawInput":{"p":2}`),
			about(`"toolCallId":"t","status":"failed","rawOutput":{"error":"gone"}`), ends}, []string{`call t read {"p":1}`, `failed t "{\"error\":\"gone\"}"`, `done success ""`}},
		{"a call that ends at once", []string{called(`"toolCallId":"t","title":"x y","kind":"execute","status":"completed","rawOutput":"out"`), ends}, []string{`call t execute {"title":"x y"}`, `result t "out"`, `done success ""`}},
		{"an end whose call was lost", []string{about(`"toolCallId":"t","status":"completed","rawOutput":"out"`), ends}, []string{"call t other ", `result t "out"`, `done success ""`}},
		{"a call that never ends", []string{called(`"toolCallId":"t","title":"x","status":"pending"`), said("a"), ends}, []string{"call t x ", `text "a"`, `failed t "the run ended before the tool did"`, `done success "a"`}},
		{"a call that never begins", []string{called(`"toolCallId":"t","title":"x"`), ends}, []string{"call t x ", `failed t "the run ended before the tool did"`, `done success ""`}},
		{"a call that was not whole", []string{called(`"toolCallId":"t","title":"x"`), stops(`"stopReason":"refusal"`)}, []string{"error runtime-error fatal=true the agent refused to go on", `done error ""`}},
		{"said twice", []string{called(`"toolCallId":"t","title":"x","status":"in_progress"`), called(`"toolCallId":"t","title":"x","status":"in_progress"`), about(`"toolCallId":"t","status":"completed"`),
			about(`"toolCallId":"t","status":"completed"`), about(`"toolCallId":"t","status":"in_progress"`), ends}, []string{"call t x ", `result t ""`, `done success ""`}},
		{"an id that comes again", []string{called(`"toolCallId":"t","title":"x","status":"completed"`), called(`"toolCallId":"t","title":"y","status":"in_progress"`), about(`"toolCallId":"t","status":"failed"`), ends},
			[]string{"call t x ", `result t ""`, "call t~2 y ", `failed t~2 ""`, `done success ""`}},
		{"a name beside the title", []string{called(`"toolCallId":"t","name":"Bash","title":"echo a","status":"in_progress","rawInput":null`), about(`"toolCallId":"t","status":"completed","rawOutput":null,"content":null`), ends},
			[]string{`call t Bash {"title":"echo a"}`, `result t ""`, `done success ""`}},
		{"a terminal of its own", []string{called(`"toolCallId":"t","title":"x","status":"in_progress"`), about(`"toolCallId":"t","_meta":{"terminal_output":{"data":"a"}}`), about(`"toolCallId":"t","_meta":{"terminal_output":{"data":"b"}}`),
			about(`"toolCallId":"t","status":"completed","content":[{"type":"terminal","terminalId":"t"}]`), ends}, []string{"call t x ", `result t "ab"`, `done success ""`}},
		{"content of many kinds", []string{called(`"toolCallId":"t","title":"x","status":"completed","content":[{"type":"diff","path":"/a","newText":"b"},{"type":"odd"},7,{"type":"content","content":{"type":"image"}},{"type":"content","content":{"type":"text","text":"c"}}]`), ends},
			[]string{"call t x ", `result t "/a\nc"`, `done success ""`}},
		{"a call of nothing", []string{called(`"title":"x"`), ends}, []string{fmt.Sprintf(unread, 1), `done success ""`}},

		{"tokens", []string{stops(`"stopReason":"end_turn","usage":{"inputTokens":5,"outputTokens":7,"cachedReadTokens":3,"cachedWriteTokens":2,"totalTokens":17}`)}, []string{"cost null 7/7 cached 3", `done success "" 7/7 cached 3`}},
		{"thinking beside the output", []string{stops(`"stopReason":"end_turn","usage":{"inputTokens":5,"outputTokens":7,"thoughtTokens":4,"totalTokens":16}`)}, []string{"cost null 5/11", `done success "" 5/11`}},
		{"thinking in the output", []string{stops(`"stopReason":"end_turn","usage":{"inputTokens":5,"outputTokens":7,"thoughtTokens":4,"totalTokens":12}`)}, []string{"cost null 5/7", `done success "" 5/7`}},
		{"no tokens", []string{stops(`"stopReason":"end_turn","usage":{"inputTokens":0,"outputTokens":0,"totalTokens":0}`)}, []string{`done success ""`}},
		{"tokens that are none", []string{stops(`"stopReason":"end_turn","usage":{"inputTokens":-1,"outputTokens":2,"totalTokens":1}`)}, []string{`done success ""`}},
		{"usage of another kind", []string{stops(`"stopReason":"end_turn","usage":[]`)}, []string{`done success ""`}},
		{"money", []string{costs("0.25"), costs("0.25"), costs("0.75"), stops(`"stopReason":"end_turn","usage":{"inputTokens":1,"outputTokens":1,"totalTokens":2}`)}, []string{"cost 0.7500000 1/1", `done success "" 1/1 0.7500000`}},
		{"money without tokens", []string{costs("0.25"), ends}, []string{"cost 0.2500000 0/0", `done success "" 0.2500000`}},
		{"money without an end", []string{costs("0.25"), said("a")}, []string{`text "a"`, "cost 0.2500000 0/0", "error stream-truncated fatal=true acp ended without saying how the turn ended (exit code 0)", `done error "a" 0.2500000`}},
		{"money after the end", []string{costs("0.25"), ends, costs("0.5")}, []string{"cost 0.2500000 0/0", "cost 0.2500000 0/0", `done success "" 0.5000000`}},
		{"a count that begins anew", []string{costs("0.5"), costs("0.1"), ends}, []string{"cost 0.6000000 0/0", `done success "" 0.6000000`}},
		{"money of elsewhere", []string{strings.Replace(costs("3"), "USD", "EUR", 1), ends}, []string{`done success ""`}},
		{"money that is none", []string{costs("-3"), ends}, []string{fmt.Sprintf(unread, 1), `done success ""`}},
		{"no money", []string{update(`"sessionUpdate":"usage_update","used":1,"size":2`), ends}, []string{`done success ""`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDesk(Options{}, oneshot.Request[state]{Prompt: "go"})
			if told := d.hear(shaken...); len(told) > 0 {
				t.Errorf("told before the prompt: %v", told)
			}
			events := enveloped(append(d.hear(c.lines...), d.Finish(oneshot.Ending{How: "exit code 0"})...))
			judge(t, events)
			if diff := cmp.Diff(append([]string{"status init"}, c.want...), showAll(events)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if d.outcome != outcomeNone && (!d.hushed || d.Rest() == 0) {
				t.Error("the process is not told that this was all")
			}
			d.written(t)
		})
	}
}

// What is said before the prompt is not of the run, and does not come to be by being said
// on the way.
func TestBeforeThePrompt(t *testing.T) {
	d := newDesk(Options{}, oneshot.Request[state]{Prompt: "go"})
	lines := []string{welcome, said("banner"), session, said("banner"), called(`"toolCallId":"t","title":"x","status":"completed"`), costs("5"), fenced, said("a"), costs("5.5"), ends}
	events := append(d.hear(lines...), d.Finish(oneshot.Ending{})...)
	if diff := cmp.Diff([]string{"status init", `text "a"`, "cost 0.5000000 0/0", `done success "a" 0.5000000`}, showAll(events)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	d.written(t)
}

// How a run comes to its prompt, and what becomes of the session.
func TestHandshakes(t *testing.T) {
	const (
		needs    = `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"Authentication required"}}`
		let      = `{"jsonrpc":"2.0","id":2,"result":{}}`
		models   = `{"jsonrpc":"2.0","id":1,"result":{"sessionId":"S","models":{"currentModelId":"m0","availableModels":[]}}}`
		option   = `{"jsonrpc":"2.0","id":1,"result":{"sessionId":"S","configOptions":[7,{"id":"mode","category":"mode","currentValue":"x"},{"id":"llm","category":"model","currentValue":"m0"}]}}`
		chosen   = `{"jsonrpc":"2.0","id":2,"result":{}}`
		resumes  = `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{"sessionCapabilities":{"resume":{}}}}}`
		forgets  = `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}`
		loaded   = `{"jsonrpc":"2.0","id":1,"result":null}`
		unfenced = `{"jsonrpc":"2.0","id":3,"error":{"code":-32601,"message":"x"}}`
	)
	usd := 2.0
	before := state{Session: "S0", Cost: &usd}
	for _, c := range []struct {
		name    string
		auth    string
		request oneshot.Request[state]
		lines   []string
		written []string // after initialize
		want    []string
		kept    state
	}{
		{"a new session", "", oneshot.Request[state]{}, append(shaken, ends), []string{"session/new /srv/project", methodFence, "session/prompt go"}, []string{"status init", `done success ""`}, state{Session: "S"}},
		{"a fence that is answered otherwise", "", oneshot.Request[state]{}, []string{welcome, session, `{"jsonrpc":"2.0","id":2,"result":{}}`, ends}, []string{"session/new /srv/project", methodFence, "session/prompt go"}, []string{"status init", `done success ""`}, state{Session: "S"}},
		{"a session that goes on", "", oneshot.Request[state]{State: before}, []string{welcome, loaded, fenced, ends}, []string{"session/load S0", methodFence, "session/prompt go"}, []string{"status init", `done success ""`}, before},
		{"without its history", "", oneshot.Request[state]{State: before}, []string{resumes, loaded, fenced, ends}, []string{"session/resume S0", methodFence, "session/prompt go"}, []string{"status init", `done success ""`}, before},
		{"not at all", "", oneshot.Request[state]{State: before}, []string{forgets, session, fenced, costs("0.5"), ends}, []string{"session/new /srv/project", methodFence, "session/prompt go"},
			[]string{"status init", "error runtime-error fatal=false the agent cannot go on with a session: this run begins a new one", "cost 0.5000000 0/0", `done success "" 0.5000000`}, state{Session: "S", Cost: new(0.5)}},
		{"a session that is gone", "", oneshot.Request[state]{State: before}, []string{welcome, `{"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"Resource not found"}}`}, []string{"session/load S0"},
			[]string{"error runtime-error fatal=true the agent refused session/load: Resource not found", `done error ""`}, state{}},
		{"a session that is refused today", "", oneshot.Request[state]{State: before}, []string{welcome, `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"busy"}}`}, []string{"session/load S0"},
			[]string{"error runtime-error fatal=true the agent refused session/load: busy", `done error ""`}, before},
		{"another version", "", oneshot.Request[state]{}, []string{`{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2}}`}, nil, []string{"error runtime-error fatal=true the agent speaks another version of the protocol", `done error ""`}, state{}},
		{"no hello", "", oneshot.Request[state]{}, []string{`{"jsonrpc":"2.0","id":0,"result":7}`}, nil,
			[]string{"error malformed-frame fatal=false line 1 of the runtime's output could not be read and was skipped", "error runtime-error fatal=true the agent's answer to initialize cannot be read", `done error ""`}, state{}},
		{"a session without a name", "", oneshot.Request[state]{}, []string{welcome, `{"jsonrpc":"2.0","id":1,"result":{}}`}, []string{"session/new /srv/project"},
			[]string{"error malformed-frame fatal=false line 2 of the runtime's output could not be read and was skipped", "error runtime-error fatal=true the agent's answer to session/new names no session", `done error ""`}, state{}},
		{"nobody to let it in", "", oneshot.Request[state]{}, []string{welcome, needs}, []string{"session/new /srv/project"}, []string{"error runtime-error fatal=true the agent refused session/new: Authentication required", `done error ""`}, state{}},
		{"let in", "key", oneshot.Request[state]{}, []string{welcome, needs, let, strings.Replace(session, `"id":1`, `"id":3`, 1), strings.Replace(fenced, `"id":2`, `"id":4`, 1)},
			[]string{"session/new /srv/project", "authenticate", "session/new /srv/project", methodFence, "session/prompt go"},
			[]string{"status init", "error stream-truncated fatal=true acp ended without saying how the turn ended ()", `done error ""`}, state{Session: "S"}},
		{"let in, and asked again", "key", oneshot.Request[state]{}, []string{welcome, needs, let, strings.Replace(needs, `"id":1`, `"id":3`, 1)}, []string{"session/new /srv/project", "authenticate", "session/new /srv/project"},
			[]string{"error runtime-error fatal=true the agent refused session/new: Authentication required", `done error ""`}, state{}},
		{"not let in", "key", oneshot.Request[state]{}, []string{welcome, needs, `{"jsonrpc":"2.0","id":2,"error":{"code":1,"message":"no"}}`}, []string{"session/new /srv/project", "authenticate"},
			[]string{"error runtime-error fatal=true the agent refused authenticate: no", `done error ""`}, state{}},
		{"a model by an option", "", oneshot.Request[state]{Model: "m9"}, []string{welcome, option, chosen, unfenced}, []string{"session/new /srv/project", "session/set_config_option", methodFence, "session/prompt go"},
			[]string{"status init m9", "error stream-truncated fatal=true acp ended without saying how the turn ended ()", `done error ""`}, state{Session: "S"}},
		{"a model by a method", "", oneshot.Request[state]{Model: "m9"}, []string{welcome, models, chosen, unfenced}, []string{"session/new /srv/project", "session/set_model", methodFence, "session/prompt go"},
			[]string{"status init m9", "error stream-truncated fatal=true acp ended without saying how the turn ended ()", `done error ""`}, state{Session: "S"}},
		{"a model that is refused", "", oneshot.Request[state]{Model: "m9"}, []string{welcome, models, `{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"no m9"}}`}, []string{"session/new /srv/project", "session/set_model"},
			[]string{"status init m9", "error runtime-error fatal=true the agent refused session/set_model: no m9", `done error ""`}, state{}},
		{"no choice", "", oneshot.Request[state]{Model: "m9"}, []string{welcome, session}, []string{"session/new /srv/project"}, []string{"status init m9", "error runtime-error fatal=true the agent offers no choice of models", `done error ""`}, state{}},
		{"the model is told", "", oneshot.Request[state]{}, []string{welcome, models, fenced, ends}, []string{"session/new /srv/project", methodFence, "session/prompt go"}, []string{"status init m0", `done success ""`}, state{Session: "S"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.request.Prompt = "go"
			d := newDesk(Options{AuthMethod: c.auth}, c.request)
			events := append(d.hear(c.lines...), d.Finish(oneshot.Ending{})...)
			if diff := cmp.Diff(c.want, showAll(events)); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
			kept := c.request.State
			d.Keep(&kept)
			if diff := cmp.Diff(c.kept, kept); diff != "" {
				t.Errorf("kept (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(append([]string{"initialize"}, c.written...), brief(d.written(t))); diff != "" {
				t.Errorf("written (-want +got):\n%s", diff)
			}
		})
	}
}

// What the agent is told of this host, the model and the servers.
func TestWhatIsWritten(t *testing.T) {
	d := newDesk(Options{Files: FilesRead, Servers: []Server{{Name: "a", Command: []string{"prog", "x"}, Env: []string{"K=v=w"}}, {Name: "b", URL: "http://127.0.0.1:1/"}}},
		oneshot.Request[state]{Prompt: "<go> & \"é\"", Model: "m9"})
	d.hear(welcome, `{"jsonrpc":"2.0","id":1,"result":{"sessionId":"S","configOptions":[{"id":"model","currentValue":"m0"}]}}`, `{"jsonrpc":"2.0","id":2,"result":{}}`, `{"jsonrpc":"2.0","id":3,"error":{"code":-32601,"message":"x"}}`)
	lines := d.written(t)
	for i, want := range []any{
		map[string]any{"protocolVersion": 1.0, "clientInfo": map[string]any{"name": "adaptercheck", "version": "1"},
			"clientCapabilities": map[string]any{"auth": map[string]any{}, "fs": map[string]any{"readTextFile": true}}},
		map[string]any{"cwd": "/srv/project", "mcpServers": []any{
			map[string]any{"name": "a", "command": "prog", "args": []any{"x"}, "env": []any{map[string]any{"name": "K", "value": "v=w"}}},
			map[string]any{"name": "b", "type": "http", "url": "http://127.0.0.1:1/", "headers": []any{}},
		}},
		map[string]any{"sessionId": "S", "configId": "model", "value": "m9"},
		map[string]any{},
		map[string]any{"sessionId": "S", "prompt": []any{map[string]any{"type": "text", "text": "<go> & \"é\""}}},
	} {
		if diff := cmp.Diff(want, lines[i]["params"]); diff != "" {
			t.Errorf("%v (-want +got):\n%s", lines[i]["method"], diff)
		}
	}
}

// A permission is asked under the id of its call, answered once, and by what holds least.
func TestPermissions(t *testing.T) {
	asks := func(t *testing.T, d *desk, line, id string) {
		t.Helper()
		events := d.hear(line)
		if got := showAll(events); len(got) == 0 || got[len(got)-1] != "status running  approval-requested:"+id {
			t.Errorf("%q, want a question %s", got, id)
		}
	}
	open := func() *desk {
		d := newDesk(Options{ApprovalTimeout: time.Hour}, oneshot.Request[state]{Prompt: "go"})
		d.hear(shaken...)
		return d
	}
	answers := func(t *testing.T, d *desk, want ...string) {
		t.Helper()
		lines := d.written(t)[4:]
		if diff := cmp.Diff(want, brief(lines)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	t.Run("answers", func(t *testing.T) {
		d := open()
		asks(t, d, permission(`0`, `"toolCallId":"t"`), "t")
		asks(t, d, permission(`"x"`, `"toolCallId":"t"`), "t~2")
		asks(t, d, permission(`"p 7"`, `"toolCallId":""`), "request-p 7")
		for id, allow := range map[string]bool{"t": true, "t~2": false} {
			if err := d.answer(id, allow); err != nil {
				t.Error(err)
			}
		}
		for _, id := range []string{"t", "never"} {
			if err := d.answer(id, true); !errors.Is(err, ErrNoQuestion) {
				t.Errorf("%s: %v", id, err)
			}
		}
		d.hear(ends)
		lines := d.written(t)[4:]
		got := map[string]string{}
		for i, b := range brief(lines) {
			got[fmt.Sprint(lines[i]["id"])] = b
		}
		if diff := cmp.Diff(map[string]string{"0": "outcome y", "x": "outcome n", "p 7": "outcome cancelled"}, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
	t.Run("a call is told before it is asked about", func(t *testing.T) {
		d := open()
		got := showAll(d.hear(called(`"toolCallId":"t","title":"bash","status":"pending","rawInput":{}`), permission(`0`, `"toolCallId":"t","title":"echo","rawInput":{"c":"echo"}`)))
		if diff := cmp.Diff([]string{"status init", `call t bash {"c":"echo"}`, "status running  approval-requested:t"}, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		d.written(t)
	})
	t.Run("an abort", func(t *testing.T) {
		d := open()
		asks(t, d, permission(`0`, `"toolCallId":"t"`), "t")
		d.interrupt()
		if err := d.answer("t", true); !errors.Is(err, ErrNoQuestion) {
			t.Error(err)
		}
		if got := d.hear(permission(`1`, `"toolCallId":"u"`)); len(got) > 0 {
			t.Errorf("asked after the abort: %v", showAll(got))
		}
		answers(t, d, "session/cancel", "outcome cancelled", "outcome cancelled")
	})
	t.Run("nobody answers", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			d := open()
			asks(t, d, permission(`0`, `"toolCallId":"t"`), "t")
			time.Sleep(time.Hour) // of the bubble
			synctest.Wait()
			answers(t, d, "outcome n")
		})
	})
	t.Run("no way to allow", func(t *testing.T) {
		d := open()
		line := strings.NewReplacer("allow_always", "odd", "allow_once", "odd").Replace(permission(`0`, `"toolCallId":"t"`))
		asks(t, d, line, "t")
		if err := d.answer("t", true); !errors.Is(err, ErrNoOption) {
			t.Error(err)
		}
		answers(t, d, "outcome cancelled")
	})
	t.Run("only for good", func(t *testing.T) {
		d := open()
		asks(t, d, strings.NewReplacer("allow_once", "odd", "reject_once", "reject_always").Replace(permission(`0`, `"toolCallId":"t"`)), "t")
		asks(t, d, strings.NewReplacer("allow_once", "odd", "reject_once", "reject_always").Replace(permission(`1`, `"toolCallId":"u"`)), "u")
		if err := errors.Join(d.answer("t", true), d.answer("u", false)); err != nil {
			t.Error(err)
		}
		answers(t, d, "outcome y!", "outcome n")
	})
	t.Run("what cannot be read", func(t *testing.T) {
		d := open()
		d.hear(`{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"toolCall":7}}`)
		answers(t, d, "refused -32602")
	})
}

// What is not served is refused, whatever the agent asks.
func TestOtherRequests(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	d := newDesk(Options{Files: FilesRead}, oneshot.Request[state]{Prompt: "go"})
	d.files.dir = dir
	d.hear(shaken...)
	for i, method := range []string{"terminal/create", "elicitation/create", "no/such", "fs/write_text_file", "fs/read_text_file"} {
		if got := d.hear(fmt.Sprintf(`{"jsonrpc":"2.0","id":"r%d","method":%q,"params":{"sessionId":"S","path":%q,"content":"y"}}`, i, method, filepath.Join(dir, "a"))); len(got) > 0 {
			t.Errorf("%s: %v", method, showAll(got))
		}
	}
	want := []string{"refused -32601", "refused -32601", "refused -32601", "refused -32601", "answered map[content:x]"}
	if diff := cmp.Diff(want, brief(d.written(t)[4:])); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// An abort before the prompt asks for nothing more; one after it cancels the turn.
func TestInterrupts(t *testing.T) {
	for n := range shaken {
		d := newDesk(Options{}, oneshot.Request[state]{Prompt: "go"})
		d.hear(shaken[:n]...)
		d.interrupt()
		d.hear(shaken[n:]...)
		if !d.hushed {
			t.Errorf("after %d lines: stdin is open", n)
		}
		done := d.Finish(oneshot.Ending{Aborted: true})
		if got := done[len(done)-1].(executor.Done).Reason; got != executor.ReasonAborted {
			t.Error(got)
		}
		for _, b := range brief(d.written(t)) {
			if strings.HasPrefix(b, "session/prompt") || b == "session/cancel" {
				t.Errorf("after %d lines: %s", n, b)
			}
		}
	}
}

// An agent that does not answer the request before the prompt gets the prompt all the
// same.
func TestFenceThatIsNotAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(Options{}, oneshot.Request[state]{Prompt: "go"})
		d.hear(welcome, session)
		time.Sleep(2 * time.Hour) // of the bubble
		synctest.Wait()
		got := showAll(d.hear(said("a"), fenced, said("b"), ends))
		if diff := cmp.Diff([]string{"status init", `text "ab"`}, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{"initialize", "session/new /srv/project", methodFence, "session/prompt go"}, brief(d.written(t))); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}
