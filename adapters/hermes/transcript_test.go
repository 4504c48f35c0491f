package hermes

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

func TestReplayOfTools(t *testing.T) {
	call := func(id, name, arguments string) string {
		return `{"id":"` + id + `","type":"function","function":{"name":"` + name + `","arguments":` + arguments + `}}`
	}
	tests := []struct {
		name     string
		messages []message
		want     []executor.Event
	}{
		{"a call and its result", []message{
			{role: "user", content: "hi"},
			{role: "assistant", content: "I look.", calls: "[" + call("c1", "terminal", `"{\"command\": \"ls\"}"`) + "]"},
			{role: "tool", callID: "c1", tool: "terminal", content: "a"},
			{role: "assistant", content: "done"},
		}, []executor.Event{
			executor.ToolCall{ID: "c1", Name: "terminal", Input: `{"command":"ls"}`},
			executor.ToolResult{ID: "c1", Name: "terminal", Output: "a"},
		}},
		{"two calls, results in another order", []message{
			{role: "assistant", calls: "[" + call("c1", "x", `"{}"`) + "," + call("c2", "y", `"{}"`) + "]"},
			{role: "tool", callID: "c2", content: "2"},
			{role: "tool", callID: "c1", content: `{"error": "no"}`},
		}, []executor.Event{
			executor.ToolCall{ID: "c1", Name: "x", Input: "{}"}, executor.ToolCall{ID: "c2", Name: "y", Input: "{}"},
			executor.ToolResult{ID: "c2", Name: "y", Output: "2"}, executor.ToolResult{ID: "c1", Name: "x", Output: `{"error": "no"}`, IsError: true},
		}},
		{"ids that come again", []message{
			{role: "assistant", calls: "[" + call("call_0", "x", `"{}"`) + "]"}, {role: "tool", callID: "call_0", content: "1"},
			{role: "assistant", calls: "[" + call("call_0", "x", `"{}"`) + "]"}, {role: "tool", callID: "call_0", content: "2"},
		}, []executor.Event{
			executor.ToolCall{ID: "call_0", Name: "x", Input: "{}"}, executor.ToolResult{ID: "call_0", Name: "x", Output: "1"},
			executor.ToolCall{ID: "call_0~2", Name: "x", Input: "{}"}, executor.ToolResult{ID: "call_0~2", Name: "x", Output: "2"},
		}},
		{"no ids", []message{
			{role: "assistant", calls: "[" + call("", "x", `"{}"`) + "," + call("", "x", `"{}"`) + "]"},
			{role: "tool", tool: "x", content: "1"}, {role: "tool", tool: "x", content: "2"}, {role: "tool", tool: "x", content: "3"},
		}, []executor.Event{
			executor.ToolCall{ID: "call-1", Name: "x", Input: "{}"}, executor.ToolCall{ID: "call-2", Name: "x", Input: "{}"},
			executor.ToolResult{ID: "call-1", Name: "x", Output: "1"}, executor.ToolResult{ID: "call-2", Name: "x", Output: "2"},
		}},
		{"arguments that are no JSON text", []message{
			{role: "assistant", calls: "[" + call("c1", "x", `"ls -l"`) + "," + call("c2", "x", `{"a": 1}`) + "," + call("c3", "x", `null`) + "]"},
		}, []executor.Event{
			executor.ToolCall{ID: "c1", Name: "x", Input: `"ls -l"`}, executor.ToolCall{ID: "c2", Name: "x", Input: `{"a":1}`}, executor.ToolCall{ID: "c3", Name: "x", Input: "null"},
		}},
		{"content in parts", []message{
			{role: "assistant", calls: "[" + call("c1", "x", `"{}"`) + "]"},
			{role: "tool", callID: "c1", content: "\x00json:" + `[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"data:"}},{"type":"text","text":"b"}]`},
		}, []executor.Event{executor.ToolCall{ID: "c1", Name: "x", Input: "{}"}, executor.ToolResult{ID: "c1", Name: "x", Output: "a\nb"}}},
		{"what cannot be read", []message{
			{role: "assistant", calls: "[" + call("c1", "", `"{}"`) + "]"}, {role: "assistant", calls: "{"}, {role: "assistant", calls: "7"}, {role: "tool", callID: "c9", content: "x"},
		}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := page{messages: test.messages}.replay(&tools{})
			if d := cmp.Diff(test.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestFailedTools(t *testing.T) {
	for output, want := range map[string]bool{
		"":                                   false,
		"all well, error: none":              false,
		`{"output": "x", "exit_code": 0}`:    false,
		`{"output": "x", "exit_code": 2}`:    true,
		`{"output": "", "error": null}`:      false,
		`{"output": "", "error": ""}`:        false,
		`{"error": "no such file"}`:          true,
		`{"error": {"code": 1}}`:             true,
		`{"success": false}`:                 true,
		`{"success": true}`:                  false,
		`{"error": "cut`:                     false,
		"Error executing tool 'x': it broke": true,
	} {
		if got := failed(output); got != want {
			t.Errorf("%s: %v", output, got)
		}
	}
}
