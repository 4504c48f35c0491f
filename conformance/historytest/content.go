package historytest

import (
	"context"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
)

func contentChecks() []check.Check {
	return []check.Check{
		// What a message says is what the runtime wrote: the same blocks, in the same
		// order, with the same content.
		{
			ID: "history.canonical.blocks", Case: "canonical-history", Clause: "history#block-fidelity",
			Level: check.Must, Provenance: check.Implied, Codes: contentCodes,
			Title: "gives the blocks of text, calls and results as they are",
			Run:   with(func(ctx context.Context, t *T) { t.compareBlocks(t.snapshot(ctx).Messages) }),
		},
		// The same for all nine kinds of block, and for text that is easily damaged.
		{
			ID: "history.canonical.blocks-rich", Case: "canonical-history", Clause: "history#block-fidelity",
			Level: check.Must, Provenance: check.Implied, Codes: contentCodes,
			Title: "gives blocks of every kind as they are",
			Run:   each(func(ctx context.Context, t *T) { t.compareBlocks(t.snapshot(ctx).Messages) }, rich, generated),
		},
		// And for blocks that are large.
		{
			ID: "history.canonical.blocks-large", Case: "canonical-history", Clause: "history#block-fidelity",
			Level: check.Must, Provenance: check.Implied, Codes: contentCodes,
			Title: "gives large blocks whole",
			Run:   with(func(ctx context.Context, t *T) { t.compareBlocks(t.snapshot(ctx).Messages) }, long),
		},
		// Who said it is kept.
		{
			ID: "history.canonical.roles", Case: "canonical-history", Clause: "history#role-fidelity",
			Level: check.Must, Provenance: check.Implied, Codes: codes("role-changed"),
			Title: "gives every message its role",
			Run: each(func(ctx context.Context, t *T) {
				t.pair(t.snapshot(ctx).Messages, func(want, got history.Message) {
					t.expect(got.Role == want.Role, "role-changed", "%s: got %s", want.ID, got.Role)
				})
			}, rich, generated),
		},
		// A message says which native entry it stands for, in both places.
		{
			ID: "history.canonical.provenance", Case: "canonical-history", Clause: "history#provenance",
			Level: check.Must, Provenance: check.Stated,
			Codes: codes("source-entry-changed", "provenance-entry-changed", "provenance-session-changed", "provenance-runtime-changed", "provenance-source-changed"),
			Title: "names the native entry that each message stands for",
			Run: each(func(ctx context.Context, t *T) {
				t.pair(t.snapshot(ctx).Messages, func(want, got history.Message) {
					w, g := want.Provenance, got.Provenance
					t.expect(got.SourceEntryID == want.SourceEntryID, "source-entry-changed", "%s: got %q", want.ID, got.SourceEntryID)
					t.expect(g.EntryID == w.EntryID, "provenance-entry-changed", "%s: got %q", want.ID, g.EntryID)
					t.expect(g.SessionID == w.SessionID, "provenance-session-changed", "%s: got %q", want.ID, g.SessionID)
					t.expect(same(g.RuntimeID, w.RuntimeID), "provenance-runtime-changed", "%s: got %s", want.ID, g.RuntimeID.Text())
					t.expect(g.Source == w.Source, "provenance-source-changed", "%s: got %q", want.ID, g.Source)
				})
			}, rich, generated),
		},
		// Marks on a message are orders to whoever reads it: keep this, do not send
		// that. One that is lost is content sent that must not be.
		{
			ID: "history.canonical.flags", Case: "canonical-history", Clause: "history#flags",
			Level: check.Must, Provenance: check.Implied, Codes: codes("flag-lost", "flag-added"),
			Title: "keeps the marks on messages",
			Run: each(func(ctx context.Context, t *T) {
				t.pair(t.snapshot(ctx).Messages, func(want, got history.Message) {
					w, g := marks(want.Flags), marks(got.Flags)
					for i := range w {
						t.expect(!w[i] || g[i], "flag-lost", "%s: flag %d", want.ID, i)
						t.expect(w[i] || !g[i], "flag-added", "%s: flag %d", want.ID, i)
					}
				})
			}, rich, generated),
		},
		// Time, writer and size of a message are passed on.
		{
			ID: "history.canonical.metadata", Case: "canonical-history", Clause: "history#message-metadata",
			Level: check.Should, Provenance: check.Implied,
			Codes: codes("created-at-changed", "message-model-changed", "token-estimate-changed", "original-role-changed"),
			Title: "passes on time, writer and size of each message",
			Run: each(func(ctx context.Context, t *T) {
				t.pair(t.snapshot(ctx).Messages, func(want, got history.Message) {
					t.expect(same(got.CreatedAt, want.CreatedAt), "created-at-changed", "%s: got %s", want.ID, got.CreatedAt.Text())
					t.expect(same(got.Provider, want.Provider) && same(got.Model, want.Model), "message-model-changed", "%s", want.ID)
					t.expect(same(got.TokenEstimate, want.TokenEstimate), "token-estimate-changed", "%s: got %s", want.ID, got.TokenEstimate.Text())
					t.expect(same(got.Provenance.OriginalRole, want.Provenance.OriginalRole), "original-role-changed", "%s", want.ID)
				})
			}, rich, generated),
		},
		// Fields that the contract does not know are passed on too.
		{
			ID: "history.canonical.unknown-fields", Case: "canonical-history", Clause: "history#unknown-fields",
			Level: check.Should, Provenance: check.Implied, Codes: codes("unknown-field-lost"),
			Title: "keeps fields that the contract does not know",
			Run: each(func(ctx context.Context, t *T) {
				t.pair(t.snapshot(ctx).Messages, func(want, got history.Message) {
					ok := keeps(want.Extra, got.Extra) && keeps(want.Provenance.Extra, got.Provenance.Extra) && keeps(want.Flags.Extra, got.Flags.Extra)
					if w, is := want.Blocks[0].(history.Text); is {
						g, _ := first(got.Blocks).(history.Text)
						ok = ok && keeps(w.Extra, g.Extra)
					}
					t.expect(ok, "unknown-field-lost", "%s", want.ID)
				})
			}, unknown, generated),
		},
	}
}

// contentCodes are what compareBlocks can report.
var contentCodes = append(codes("block-lost", "block-added"), blockCodes...)

// compareBlocks reports what became of the blocks of each message.
func (t *T) compareBlocks(got []history.Message) {
	t.pair(got, func(want, got history.Message) {
		t.expect(len(got.Blocks) >= len(want.Blocks), "block-lost", "%s: %d of %d", want.ID, len(got.Blocks), len(want.Blocks))
		t.expect(len(got.Blocks) <= len(want.Blocks), "block-added", "%s: %d for %d", want.ID, len(got.Blocks), len(want.Blocks))
		if len(got.Blocks) != len(want.Blocks) {
			return
		}
		for i, b := range want.Blocks {
			if code := judge(b, got.Blocks[i]); code != "" {
				t.Notef(code, "%s: block %d", want.ID, i)
			}
		}
	})
}

// marks lists which marks are set.
func marks(f history.Flags) []bool {
	return []bool{f.Pinned.Or(false), f.Atomic.Or(false), f.LocalOnly.Or(false), f.Synthetic.Or(false)}
}

func first(b []history.Block) history.Block {
	if len(b) == 0 {
		return nil
	}
	return b[0]
}
