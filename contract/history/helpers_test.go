package history_test

import (
	"fmt"
	"strings"

	"github.com/adaptercheck/adaptercheck/contract/history"
)

// message makes a message of session s with runtime rt.
func message(entry string, blocks ...history.Block) history.Message {
	return history.Message{
		ID:            "s:" + entry,
		SourceEntryID: entry,
		Role:          history.User,
		Blocks:        blocks,
		Provenance: history.Provenance{
			Source: history.RuntimeSession, SessionID: "s", EntryID: entry, RuntimeID: history.Some("rt"),
		},
	}
}

func call(id string) history.Block {
	return history.ToolCall{ID: id, Name: "read", Arguments: `{}`}
}

func result(id string) history.Block {
	return history.ToolResult{ToolCallID: id, ToolName: "read", Content: "ok"}
}

// conversation makes messages with the entry ids 1, 2, 3 and so on.
func conversation(blocks ...[]history.Block) []history.Message {
	var messages []history.Message
	for i, b := range blocks {
		messages = append(messages, message(fmt.Sprint(i+1), b...))
	}
	return messages
}

func in(blocks ...history.Block) []history.Block { return blocks }

// snapshot wraps messages in a snapshot with derived groups.
func snapshot(messages []history.Message) history.Snapshot {
	return history.Snapshot{
		SchemaVersion:    history.SchemaVersion,
		RuntimeID:        "rt",
		SessionID:        "s",
		Revision:         "r",
		ProjectRoot:      "/root",
		Messages:         messages,
		ToolAtomicGroups: history.AtomicGroups(messages),
	}
}

// groupLines writes groups as C or I, message ids, call ids.
func groupLines(groups []history.AtomicGroup) []string {
	lines := []string{}
	for _, g := range groups {
		mark := "I"
		if g.Complete {
			mark = "C"
		}
		lines = append(lines, fmt.Sprintf("%s [%s] {%s}", mark, strings.Join(g.MessageIDs, ","), strings.Join(g.ToolCallIDs, ",")))
	}
	return lines
}

// issueLines writes issues as code and carriers.
func issueLines(issues []history.Issue) []string {
	lines := []string{}
	for _, i := range issues {
		line := string(i.Code)
		if i.MessageID != "" {
			line += fmt.Sprintf(" m=%q", i.MessageID)
		}
		if i.ToolCallID != "" {
			line += fmt.Sprintf(" t=%q", i.ToolCallID)
		}
		lines = append(lines, line)
	}
	return lines
}
