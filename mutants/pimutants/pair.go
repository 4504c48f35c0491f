package pimutants

import (
	"slices"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
)

func pairMutants() []Mutant {
	return []Mutant{
		{ID: "pi-pairs-lost", Note: "leaves calls and results out, with their group", Check: "history.canonical.groups", Code: "group-missing",
			Subject: regrouped(func(s *history.Snapshot) {
				s.Messages = slices.DeleteFunc(s.Messages, func(m history.Message) bool { return m.Flags.Atomic.Or(false) })
			})},
		{ID: "pi-results-merged", Note: "puts results into the message of their call", Check: "history.canonical.groups", Code: "group-members-wrong",
			Subject: regrouped(merge)},
		{ID: "pi-results-first", Note: "binds a call to its first result only, so that a batch falls apart",
			Check: "history.canonical.parallel-batch", Code: "parallel-batch-split",
			Subject: changed(func(_ built, s *history.Snapshot) { s.ToolAtomicGroups = oneByOne(s.Messages) })},
		{ID: "pi-calls-renumbered", Note: "gives calls and results ids of its own", Check: "history.canonical.groups", Code: "group-missing",
			Subject: regrouped(func(s *history.Snapshot) { renumber(s.Messages) })},
		{ID: "pi-call-ids-lost", Note: "ties results to no call", Check: "history.canonical.result-ids", Code: "result-orphaned",
			Subject: regrouped(func(s *history.Snapshot) {
				for _, m := range s.Messages {
					for i, b := range m.Blocks {
						if r, ok := b.(history.ToolResult); ok {
							r.ToolCallID = m.SourceEntryID
							m.Blocks[i] = r
						}
					}
				}
			})},
		{ID: "pi-live-answered", Note: "shows a call as answered while Pi is at it", Check: "history.canonical.live-call", Code: "live-call-complete",
			Subject: changed(func(_ built, s *history.Snapshot) {
				for i := range s.ToolAtomicGroups {
					s.ToolAtomicGroups[i].Complete = true
				}
			})},
		{ID: "pi-live-lost", Note: "leaves a call out until it is answered", Check: "history.canonical.live-call", Code: "live-call-lost",
			Subject: regrouped(func(s *history.Snapshot) {
				for _, g := range s.ToolAtomicGroups {
					if !g.Complete {
						s.Messages = slices.DeleteFunc(s.Messages, func(m history.Message) bool { return slices.Contains(g.MessageIDs, m.ID) })
					}
				}
			})},
		{ID: "pi-not-atomic", Note: "does not mark what belongs together", Check: "history.canonical.flags", Code: "flag-lost",
			Subject: messages(func(m *history.Message) { m.Flags.Atomic = history.Optional[bool]{} })},
	}
}

// regrouped makes a subject that changes each snapshot and groups it anew.
func regrouped(change func(s *history.Snapshot)) func() check.Subject {
	return changed(func(_ built, s *history.Snapshot) {
		change(s)
		s.ToolAtomicGroups = history.AtomicGroups(s.Messages)
	})
}

// resultOf is the result in a message, which Pi puts first and alone.
func resultOf(m history.Message) (history.ToolResult, bool) {
	if len(m.Blocks) == 0 {
		return history.ToolResult{}, false
	}
	r, ok := m.Blocks[0].(history.ToolResult)
	return r, ok
}

// merge moves each result to the message with its call.
func merge(s *history.Snapshot) {
	var out []history.Message
	for _, m := range s.Messages {
		r, ok := resultOf(m)
		at := slices.IndexFunc(out, func(c history.Message) bool {
			return ok && slices.ContainsFunc(c.Blocks, func(b history.Block) bool {
				call, is := b.(history.ToolCall)
				return is && call.ID == r.ToolCallID
			})
		})
		if at < 0 {
			out = append(out, m)
			continue
		}
		out[at].Blocks = append(out[at].Blocks, m.Blocks...)
	}
	s.Messages = out
}

// oneByOne makes a group of each call and its result, whatever else its message
// holds.
func oneByOne(all []history.Message) []history.AtomicGroup {
	var groups []history.AtomicGroup
	for _, m := range all {
		for _, b := range m.Blocks {
			call, ok := b.(history.ToolCall)
			if !ok {
				continue
			}
			alone := m
			alone.Blocks = []history.Block{call}
			pair := []history.Message{alone}
			for _, r := range all {
				if result, ok := resultOf(r); ok && result.ToolCallID == call.ID {
					pair = append(pair, r)
				}
			}
			groups = append(groups, history.AtomicGroups(pair)...)
		}
	}
	return groups
}

// renumber puts a prefix before the ids of calls.
func renumber(all []history.Message) {
	for _, m := range all {
		for i, b := range m.Blocks {
			switch b := b.(type) {
			case history.ToolCall:
				b.ID = "pi-" + b.ID
				m.Blocks[i] = b
			case history.ToolResult:
				b.ToolCallID = "pi-" + b.ToolCallID
				m.Blocks[i] = b
			}
		}
	}
}
