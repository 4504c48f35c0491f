package codex

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/oneshot"
)

// show writes an event in one line, without its envelope.
func show(e executor.Event) string {
	switch e := e.(type) {
	case executor.TextDelta:
		return fmt.Sprintf("%s %q", e.Channel, e.Text)
	case executor.ToolCall:
		return fmt.Sprintf("call %s %s %s", e.ID, e.Name, e.Input)
	case executor.ToolResult:
		return fmt.Sprintf("result %s %s error=%v %q", e.ID, e.Name, e.IsError, e.Output)
	case executor.Status:
		return strings.TrimSpace(fmt.Sprintf("status %s %s", e.Phase, e.Detail))
	case executor.Cost:
		usd := "null"
		if e.CostUSD != nil || e.Model != nil || e.Estimated {
			usd = "told"
		}
		return fmt.Sprintf("cost %s %s", usd, showUsage(&e.Usage))
	case executor.Done:
		return fmt.Sprintf("done %s %q %s", e.Reason, e.Summary, showUsage(e.Usage))
	case executor.Error:
		return fmt.Sprintf("error %s fatal=%v %q", *e.Code, e.Fatal, e.Message)
	}
	return "?"
}

func showUsage(u *executor.Usage) string {
	if u == nil {
		return "-"
	}
	return fmt.Sprintf("in=%d cached=%d out=%d", u.InputTokens, *u.CachedInputTokens, u.OutputTokens)
}

func showAll(events []executor.Event) []string {
	var out []string
	for _, e := range events {
		out = append(out, show(e))
	}
	return out
}

func same(s string) string { return s }

// plain is a mapper for a session that is new.
func plain() *execMapper { return &execMapper{story: newStory(same, state{})} }

// mapAll runs a whole stdout through a mapper.
func mapAll(m *execMapper, stdout string, e oneshot.Ending) []string {
	var out []executor.Event
	for i, line := range strings.Split(strings.TrimSuffix(stdout, "\n"), "\n") {
		if line != "" {
			out = append(out, m.line(int64(i+1), []byte(line))...)
		}
	}
	return showAll(append(out, m.finish(e)...))
}

const usage1 = "in=70 cached=30 out=20"

const (
	threadA = "01890a5d-ac96-774b-bcce-b302099a8057"
	threadB = "01890a5d-ac96-774b-bcce-b302099a8058"
	begin   = `{"type":"thread.started","thread_id":"` + threadA + `"}` + "\n" + `{"type":"turn.started"}` + "\n"
	ok      = `{"type":"turn.completed"}` + "\n"
)

func completedItem(fields string) string {
	return `{"type":"item.completed","item":{` + fields + `}}` + "\n"
}

func startedItem(fields string) string {
	return `{"type":"item.started","item":{` + fields + `}}` + "\n"
}

func said(id int, body string) string {
	return completedItem(fmt.Sprintf(`"id":"item_%d","type":"agent_message","text":%q`, id, body))
}

func TestLines(t *testing.T) {
	const (
		retry   = `{"type":"error","message":"Reconnecting... 1/5 (cause)"}` + "\n"
		waiting = `{"type":"error","message":"Reconnecting... waiting for network (cause)"}` + "\n"
		failed  = `{"type":"turn.failed","error":{"message":"boom"}}` + "\n"
		boom    = `{"type":"error","message":"boom"}` + "\n"
		cmdOpen = `"id":"item_1","type":"command_execution","command":"ls","aggregated_output":"","exit_code":null,"status":"in_progress"`
		cmdDone = `"id":"item_1","type":"command_execution","command":"ls","aggregated_output":"a","exit_code":0,"status":"completed"`
		call    = `call item_1 shell {"command":"ls"}`
		result  = `result item_1 shell error=false "a"`
		success = `done success "" -`
		unread3 = `error malformed-frame fatal=false "line 3 of the runtime's output could not be read and was skipped"`
	)
	tests := []struct {
		name, in string
		end      oneshot.Ending
		want     []string // after the two status events of begin
	}{
		{name: "messages do not run together", in: said(0, "First.") + said(1, "Second.") + ok,
			want: []string{`assistant "First."`, `assistant "\n\nSecond."`, `done success "Second." -`}},
		{name: "pieces of reasoning neither", in: completedItem(`"id":"a","type":"reasoning","text":"One"`) + completedItem(`"id":"b","type":"reasoning","text":"Two"`) + ok,
			want: []string{`reasoning "One"`, `reasoning "\n\nTwo"`, success}},
		{name: "equal messages are two messages", in: said(0, "Yes.") + said(1, "Yes.") + ok,
			want: []string{`assistant "Yes."`, `assistant "\n\nYes."`, `done success "Yes." -`}},
		{name: "a repetition after a reconnect is one", in: said(0, "Yes.") + retry + waiting + said(1, "Yes.") + said(2, "Yes.") + ok,
			want: []string{`assistant "Yes."`, "status running retry", "status running retry", `assistant "\n\nYes."`, `done success "Yes." -`}},
		{name: "no repetition with something between", in: said(0, "Yes.") + startedItem(cmdOpen) + retry + said(1, "Yes.") + ok,
			want: []string{`assistant "Yes."`, call, "status running retry", `assistant "\n\nYes."`, `result item_1 shell error=true "the run ended before the tool did"`, `done success "Yes." -`}},
		{name: "another text after a reconnect is new", in: said(0, "Some") + retry + said(1, "Some more") + ok,
			want: []string{`assistant "Some"`, "status running retry", `assistant "\n\nSome more"`, `done success "Some more" -`}},
		{name: "reasoning said twice by a reconnect", in: completedItem(`"id":"a","type":"reasoning","text":"R"`) + retry + completedItem(`"id":"b","type":"reasoning","text":"R"`) + ok,
			want: []string{`reasoning "R"`, "status running retry", success}},
		{name: "an error that is the failure", in: boom + failed,
			want: []string{`error runtime-error fatal=true "boom"`, `done error "" -`}},
		{name: "an error that is not the failure", in: `{"type":"error","message":"odd"}` + "\n" + failed,
			want: []string{`error runtime-error fatal=false "odd"`, `error runtime-error fatal=true "boom"`, `done error "" -`}},
		{name: "an error and a success", in: boom + said(0, "Still.") + ok,
			want: []string{`error runtime-error fatal=false "boom"`, `assistant "Still."`, `done success "Still." -`}},
		{name: "an error and the end", in: boom, end: oneshot.Ending{How: "exit code 0"},
			want: []string{`error runtime-error fatal=false "boom"`, `error stream-truncated fatal=true "codex ended without saying how the turn ended (exit code 0)"`, `done error "" -`}},
		{name: "failure without a text", in: `{"type":"turn.failed"}` + "\n",
			want: []string{`error runtime-error fatal=true "the turn failed, no reason given"`, `done error "" -`}},
		{name: "no room in the context", in: `{"type":"turn.failed","error":{"message":"Codex ran out of room in the model's context window."}}` + "\n",
			want: []string{`error token-limit fatal=true "Codex ran out of room in the model's context window."`, `done error "" -`}},
		{name: "terminal frame beats exit code", in: said(0, "Yes.") + ok, end: oneshot.Ending{Failed: true, How: "exit code 1"},
			want: []string{`assistant "Yes."`, `done success "Yes." -`}},
		{name: "failure beats exit code 0", in: failed, end: oneshot.Ending{How: "exit code 0"},
			want: []string{`error runtime-error fatal=true "boom"`, `done error "" -`}},
		{name: "the first terminal decides", in: ok + failed,
			want: []string{`error runtime-error fatal=false "boom"`, success}},
		{name: "death by a signal is no abort", in: said(0, "Half"), end: oneshot.Ending{Failed: true, How: "signal SIGKILL"},
			want: []string{`assistant "Half"`, `error exit fatal=true "codex ended without saying how the turn ended (signal SIGKILL)"`, `done error "Half" -`}},
		{name: "an abort is one whatever the runtime says", in: said(0, "One.") + said(1, "Two.") + startedItem(cmdOpen) + ok, end: oneshot.Ending{Aborted: true},
			want: []string{`assistant "One."`, `assistant "\n\nTwo."`, call, `result item_1 shell error=true "the run ended before the tool did"`, `done aborted "One.\n\nTwo." -`}},
		{name: "an abort has no fatal error", in: failed, end: oneshot.Ending{Aborted: true, Failed: true}, want: []string{`done aborted "" -`}},
		{name: "a lone completion is call and result", in: completedItem(cmdDone) + ok, want: []string{call, result, success}},
		{name: "start and completion are one call", in: startedItem(cmdOpen) + startedItem(cmdOpen) + completedItem(cmdDone) + completedItem(cmdDone) + ok,
			want: []string{call, result, success}},
		{name: "an id that comes again is another call", in: startedItem(cmdOpen) + completedItem(cmdDone) + startedItem(cmdOpen) + completedItem(cmdDone) + ok,
			want: []string{call, result, `call item_1~2 shell {"command":"ls"}`, `result item_1~2 shell error=false "a"`, success}},
		{name: "a declined command", in: startedItem(cmdOpen) + completedItem(`"id":"item_1","type":"command_execution","command":"ls","aggregated_output":"","exit_code":null,"status":"declined"`) + ok,
			want: []string{call, `result item_1 shell error=true ""`, success}},
		{name: "interleaved calls", in: startedItem(cmdOpen) + startedItem(strings.Replace(cmdOpen, "item_1", "item_2", 1)) + completedItem(cmdDone) + completedItem(strings.Replace(cmdDone, "item_1", "item_2", 1)) + ok,
			want: []string{call, `call item_2 shell {"command":"ls"}`, result, `result item_2 shell error=false "a"`, success}},
		{name: "MCP success", in: startedItem(`"id":"i","type":"mcp_tool_call","server":"s","tool":"add","arguments":{"b": 3, "a":[1,  2]},"result":null,"error":null,"status":"in_progress"`) +
			completedItem(`"id":"i","type":"mcp_tool_call","server":"s","tool":"add","arguments":{"b":3},"result":{"content":[{"type":"text","text":"5"},{"type":"image","data":"x"}],"structured_content":{"sum":5}},"error":null,"status":"completed"`) + ok,
			want: []string{`call i add {"b":3,"a":[1,2]}`, `result i add error=false "5\n{\"type\":\"image\",\"data\":\"x\"}"`, success}},
		{name: "MCP failure of the tool", in: completedItem(`"id":"i","type":"mcp_tool_call","server":"s","tool":"boom","arguments":{},"result":{"content":[{"type":"text","text":"boom failed"}],"structured_content":null},"error":null,"status":"failed"`) + ok,
			want: []string{`call i boom {}`, `result i boom error=true "boom failed"`, success}},
		{name: "MCP failure to call", in: completedItem(`"id":"i","type":"mcp_tool_call","server":"s","tool":"add","arguments":null,"result":null,"error":{"message":"no server"},"status":"failed"`) + ok,
			want: []string{`call i add null`, `result i add error=true "no server"`, success}},
		{name: "MCP structured result only", in: completedItem(`"id":"i","type":"mcp_tool_call","server":"s","tool":"add","result":{"content":[],"structured_content":{"sum": 5}},"status":"completed"`) + ok,
			want: []string{`call i add null`, `result i add error=false "{\"sum\":5}"`, success}},
		{name: "a patch", in: startedItem(`"id":"i","type":"file_change","changes":[{"path":"/w/n","kind":"add"}],"status":"in_progress"`) + completedItem(`"id":"i","type":"file_change","changes":[{"path":"/w/n","kind":"add"}],"status":"completed"`) + ok,
			want: []string{`call i apply_patch {"changes":[{"path":"/w/n","kind":"add"}]}`, `result i apply_patch error=false ""`, success}},
		{name: "a search waits for its query", in: startedItem(`"id":"i","type":"web_search","query":""`) + completedItem(`"id":"i","type":"web_search","query":"go"`) + ok,
			want: []string{`call i web_search {"query":"go"}`, `result i web_search error=false ""`, success}},
		{name: "a search with two ids", in: startedItem(`"id":"i","type":"web_search","id":"ws_1","query":"","action":{"type":"other"}`) + completedItem(`"id":"i","type":"web_search","id":"ws_1","query":"go","action":{"type":"search","query":"go"}`) + ok,
			want: []string{`call i web_search {"query":"go"}`, `result i web_search error=false ""`, success}},
		{name: "what is not known gives nothing", in: completedItem(`"type":"future","text":{"a":1},"id":9`) + `{"type":"future.frame","message":{"x":1},"item":3}` + "\n" + `{"type":7}` + "\n" + `{}` + "\n" + ok,
			want: []string{success}},
		{name: "a plan is progress", in: startedItem(`"id":"i","type":"todo_list","items":[]`) + `{"type":"item.updated","item":{"id":"i","type":"todo_list","items":[]}}` + "\n" + completedItem(`"id":"i","type":"todo_list","items":[]`) + ok,
			want: []string{"status running", "status running", success}},
		{name: "a warning that comes twice", in: completedItem(`"id":"j","type":"error","message":"careful"`) + completedItem(`"id":"k","type":"error","message":"careful"`) + completedItem(`"id":"l","type":"error","message":"more"`) + completedItem(`"id":"m","type":"error"`) + ok,
			want: []string{`error runtime-error fatal=false "careful"`, `error runtime-error fatal=false "more"`, success}},
		{name: "an attempt that is said again whole", in: completedItem(`"id":"a","type":"reasoning","text":"R"`) + said(0, "Yes.") + retry + completedItem(`"id":"b","type":"reasoning","text":"R"`) + said(1, "Yes.") + ok,
			want: []string{`reasoning "R"`, `assistant "Yes."`, "status running retry", `done success "Yes." -`}},
		{name: "a line that comes twice", in: said(0, "Yes.") + said(0, "Yes.") + completedItem(`"id":"r","type":"reasoning","text":"R"`) + completedItem(`"id":"r","type":"reasoning","text":"R"`) + ok + ok,
			want: []string{`assistant "Yes."`, `reasoning "R"`, `done success "Yes." -`}},
		{name: "a byte order mark", in: "\ufeff" + said(0, "Yes.") + ok, want: []string{`assistant "Yes."`, `done success "Yes." -`}},
		{name: "white space parts messages", in: said(0, "First.\n") + said(1, "Second.") + ok,
			want: []string{`assistant "First.\n"`, `assistant "Second."`, `done success "Second." -`}},
		{name: "unknown fields and any order of keys", in: `{"new":{"a":1},"item":{"text":"Yes.","extra":null,"type":"agent_message","id":"i"},"type":"item.completed"}` + "\n" + ok,
			want: []string{`assistant "Yes."`, `done success "Yes." -`}},
		{name: "line separators are text", in: said(0, "a\u2028b\u2029c") + ok, want: []string{fmt.Sprintf("assistant %q", "a\u2028b\u2029c"), fmt.Sprintf("done success %q -", "a\u2028b\u2029c")}},
		{name: "bytes that are not UTF-8", in: `{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"a` + "\xff" + `b"}}` + "\n" + ok,
			want: []string{`assistant "a�b"`, `done success "a�b" -`}},
		{name: "not JSON", in: "not a frame SECRET\n" + said(0, "Yes.") + ok, want: []string{unread3, `assistant "Yes."`, `done success "Yes." -`}},
		{name: "null", in: "null\n" + ok, want: []string{unread3, success}},
		{name: "an array", in: "[]\n" + ok, want: []string{unread3, success}},
		{name: "a key twice", in: `{"type":"turn.started","type":"turn.failed"}` + "\n" + ok, want: []string{unread3, success}},
		{name: "half a line", in: `{"type":"turn.comp`, end: oneshot.Ending{How: "exit code 0"},
			want: []string{unread3, `error stream-truncated fatal=true "codex ended without saying how the turn ended (exit code 0)"`, `done error "" -`}},
		{name: "a message without a text", in: completedItem(`"id":"i","type":"agent_message"`) + ok, want: []string{unread3, success}},
		{name: "an empty message", in: said(0, "") + ok, want: []string{success}},
		{name: "a tool without an id", in: startedItem(`"type":"command_execution","command":"ls"`) + ok, want: []string{unread3, success}},
		{name: "a tool of another shape", in: startedItem(`"id":"i","type":"command_execution","command":["ls"]`) + ok, want: []string{unread3, success}},
		{name: "a completed item without an item", in: `{"type":"item.completed"}` + "\n" + ok, want: []string{unread3, success}},
		{name: "usage of another shape keeps the terminal", in: `{"type":"turn.completed","usage":"much"}` + "\n", want: []string{unread3, success}},
		{name: "negative usage keeps the terminal", in: `{"type":"turn.completed","usage":{"input_tokens":-1,"output_tokens":2}}` + "\n", want: []string{unread3, success}},
		{name: "null usage", in: `{"type":"turn.completed","usage":null}` + "\n", want: []string{success}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			want := append([]string{"status init", "status running"}, test.want...)
			got := mapAll(plain(), begin+test.in, test.end)
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			if strings.Contains(strings.Join(got, "\n"), "SECRET") {
				t.Error("the content of an unreadable line came out")
			}
		})
	}
}

func completed(in, cached, out int) string {
	return fmt.Sprintf(`{"type":"turn.completed","usage":{"input_tokens":%d,"cached_input_tokens":%d,"output_tokens":%d}}`+"\n", in, cached, out)
}

func TestUsageIsADelta(t *testing.T) {
	tests := []struct {
		name   string
		s      state
		thread string
		in     string
		want   []string
	}{
		{name: "first turn", thread: threadA, in: completed(100, 30, 20), want: []string{"in=70 cached=30 out=20"}},
		{name: "two turns in a process", thread: threadA, in: completed(100, 30, 20) + completed(250, 40, 25), want: []string{"in=70 cached=30 out=20", "in=140 cached=10 out=5"}},
		{name: "resumed", s: state{Thread: threadA, Totals: totals{100, 30, 20}}, thread: threadA, in: completed(200, 60, 40), want: []string{"in=70 cached=30 out=20"}},
		{name: "resumed, but it is another thread", s: state{Thread: threadA, Totals: totals{100, 30, 20}}, thread: threadB, in: completed(200, 60, 40), want: []string{"in=140 cached=60 out=40"}},
		{name: "a count that went down began anew", s: state{Thread: threadA, Totals: totals{500, 0, 90}}, thread: threadA, in: completed(100, 30, 20), want: []string{"in=70 cached=30 out=20"}},
		{name: "a total said twice costs once", thread: threadA, in: completed(100, 30, 20) + completed(100, 30, 20), want: []string{"in=70 cached=30 out=20"}},
		{name: "more cached than input", thread: threadA, in: completed(10, 30, 20), want: []string{"in=0 cached=30 out=20"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, s := range mapAll(&execMapper{story: newStory(same, test.s)}, `{"type":"thread.started","thread_id":"`+test.thread+`"}`+"\n"+test.in, oneshot.Ending{}) {
				if cost, is := strings.CutPrefix(s, "cost null "); is {
					got = append(got, cost)
				}
			}
			if d := cmp.Diff(test.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// A session whose thread Codex does not go on with has lost its past, which the host is
// told.
func TestAnotherThreadThanAskedFor(t *testing.T) {
	const lost = `error runtime-error fatal=false "codex did not go on with the session's thread, and began another one"`
	s := state{Thread: threadB, Totals: totals{100, 30, 20}}
	got := mapAll(&execMapper{story: newStory(same, s)}, begin+completed(100, 30, 20), oneshot.Ending{})
	want := []string{"status init", lost, "status running", "cost null " + usage1, `done success "" ` + usage1}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("exec (-want +got):\n%s", d)
	}
	d := newDesk(Options{Mode: ModeAppServer}, errand{thread: threadParams{ThreadID: threadB}}, s)
	got = d.serve(shaken+started+counted(100, 30, 20)+ended(`"status":"completed"`), oneshot.Ending{})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("app-server (-want +got):\n%s", diff)
	}
	d.written(t)
}

func TestGarbageIsReportedABoundedNumberOfTimes(t *testing.T) {
	got := mapAll(plain(), strings.Repeat("garbage\n", 1000)+ok, oneshot.Ending{})
	if len(got) != 101 || got[len(got)-1] != `done success "" -` {
		t.Errorf("%d events, the last %s", len(got), got[len(got)-1])
	}
}

func TestSettled(t *testing.T) {
	m := plain()
	for i, step := range []struct {
		line string
		want bool
	}{
		{`{"type":"turn.started"}`, false},
		{`{"type":"turn.completed"}`, true},
		{`{"type":"turn.started"}`, false},
		{`{"type":"turn.failed","error":{"message":"x"}}`, true},
	} {
		m.line(int64(i), []byte(step.line))
		if got := m.settled(); got != step.want {
			t.Errorf("after %s: settled %v", step.line, got)
		}
	}
}

func BenchmarkLine(b *testing.B) {
	line := []byte(said(0, strings.Repeat("word ", 40)))
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		m := plain()
		m.line(1, line)
	}
}
