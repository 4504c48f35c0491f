package property

import (
	"context"
	"fmt"
	"slices"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
)

// Groups is the second law for a function that finds the atomic groups of a
// history: for any history, valid or not, it gives the groups that the contract's
// own words give (history#atomic-groups). A history for which it does not is reported
// to t as the smallest one, and the test ends. A panic of the function is rapid's to
// report.
//
// The order of groups is judged with [Options.Should] alone.
func Groups(t TB, groups func([]history.Message) []history.AtomicGroup, o Options) {
	t.Helper()
	law := &search[past]{
		options: o, cases: o.cases(check.Subject{}), name: "history", draw: lawless,
		judge: func(_ context.Context, in past, _ bool) verdict {
			return judgeGroups(oracle(in.messages), groups(clones(in.messages)), o.Should)
		},
	}
	law.run(t)
}

// The codes of the law about groups, as the checks of the same clause have them.
const (
	codeGroupMissing  check.Code = "group-missing"
	codeGroupAdded    check.Code = "group-added"
	codeGroupID       check.Code = "group-id-wrong"
	codeGroupMembers  check.Code = "group-members-wrong"
	codeGroupCalls    check.Code = "group-calls-wrong"
	codeGroupComplete check.Code = "group-complete-wrong"
	codeGroupOrder    check.Code = "group-order-wrong"
)

// judgeGroups holds groups against those of the oracle. Groups are told apart by
// their first message, which is in no other.
func judgeGroups(want, got []history.AtomicGroup, order bool) verdict {
	v := verdict{seen: fmt.Sprintf("%d groups, right are %d", len(got), len(want))}
	add := func(code check.Code, g history.AtomicGroup) {
		v.found = append(v.found, finding{code, fmt.Sprintf("group of %s", g.MessageIDs[0])})
	}
	left := slices.Clone(got)
	sequence := true
	for _, w := range want {
		i := slices.IndexFunc(left, func(g history.AtomicGroup) bool { return slices.Contains(g.MessageIDs, w.MessageIDs[0]) })
		if i < 0 {
			add(codeGroupMissing, w)
			continue
		}
		sequence = sequence && i == 0
		g := left[i]
		left = slices.Delete(left, i, i+1)
		if !slices.Equal(g.MessageIDs, w.MessageIDs) {
			add(codeGroupMembers, w)
		} else if g.ID != w.ID {
			add(codeGroupID, w)
		}
		if !slices.Equal(g.ToolCallIDs, w.ToolCallIDs) {
			add(codeGroupCalls, w)
		}
		if g.Complete != w.Complete {
			add(codeGroupComplete, w)
		}
	}
	if len(left) > 0 {
		v.found = append(v.found, finding{codeGroupAdded, fmt.Sprintf("%d of them", len(left))})
	}
	if order && len(v.found) == 0 && !sequence {
		v.found = append(v.found, finding{code: codeGroupOrder})
	}
	return v
}
