package historytest

import (
	"context"
	"fmt"
	"strings"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
)

// extremeChecks build the largest histories there are, which takes a hundred times
// as long as any other check.
func extremeChecks() []check.Check {
	return []check.Check{
		// A history may have as many messages as the contract allows, and loses none.
		{
			ID: "history.canonical.messages-most", Case: "canonical-history", Clause: "history#message-order",
			Level: check.Must, Provenance: check.Stated,
			Flood: true,
			Codes: append(codes("long-history-changed", "long-history-groups-wrong"), messageCodes...),
			Title: "gives every message of the longest history, in order",
			Run: with(func(ctx context.Context, t *T) {
				s := t.snapshotOfMany(ctx)
				t.complain(s.Messages)
				t.Stop()
				t.demand(sameContent(t.Fixture.Messages, s.Messages), "long-history-changed", "a message says something else")
				t.demand(sameGroups(history.AtomicGroups(t.Fixture.Messages), s.ToolAtomicGroups), "long-history-groups-wrong", "%d groups", len(s.ToolAtomicGroups))
			}, longest),
		},
		// A block may be as large as what a tool can print.
		{
			ID: "history.canonical.blocks-huge", Case: "canonical-history", Clause: "history#block-fidelity",
			Level: check.Must, Provenance: check.Implied, Codes: contentCodes,
			Flood: true,
			Title: "gives blocks of many megabytes whole",
			Run:   with(func(ctx context.Context, t *T) { t.compareBlocks(t.snapshotOfMany(ctx).Messages) }, huge),
		},
	}
}

// snapshotOfMany is a snapshot that may take its time.
func (t *T) snapshotOfMany(ctx context.Context) history.Snapshot {
	return check.Call(ctx, t.C, "", t.Budgets.Check/2, t.Adapter.SnapshotHistory)
}

// smaller says how many times smaller the extremes are than the contract allows. What
// crosses a pipe as JSON is encoded and read twice more, in languages that take ten
// times as long, and a right adapter must not be accused of that.
func (t *T) smaller() int {
	if t.Subject.Elsewhere {
		return 10 * slowness
	}
	return slowness
}

// longest has as many messages as the contract allows: tool calls with their
// results, one batch of a thousand parallel calls, and texts.
func longest(t *T, f *check.Fixture) {
	word := t.word()
	f.SessionID = "s-" + pick(t.Rand, 8, lower) // it is in every message four times
	most := history.MaxHistoryMessages / t.smaller()
	f.Messages = make([]history.Message, 0, most)
	add := func(role history.Role, blocks ...history.Block) {
		f.Messages = append(f.Messages, message(*f, fmt.Sprintf("e%d", len(f.Messages)), role, blocks...))
	}
	call := func(id string) history.Block { return history.ToolCall{ID: id, Name: "read", Arguments: `{}`} }
	result := func(id string) history.Block {
		return history.ToolResult{ToolCallID: id, ToolName: "read", Content: id + " of " + word}
	}
	const batch = 1000
	parallel := make([]history.Block, batch)
	for i := range parallel {
		parallel[i] = call(fmt.Sprintf("batch-%d", i))
	}
	add(history.Assistant, parallel...)
	for i := range batch {
		add(history.Tool, result(fmt.Sprintf("batch-%d", batch-1-i)))
	}
	for i := 0; len(f.Messages) < most; i++ {
		id := fmt.Sprintf("call-%d", i)
		switch i % 4 {
		case 0:
			add(history.User, history.Text{Text: word})
		case 1:
			add(history.Assistant, call(id))
		case 2:
			add(history.Tool, result(fmt.Sprintf("call-%d", i-1)))
		case 3:
			add(history.Assistant, history.Text{Text: id})
		}
	}
}

// huge has a tool result of ten megabytes, and something of more than one in every
// other kind of block that has content.
func huge(t *T, f *check.Fixture) {
	const mega = 1 << 20
	some := mega * 5 / 4
	if t.Subject.Elsewhere {
		some /= t.smaller()
	}
	long := func(size int) string { return strings.Repeat(t.word()+" é🦜\n", size/20) + t.word() }
	data := func(size int) history.JSON {
		return history.JSON(`["` + strings.Repeat("aGVsbG8g", size/8) + `","` + t.word() + `"]`)
	}
	call := "call-" + t.word()
	f.Messages = []history.Message{
		message(*f, "entry-text", history.User, history.Text{Text: long(some)},
			history.Image{MimeType: history.Some("image/png"), Data: history.Some(strings.Repeat("aGVsbG8g", some/8))}),
		message(*f, "entry-thinking", history.Assistant, history.Thinking{Thinking: long(some)},
			history.OpaqueProvider{Value: data(some)},
			history.ToolCall{ID: call, Name: "write", Arguments: data(some)}),
		message(*f, "entry-result", history.Tool, history.ToolResult{ToolCallID: call, ToolName: "write", Content: long(10 * mega / t.smaller())}),
	}
}
