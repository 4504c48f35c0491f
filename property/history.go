package property

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"pgregory.net/rapid"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/contract/history"
)

// History is the law of an adapter's histories: the snapshot of any valid history has
// its messages in their order, and the atomic groups that the contract's own words
// give (history#message-order, history#atomic-groups). A history for which it has
// not is reported to t as the smallest one, and the test ends.
//
// The histories are such as any subject must hold: batches of calls, each answered
// at most once and after it was made, with other messages between. The order of
// groups is judged with [Options.Should] alone.
func History(t TB, s check.Subject, o Options) {
	t.Helper()
	groupLaw().hold(t, s, o)
}

func groupLaw() law[past] {
	return law[past]{
		name: "groups", profile: report.History, encode: encodePast, decode: decodePast,
		draw: func(check.Subject) func(*rapid.T) past { return lawful },
		judge: func(ctx context.Context, s check.Subject, o Options, in past, hurry bool) verdict {
			var seen sighting[history.Snapshot]
			v := execute(ctx, o, s, hurry, check.Check{
				ID: "history.laws.groups", Case: "canonical-history",
				Run: func(ctx context.Context, c *check.C) { seen.put(snapshot(ctx, c, in)) },
			})
			if snap := seen.get(); snap != nil {
				judged := judgeSnapshot(in, *snap, o.Should)
				v.found, v.seen = append(judged.found, v.found...), judged.seen
			}
			return v
		},
	}
}

// codeMessages is the code of a snapshot with other messages, or in another order.
const codeMessages check.Code = "messages-wrong"

func judgeSnapshot(in past, s history.Snapshot, order bool) verdict {
	v := judgeGroups(oracle(in.messages), s.ToolAtomicGroups, order)
	same := slices.EqualFunc(in.messages, s.Messages, func(a, b history.Message) bool { return a.ID == b.ID })
	if !same {
		where := fmt.Sprintf("%d of %d", len(s.Messages), len(in.messages))
		v.found = append([]finding{{codeMessages, where}}, v.found...)
	}
	return v
}

// snapshot lets a fresh subject read the history.
func snapshot(ctx context.Context, c *check.C, in past) history.Snapshot {
	base, err := os.MkdirTemp("", "adaptercheck-law-")
	if err != nil {
		c.Cannot(fmt.Errorf("make the fixture: %w", err))
	}
	c.Cleanup(func(context.Context) error { return os.RemoveAll(base) })
	root, dir := filepath.Join(base, "project"), filepath.Join(base, "subject")
	for _, d := range []string{root, dir} {
		if err := os.Mkdir(d, 0o700); err != nil {
			c.Cannot(fmt.Errorf("make the fixture: %w", err))
		}
	}
	fixture := check.Fixture{
		RuntimeID: historyRuntime, SessionID: historySession, Root: root, Dir: dir,
		Model:    history.Model{Provider: "laws-provider", ID: "laws-model", ContextWindow: 32_768},
		Messages: clones(in.messages),
		Transport: func(context.Context, history.TransportRequest) (any, error) {
			return nil, errors.New("no provider: the law completes nothing")
		},
	}
	// The adapter may live as long as the check does.
	instance, err := check.Await(ctx, c, c.Budgets.Check/2, func(context.Context) (*check.HistoryInstance, error) {
		return c.Subject.History(ctx, fixture)
	})
	if err == nil && (instance == nil || instance.Adapter == nil) {
		err = errors.New("the constructor returned no adapter")
	}
	if err != nil {
		c.Cannot(fmt.Errorf("build the subject: %w", err))
	}
	if instance.Close != nil {
		c.Cleanup(instance.Close)
	}
	c.Cleanup(instance.Adapter.Shutdown)
	return check.Call(ctx, c, "", c.Budgets.Call, instance.Adapter.SnapshotHistory)
}
