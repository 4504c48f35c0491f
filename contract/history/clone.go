package history

import "slices"

// Clone returns a snapshot that shares nothing mutable with s. All blocks of the copy
// stand in one piece of memory, and so do all ids of its groups: copying a long
// history is few allocations.
func (s Snapshot) Clone() Snapshot {
	s.Messages = cloneMessages(s.Messages)
	s.ToolAtomicGroups = cloneGroups(s.ToolAtomicGroups)
	return s
}

func cloneMessages(messages []Message) []Message {
	messages = slices.Clone(messages)
	n := 0
	for i := range messages {
		n += len(messages[i].Blocks)
	}
	blocks := make([]Block, 0, n)
	for i := range messages {
		m := &messages[i]
		m.Blocks, blocks = carve(m.Blocks, blocks)
		m.unshare()
	}
	return messages
}

func cloneGroups(groups []AtomicGroup) []AtomicGroup {
	groups = slices.Clone(groups)
	n := 0
	for i := range groups {
		n += len(groups[i].MessageIDs) + len(groups[i].ToolCallIDs)
	}
	ids := make([]string, 0, n)
	for i := range groups {
		g := &groups[i]
		g.MessageIDs, ids = carve(g.MessageIDs, ids)
		g.ToolCallIDs, ids = carve(g.ToolCallIDs, ids)
	}
	return groups
}

// carve copies a list into a store that has room for it. The copy has no room to
// grow into what comes behind it. Nil stays nil.
func carve[T any](list, store []T) (copied, rest []T) {
	if list == nil {
		return nil, store
	}
	from := len(store)
	store = append(store, list...)
	return store[from:len(store):len(store)], store
}

// Clone returns a group that shares nothing with g.
func (g AtomicGroup) Clone() AtomicGroup {
	g.MessageIDs = slices.Clone(g.MessageIDs)
	g.ToolCallIDs = slices.Clone(g.ToolCallIDs)
	return g
}

// Clone returns a message that shares nothing mutable with m.
func (m Message) Clone() Message {
	m.Blocks = slices.Clone(m.Blocks)
	m.unshare()
	return m
}

// unshare gives a message unknown fields of its own, once it has a list of blocks
// of its own. Everything else in it cannot be changed in place. A block without
// room for unknown fields is the same value in every copy.
func (m *Message) unshare() {
	for i, b := range m.Blocks {
		if b != nil && cap(b.extra()) > 0 {
			m.Blocks[i] = b.clone()
		}
	}
	m.Provenance.Extra = m.Provenance.Extra.Clone()
	m.Flags.Extra = m.Flags.Extra.Clone()
	m.Extra = m.Extra.Clone()
}
