package property

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/adaptercheck/adaptercheck/contract/history"
)

// oracle groups a history by the words of the contract, one after the other and
// with no thought for time: every pair of messages that a call id joins, and the
// closure of that.
func oracle(messages []history.Message) []history.AtomicGroup {
	calls, results := map[string][]int{}, map[string][]int{}
	tool := make([]bool, len(messages))
	for i, m := range messages {
		for _, b := range m.Blocks {
			switch b := b.(type) {
			case history.ToolCall:
				calls[b.ID], tool[i] = append(calls[b.ID], i), true
			case history.ToolResult:
				results[b.ToolCallID], tool[i] = append(results[b.ToolCallID], i), true
			}
		}
	}
	joined := make([][]bool, len(messages))
	for i := range joined {
		joined[i] = make([]bool, len(messages))
		joined[i][i] = true
	}
	for id := range calls { // a result without a call joins nothing
		all := slices.Concat(calls[id], results[id])
		for _, i := range all {
			for _, j := range all {
				joined[i][j] = true
			}
		}
	}
	for k := range joined {
		for i := range joined {
			for j := range joined {
				joined[i][j] = joined[i][j] || joined[i][k] && joined[k][j]
			}
		}
	}
	groups := []history.AtomicGroup{}
	grouped := make([]bool, len(messages))
	for first := range messages {
		if tool[first] && !grouped[first] {
			inside := joined[first]
			groups = append(groups, groupOf(messages, inside, calls, results))
			for i := range inside {
				grouped[i] = grouped[i] || inside[i]
			}
		}
	}
	return groups
}

// groupOf describes the messages that are inside.
func groupOf(messages []history.Message, inside []bool, calls, results map[string][]int) history.AtomicGroup {
	g := history.AtomicGroup{Complete: true}
	for i, m := range messages {
		if inside[i] {
			g.MessageIDs = append(g.MessageIDs, m.ID)
		}
	}
	ids := map[string]bool{}
	for _, uses := range []map[string][]int{calls, results} {
		for id, at := range uses {
			for _, i := range at {
				if inside[i] {
					ids[id] = true
				}
			}
		}
	}
	for id := range ids {
		g.ToolCallIDs = append(g.ToolCallIDs, id)
		if len(calls[id]) != 1 || len(results[id]) == 0 {
			g.Complete = false
		}
		for _, i := range slices.Concat(calls[id], results[id]) {
			if !inside[i] {
				g.Complete = false
			}
		}
	}
	slices.SortFunc(g.ToolCallIDs, func(a, b string) int {
		return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
	})
	sum := sha256.Sum256([]byte(strings.Join(g.MessageIDs, "\x00")))
	g.ID = "runtime-tool-group:" + hex.EncodeToString(sum[:])[:16]
	return g
}
