package historymutants

import (
	"fmt"
	"slices"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
)

// groups makes a subject that changes each group.
func groups(change func(g *history.AtomicGroup)) func() check.Subject {
	return snapshots(func(s *history.Snapshot) {
		for i := range s.ToolAtomicGroups {
			change(&s.ToolAtomicGroups[i])
		}
	})
}

func groupMutants() []Mutant {
	const one, batch = "history.canonical.groups", "history.canonical.parallel-batch"
	return []Mutant{
		{"history-H11", "has no groups", one, "group-missing", snapshots(func(s *history.Snapshot) { s.ToolAtomicGroups = nil })},
		{"history-H13", "numbers its groups", one, "group-id-wrong",
			snapshots(func(s *history.Snapshot) {
				for i := range s.ToolAtomicGroups {
					s.ToolAtomicGroups[i].ID = fmt.Sprintf("group-%d", i+1)
				}
			})},
		{"history-group-whole", "puts whole turns into a group", one, "group-members-wrong",
			snapshots(func(s *history.Snapshot) {
				s.ToolAtomicGroups[0].MessageIDs = append([]string{s.Messages[0].ID}, s.ToolAtomicGroups[0].MessageIDs...)
			})},
		{"history-group-calls", "forgets which calls a group is about", one, "group-calls-wrong",
			groups(func(g *history.AtomicGroup) { g.ToolCallIDs = append(g.ToolCallIDs, "call-0") })},
		{"history-group-open", "takes no group for complete", one, "group-complete-wrong", groups(func(g *history.AtomicGroup) { g.Complete = false })},
		{"history-group-added", "makes a group of every message", one, "group-added",
			snapshots(func(s *history.Snapshot) {
				s.ToolAtomicGroups = append(s.ToolAtomicGroups, history.AtomicGroup{ID: "group", MessageIDs: []string{s.Messages[0].ID}, ToolCallIDs: []string{"none"}})
			})},
		{"history-group-bytes", "orders call ids by their bytes", one, "group-calls-wrong",
			groups(func(g *history.AtomicGroup) { slices.Sort(g.ToolCallIDs) })},
		{"history-group-any", "takes a batch for complete once one of its calls has a result", one, "group-complete-wrong",
			groups(func(g *history.AtomicGroup) { g.Complete = len(g.MessageIDs) > 1 })},
		{"history-H17", "groups each call alone", batch, "parallel-batch-split",
			snapshots(func(s *history.Snapshot) {
				alone := []history.AtomicGroup{}
				for _, g := range s.ToolAtomicGroups {
					for _, id := range g.ToolCallIDs {
						c := g.Clone()
						c.ToolCallIDs = []string{id}
						c.MessageIDs = slices.DeleteFunc(c.MessageIDs, func(m string) bool { return !touches(s.Messages, m, id) })
						alone = append(alone, c)
					}
				}
				s.ToolAtomicGroups = alone
			})},
		{"history-batch-order", "lists the messages of a group in the order of their ids", batch, "group-members-wrong",
			groups(func(g *history.AtomicGroup) { slices.Reverse(g.MessageIDs) })},
		{"history-live-complete", "takes a call without result for answered", "history.canonical.live-call", "live-call-complete",
			groups(func(g *history.AtomicGroup) { g.Complete = true })},
		{"history-live-hidden", "hides calls until they are answered", "history.canonical.live-call", "live-call-lost",
			snapshots(func(s *history.Snapshot) {
				last := s.Messages[len(s.Messages)-1]
				if _, ok := last.Blocks[0].(history.ToolCall); ok {
					s.Messages = s.Messages[:len(s.Messages)-1]
					s.ToolAtomicGroups = history.AtomicGroups(s.Messages)
				}
			})},
	}
}

// touches reports whether a message calls, or answers, the call.
func touches(messages []history.Message, message, call string) bool {
	return slices.ContainsFunc(messages, func(m history.Message) bool {
		return m.ID == message && slices.ContainsFunc(m.Blocks, func(b history.Block) bool {
			switch b := b.(type) {
			case history.ToolCall:
				return b.ID == call
			case history.ToolResult:
				return b.ToolCallID == call
			}
			return false
		})
	})
}
