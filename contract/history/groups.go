package history

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
)

// groupIDPrefix stands before the hash in the id of a group.
const groupIDPrefix = "runtime-tool-group:"

// AtomicGroups finds the messages that tool calls and results bind together: a
// call with its results, and whatever shares a message with one of them. Groups
// are in the order of their first messages. A history without tools gives an empty
// list, never nil. The time is linear in the number of blocks, but for sorting the
// call ids inside a group (history#atomic-groups).
func AtomicGroups(messages []Message) []AtomicGroup {
	return relationsOf(messages).groups(messages)
}

func (r *relations) groups(messages []Message) []AtomicGroup {
	of, n := r.components(len(messages))
	groups := make([]AtomicGroup, n)
	for g := range groups {
		groups[g].Complete = true
	}
	// The ids of all groups lie in two arrays, of which each group owns a part.
	byMessage, byUse := make([]int, n), make([]int, n)
	for _, g := range of {
		if g >= 0 {
			byMessage[g]++
		}
	}
	for _, u := range r.uses {
		byUse[of[u.message]]++
	}
	messageIDs, callIDs := parts(byMessage), parts(byUse)
	for i, g := range of {
		if g >= 0 {
			messageIDs[g] = append(messageIDs[g], messages[i].ID)
		}
	}
	for _, u := range r.uses {
		g, t := of[u.message], r.tools[u.id]
		callIDs[g] = append(callIDs[g], t.id)
		groups[g].Complete = groups[g].Complete && t.complete()
	}
	var scratch []byte
	for g := range groups {
		groups[g].MessageIDs = messageIDs[g]
		scratch, groups[g].ID = groupID(scratch, messageIDs[g])
		slices.SortFunc(callIDs[g], compareUnits)
		groups[g].ToolCallIDs = slices.Clip(slices.Compact(callIDs[g]))
	}
	return groups
}

// parts returns empty slices with the given capacities, side by side in one array.
func parts(sizes []int) [][]string {
	total := 0
	for _, n := range sizes {
		total += n
	}
	array := make([]string, total)
	out := make([][]string, len(sizes))
	for i, n := range sizes {
		out[i], array = array[:0:n], array[n:]
	}
	return out
}

// components joins the messages of each call and its results. It returns the
// number of components, counted from the start of the history, and which one each
// message is in, -1 for messages without tools. Results without a call join
// nothing.
func (r *relations) components(messages int) (of []int, n int) {
	parent := make([]int, messages)
	of = make([]int, messages)
	for i := range parent {
		parent[i], of[i] = i, -1
	}
	find := func(i int) int {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	for _, u := range r.uses {
		if first := r.tools[u.id].firstCall; first >= 0 {
			a, b := find(first), find(u.message)
			parent[max(a, b)] = min(a, b)
		}
	}
	// Components are counted as their first messages are met.
	for _, u := range r.uses {
		root := find(u.message)
		if of[root] < 0 {
			of[root] = n
			n++
		}
		of[u.message] = of[root]
	}
	return of, n
}

// groupID hashes the message ids, joined by NUL. It returns the scratch space for
// the next call.
func groupID(scratch []byte, messageIDs []string) ([]byte, string) {
	size := len(messageIDs)
	for _, id := range messageIDs {
		size += len(id)
	}
	scratch = slices.Grow(scratch[:0], size)
	for i, id := range messageIDs {
		if i > 0 {
			scratch = append(scratch, 0)
		}
		scratch = append(scratch, id...)
	}
	sum := sha256.Sum256(scratch)
	return scratch, groupIDPrefix + hex.EncodeToString(sum[:8])
}
