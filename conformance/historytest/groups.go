package historytest

import (
	"context"
	"slices"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
)

func groupChecks() []check.Check {
	return []check.Check{
		// Calls and results that belong together are one group, whose id follows from
		// its messages. The order of groups is free.
		{
			ID: "history.canonical.groups", Case: "canonical-history", Clause: "history#atomic-groups",
			Level: check.Must, Provenance: check.Stated, Codes: groupCodes,
			Title: "groups each tool call with its result",
			Run:   each(func(ctx context.Context, t *T) { t.compareGroups(t.snapshot(ctx).ToolAtomicGroups) }, plainly, generated),
		},
		// Calls made in one message, and results given in one, cannot be parted.
		{
			ID: "history.canonical.parallel-batch", Case: "canonical-history", Clause: "history#parallel-batch",
			Level: check.Must, Provenance: check.Stated, Codes: append(codes("parallel-batch-split"), groupCodes...),
			Title: "keeps a batch of parallel calls in one group",
			Run: with(func(ctx context.Context, t *T) {
				got := t.snapshot(ctx).ToolAtomicGroups
				for _, w := range history.AtomicGroups(t.Fixture.Messages) {
					touched := 0
					for _, g := range got {
						if slices.ContainsFunc(w.ToolCallIDs, func(id string) bool { return slices.Contains(g.ToolCallIDs, id) }) {
							touched++
						}
					}
					t.expect(touched < 2, "parallel-batch-split", "%d groups", touched)
				}
				t.Stop()
				t.compareGroups(got)
			}, parallel),
		},
		// A call that has no result yet is a group that is not complete: shown as
		// complete it would be replayed as if it had been answered.
		{
			ID: "history.canonical.live-call", Case: "canonical-history", Clause: "history#live-call",
			Level: check.Must, Provenance: check.Implied, Codes: append(codes("live-call-complete", "live-call-lost"), groupCodes...),
			Title: "shows a call without result as not complete",
			Run: with(func(ctx context.Context, t *T) {
				s := t.snapshot(ctx)
				last := t.Fixture.Messages[len(t.Fixture.Messages)-1]
				call := last.Blocks[0].(history.ToolCall).ID
				t.demand(slices.Contains(ids(s.Messages), last.ID), "live-call-lost", "the message is not there")
				for _, g := range s.ToolAtomicGroups {
					if slices.Contains(g.ToolCallIDs, call) {
						t.demand(!g.Complete, "live-call-complete", "%s", g.ID)
					}
				}
				t.compareGroups(s.ToolAtomicGroups)
			}, live),
		},
	}
}

var groupCodes = codes("group-missing", "group-added", "group-id-wrong", "group-members-wrong", "group-calls-wrong", "group-complete-wrong")

// compareGroups holds the groups against those of the fixture, as sets. Groups are
// told apart by the call ids that they have in common.
func (t *T) compareGroups(got []history.AtomicGroup) {
	want := history.AtomicGroups(t.Fixture.Messages)
	t.require(len(want) > 0, "the fixture has no groups")
	of, matched := map[string]int{}, map[int]bool{}
	for i, g := range got {
		for _, id := range g.ToolCallIDs {
			of[id] = i
		}
	}
	for _, w := range want {
		i, ok := of[w.ToolCallIDs[0]]
		if !ok || matched[i] {
			t.Notef("group-missing", "%s", w.ID)
			continue
		}
		matched[i] = true
		g := got[i]
		t.expect(g.ID == w.ID, "group-id-wrong", "got %q, want %q", g.ID, w.ID)
		t.expect(slices.Equal(g.MessageIDs, w.MessageIDs), "group-members-wrong", "got %v", g.MessageIDs)
		t.expect(slices.Equal(g.ToolCallIDs, w.ToolCallIDs), "group-calls-wrong", "got %v", g.ToolCallIDs)
		t.expect(g.Complete == w.Complete, "group-complete-wrong", "%s: %v", g.ID, g.Complete)
	}
	t.expect(len(matched) == len(got), "group-added", "%d of %d", len(got)-len(matched), len(got))
}
