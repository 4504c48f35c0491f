package hermes

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/oneshot"
)

const (
	initial = `{"type":"system","subtype":"init","model":"m-1","session_id":"s1","timestamp":1}`
	success = `{"type":"result","session_id":"s1","exit_code":0,"text":"Hello.","tokens":{"input":10,"output":5,"total":25,"cache_read":7,"cache_write":3},"duration_ms":9,"timestamp":1}`
)

var nullable = cmp.AllowUnexported(executor.Nullable[float64]{})

// mapLines maps the lines of a run, to its end.
func mapLines(e oneshot.Ending, lines ...string) (*stream, []executor.Event) {
	s := &stream{ledger: &ledger{}, clean: func(s string) string { return strings.ReplaceAll(s, "canary", "[redacted]") }}
	var all []executor.Event
	for i, line := range lines {
		all = append(all, s.Line(int64(i+1), []byte(line))...)
	}
	return s, append(all, s.Finish(e)...)
}

func text(s string) executor.Event {
	return executor.TextDelta{Text: s, Channel: executor.Assistant}
}

func TestARunOfTheStream(t *testing.T) {
	s, got := mapLines(oneshot.Ending{},
		initial,
		"\ufeff"+`{"type":"text","text":"I "}`, `{"type":"text","text":"look."}`,
		`{"type":"tool_use","name":"terminal","tool_call_id":"c1","input":{"command": "ls"}}`,
		`{"type":"tool_result","name":"terminal","tool_call_id":"c1","output":"a\nb","duration_ms":3,"is_error":false}`,
		`{"type":"tool_use","name":"memory"}`,
		`{"type":"tool_result","name":"memory","output":"no","duration_ms":3,"is_error":true}`,
		`{"type":"text","text":"Hello."}`,
		success)
	cached, model := int64(7), "m-1"
	usage := executor.Usage{InputTokens: 13, OutputTokens: 5, CachedInputTokens: &cached}
	want := []executor.Event{
		executor.Status{Phase: executor.PhaseInit, Model: "m-1"},
		text("I "), text("look."),
		executor.ToolCall{ID: "c1", Name: "terminal", Input: `{"command":"ls"}`},
		executor.ToolResult{ID: "c1", Name: "terminal", Output: "a\nb"},
		executor.ToolCall{ID: "call-1", Name: "memory", Input: "null"},
		executor.ToolResult{ID: "call-1", Name: "memory", Output: "no", IsError: true},
		text("\n\nHello."),
		executor.Cost{Usage: usage, Model: &model},
		executor.Done{Reason: executor.ReasonSuccess, Summary: "Hello.", Usage: &usage, CostUSD: executor.Null[float64]()},
	}
	if d := cmp.Diff(want, got, nullable); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	var kept state
	if s.Keep(&kept); kept.Session != "s1" || s.Session() != "s1" {
		t.Errorf("session %q, kept %q", s.Session(), kept.Session)
	}
}

func TestTextOfTheStream(t *testing.T) {
	tool := []string{`{"type":"tool_use","name":"x"}`, `{"type":"tool_result","name":"x","output":""}`}
	say := func(s string) string { return fmt.Sprintf(`{"type":"text","text":%q}`, s) }
	tests := []struct {
		name  string
		lines []string
		want  string
	}{
		{"in increments", []string{say("Hel"), say("lo."), success}, "Hello."},
		{"with the result alone", []string{success}, "Hello."},
		{"before a tool, and with the result", append([]string{say("I look.")}, append(tool, success)...), "I look.\n\nHello."},
		{"before a tool, and restated by the result", append([]string{say("Hello.")}, append(tool, success)...), "Hello."},
		{"with white space at the seam", append([]string{say("I look.\n")}, append(tool, say("Hello."), success)...), "I look.\nHello."},
		{"with other white space than the result", []string{say("\nHello.\n"), success}, "\nHello.\n"},
		{"empty increments", []string{say(""), say("Hello."), say(""), success}, "Hello."},
		{"bytes that are not UTF-8", []string{"{\"type\":\"text\",\"text\":\"a\xffb\"}", `{"type":"result","exit_code":0,"text":""}`}, "a\uFFFDb"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, events := mapLines(oneshot.Ending{}, test.lines...)
			var got strings.Builder
			for _, e := range events {
				if d, is := e.(executor.TextDelta); is {
					got.WriteString(d.Text)
				}
			}
			if got.String() != test.want {
				t.Errorf("%q, want %q", got.String(), test.want)
			}
		})
	}
}

func TestHowStreamsEnd(t *testing.T) {
	result := func(rest string) string { return `{"type":"result","session_id":"s1",` + rest + `}` }
	tests := []struct {
		name    string
		ending  oneshot.Ending
		lines   []string
		reason  executor.Reason
		code    string
		message string
	}{
		{"success", oneshot.Ending{}, []string{success}, executor.ReasonSuccess, "", ""},
		{"the result beats the exit", oneshot.Ending{Failed: true, How: "exit code 1"}, []string{success}, executor.ReasonSuccess, "", ""},
		{"the first result counts", oneshot.Ending{}, []string{success, result(`"exit_code":1,"error":"late"`)}, executor.ReasonSuccess, "", ""},
		{"failure", oneshot.Ending{}, []string{result(`"exit_code":1,"text":"","error":"no canary"`)}, executor.ReasonError, executor.CodeRuntime, "no [redacted]"},
		{"failure without a reason", oneshot.Ending{}, []string{result(`"exit_code":1,"text":"sorry"`)}, executor.ReasonError, executor.CodeRuntime, "the turn failed, no reason given (exit code 1)"},
		{"an error beats its exit code", oneshot.Ending{}, []string{result(`"exit_code":0,"text":"sorry","error":"boom"`)}, executor.ReasonError, executor.CodeRuntime, "boom"},
		{"interrupted by somebody else", oneshot.Ending{}, []string{result(`"exit_code":130,"error":"Interrupted"`)}, executor.ReasonError, executor.CodeRuntime, "Interrupted"},
		{"aborted", oneshot.Ending{Aborted: true}, []string{result(`"exit_code":130,"error":"Interrupted"`)}, executor.ReasonAborted, "", ""},
		{"aborted, though it says success", oneshot.Ending{Aborted: true}, []string{success}, executor.ReasonAborted, "", ""},
		{"no result", oneshot.Ending{How: "exit code 0"}, []string{initial}, executor.ReasonError, executor.CodeStreamTruncated, "hermes ended without saying how the turn ended (exit code 0)"},
		{"a version without the format", oneshot.Ending{Failed: true, How: "exit code 2", Stderr: "hermes: error: unrecognized arguments: --format stream-json"}, nil,
			executor.ReasonError, executor.CodeExit, "hermes ended without saying how the turn ended (exit code 2): hermes: error: unrecognized arguments: --format stream-json"},
		{"the session is no reason", oneshot.Ending{Failed: true, How: "exit code 1", Stderr: "Error: no\n\nsession_id: s1"}, nil,
			executor.ReasonError, executor.CodeExit, "hermes ended without saying how the turn ended (exit code 1): Error: no"},
		{"a result that cannot be read", oneshot.Ending{How: "exit code 0"}, []string{result(`"exit_code":"0"`)}, executor.ReasonError, executor.CodeStreamTruncated, "hermes ended without saying how the turn ended (exit code 0)"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, events := mapLines(test.ending, test.lines...)
			done, is := events[len(events)-1].(executor.Done)
			if !is || done.Reason != test.reason {
				t.Fatalf("ended with %+v", events[len(events)-1])
			}
			var fatal []executor.Error
			for _, e := range events {
				if e, is := e.(executor.Error); is && e.Fatal {
					fatal = append(fatal, e)
				}
			}
			switch {
			case test.code == "":
				if len(fatal) != 0 {
					t.Errorf("fatal errors %+v", fatal)
				}
			case len(fatal) != 1 || *fatal[0].Code != test.code || fatal[0].Message != test.message:
				t.Errorf("fatal errors %+v, want one with code %s: %s", fatal, test.code, test.message)
			}
		})
	}
}

func TestLinesThatAreNoRecords(t *testing.T) {
	_, events := mapLines(oneshot.Ending{},
		`plain text`, `"a string"`, `{"type":"text","text":`, `{"type":"text","text":7}`, `{"type":"tool_use"}`, `{"type":"text","type":"text","text":"x"}`,
		`{"type":"later","text":["of another kind"],"name":{}}`, `{}`, `{"type":"tool_result","name":"x","output":"of no call"}`,
		success)
	malformed := 0
	for _, e := range events {
		if e, is := e.(executor.Error); is {
			malformed++
			if *e.Code != executor.CodeMalformedFrame || e.Fatal {
				t.Errorf("%+v", e)
			}
		}
	}
	if malformed != 6 {
		t.Errorf("%d lines reported, want 6", malformed)
	}
	if d, is := events[len(events)-1].(executor.Done); !is || d.Reason != executor.ReasonSuccess || d.Summary != "Hello." {
		t.Errorf("ended with %+v", events[len(events)-1])
	}
}

func TestOpenCallsAreClosed(t *testing.T) {
	s, events := mapLines(oneshot.Ending{Aborted: true}, `{"type":"text","text":"so far"}`, `{"type":"tool_use","name":"x","tool_call_id":"c1"}`)
	if s.ToolsOpen() {
		t.Error("a call is open")
	}
	want := []executor.Event{
		executor.ToolResult{ID: "c1", Name: "x", Output: "the run ended before the tool did", IsError: true},
		executor.Done{Reason: executor.ReasonAborted, Summary: "so far", CostUSD: executor.Null[float64]()},
	}
	if d := cmp.Diff(want, events[2:], nullable); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
