package golden

import (
	"errors"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/contract/history"
)

// messageForm describes a message and every type of block.
func messageForm() (message []Field, blocks []Shape) {
	m := sampleMessage()
	wire, err := history.MarshalMessage(m)
	if err != nil {
		return nil, nil
	}
	message = form(wire, readMessage)
	for _, kind := range history.BlockTypes() {
		for _, b := range sampleBlocks() {
			if b.Type() == kind {
				blocks = append(blocks, Shape{string(kind), blockForm(m, b)})
			}
		}
	}
	return message, blocks
}

// blockForm describes a block inside a message, as it has no reader of its own.
func blockForm(m history.Message, b history.Block) []Field {
	m.Blocks = []history.Block{b}
	wire, err := history.MarshalMessage(m)
	if err != nil {
		return nil
	}
	members := membersOf(wire)
	for i := range members {
		if members[i].name != "blocks" {
			continue
		}
		list := members[i].value
		block := list[1 : len(list)-1].Clone()
		return form(block, func(v jsontext.Value) (string, string) {
			members[i].value = append(append(jsontext.Value("["), v...), ']')
			return readMessage(objectOf(members))
		})
	}
	return nil
}

// snapshotForm describes a snapshot and a group in it.
func snapshotForm() (snapshot, group []Field) {
	s := history.Snapshot{
		SchemaVersion: history.SchemaVersion, RuntimeID: "r", SessionID: "s", Revision: "v", ProjectRoot: "p",
		Messages: []history.Message{},
		ToolAtomicGroups: []history.AtomicGroup{
			{ID: "g", MessageIDs: []string{"m"}, ToolCallIDs: []string{"c"}, Complete: true},
		},
	}
	wire, err := json.Marshal(s)
	if err != nil {
		return nil, nil
	}
	snapshot = form(wire, readSnapshot)
	members := membersOf(wire)
	last := len(members) - 1
	one, err := json.Marshal(s.ToolAtomicGroups[0])
	if err != nil {
		return nil, nil
	}
	group = form(one, func(v jsontext.Value) (string, string) {
		members[last].value = append(append(jsontext.Value("["), v...), ']')
		return readSnapshot(objectOf(members))
	})
	return snapshot, group
}

func readMessage(v jsontext.Value) (problem, want string) {
	_, err := history.ParseMessage(v)
	return shapeProblem(err)
}

func readSnapshot(v jsontext.Value) (problem, want string) {
	_, err := history.ParseSnapshot(v)
	return shapeProblem(err)
}

func shapeProblem(err error) (problem, want string) {
	if e, ok := errors.AsType[*history.ShapeError](err); ok {
		return string(e.Problem), e.Want
	}
	return "", ""
}

// sampleMessage has every field set.
func sampleMessage() history.Message {
	return history.Message{
		ID: "s:e", SourceEntryID: "e", Role: history.User, Blocks: []history.Block{},
		CreatedAt: history.Some(1.0), Provider: history.Some("p"), Model: history.Some("m"),
		Provenance: history.Provenance{
			Source: history.RuntimeSession, SessionID: "s", EntryID: "e",
			OriginalRole: history.Some("o"), RuntimeID: history.Some("r"),
		},
		TokenEstimate: history.Some(1.0),
		Flags: history.Flags{
			Pinned: history.Some(true), Atomic: history.Some(true), LocalOnly: history.Some(true), Synthetic: history.Some(true),
		},
	}
}

// sampleBlocks has one block of each type, with every field set.
func sampleBlocks() []history.Block {
	return []history.Block{
		history.Text{Text: "t"},
		history.Thinking{Thinking: "t"},
		history.ToolCall{ID: "i", Name: "n", Arguments: "{}"},
		history.ToolResult{ToolCallID: "i", ToolName: "n", Content: "c", IsError: true},
		history.Image{MimeType: history.Some("m"), Data: history.Some("d")},
		history.FileReference{Path: "p"},
		history.ArtifactReference{ArtifactID: "i"},
		history.SummaryReference{SummaryID: "i"},
		history.OpaqueProvider{OriginalType: history.Some("o"), Value: "{}"},
	}
}
