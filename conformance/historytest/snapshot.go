package historytest

import (
	"context"
	"slices"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/adaptercheck/adaptercheck/fakes"
)

func snapshotChecks() []check.Check {
	return append([]check.Check{
		// A snapshot names its schema.
		{
			ID: "history.canonical.schema-version", Case: "canonical-history", Clause: "history#schema-version",
			Level: check.Must, Provenance: check.Stated, Codes: codes("schema-version-wrong"),
			Title: "names the schema of its snapshots exactly",
			Run: with(func(ctx context.Context, t *T) {
				got := t.snapshot(ctx).SchemaVersion
				t.demand(got == history.SchemaVersion, "schema-version-wrong", "got %q", got)
			}),
		},
		// A snapshot says whose history it is.
		{
			ID: "history.canonical.identity", Case: "canonical-history", Clause: "history#snapshot-identity",
			Level: check.Must, Provenance: check.Stated, Codes: codes("snapshot-runtime-wrong", "snapshot-session-wrong"),
			Title: "names runtime and session in its snapshots",
			Run: with(func(ctx context.Context, t *T) {
				got := t.snapshot(ctx)
				t.expect(got.RuntimeID == t.Fixture.RuntimeID, "snapshot-runtime-wrong", "got %q", got.RuntimeID)
				t.expect(got.SessionID == t.Fixture.SessionID, "snapshot-session-wrong", "got %q", got.SessionID)
			}),
		},
		// There is one root: the snapshot's is the trusted one.
		{
			ID: "history.canonical.project-root", Case: "canonical-history", Clause: "history#one-root",
			Level: check.Must, Provenance: check.Stated, Codes: codes("snapshot-root-differs"),
			Title: "gives the trusted root in its snapshots",
			Run: with(func(ctx context.Context, t *T) {
				root, got := t.root(ctx), t.snapshot(ctx).ProjectRoot
				t.require(!blank(root), "there is no trusted root")
				t.demand(got == root, "snapshot-root-differs", "got %q, trusted is %q", got, root)
			}),
		},
		// The history is complete and in order.
		{
			ID: "history.canonical.messages", Case: "canonical-history", Clause: "history#message-order",
			Level: check.Must, Provenance: check.Stated, Codes: messageCodes,
			Title: "gives every message of the history, in order",
			Run:   with(func(ctx context.Context, t *T) { t.complain(t.snapshot(ctx).Messages) }),
		},
		// The same for a longer history with every kind of message.
		{
			ID: "history.canonical.messages-rich", Case: "canonical-history", Clause: "history#message-order",
			Level: check.Must, Provenance: check.Stated, Codes: messageCodes,
			Title: "gives every message of a history with all roles and blocks, in order",
			Run:   each(func(ctx context.Context, t *T) { t.complain(t.snapshot(ctx).Messages) }, rich, generated),
		},
		// And for a long one.
		{
			ID: "history.canonical.messages-many", Case: "canonical-history", Clause: "history#message-order",
			Level: check.Must, Provenance: check.Stated, Codes: messageCodes,
			Title: "gives every message of a long history, in order",
			Run:   with(func(ctx context.Context, t *T) { t.complain(t.snapshot(ctx).Messages) }, long),
		},
		// A session in which nothing was said yet has a history, which is empty.
		{
			ID: "history.canonical.empty", Case: "canonical-history", Clause: "history#empty-history",
			Level: check.Must, Provenance: check.Implied, Codes: codes("empty-history-refused", "message-added", "group-added"),
			Title: "gives the empty history of a session that has just begun",
			Run: with(func(ctx context.Context, t *T) {
				s, err := t.trySnapshot(ctx)
				t.demand(err == nil, "empty-history-refused", "%v", err)
				t.require(s.SessionID == t.Fixture.SessionID && !blank(s.Revision), "the snapshot does not say whose it is")
				t.expect(len(s.Messages) == 0, "message-added", "%d messages", len(s.Messages))
				t.expect(len(s.ToolAtomicGroups) == 0, "group-added", "%d groups", len(s.ToolAtomicGroups))
			}, empty),
		},
		// What is returned belongs to the caller; nothing it does to a snapshot becomes
		// history.
		{
			ID: "history.canonical.snapshot-owned", Case: "canonical-history", Clause: "history#snapshot-owned",
			Level: check.Must, Provenance: check.Implied, Needs: []check.Feature{fakes.InProcess}, Codes: codes("snapshot-shared"),
			Title: "gives each caller a snapshot of its own",
			Run: with(func(ctx context.Context, t *T) {
				scribble(t.alive(ctx))
				scribble(t.snapshot(ctx))
				got := t.snapshot(ctx)
				t.demand(sameContent(t.Fixture.Messages, got.Messages) && sameGroups(history.AtomicGroups(t.Fixture.Messages), got.ToolAtomicGroups),
					"snapshot-shared", "a change by the caller came back")
			}),
		},
		// Reading is reading: the canonical file is not written, not even with the bytes
		// that it holds.
		{
			ID: "history.canonical.read-only", Case: "canonical-history", Clause: "history#read-only",
			Level: check.Must, Provenance: check.Stated, Needs: []check.Feature{fakes.Source}, Codes: untouchedCodes,
			Title: "leaves the canonical file alone when it reads",
			Run: with(func(ctx context.Context, t *T) {
				s := t.stamp()
				t.alive(ctx)
				t.snapshot(ctx)
				t.untouched(s, "two snapshots")
			}),
		},
		// Several readers see the same.
		{
			ID: "history.canonical.concurrent", Case: "canonical-history", Clause: "history#concurrent-reads",
			Level: check.Must, Provenance: check.Decided, Codes: codes("concurrent-reads-differ"),
			Title: "gives concurrent readers the same history",
			Run: with(func(ctx context.Context, t *T) {
				first := t.alive(ctx)
				got := gather(ctx, t, 6, func(ctx context.Context, i int) (history.Snapshot, error) {
					if i%2 == 1 {
						return t.Adapter.RebuildDerivedState(ctx)
					}
					return t.Adapter.SnapshotHistory(ctx)
				})
				for _, s := range got {
					t.demand(s.Revision == first.Revision && sameContent(t.Fixture.Messages, s.Messages) && sameGroups(first.ToolAtomicGroups, s.ToolAtomicGroups),
						"concurrent-reads-differ", "revision %q", s.Revision)
				}
			}),
		},
	}, validityChecks()...)
}

// validityChecks cut the contract's own validator into its clauses.
func validityChecks() []check.Check {
	valid := func(id, clause, title string, code check.Code, issues ...history.IssueCode) check.Check {
		return check.Check{
			ID: "history.canonical." + id, Case: "canonical-history", Clause: "history#" + clause,
			Level: check.Must, Provenance: check.Stated, Codes: codes(code), Title: title,
			Run: with(func(ctx context.Context, t *T) {
				s := t.snapshot(ctx)
				t.require(len(s.Messages) > 0, "the snapshot is empty")
				for _, issue := range history.Validate(s) {
					t.expect(!slices.Contains(issues, issue.Code), code, "%s", issue.Code)
				}
			}, parallel),
		}
	}
	return []check.Check{
		// Message ids tell messages apart.
		valid("message-ids", "message-identity", "gives every message an id of its own", "message-id-invalid",
			history.IssueMessageIDDuplicate, history.IssueMessageIDMissing),
		// A call has an id that no other call has.
		valid("call-ids", "call-identity", "gives every tool call an id of its own", "call-id-invalid", history.IssueCallIdentityInvalid),
		// A result answers a call of the history.
		valid("result-ids", "result-identity", "ties every tool result to a call", "result-orphaned", history.IssueResultOrphaned),
		// The snapshot as a whole stands up to the contract's rules.
		valid("valid", "snapshot-valid", "gives snapshots that the contract's validation accepts", "snapshot-invalid", history.IssueCodes()...),
	}
}

var messageCodes = codes("message-missing", "message-added", "message-order")

// complain reports what is wrong with the list of messages as a list.
func (t *T) complain(got []history.Message) {
	want, have := ids(t.Fixture.Messages), ids(got)
	left := map[string]int{}
	for _, id := range want {
		left[id]++
	}
	for _, id := range have {
		left[id]--
		if left[id] < 0 {
			t.Notef("message-added", "%s", id)
			break
		}
	}
	for _, id := range want {
		if left[id] > 0 {
			t.Notef("message-missing", "%s", id)
			break
		}
	}
	t.Stop()
	t.demand(slices.Equal(want, have), "message-order", "%d messages", len(have))
}

// scribble changes everything in a snapshot that can be reached.
func scribble(s history.Snapshot) {
	for i := range s.Messages {
		m := &s.Messages[i]
		for k := range m.Blocks {
			m.Blocks[k] = history.Text{Text: "changed"}
		}
		for k := range m.Extra {
			m.Extra[k].Value = "null"
		}
		m.ID, m.Role = "changed", history.Custom
	}
	for i := range s.ToolAtomicGroups {
		g := &s.ToolAtomicGroups[i]
		for k := range g.MessageIDs {
			g.MessageIDs[k] = "changed"
		}
		for k := range g.ToolCallIDs {
			g.ToolCallIDs[k] = "changed"
		}
		g.ID = "changed"
	}
}
