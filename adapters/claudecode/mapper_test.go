package claudecode

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/contract/executor/verify"
	"github.com/adaptercheck/adaptercheck/internal/oneshot"
)

const (
	session = "01890a5d-ac96-774b-bcce-b302099a8057"
	hello   = `{"type":"system","subtype":"init","session_id":"` + session + `","model":"opus","claude_code_version":"2.1.332"}`
	success = `{"type":"result","subtype":"success","is_error":false}`
	retry   = `{"type":"system","subtype":"api_retry","attempt":1}`
)

// The lines of a message, from outside in.
func line(id, block string) string {
	return `{"type":"assistant","message":{"id":"` + id + `","model":"opus","content":[` + block + `]},"parent_tool_use_id":null}`
}
func textBlock(s string) string { return fmt.Sprintf(`{"type":"text","text":%q}`, s) }
func said(id, s string) string  { return line(id, textBlock(s)) }
func called(id, tool string) string {
	return line("m-"+id, `{"type":"tool_use","id":"`+id+`","name":"`+tool+`","input":{"command":"ls"}}`)
}
func returned(id, content, more string) string {
	return `{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"` + id + `","content":` + content + more + `}]}}`
}
func stream(event string) string { return `{"type":"stream_event","event":` + event + `}` }
func start(id string) string {
	return stream(`{"type":"message_start","message":{"id":"` + id + `","content":[]}}`)
}
func piece(index int, s string) string {
	return stream(fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":{"type":"text_delta","text":%q}}`, index, s))
}
func thought(index int, s string) string {
	return stream(fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":{"type":"thinking_delta","thinking":%q}}`, index, s))
}
func gaveUp(from int) string {
	return fmt.Sprintf(`{"type":"stream_event","event":{"type":"message_stop"},"abandoned_blocks":{"from_block_index":%d}}`, from)
}

var stop = stream(`{"type":"message_stop"}`)

func result(text string) string {
	return fmt.Sprintf(`{"type":"result","subtype":"success","is_error":false,"result":%q}`, text)
}

// TestText plays mixtures of increments, lines, results and retractions.
func TestText(t *testing.T) {
	const restart = "status running text-restarted"
	tests := []struct {
		name  string
		lines []string
		want  []string // text, reasoning and restarts
		end   string   // the summary
	}{
		{"a line alone", []string{said("m", "Hello."), result("Hello.")}, []string{`text "Hello."`}, "Hello."},
		{"increments and their line", []string{start("m"), piece(0, "Hel"), piece(0, "lo."), said("m", "Hello."), stop, result("Hello.")}, []string{`text "Hel"`, `text "lo."`}, "Hello."},
		{"increments alone", []string{start("m"), piece(0, "Hel"), piece(0, "lo."), stop, success}, []string{`text "Hel"`, `text "lo."`}, "Hello."},
		{"increments of a stream without a start", []string{piece(0, "Hel"), said("m", "Hello."), success}, []string{`text "Hel"`, `text "lo."`}, "Hello."},
		{"a result alone", []string{result("Hello.")}, []string{`text "Hello."`}, "Hello."},
		{"a line that has more than its increments", []string{start("m"), piece(0, "Hel"), said("m", "Hello."), stop, success}, []string{`text "Hel"`, `text "lo."`}, "Hello."},
		{"a result that has more than a broken stream", []string{start("m"), piece(0, "Hel"), result("Hello.")}, []string{`text "Hel"`, `text "lo."`}, "Hello."},
		{"a result that is another text than the line", []string{said("m", "Hello."), result("{}")}, []string{`text "Hello."`}, "{}"},
		{"a result without text", []string{said("m", "Hello."), result("")}, []string{`text "Hello."`}, "Hello."},
		{"nothing at all", []string{success}, nil, ""},
		{"a block that begins with text", []string{start("m"), stream(`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"He"}}`), piece(0, "llo"), stop, success}, []string{`text "He"`, `text "llo"`}, "Hello"},
		{"white space", []string{start("m"), piece(0, " \n"), piece(0, "\ta "), said("m", " \n\ta "), stop, result("a")}, []string{`text " \n"`, `text "\ta "`}, "a"},
		{"two blocks of one message", []string{start("m"), piece(0, "One,"), said("m", "One,"), piece(1, "two"), said("m", "two"), stop, result("two")}, []string{`text "One,"`, `text "two"`}, "two"},
		{"two messages", []string{said("m", "One."), said("n", "Two."), result("Two.")}, []string{`text "One."`, `text "\n\nTwo."`}, "Two."},
		{"two messages that white space parts", []string{said("m", "One.\n"), said("n", "Two."), said("o", " Three."), success}, []string{`text "One.\n"`, `text "Two."`, `text " Three."`}, " Three."},
		{"two equal messages", []string{said("m", "Step."), called("t", "Bash"), returned("t", `"x"`, ""), said("n", "Step."), result("Step.")}, []string{`text "Step."`, `text "\n\nStep."`}, "Step."},
		{"results after the messages of all turns", []string{said("m", "One."), hello, said("n", "Two."), result("One."), result("Two.")}, []string{`text "One."`, `text "\n\nTwo."`}, "Two."},
		{"a second turn that says the same", []string{said("m", "Yes."), result("Yes."), hello, said("n", "Yes."), result("Yes.")}, []string{`text "Yes."`, `text "\n\nYes."`}, "Yes."},

		{"taken back, and said again", []string{start("m"), piece(0, "Half"), gaveUp(0), retry, start("n"), piece(0, "Ha"), piece(0, "lf of it"), said("n", "Half of it"), stop, success},
			[]string{`text "Half"`, "status running retry", `text " of it"`}, "Half of it"},
		{"taken back, and another text", []string{start("m"), piece(0, "kept I will"), gaveUp(0), retry, start("n"), piece(0, "kept "), piece(0, "No, "), piece(0, "rather"), said("n", "kept No, rather"), stop, result("kept No, rather")},
			[]string{`text "kept I will"`, "status running retry", restart, `text "kept No, "`, `text "rather"`}, "kept No, rather"},
		{"taken back twice", []string{start("m"), piece(0, "Half"), gaveUp(0), start("n"), piece(0, "Hal"), gaveUp(0), said("o", "Other"), success}, []string{`text "Half"`, restart, `text "Other"`}, "Other"},
		{"taken back after a message that stands", []string{said("a", "First."), start("m"), piece(0, "Half"), gaveUp(0), said("n", "Other"), success},
			[]string{`text "First."`, `text "\n\nHalf"`, restart, `text "First.\n\nOther"`}, "Other"},
		{"taken back from the second block on", []string{start("m"), piece(0, "One,"), said("m", "One,"), piece(1, "tw"), gaveUp(1), said("n", "then"), success},
			[]string{`text "One,"`, `text "tw"`, restart, `text "One,\n\nthen"`}, "then"},
		{"taken back where the version says nothing of it", []string{start("m"), piece(0, "Half"), said("n", "Other"), success}, []string{`text "Half"`, restart, `text "Other"`}, "Other"},
		{"taken back, and a shorter text", []string{start("m"), piece(0, "Half of it"), gaveUp(0), said("n", "Half"), result("Half")}, []string{`text "Half of it"`, restart, `text "Half"`}, "Half"},
		{"taken back, and the rest in two messages", []string{start("m"), piece(0, "One.\nTwo"), gaveUp(0), said("n", "One.\n"), said("o", "Two."), success}, []string{`text "One.\nTwo"`, `text "."`}, "Two."},
		{"a line that is not what was streamed", []string{start("m"), piece(0, "Helo"), said("m", "Hello."), stop, success}, []string{`text "Helo"`, restart, `text "Hello."`}, "Hello."},
		{"taken back, place unreadable", []string{start("m"), piece(0, "Half"), `{"type":"stream_event","event":{"type":"message_stop"},"abandoned_blocks":7}`, said("n", "Other"), success}, []string{`text "Half"`, restart, `text "Other"`}, "Other"},

		{"restated after a retry", []string{said("m", "Before"), retry, said("m", "Before"), said("n", " after"), success}, []string{`text "Before"`, "status running retry", `text " after"`}, " after"},
		{"restated after a retry, streamed", []string{said("m", "Before"), retry, start("n"), piece(0, "Bef"), piece(0, "ore"), said("n", "Before"), stop, result("Before")}, []string{`text "Before"`, "status running retry"}, "Before"},
		{"not restated: more", []string{said("m", "Go"), retry, start("n"), piece(0, "Go"), piece(0, " on"), said("n", "Go on"), stop, success}, []string{`text "Go"`, "status running retry", `text "\n\nGo on"`}, "Go on"},
		{"not restated: less", []string{said("m", "Going"), retry, start("n"), piece(0, "Go"), stop, success}, []string{`text "Going"`, "status running retry", `text "\n\nGo"`}, "Go"},
		{"not restated: less, and a tool", []string{said("m", "Going"), retry, start("n"), piece(0, "Go"), said("n", "Go"), called("t", "Bash"), returned("t", `""`, ""), success}, []string{`text "Going"`, "status running retry", `text "\n\nGo"`}, "Go"},
		{"not restated: a tool between", []string{said("m", "Step."), called("t", "Bash"), returned("t", `""`, ""), retry, said("n", "Step."), success}, []string{`text "Step."`, "status running retry", `text "\n\nStep."`}, "Step."},

		{"reasoning", []string{start("m"), thought(0, "Hm"), thought(0, "m."), line("m", `{"type":"thinking","thinking":"Hmm."}`), piece(1, "Yes."), said("m", "Yes."), stop, result("Yes.")}, []string{`reasoning "Hm"`, `reasoning "m."`, `text "Yes."`}, "Yes."},
		{"reasoning by line", []string{line("m", `{"type":"thinking","thinking":"Hmm."},`+textBlock("Yes.")), success}, []string{`reasoning "Hmm."`, `text "Yes."`}, "Yes."},
		{"reasoning taken back", []string{start("m"), thought(0, "Hmm"), gaveUp(0), start("n"), thought(0, "Hmm"), thought(0, ", yes"), piece(1, "Yes."), stop, success}, []string{`reasoning "Hmm"`, `reasoning ", yes"`, `text "Yes."`}, "Yes."},
		{"reasoning taken back, and another", []string{start("m"), thought(0, "Hmm"), gaveUp(0), start("n"), thought(0, "Ah"), stop, success}, []string{`reasoning "Hmm"`, `reasoning "\n\nAh"`}, ""},

		{"of an agent of the runtime's own", []string{
			strings.Replace(said("m", "Inner."), `"parent_tool_use_id":null`, `"parent_tool_use_id":"t"`, 1), said("n", "Outer."), success}, []string{`text "Outer."`}, "Outer."},
		{"streamed, of an agent of the runtime's own", []string{
			strings.Replace(piece(0, "Inner."), `{`, `{"parent_tool_use_id":"t",`, 1), said("n", "Outer."), success}, []string{`text "Outer."`}, "Outer."},
		{"of the host and of the runtime itself", []string{
			`{"type":"user","message":{"role":"user","content":"hello"},"isReplay":true}`,
			`{"type":"user","message":{"role":"user","content":[{"type":"text","text":"Go on."}]},"isSynthetic":true}`, said("m", "Yes."), success}, []string{`text "Yes."`}, "Yes."},
		{"of the runtime in the model's place", []string{
			`{"type":"assistant","message":{"id":"x","model":"<synthetic>","content":[{"type":"text","text":"Total cost: 0"}]}}`, result("Total cost: 0")}, []string{`text "Total cost: 0"`}, "Total cost: 0"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			events := play(plain(), append([]string{hello}, test.lines...)...)
			var got []string
			for _, e := range events {
				if s, is := e.(executor.Status); e.Kind() == executor.KindTextDelta || is && s.Detail != "" {
					got = append(got, show(e))
				}
			}
			if d := cmp.Diff(test.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			if want := fmt.Sprintf("done success %q", test.end); show(events[len(events)-1]) != want {
				t.Errorf("%s, want %s", show(events[len(events)-1]), want)
			}
			if found := verify.Whole(enveloped(events)); len(found) > 0 {
				t.Errorf("%v", found)
			}
		})
	}
}

// TestFrames plays what a line makes of itself, up to the end of the process.
func TestFrames(t *testing.T) {
	tests := []struct {
		name  string
		lines []string
		end   oneshot.Ending
		want  []string
	}{
		{"a tool", []string{called("t", "Bash"), returned("t", `"out"`, ""), success}, oneshot.Ending{},
			[]string{`call t Bash {"command":"ls"}`, `result t Bash error=false "out"`, "status turn-complete", `done success ""`}},
		{"a tool that fails", []string{called("t", "Bash"), returned("t", `"no"`, `,"is_error":true`), success}, oneshot.Ending{},
			[]string{`call t Bash {"command":"ls"}`, `result t Bash error=true "no"`, "status turn-complete", `done success ""`}},
		{"outputs of several kinds", []string{
			called("a", "Read"), returned("a", `[{"type":"text","text":"1"},{"type":"image","source":{"data":"…"}},{"type":"text","text":"2"}]`, ""),
			called("b", "Read"), returned("b", `null`, ""), success}, oneshot.Ending{},
			[]string{`call a Read {"command":"ls"}`, `result a Read error=false "1\n{\"type\":\"image\",\"source\":{\"data\":\"…\"}}\n2"`, `call b Read {"command":"ls"}`, `result b Read error=false ""`, "status turn-complete", `done success ""`}},
		{"a call twice, a result twice, and a result of no call", []string{called("t", "Bash"), called("t", "Bash"), returned("t", `"1"`, ""), returned("t", `"2"`, ""), returned("x", `"3"`, ""), success}, oneshot.Ending{},
			[]string{`call t Bash {"command":"ls"}`, `result t Bash error=false "1"`, "status turn-complete", `done success ""`}},
		{"a call without input", []string{line("m", `{"type":"tool_use","id":"t","name":"X"}`), success}, oneshot.Ending{},
			[]string{"call t X null", "status turn-complete", `result t X error=true "the run ended before the tool did"`, `done success ""`}},
		{"a line twice", []string{strings.Replace(piece(0, "ha"), "{", `{"uuid":"u1",`, 1), strings.Replace(piece(0, "ha"), "{", `{"uuid":"u1",`, 1), strings.Replace(piece(0, "ha"), "{", `{"uuid":"u2",`, 1), piece(0, "ha"), stop, success}, oneshot.Ending{},
			[]string{`text "ha"`, `text "ha"`, `text "ha"`, "status turn-complete", `done success "hahaha"`}},
		{"calls without an id", []string{line("m", `{"type":"tool_use","name":"X","input":1},{"type":"tool_use","id":"","name":"X","input":2}`), returned("", `"x"`, ""), success}, oneshot.Ending{},
			[]string{"call unnamed-1 X 1", "call unnamed-2 X 2", "status turn-complete", `result unnamed-1 X error=true "the run ended before the tool did"`, `result unnamed-2 X error=true "the run ended before the tool did"`, `done success ""`}},
		{"a call without a tool", []string{line("m", `{"type":"tool_use","id":"t","input":{}}`), success}, oneshot.Ending{},
			[]string{`error malformed-frame fatal=false "line 1 of the runtime's output could not be read and was skipped"`, "status turn-complete", `done success ""`}},
		{"a byte order mark in the middle", []string{hello, "\ufeff" + said("m", "Hi."), "\ufeff" + success}, oneshot.Ending{},
			[]string{"status init opus", `text "Hi."`, "status turn-complete", `done success "Hi."`}},
		{"a long tool", []string{`{"type":"tool_progress","tool_use_id":"t","elapsed_time_seconds":30}`, success}, oneshot.Ending{},
			[]string{"status running", "status turn-complete", `done success ""`}},
		{"a tool that waits for an answer", []string{`{"type":"control_request","request_id":"q","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{}}}`, success}, oneshot.Ending{},
			[]string{"status running approval-requested:q", "status turn-complete", `done success ""`}},
		{"a model that is not taken", []string{`{"type":"control_response","response":{"subtype":"error","request_id":"set-model-1","error":"no"}}`,
			`{"type":"control_response","response":{"subtype":"error","request_id":"interrupt","error":"no"}}`, success}, oneshot.Ending{},
			[]string{`error runtime-error fatal=false "the runtime does not take the model"`, "status turn-complete", `done success ""`}},
		{"phases", []string{hello, `{"type":"system","subtype":"status","status":"requesting"}`, `{"type":"system","subtype":"thinking_tokens"}`, `{"type":"system","subtype":"thinking_tokens"}`, `{"type":"system","subtype":"status","status":null}`, hello, success}, oneshot.Ending{},
			[]string{"status init opus", "status running", "status thinking", "status running", "status turn-complete", `done success ""`}},

		{"flag beats label", []string{`{"type":"result","subtype":"success","is_error":true,"result":"quota used up"}`}, oneshot.Ending{},
			[]string{"status turn-complete", `error runtime-error fatal=true "quota used up"`, `done error "quota used up"`}},
		{"a flag that is no flag", []string{`{"type":"result","subtype":"success","is_error":"maybe"}`}, oneshot.Ending{},
			[]string{"status turn-complete", `error runtime-error fatal=true "the turn failed, no reason given"`, `done error "the turn failed, no reason given"`}},
		{"label without flag", []string{`{"type":"result","subtype":"error_during_execution","is_error":false,"errors":["a","b"]}`}, oneshot.Ending{},
			[]string{"status turn-complete", `error runtime-error fatal=true "a; b"`, `done error "a; b"`}},
		{"the least that a result is", []string{`{"type":"result"}`}, oneshot.Ending{}, []string{"status turn-complete", `done success ""`}},
		{"budget", []string{said("m", "So far."), `{"type":"result","subtype":"error_max_budget_usd","is_error":true}`}, oneshot.Ending{},
			[]string{`text "So far."`, "status turn-complete", `error error_max_budget_usd fatal=true "the turn failed, no reason given"`, `done error "So far."`}},
		{"turn limit, as all versions say it", []string{said("m", "One."), said("n", "Two."), `{"type":"result","subtype":"error_max_turns","is_error":false}`}, oneshot.Ending{},
			[]string{`text "One."`, `text "\n\nTwo."`, "status turn-complete", `done max_turns "One.\n\nTwo."`}},
		{"cut by a length limit", []string{said("m", "Half"), `{"type":"result","subtype":"success","stop_reason":"max_tokens","result":"Half"}`}, oneshot.Ending{},
			[]string{`text "Half"`, "status turn-complete", `error token-limit fatal=true "the answer was cut by a length limit"`, `done error "Half"`}},
		{"refused", []string{`{"type":"result","subtype":"success","is_error":false,"stop_reason":"refusal"}`}, oneshot.Ending{},
			[]string{"status turn-complete", `error refusal fatal=true "the model refused to answer"`, `done error "the model refused to answer"`}},
		{"a failure of the provider", []string{
			`{"type":"assistant","message":{"id":"x","model":"<synthetic>","content":[{"type":"text","text":"API Error: 429"}]},"error":"rate_limit","is_api_error_message":true}`,
			`{"type":"result","subtype":"success","is_error":true,"result":"API Error: 429"}`}, oneshot.Ending{},
			[]string{"status turn-complete", `error rate_limit fatal=true "API Error: 429"`, `done error "API Error: 429"`}},
		{"a failure that the turn recovers from", []string{
			`{"type":"assistant","message":{"id":"x","model":"<synthetic>","content":[{"type":"text","text":"API Error: 429"}]},"error":"rate_limit"}`, said("m", "Fine."), result("Fine.")}, oneshot.Ending{},
			[]string{`text "Fine."`, `error rate_limit fatal=false "API Error: 429"`, "status turn-complete", `done success "Fine."`}},
		{"a failure and no result", []string{
			`{"type":"assistant","message":{"id":"x","model":"<synthetic>","content":[{"type":"text","text":"API Error: 429"}]},"error":"rate_limit"}`}, oneshot.Ending{How: "exit code 1", Failed: true},
			[]string{`error rate_limit fatal=true "API Error: 429"`, `done error ""`}},
		{"one of two turns failed", []string{said("m", "One."), result("One."), hello, `{"type":"result","subtype":"error_during_execution","is_error":true,"errors":["no"]}`, hello, said("n", "Three."), result("Three.")}, oneshot.Ending{},
			[]string{`text "One."`, "status turn-complete", "status running", "status turn-complete", "status running", `text "\n\nThree."`, "status turn-complete", `error runtime-error fatal=true "no"`, `done error "Three."`}},
		{"interrupted by somebody else", []string{said("m", "Half"), `{"type":"result","subtype":"error_during_execution","is_error":true,"terminal_reason":"aborted_streaming"}`}, oneshot.Ending{},
			[]string{`text "Half"`, "status turn-complete", `done aborted "Half"`}},

		{"no result, exit 0", []string{said("m", "Half")}, oneshot.Ending{How: "exit code 0"},
			[]string{`text "Half"`, `error stream-truncated fatal=true "claude ended without saying how the turn ended (exit code 0)"`, `done error "Half"`}},
		{"no result, a signal", nil, oneshot.Ending{How: "signal SIGKILL", Failed: true, Stderr: "noise"},
			[]string{`error exit fatal=true "claude ended without saying how the turn ended (signal SIGKILL): noise"`, `done error ""`}},
		{"a result beats the exit code", []string{result("Yes.")}, oneshot.Ending{How: "exit code 1", Failed: true},
			[]string{`text "Yes."`, "status turn-complete", `done success "Yes."`}},
		{"a second turn that is killed", []string{result("Yes."), hello, said("m", "Half")}, oneshot.Ending{How: "signal SIGKILL", Failed: true},
			[]string{`text "Yes."`, "status turn-complete", "status running", `text "\n\nHalf"`, `error exit fatal=true "claude ended without saying how the turn ended (signal SIGKILL)"`, `done error "Yes."`}},
		{"aborted, and a success all the same", []string{called("t", "Bash"), said("m", "Half"), result("Half")}, oneshot.Ending{Aborted: true},
			[]string{`call t Bash {"command":"ls"}`, `text "Half"`, "status turn-complete", `result t Bash error=true "the run ended before the tool did"`, `done aborted "Half"`}},
		{"aborted, and a failure", []string{`{"type":"result","subtype":"error_during_execution","is_error":true}`}, oneshot.Ending{Aborted: true, Failed: true},
			[]string{"status turn-complete", `done aborted ""`}},

		{"lines that are no frames", []string{"panic: x", `{"type":"half`, "[1,2]", "null", "\x00\xff\xfe", `"text"`, `{"type":"result"}{}`, `{"type":"result","type":"result"}`, success}, oneshot.Ending{},
			append(unread(8), "status turn-complete", `done success ""`)},
		{"frames of nobody", []string{`{}`, `{"type":7}`, `{"type":"brand_new","text":"no","message":7}`, `{"type":"system"}`, `{"type":"system","subtype":{"x":1}}`, `{"type":"system","subtype":"brand_new"}`,
			`{"type":"keep_alive"}`, `{"type":"rate_limit_event","status":"fine"}`, stream(`{"type":"ping"}`), line("m", `{"type":"brand_new","text":"no"}`), success}, oneshot.Ending{},
			[]string{"status turn-complete", `done success ""`}},
		{"frames with a part of another type", []string{`{"type":"assistant","message":7}`, `{"type":"user"}`, stream("7"), stream(`{"type":"content_block_delta"}`), stream(`{"type":"message_start","message":[]}`), line("m", `7`),
			`{"type":"control_request"}`, `{"type":"control_request","request_id":"r","request":7}`, `{"type":"control_response","response":7}`, success}, oneshot.Ending{},
			append(unread(9), "status turn-complete", `done success ""`)},
		{"names with escapes, and any order", []string{`{"message":{"content":[{"text":"Yes.","\u0074ype":"text"}],"id":"m"},"t\u0079pe":"assistan\u0074"}`, success}, oneshot.Ending{},
			[]string{`text "Yes."`, "status turn-complete", `done success "Yes."`}},
		{"bytes that are not UTF-8", []string{strings.Replace(said("m", "A?B"), "?", "\xff", 1), success}, oneshot.Ending{},
			[]string{"text \"A\uFFFDB\"", "status turn-complete", "done success \"A\uFFFDB\""}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := plain()
			events := feed(m, []byte(strings.Join(test.lines, "\n")))
			events = append(events, m.finish(test.end)...)
			if d := cmp.Diff(test.want, showAll(events)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			if found := verify.Whole(enveloped(events)); len(found) > 0 {
				t.Errorf("%v", found)
			}
		})
	}
}

func unread(n int) []string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf(`error malformed-frame fatal=false "line %d of the runtime's output could not be read and was skipped"`, i+1))
	}
	return out
}

// The runtime's text reaches messages only through clean.
func TestTextOfFailuresIsCleaned(t *testing.T) {
	m := newMapper(func(s string) string { return strings.ReplaceAll(s, "key-1", "[redacted]") }, state{})
	for _, e := range play(m, `{"type":"result","subtype":"success","is_error":true,"result":"no key-1"}`) {
		if strings.Contains(show(e), "key-1") {
			t.Errorf("%s", show(e))
		}
	}
}

func TestTheSessionIsToldOnceAndRememberedAsItIs(t *testing.T) {
	const other = "01890a5d-ac96-774b-bcce-b302099a8058"
	m := plain()
	feed(m, []byte(hello+"\n"+strings.Replace(hello, session, other, 1)))
	if m.session != session || m.resume != other {
		t.Errorf("session %s, to resume %s", m.session, m.resume)
	}
}

// When a process may be ended, and when it may go on with work in the background.
func TestSettled(t *testing.T) {
	task := func(subtype, more string) string { return `{"type":"system","subtype":"` + subtype + `"` + more + `}` }
	const id = `,"task_id":"b1"`
	m := plain()
	for i, step := range []struct {
		line             string
		settled, waiting bool
	}{
		{hello, false, false},
		{said("m", "Yes."), false, false},
		{success, true, false},
		{`{"type":"command_lifecycle","state":"completed"}`, true, false},
		{start("n"), false, false}, // a turn that nobody announced
		{success, true, false},
		{task("task_started", id+`,"is_backgrounded":false`), true, false},
		{task("task_started", id+`,"is_backgrounded":true`), false, true},
		{task("task_updated", id+`,"patch":{"status":"running"}`), false, true},
		{task("task_updated", id+`,"patch":{"status":"completed"}`), true, false},
		{task("task_updated", id+`,"patch":{"is_backgrounded":true}`), false, true},
		{task("task_notification", id+`,"status":"completed"`), true, false},
		{task("background_tasks_changed", `,"tasks":[{"task_id":"b2"},{"task_id":"b3"}]`), false, true},
		{task("task_notification", `,"task_id":"b2"`), false, true},
		{task("background_tasks_changed", `,"tasks":[]`), true, false},
		{hello, false, false},
		{`{"type":"result","subtype":"success","queued_turn_count":1}`, false, true},
		{hello, false, false},
		{`{"type":"result","subtype":"success","queued_turn_count":0}`, true, false},
	} {
		m.line(int64(i), []byte(step.line))
		if m.settled() != step.settled || m.waiting() != step.waiting {
			t.Errorf("after step %d (%.60s): settled=%v waiting=%v", i, step.line, m.settled(), m.waiting())
		}
	}
}
