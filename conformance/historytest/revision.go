package historytest

import (
	"context"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/adaptercheck/adaptercheck/fakes"
)

func revisionChecks() []check.Check {
	return []check.Check{
		// As long as the history stands, its revision does.
		{
			ID: "history.canonical.revision-stable", Case: "canonical-history", Clause: "history#revision",
			Level: check.Must, Provenance: check.Stated, Codes: codes("revision-blank", "revision-unstable"),
			Title: "gives one revision for one history",
			Run: with(func(ctx context.Context, t *T) {
				first := t.alive(ctx).Revision
				t.demand(!blank(first), "revision-blank", "got %q", first)
				for range 3 {
					got := t.snapshot(ctx).Revision
					t.demand(got == first, "revision-unstable", "got %q, then %q", first, got)
				}
				t.talks(ctx)
				got := t.snapshot(ctx).Revision
				t.demand(got == first, "revision-unstable", "after a completion: got %q, then %q", first, got)
			}),
		},
		// Another history has another revision, even one that differs in a word.
		{
			ID: "history.canonical.revision-distinct", Case: "canonical-history", Clause: "history#revision",
			Level: check.Must, Provenance: check.Stated, Codes: codes("revision-not-distinct"),
			Title: "gives two histories two revisions",
			Run: with(func(ctx context.Context, t *T) {
				first := t.alive(ctx).Revision
				other := t.Another(ctx, like(t.Fixture), func(t *T, f *check.Fixture) {
					last := &f.Messages[len(f.Messages)-1]
					last.Blocks = []history.Block{history.Text{Text: "Another answer about " + t.word()}}
				})
				got := other.alive(ctx).Revision
				t.demand(got != first, "revision-not-distinct", "both have %q", got)
			}),
		},
		// What the runtime adds to its history is seen, under a new revision.
		{
			ID: "history.canonical.follows-source", Case: "canonical-history", Clause: "history#revision",
			Level: check.Must, Provenance: check.Stated, Needs: []check.Feature{fakes.Source, fakes.Append},
			Codes: codes("append-unseen", "append-damaged", "revision-stale"),
			Title: "sees what the runtime adds to its history",
			Run: with(func(ctx context.Context, t *T) {
				last := t.alive(ctx).Revision
				for range 3 {
					t.grow(ctx)
					s := t.snapshot(ctx)
					t.demand(len(s.Messages) >= len(t.Fixture.Messages), "append-unseen", "%d messages of %d", len(s.Messages), len(t.Fixture.Messages))
					t.demand(sameContent(t.Fixture.Messages, s.Messages), "append-damaged", "got %v", ids(s.Messages))
					t.demand(s.Revision != last, "revision-stale", "still %q", s.Revision)
					last = s.Revision
				}
			}),
		},
		// A runtime may also take back what it has added: then the history is what it was
		// before, and so is its revision.
		{
			ID: "history.canonical.follows-rollback", Case: "canonical-history", Clause: "history#revision",
			Level: check.Must, Provenance: check.Stated, Needs: []check.Feature{fakes.Source, fakes.Append},
			Codes: codes("rollback-unseen", "revision-unlike-history"),
			Title: "sees when the runtime takes back what it has added",
			Run: with(func(ctx context.Context, t *T) {
				s, was := t.stamp(), t.Fixture.Messages
				first := t.alive(ctx)
				t.grow(ctx)
				t.alive(ctx)
				t.overwrite(s.path, s.bytes, 0)
				got := t.snapshot(ctx)
				t.demand(sameContent(was, got.Messages), "rollback-unseen", "%d messages of %d", len(got.Messages), len(was))
				t.demand(got.Revision == first.Revision, "revision-unlike-history", "got %q, then %q", first.Revision, got.Revision)
			}),
		},
	}
}

// grow appends a message to the canonical history, as the runtime would, and to
// the suite's copy.
func (t *T) grow(ctx context.Context) {
	source := t.source()
	word := t.word()
	m := message(t.Fixture, "entry-"+word, history.User, history.Text{Text: "And then " + t.word() + "?"})
	if _, err := try(ctx, t, func(ctx context.Context) (struct{}, error) { return struct{}{}, source.Append(ctx, m.Clone()) }); err != nil {
		t.Cannot(err)
	}
	t.Fixture.Messages = append(t.Fixture.Messages, m)
}
