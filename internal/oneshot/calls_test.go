package oneshot

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

func TestCallsArePairedWithTheirResults(t *testing.T) {
	var c Calls
	events := []executor.Event{c.Announce("a", "shell", `{}`), c.Announce("b", "read", "")}
	events = append(events, c.Answer("a", "out", false)...)
	events = append(events, c.Answer("a", "again", false)...)
	events = append(events, c.Answer("stranger", "x", false)...)
	if known, open := c.Known("a"); !known || open {
		t.Errorf("known=%v open=%v", known, open)
	}
	events = append(events, c.Announce("a", "shell", "1"))
	if c.Open() != 2 {
		t.Errorf("%d open", c.Open())
	}
	events = append(events, c.Close()...)
	events = append(events, c.Close()...)
	const late = "the run ended before the tool did"
	want := []executor.Event{
		executor.ToolCall{ID: "a", Name: "shell", Input: "{}"}, executor.ToolCall{ID: "b", Name: "read"},
		executor.ToolResult{ID: "a", Name: "shell", Output: "out"}, executor.ToolCall{ID: "a~2", Name: "shell", Input: "1"},
		executor.ToolResult{ID: "b", Name: "read", Output: late, IsError: true}, executor.ToolResult{ID: "a~2", Name: "shell", Output: late, IsError: true},
	}
	if d := cmp.Diff(want, events); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if c.Open() != 0 {
		t.Errorf("%d open at the end", c.Open())
	}
}

func TestUnreadLinesAreReportedWithinBounds(t *testing.T) {
	var u Unread
	first := u.TooLong(3, 99)
	if e := first[0].(executor.Error); e.Fatal || *e.Code != executor.CodeMalformedFrame || !strings.Contains(e.Message, "line 3 ") || !strings.Contains(e.Message, "99 bytes") {
		t.Errorf("%+v", e)
	}
	reported := len(first)
	for n := range int64(1000) {
		reported += len(u.Malformed(n))
	}
	if reported != maxUnread {
		t.Errorf("%d reported", reported)
	}
}

func TestUnendedNamesTheEndAndTheSecondChannel(t *testing.T) {
	for _, test := range []struct {
		e          Ending
		code, text string
	}{
		{Ending{How: "exit code 0"}, executor.CodeStreamTruncated, "x ended without saying how the turn ended (exit code 0)"},
		{Ending{Failed: true, How: "exit code 1", Stderr: "why"}, executor.CodeExit, "x ended without saying how the turn ended (exit code 1): why"},
	} {
		if e := Unended("x", test.e); !e.Fatal || *e.Code != test.code || e.Message != test.text {
			t.Errorf("%+v", e)
		}
	}
}

func TestAddUsage(t *testing.T) {
	five := int64(5)
	sum := AddUsage(nil, executor.Usage{InputTokens: 1, OutputTokens: 2, CachedInputTokens: &five})
	sum = AddUsage(sum, executor.Usage{InputTokens: 10, OutputTokens: 20})
	sum = AddUsage(sum, executor.Usage{CachedInputTokens: &five})
	ten := int64(10)
	if d := cmp.Diff(&executor.Usage{InputTokens: 11, OutputTokens: 22, CachedInputTokens: &ten}, sum); d != "" {
		t.Error(d)
	}
	if five != 5 {
		t.Error("the caller's count was changed")
	}
}
