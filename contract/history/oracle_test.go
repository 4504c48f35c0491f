package history_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/google/go-cmp/cmp"
)

// slowGroups follows the words of the contract with no thought for time: join what
// shares a call id until nothing changes.
func slowGroups(messages []history.Message) []history.AtomicGroup {
	calls, results := map[string][]int{}, map[string][]int{}
	var ids []string
	component := map[int]int{}
	for i, m := range messages {
		for _, b := range m.Blocks {
			switch b := b.(type) {
			case history.ToolCall:
				calls[b.ID] = append(calls[b.ID], i)
				ids = append(ids, b.ID)
				component[i] = i
			case history.ToolResult:
				results[b.ToolCallID] = append(results[b.ToolCallID], i)
				ids = append(ids, b.ToolCallID)
				component[i] = i
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for id := range calls {
			related := slices.Concat(calls[id], results[id])
			lowest := component[related[0]]
			for _, i := range related {
				lowest = min(lowest, component[i])
			}
			for _, i := range related {
				if component[i] != lowest {
					component[i], changed = lowest, true
				}
			}
		}
	}
	groups := []history.AtomicGroup{}
	for root := range messages {
		g := history.AtomicGroup{Complete: true}
		inside := func(i int) bool { c, tool := component[i]; return tool && c == root }
		for i, m := range messages {
			if inside(i) {
				g.MessageIDs = append(g.MessageIDs, m.ID)
			}
		}
		if g.MessageIDs == nil {
			continue
		}
		for _, id := range ids {
			if slices.ContainsFunc(slices.Concat(calls[id], results[id]), inside) {
				g.ToolCallIDs = append(g.ToolCallIDs, id)
				out := func(i int) bool { return !inside(i) }
				if len(calls[id]) != 1 || len(results[id]) == 0 || slices.ContainsFunc(results[id], out) {
					g.Complete = false
				}
			}
		}
		slices.Sort(g.ToolCallIDs)
		g.ToolCallIDs = slices.Compact(g.ToolCallIDs)
		sum := sha256.Sum256([]byte(strings.Join(g.MessageIDs, "\x00")))
		g.ID = "runtime-tool-group:" + hex.EncodeToString(sum[:])[:16]
		groups = append(groups, g)
	}
	return groups
}

// randomHistory draws from few call ids, so that everything that can happen
// between messages does.
func randomHistory(r *rand.Rand) []history.Message {
	var messages []history.Message
	for i := range r.IntN(12) {
		m := message(fmt.Sprint(i))
		for range r.IntN(4) {
			id := string(rune('a' + r.IntN(8)))
			switch r.IntN(3) {
			case 0:
				m.Blocks = append(m.Blocks, call(id))
			case 1:
				m.Blocks = append(m.Blocks, result(id))
			case 2:
				m.Blocks = append(m.Blocks, history.Text{Text: id})
			}
		}
		messages = append(messages, m)
	}
	return messages
}

func TestGroupsAgreeWithTheSlowOnes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 2000 {
		messages := randomHistory(r)
		if diff := cmp.Diff(slowGroups(messages), history.AtomicGroups(messages)); diff != "" {
			t.Fatalf("round %d (-want +got)\n%s", round, diff)
		}
	}
}

func sorted(issues []history.Issue) []string { return slices.Sorted(slices.Values(issueLines(issues))) }

// TestValidateSeesEveryChangeOfGroups holds Validate's answer about changed groups
// against what the change did.
func TestValidateSeesEveryChangeOfGroups(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for round := range 2000 {
		s := snapshot(randomHistory(r))
		if len(s.ToolAtomicGroups) == 0 {
			continue
		}
		before := history.Validate(s)
		n := r.IntN(len(s.ToolAtomicGroups))
		g := &s.ToolAtomicGroups[n]
		var want history.IssueCode
		switch r.IntN(4) {
		case 0:
			want = history.IssueGroupMismatch
			g.Complete = !g.Complete
		case 1:
			want = history.IssueGroupMismatch
			g.MessageIDs = append(g.MessageIDs, "new")
		case 2:
			want = history.IssueGroupCallUnknown
			g.ToolCallIDs = append(g.ToolCallIDs, "new")
		case 3: // no change of meaning
			slices.Reverse(g.MessageIDs)
			slices.Reverse(g.ToolCallIDs)
			g.ID = "other"
		}
		after := history.Validate(s)
		count := func(issues []history.Issue) int {
			n := 0
			for _, i := range issues {
				if i.Code == want {
					n++
				}
			}
			return n
		}
		// A group whose calls all belong to later ones is not looked at.
		owns := slices.ContainsFunc(g.ToolCallIDs, func(id string) bool {
			for _, later := range s.ToolAtomicGroups[n+1:] {
				if slices.Contains(later.ToolCallIDs, id) {
					return false
				}
			}
			return true
		})
		switch {
		case want == "" && !cmp.Equal(sorted(before), sorted(after)):
			t.Fatalf("round %d: a harmless change gives\n%s", round, cmp.Diff(sorted(before), sorted(after)))
		case want != "" && owns && count(after) <= count(before):
			t.Fatalf("round %d: %s is missing from %v", round, want, issueLines(after))
		}
	}
}
