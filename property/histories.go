package property

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"

	"github.com/adaptercheck/adaptercheck/contract/history"
)

// past is a drawn history.
type past struct {
	messages []history.Message
}

// GoString writes one line per message; rapid shows drawn values this way.
func (p past) GoString() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d messages:", len(p.messages))
	for _, m := range p.messages {
		fmt.Fprintf(&b, "\n  - %s", m.Role)
		for _, block := range m.Blocks {
			switch block := block.(type) {
			case history.ToolCall:
				fmt.Fprintf(&b, " call:%q", block.ID)
			case history.ToolResult:
				fmt.Fprintf(&b, " result:%q", block.ToolCallID)
			default:
				fmt.Fprintf(&b, " %s", block.Type())
			}
		}
	}
	return b.String()
}

// The identities of drawn histories.
const (
	historyRuntime = "laws-runtime"
	historySession = "laws-session"
)

// message is the nth message of a drawn history.
func message(n int, role history.Role, blocks ...history.Block) history.Message {
	entry := fmt.Sprintf("entry-%d", n)
	return history.Message{
		ID: historySession + ":" + entry, SourceEntryID: entry, Role: role, Blocks: blocks,
		Provenance: history.Provenance{
			Source: history.RuntimeSession, SessionID: historySession, EntryID: entry,
			RuntimeID: history.Some(historyRuntime),
		},
	}
}

// callIDs are few, so that messages come to share them. The last two stand in
// another order by UTF-16 unit than by byte.
var callIDs = []string{"a", "b", "c", "d", "B", "~\uff5e", "~\U0001f600"}

// lawless draws any history: ids that are called twice or never, results before
// their calls, results in the message of their call. Only message ids are unique.
func lawless(t *rapid.T) past {
	block := rapid.Custom(func(t *rapid.T) history.Block {
		id := rapid.SampledFrom(callIDs).Draw(t, "id")
		switch pick(t, "block", history.TypeToolCall, history.TypeToolResult, history.TypeText) {
		case history.TypeToolCall:
			return history.ToolCall{ID: id, Name: "read", Arguments: "{}"}
		case history.TypeToolResult:
			return history.ToolResult{ToolCallID: id, ToolName: "read", Content: "content"}
		default:
			return history.Text{Text: "text"}
		}
	})
	messages := rapid.SliceOfN(rapid.SliceOfN(block, 0, 4), 0, 12).Draw(t, "blocks")
	var p past
	for i, blocks := range messages {
		// A role means nothing to groups.
		p.messages = append(p.messages, message(i, history.Roles()[i%len(history.Roles())], blocks...))
	}
	return p
}

// lawful draws a history that any adapter of the contract must hold: turns with
// batches of calls under ids of their own, each answered at most once and later, by
// messages that may hold results of several calls, with other messages between.
func lawful(t *rapid.T) past {
	step := rapid.Custom(func(t *rapid.T) move {
		return move{
			kind: pick(t, "step", moveText, moveCalls, moveResults),
			n:    rapid.IntRange(1, 3).Draw(t, "n"),
			skip: rapid.IntRange(0, 2).Draw(t, "skip"),
		}
	})
	var p past
	var open []string
	calls := 0
	for _, m := range rapid.SliceOfN(step, 1, 12).Draw(t, "steps") {
		n := len(p.messages)
		switch {
		case m.kind == moveCalls:
			var blocks []history.Block
			for range m.n {
				id := fmt.Sprintf("call-%d", calls)
				if calls < len(callIDs) {
					id = callIDs[calls]
				}
				calls++
				open = append(open, id)
				blocks = append(blocks, history.ToolCall{ID: id, Name: "read", Arguments: "{}"})
			}
			p.messages = append(p.messages, message(n, history.Assistant, blocks...))
		case m.kind == moveResults && len(open) > 0:
			var blocks []history.Block
			for range min(m.n, len(open)) {
				i := m.skip % len(open)
				blocks = append(blocks, history.ToolResult{ToolCallID: open[i], ToolName: "read", Content: "content"})
				open = append(open[:i:i], open[i+1:]...)
			}
			p.messages = append(p.messages, message(n, history.Tool, blocks...))
		default:
			p.messages = append(p.messages, message(n, history.User, history.Text{Text: "text"}))
		}
	}
	return p
}

// move is one step of a lawful history.
type move struct {
	kind string
	n    int // calls or results
	skip int // which open call is answered
}

const (
	moveText    = "text"
	moveCalls   = "calls"
	moveResults = "results"
)

// clones shares nothing with the messages.
func clones(messages []history.Message) []history.Message {
	out := make([]history.Message, len(messages))
	for i, m := range messages {
		out[i] = m.Clone()
	}
	return out
}
