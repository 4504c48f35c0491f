package historytest

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
)

// shaped is a fixture of a seed, cut to a format.
func shaped(seed uint64, s shape, format check.Format) check.Fixture {
	t := &T{C: &check.C{Subject: check.Subject{Format: format}, Rand: rand.New(rand.NewPCG(seed, 2))}, used: map[string]bool{}}
	f := t.four("root", "dir")
	s(t, &f)
	fit(format, &f)
	return f
}

// A generated history is one that a runtime could have written, in any format.
func TestGeneratedIsValid(t *testing.T) {
	small := check.Format{
		Source: history.PiSession, Blocks: []history.BlockType{history.TypeText, history.TypeToolCall, history.TypeToolResult},
		OneResult: true, Converted: true, MaxMessages: 20,
	}
	kinds, open := map[history.BlockType]bool{}, 0
	for seed := range uint64(50) {
		for _, format := range []check.Format{{}, small} {
			f := shaped(seed, generated, format)
			s := history.Snapshot{
				SchemaVersion: history.SchemaVersion, RuntimeID: f.RuntimeID, SessionID: f.SessionID, Revision: "r", ProjectRoot: f.Root,
				Messages: f.Messages, ToolAtomicGroups: history.AtomicGroups(f.Messages),
			}
			if issues := history.Validate(s); len(issues) > 0 {
				t.Errorf("seed %d: %v", seed, issues)
			}
			for _, g := range s.ToolAtomicGroups {
				if !g.Complete {
					open++
				}
			}
			for _, m := range f.Messages {
				for _, b := range m.Blocks {
					kinds[b.Type()] = true
				}
			}
		}
	}
	if len(kinds) != len(history.BlockTypes()) {
		t.Errorf("only blocks of %v", kinds)
	}
	if open == 0 {
		t.Error("no call without result")
	}
}

// The seed decides, and nothing else.
func TestGeneratedFollowsTheSeed(t *testing.T) {
	first := jsonOf(t, shaped(1, generated, check.Format{}))
	if diff := cmp.Diff(first, jsonOf(t, shaped(1, generated, check.Format{}))); diff != "" {
		t.Errorf("the same seed gives another history:\n%s", diff)
	}
	if cmp.Equal(first, jsonOf(t, shaped(2, generated, check.Format{}))) {
		t.Error("another seed gives the same history")
	}
}

// The largest histories are inside the bounds of the contract.
func TestExtremesAreInBounds(t *testing.T) {
	for name, s := range map[string]shape{"longest": longest, "huge": huge} {
		f := shaped(1, s, check.Format{})
		bytes := 0
		for _, text := range jsonOf(t, f) {
			bytes += len(text) + 40
		}
		if len(f.Messages) > history.MaxHistoryMessages || bytes > history.MaxHistoryBytes {
			t.Errorf("%s: %d messages, %d bytes", name, len(f.Messages), bytes)
		}
		if name == "longest" && len(f.Messages) != history.MaxHistoryMessages/slowness {
			t.Errorf("%d messages", len(f.Messages))
		}
	}
}
