package reference

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/contract/history"
)

// everyKind is a history with every kind of block, unknown fields wherever there can
// be some, and lists that are nil or empty.
func everyKind() history.Snapshot {
	x := func(s string) history.Members { return history.Members{{Name: "x-" + s, Value: `"kept"`}} }
	rich := message("rich", history.Assistant,
		history.Text{Text: "a", Extra: x("text")}, history.Thinking{Thinking: "b", Extra: x("thinking")},
		history.ToolCall{ID: "t1", Name: "read", Arguments: `{}`, Extra: x("call")},
		history.ToolResult{ToolCallID: "t1", ToolName: "read", Content: "c", Extra: x("result")},
		history.Image{Extra: x("image")}, history.FileReference{Path: "f", Extra: x("file")},
		history.ArtifactReference{ArtifactID: "g", Extra: x("artifact")}, history.SummaryReference{SummaryID: "h", Extra: x("summary")},
		history.OpaqueProvider{Value: `1`, Extra: x("opaque")})
	rich.Extra, rich.Flags.Extra, rich.Provenance.Extra = x("message"), x("flags"), x("provenance")
	flags := text("flags", "y")
	flags.Flags.Extra = x("flags")
	none, empty := text("none", ""), text("empty", "")
	none.Blocks, empty.Blocks = nil, []history.Block{}
	s := &session{header{history.SessionFormat, runtimeID, sessionID, "/"},
		append(fixture(), rich, none, empty, flags, text("plain", "z"))}
	return s.snapshot("/", "r")
}

func TestFrozenCopyIsAClone(t *testing.T) {
	f := freeze(everyKind())
	if want, got := f.snapshot.Clone(), f.copy(); !reflect.DeepEqual(want, got) {
		t.Errorf("want %+v\ngot %+v", want, got)
	}
	var nothing frozen
	if s := nothing.copy(); s.Messages != nil || s.ToolAtomicGroups != nil {
		t.Errorf("a copy of nothing: %+v", s)
	}
}

// Whatever is done to a copy shows in no other one.
func TestFrozenCopiesShareNothing(t *testing.T) {
	f := freeze(everyKind())
	other, want := f.copy(), f.snapshot.Clone()
	s := f.copy()
	spoil := func(x history.Members) {
		if len(x) > 0 {
			x[0] = history.Member{Name: "spoiled", Value: "1"}
		}
	}
	for i := range s.Messages {
		m := &s.Messages[i]
		spoil(m.Extra)
		spoil(m.Flags.Extra)
		spoil(m.Provenance.Extra)
		// Growing a list must not run into the next message's.
		m.Blocks = append(m.Blocks, history.Text{Text: "spoiled"})
		for j, b := range m.Blocks {
			if c, ok := b.(history.ToolCall); ok {
				spoil(c.Extra)
			}
			m.Blocks[j] = history.Text{Text: "spoiled"}
		}
		*m = history.Message{}
	}
	for i := range s.ToolAtomicGroups {
		g := &s.ToolAtomicGroups[i]
		g.MessageIDs = append(g.MessageIDs, "spoiled")
		g.ToolCallIDs = append(g.ToolCallIDs, "spoiled")
		g.MessageIDs[0], g.ToolCallIDs[0] = "spoiled", "spoiled"
	}
	for name, got := range map[string]history.Snapshot{"the original": f.snapshot, "another copy": other, "a later copy": f.copy()} {
		for i, m := range got.Messages {
			if !history.SameMessage(m, want.Messages[i]) {
				t.Errorf("%s: message %d was changed", name, i)
			}
		}
		if diff := cmp.Diff(want.ToolAtomicGroups, got.ToolAtomicGroups); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// A list that grows gets room of its own and runs into nothing else of its copy.
func TestFrozenListsGrowApart(t *testing.T) {
	f := freeze(everyKind())
	want, s := f.snapshot.Clone(), f.copy()
	for i := range s.Messages {
		_ = append(s.Messages[i].Blocks, history.Text{Text: "spoiled"})
	}
	for _, g := range s.ToolAtomicGroups {
		_, _ = append(g.MessageIDs, "spoiled"), append(g.ToolCallIDs, "spoiled")
	}
	if !reflect.DeepEqual(want, s) {
		t.Errorf("want %+v\ngot %+v", want, s)
	}
}

// Every block with unknown fields is found, whatever its kind.
func TestHasExtra(t *testing.T) {
	for _, m := range everyKind().Messages {
		for _, b := range m.Blocks {
			if want := m.SourceEntryID == "rich"; hasExtra(b) != want {
				t.Errorf("%s of %s: %t", b.Type(), m.SourceEntryID, !want)
			}
		}
	}
}
