package historytest

import (
	"context"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/adaptercheck/adaptercheck/fakes"
)

func rebuildChecks() []check.Check {
	return []check.Check{
		// Derived state can be thrown away: what comes back is the same.
		{
			ID: "history.rebuild.reproduces", Case: "rebuild", Clause: "history#rebuild-reproduces",
			Level: check.Must, Provenance: check.Stated,
			Codes: codes("rebuild-refused", "rebuild-identity-changed", "rebuild-root-changed", "rebuild-revision-changed", "rebuild-messages-changed", "rebuild-groups-changed"),
			Title: "reproduces the snapshot when it rebuilds",
			Run:   with(func(ctx context.Context, t *T) { t.reproduces(ctx, t.alive(ctx)) }, parallel),
		},
		// The same again, and the snapshot after it.
		{
			ID: "history.rebuild.repeatable", Case: "rebuild", Clause: "history#rebuild-reproduces",
			Level: check.Must, Provenance: check.Stated,
			Codes: codes("rebuild-refused", "rebuild-identity-changed", "rebuild-root-changed", "rebuild-revision-changed", "rebuild-messages-changed", "rebuild-groups-changed", "snapshot-after-rebuild-changed"),
			Title: "can be rebuilt again and again",
			Run: with(func(ctx context.Context, t *T) {
				first := t.alive(ctx)
				for range 3 {
					t.reproduces(ctx, first)
				}
				s := t.snapshot(ctx)
				t.demand(s.Revision == first.Revision && sameContent(first.Messages, s.Messages), "snapshot-after-rebuild-changed", "revision %q", s.Revision)
			}),
		},
		// A rebuild reads the source again; it does not hand out what was kept.
		{
			ID: "history.rebuild.replays-source", Case: "rebuild", Clause: "history#rebuild-replays",
			Level: check.Must, Provenance: check.Stated, Needs: []check.Feature{fakes.Source, fakes.Append},
			Codes: codes("rebuild-stale"),
			Title: "reads the source again when it rebuilds",
			Run: with(func(ctx context.Context, t *T) {
				t.alive(ctx)
				t.rebuild(ctx)
				for range 2 {
					t.grow(ctx)
					got := t.rebuild(ctx)
					t.demand(sameContent(t.Fixture.Messages, got.Messages), "rebuild-stale", "%d messages of %d", len(got.Messages), len(t.Fixture.Messages))
				}
			}),
		},
		// A rebuild leaves the canonical file alone.
		{
			ID: "history.rebuild.preserves-source", Case: "rebuild", Clause: "history#rebuild-preserves",
			Level: check.Must, Provenance: check.Stated, Needs: []check.Feature{fakes.Source}, Codes: untouchedCodes,
			Title: "leaves the canonical file alone when it rebuilds",
			Run: with(func(ctx context.Context, t *T) {
				s := t.stamp()
				t.alive(ctx)
				t.rebuild(ctx)
				t.untouched(s, "a rebuild")
				t.alive(ctx)
			}),
		},
		// A rebuild of a corrupt source is an error and destroys nothing.
		{
			ID: "history.rebuild.refuses-corrupt", Case: "rebuild", Clause: "history#snapshot-refuses",
			Level: check.Must, Provenance: check.Stated, Needs: []check.Feature{fakes.Source},
			Codes: codes("corrupt-source-accepted", "torn-source-accepted", "source-repaired"),
			Title: "refuses to rebuild from a corrupt source",
			Run: with(func(ctx context.Context, t *T) {
				t.refuses(ctx, (*T).tryRebuild, damage{"garbled", "corrupt-source-accepted", garbled}, damage{"torn", "torn-source-accepted", torn})
			}),
		},
		// What a rebuild returns belongs to the caller too.
		{
			ID: "history.rebuild.owned", Case: "rebuild", Clause: "history#snapshot-owned",
			Level: check.Must, Provenance: check.Implied, Needs: []check.Feature{fakes.InProcess}, Codes: codes("rebuild-shared"),
			Title: "gives each caller a rebuilt snapshot of its own",
			Run: with(func(ctx context.Context, t *T) {
				t.alive(ctx)
				scribble(t.rebuild(ctx))
				got := t.snapshot(ctx)
				t.demand(sameContent(t.Fixture.Messages, got.Messages) && sameGroups(history.AtomicGroups(t.Fixture.Messages), got.ToolAtomicGroups),
					"rebuild-shared", "a change by the caller came back")
			}),
		},
	}
}

// reproduces rebuilds and holds the result against the first snapshot and against
// the fixture.
func (t *T) reproduces(ctx context.Context, first history.Snapshot) {
	got, err := t.tryRebuild(ctx)
	t.demand(err == nil, "rebuild-refused", "%v", err)
	t.expect(got.RuntimeID == first.RuntimeID && got.SessionID == first.SessionID && got.SchemaVersion == first.SchemaVersion, "rebuild-identity-changed", "%q %q", got.RuntimeID, got.SessionID)
	t.expect(got.ProjectRoot == first.ProjectRoot, "rebuild-root-changed", "got %q", got.ProjectRoot)
	t.expect(got.Revision == first.Revision, "rebuild-revision-changed", "got %q, want %q", got.Revision, first.Revision)
	t.expect(sameContent(first.Messages, got.Messages) && equalIDs(t.Fixture.Messages, got.Messages), "rebuild-messages-changed", "got %v", ids(got.Messages))
	t.expect(sameGroups(first.ToolAtomicGroups, got.ToolAtomicGroups), "rebuild-groups-changed", "%d groups", len(got.ToolAtomicGroups))
	t.Stop()
}
