package history_test

import (
	"fmt"

	"github.com/adaptercheck/adaptercheck/contract/history"
)

// An adapter builds its snapshot from the runtime's own messages, derives the
// groups, and refuses to hand out what does not validate.
func Example() {
	native := []struct {
		entry string
		role  history.Role
		block history.Block
	}{
		{"1", history.User, history.Text{Text: "What does a.txt say?"}},
		{"2", history.Assistant, history.ToolCall{ID: "t1", Name: "read", Arguments: `{"path":"a.txt"}`}},
		{"3", history.Tool, history.ToolResult{ToolCallID: "t1", ToolName: "read", Content: "Hello."}},
		{"4", history.Assistant, history.Text{Text: "It says hello."}},
	}
	const runtime, session = "my-runtime", "session-7"
	var messages []history.Message
	for _, n := range native {
		messages = append(messages, history.Message{
			ID:            session + ":" + n.entry,
			SourceEntryID: n.entry,
			Role:          n.role,
			Blocks:        []history.Block{n.block},
			Provenance: history.Provenance{
				Source: history.RuntimeSession, SessionID: session, EntryID: n.entry, RuntimeID: history.Some(runtime),
			},
		})
	}
	s := history.Snapshot{
		SchemaVersion:    history.SchemaVersion,
		RuntimeID:        runtime,
		SessionID:        session,
		Revision:         history.RevisionOf([]byte("the bytes of the session file")),
		ProjectRoot:      "/project",
		Messages:         messages,
		ToolAtomicGroups: history.AtomicGroups(messages),
	}
	fmt.Println("issues:", len(history.Validate(s)))
	for _, g := range s.ToolAtomicGroups {
		fmt.Println("kept or dropped together:", g.MessageIDs, "complete:", g.Complete)
	}
	// Output:
	// issues: 0
	// kept or dropped together: [session-7:2 session-7:3] complete: true
}

func ExampleNegotiate() {
	declared := []history.Declaration{
		history.Supports(history.Embeddings, history.EmbeddingPortVersion),
		history.Lacks(history.Compaction, "the runtime never compacts"),
	}
	n := history.Negotiate(declared, []history.Request{
		{ID: history.Embeddings},
		{ID: history.Compaction, Required: true},
	})
	fmt.Println("enabled:", n.Enabled)
	for _, d := range n.Diagnostics {
		fmt.Println(d.Severity, d.Code)
	}
	// Output:
	// enabled: [embeddings]
	// warning capability-unsupported
}

func ExampleValidate() {
	s := history.Snapshot{
		SchemaVersion: history.SchemaVersion, RuntimeID: "rt", SessionID: "s", Revision: "r", ProjectRoot: "/project",
		Messages: []history.Message{{
			ID: "s:1", SourceEntryID: "1", Role: history.Tool,
			Blocks:     []history.Block{history.ToolResult{ToolCallID: "lost", ToolName: "read"}},
			Provenance: history.Provenance{Source: history.PiSession, SessionID: "s", EntryID: "1"},
		}},
	}
	for _, issue := range history.Validate(s) {
		fmt.Println(issue.Code, issue.ToolCallID)
	}
	// Output:
	// tool-result-orphaned lost
	// tool-atomic-group-missing lost
}

func ExampleParseMessage() {
	_, err := history.ParseMessage([]byte(`{
		"id": "s:1", "sourceEntryId": "1", "role": "user",
		"blocks": [{"type": "text", "text": 42}],
		"provenance": {"source": "pi-session", "sessionId": "s", "entryId": "1"},
		"flags": {}
	}`))
	fmt.Println(err)
	// Output:
	// message, field blocks[0].text, near byte 96: wrong-type: want a string
}
