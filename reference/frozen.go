package reference

import (
	"slices"

	"github.com/adaptercheck/adaptercheck/contract/history"
)

// frozen is a snapshot that is never handed out nor changed, only copied. It knows
// beforehand what a copy needs, so that a copy of many messages is few allocations:
// one for all messages, one for all blocks, one for all ids of the groups.
//
// Strings, JSON texts and the blocks behind their interface are shared with every
// copy. None of them can be changed through a copy: a block is a value, and whoever
// puts another in its place writes to his own list. What a block holds that could be
// changed is its list of unknown fields; messages with such a list are copied one by
// one.
type frozen struct {
	snapshot history.Snapshot
	blocks   int   // of all messages
	ids      int   // of all groups
	rich     []int // messages with unknown fields
}

func freeze(s history.Snapshot) frozen {
	f := frozen{snapshot: s}
	for i := range s.Messages {
		m := &s.Messages[i]
		f.blocks += len(m.Blocks)
		if len(m.Extra)+len(m.Flags.Extra)+len(m.Provenance.Extra) > 0 || slices.ContainsFunc(m.Blocks, hasExtra) {
			f.rich = append(f.rich, i)
		}
	}
	for _, g := range s.ToolAtomicGroups {
		f.ids += len(g.MessageIDs) + len(g.ToolCallIDs)
	}
	return f
}

// copy gives what [history.Snapshot.Clone] gives.
func (f *frozen) copy() history.Snapshot {
	s := f.snapshot
	s.Messages = slices.Clone(s.Messages)
	blocks := make([]history.Block, 0, f.blocks)
	for i := range s.Messages {
		s.Messages[i].Blocks, blocks = carve(s.Messages[i].Blocks, blocks)
	}
	for _, i := range f.rich {
		s.Messages[i] = s.Messages[i].Clone()
	}
	s.ToolAtomicGroups = slices.Clone(s.ToolAtomicGroups)
	ids := make([]string, 0, f.ids)
	for i := range s.ToolAtomicGroups {
		g := &s.ToolAtomicGroups[i]
		g.MessageIDs, ids = carve(g.MessageIDs, ids)
		g.ToolCallIDs, ids = carve(g.ToolCallIDs, ids)
	}
	return s
}

// carve copies a list into a common store. The copy has no room to grow into what
// comes behind it. Nil stays nil.
func carve[T any](list, store []T) (copied, rest []T) {
	if list == nil {
		return nil, store
	}
	from := len(store)
	store = append(store, list...)
	return store[from:len(store):len(store)], store
}

func hasExtra(b history.Block) bool {
	switch b := b.(type) {
	case history.Text:
		return len(b.Extra) > 0
	case history.Thinking:
		return len(b.Extra) > 0
	case history.ToolCall:
		return len(b.Extra) > 0
	case history.ToolResult:
		return len(b.Extra) > 0
	case history.Image:
		return len(b.Extra) > 0
	case history.FileReference:
		return len(b.Extra) > 0
	case history.ArtifactReference:
		return len(b.Extra) > 0
	case history.SummaryReference:
		return len(b.Extra) > 0
	case history.OpaqueProvider:
		return len(b.Extra) > 0
	}
	return true // a kind that is not known here is copied in the safe way
}
