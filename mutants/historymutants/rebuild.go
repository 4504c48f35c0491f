package historymutants

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
)

func rebuildMutants() []Mutant {
	const same, again, keep, corrupt = "history.rebuild.reproduces", "history.rebuild.repeatable", "history.rebuild.preserves-source", "history.rebuild.refuses-corrupt"
	// rebuilt changes what a rebuild gives.
	rebuilt := func(change func(b built, s *history.Snapshot) error) func() check.Subject {
		return hooked(func(b built) hooks {
			return hooks{rebuild: func(ctx context.Context, in history.Adapter) (history.Snapshot, error) {
				s, err := in.RebuildDerivedState(ctx)
				if err == nil {
					err = change(b, &s)
				}
				return s, err
			}}
		})
	}
	// later changes from the second rebuild on.
	later := func(change func(s *history.Snapshot)) func() check.Subject {
		return hooked(func(built) hooks {
			n := 0
			return hooks{rebuild: func(ctx context.Context, in history.Adapter) (history.Snapshot, error) {
				s, err := in.RebuildDerivedState(ctx)
				if n++; n > 1 && err == nil {
					change(&s)
				}
				return s, err
			}}
		})
	}
	return []Mutant{
		{"history-R01", "gives back its cached snapshot", "history.rebuild.replays-source", "rebuild-stale",
			hooked(func(built) hooks {
				var kept *history.Snapshot
				return hooks{rebuild: func(ctx context.Context, in history.Adapter) (history.Snapshot, error) {
					if kept == nil {
						s, err := in.RebuildDerivedState(ctx)
						if err != nil {
							return s, err
						}
						kept = &s
					}
					return kept.Clone(), nil
				}}
			})},
		{"history-R02", "deletes the canonical file when it has rebuilt", keep, "source-deleted",
			rebuilt(func(b built, _ *history.Snapshot) error { return os.Remove(b.path()) })},
		{"history-rebuild-compacts", "leaves old records out of the canonical file", keep, "source-changed",
			rebuilt(func(b built, _ *history.Snapshot) error {
				now, _ := os.ReadFile(b.path())
				return os.WriteFile(b.path(), now[:len(now)/2], 0o600)
			})},
		{"history-rebuild-replaces", "puts a copy in the canonical file's place", keep, "source-rewritten",
			rebuilt(func(b built, _ *history.Snapshot) error {
				now, _ := os.ReadFile(b.path())
				copied := filepath.Join(b.f.Dir, "copy")
				return errors.Join(os.WriteFile(copied, now, 0o600), os.Rename(copied, b.path()))
			})},
		{"history-R04", "drops the last message", same, "rebuild-messages-changed",
			rebuilt(func(_ built, s *history.Snapshot) error { s.Messages = s.Messages[:len(s.Messages)-1]; return nil })},
		{"history-R05", "cannot rebuild", same, "rebuild-refused",
			rebuilt(func(built, *history.Snapshot) error { return errors.ErrUnsupported })},
		{"history-rebuild-panics", "panics when it rebuilds", same, "rebuild-threw",
			rebuilt(func(built, *history.Snapshot) error { panic("not implemented") })},
		{"history-rebuild-hangs", "never finishes to rebuild", same, "rebuild-hung",
			hooked(func(built) hooks {
				return hooks{rebuild: func(ctx context.Context, _ history.Adapter) (history.Snapshot, error) {
					<-ctx.Done()
					return history.Snapshot{}, ctx.Err()
				}}
			})},
		{"history-R07", "has another revision when it has rebuilt", same, "rebuild-revision-changed",
			rebuilt(func(_ built, s *history.Snapshot) error { s.Revision += "-rebuilt"; return nil })},
		{"history-rebuild-groups", "forgets groups", same, "rebuild-groups-changed",
			rebuilt(func(_ built, s *history.Snapshot) error { s.ToolAtomicGroups = s.ToolAtomicGroups[:1]; return nil })},
		{"history-rebuild-identity", "forgets whose history it is", same, "rebuild-identity-changed",
			rebuilt(func(_ built, s *history.Snapshot) error { s.RuntimeID = ""; return nil })},
		{"history-rebuild-root", "forgets the root", same, "rebuild-root-changed",
			rebuilt(func(_ built, s *history.Snapshot) error { s.ProjectRoot = "/"; return nil })},
		{"history-rebuild-text", "loses texts", same, "rebuild-messages-changed",
			rebuilt(func(_ built, s *history.Snapshot) error { s.Messages[0].Blocks = nil; return nil })},
		{"history-rebuild-second", "loses messages at the second rebuild", again, "rebuild-messages-changed",
			later(func(s *history.Snapshot) { s.Messages = s.Messages[1:] })},
		{"history-rebuild-after", "reads badly after a rebuild", again, "snapshot-after-rebuild-changed",
			hooked(func(built) hooks {
				rebuilt := false
				return hooks{
					rebuild: func(ctx context.Context, in history.Adapter) (history.Snapshot, error) {
						rebuilt = true
						return in.RebuildDerivedState(ctx)
					},
					snapshot: func(ctx context.Context, in history.Adapter) (history.Snapshot, error) {
						s, err := in.SnapshotHistory(ctx)
						if rebuilt && err == nil {
							s.Revision += "+1"
						}
						return s, err
					},
				}
			})},
		{"history-rebuild-memory", "rebuilds from memory when the source is corrupt", corrupt, "corrupt-source-accepted", remembering(exists)},
		{"history-rebuild-repairs", "restores a corrupt source when it rebuilds", corrupt, "source-repaired",
			mending(func(good, now []byte) []byte { return good })},
		{"history-rebuild-shared", "hands out what it keeps", "history.rebuild.owned", "rebuild-shared",
			reads(func(built) reading {
				var kept *history.Snapshot
				return func(ctx context.Context, next next) (history.Snapshot, error) {
					if kept == nil {
						s, err := next(ctx)
						if err != nil {
							return s, err
						}
						kept = &s
						return kept.Clone(), nil
					}
					return *kept, nil
				}
			})},
	}
}
