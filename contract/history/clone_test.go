package history_test

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/contract/history"
)

func unknown() history.Members { return history.Members{{Name: "e", Value: "1"}} }

// everyBlock has a block of every kind, each with an unknown field.
func everyBlock() []history.Block {
	return []history.Block{
		history.Text{Extra: unknown()}, history.Thinking{Extra: unknown()}, history.ToolCall{ID: "a", Extra: unknown()},
		history.ToolResult{ToolCallID: "a", Extra: unknown()}, history.Image{Extra: unknown()}, history.FileReference{Extra: unknown()},
		history.ArtifactReference{Extra: unknown()}, history.SummaryReference{Extra: unknown()}, history.OpaqueProvider{Extra: unknown()},
	}
}

// everything is a history with unknown fields wherever there can be some, with
// lists that are nil, empty, or empty with room, and with blocks that are missing.
func everything() history.Snapshot {
	rich := message("rich", everyBlock()...)
	rich.Extra, rich.Flags.Extra, rich.Provenance.Extra = unknown(), unknown(), unknown()
	none, empty := message("none"), message("empty")
	none.Blocks, empty.Blocks = nil, []history.Block{}
	room := message("room", history.Text{Text: "x", Extra: make(history.Members, 0, 1)})
	return snapshot([]history.Message{
		message("call", call("b"), call("c")), message("results", result("b"), result("c")),
		rich, none, empty, room, message("missing", nil), message("plain", history.Text{Text: "y"}),
	})
}

func TestCloneIsEqual(t *testing.T) {
	if want, got := everything(), everything().Clone(); !reflect.DeepEqual(want, got) {
		t.Errorf("want %+v\ngot %+v", want, got)
	}
	if s := (history.Snapshot{}).Clone(); s.Messages != nil || s.ToolAtomicGroups != nil {
		t.Errorf("a clone of nothing: %+v", s)
	}
}

// Whatever is done to a clone shows in neither the original nor another clone.
func TestCloneSharesNothing(t *testing.T) {
	original := everything()
	other, c := original.Clone(), original.Clone()
	for i := range c.Messages {
		m := &c.Messages[i]
		change(m.Extra)
		change(m.Flags.Extra)
		change(m.Provenance.Extra)
		for j, b := range m.Blocks {
			if b != nil {
				b.Accept(scribble{})
			}
			m.Blocks[j] = history.Text{Text: "spoiled"}
		}
		*m = history.Message{}
	}
	for i := range c.ToolAtomicGroups {
		g := &c.ToolAtomicGroups[i]
		g.MessageIDs[0], g.ToolCallIDs[0], g.ID = "spoiled", "spoiled", "spoiled"
	}
	for name, got := range map[string]history.Snapshot{"original": original, "other clone": other} {
		if !reflect.DeepEqual(everything(), got) {
			t.Errorf("the %s was changed: %+v", name, got)
		}
	}
}

// A list that grows gets room of its own and runs into nothing else of its clone.
func TestCloneListsGrowApart(t *testing.T) {
	c := everything().Clone()
	for _, m := range c.Messages {
		_ = append(m.Blocks, history.Text{Text: "spoiled"})
	}
	for _, g := range c.ToolAtomicGroups {
		_, _ = append(g.MessageIDs, "spoiled"), append(g.ToolCallIDs, "spoiled")
	}
	if want := everything(); !reflect.DeepEqual(want, c) {
		t.Errorf("want %+v\ngot %+v", want, c)
	}
}

// Room for unknown fields that are not there yet is not shared either.
func TestCloneSharesNoRoom(t *testing.T) {
	m := message("1", history.Text{Extra: make(history.Members, 0, 1)})
	c := m.Clone()
	grown := append(m.Blocks[0].(history.Text).Extra, history.Member{Name: "original"})
	_ = append(c.Blocks[0].(history.Text).Extra, history.Member{Name: "clone"})
	if grown[0].Name != "original" {
		t.Errorf("the original's field is now %q", grown[0].Name)
	}
}

// TestEveryBlockClones keeps clone from forgetting a kind.
func TestEveryBlockClones(t *testing.T) {
	blocks := everyBlock()
	c := message("1", blocks...).Clone()
	var types []history.BlockType
	for i, b := range blocks {
		types = append(types, b.Type())
		b.Accept(scribble{})
		if cmp.Equal(b, c.Blocks[i]) {
			t.Errorf("the clone of a %s block shares its extra fields", b.Type())
		}
	}
	if diff := cmp.Diff(history.BlockTypes(), types); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// scribble changes the extra fields of a block in place.
type scribble struct{}

func change(x history.Members) {
	if len(x) > 0 {
		x[0].Value = "2"
	}
}

func (scribble) VisitText(b history.Text)                           { change(b.Extra) }
func (scribble) VisitThinking(b history.Thinking)                   { change(b.Extra) }
func (scribble) VisitToolCall(b history.ToolCall)                   { change(b.Extra) }
func (scribble) VisitToolResult(b history.ToolResult)               { change(b.Extra) }
func (scribble) VisitImage(b history.Image)                         { change(b.Extra) }
func (scribble) VisitFileReference(b history.FileReference)         { change(b.Extra) }
func (scribble) VisitArtifactReference(b history.ArtifactReference) { change(b.Extra) }
func (scribble) VisitSummaryReference(b history.SummaryReference)   { change(b.Extra) }
func (scribble) VisitOpaqueProvider(b history.OpaqueProvider)       { change(b.Extra) }
