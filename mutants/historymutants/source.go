package historymutants

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
)

// reads makes a subject that reads its source otherwise, by snapshot and by
// rebuild.
func reads(make func(b built) reading) func() check.Subject {
	return hooked(func(b built) hooks {
		read := make(b)
		return hooks{
			snapshot: func(ctx context.Context, in history.Adapter) (history.Snapshot, error) {
				return read(ctx, in.SnapshotHistory)
			},
			rebuild: func(ctx context.Context, in history.Adapter) (history.Snapshot, error) {
				return read(ctx, in.RebuildDerivedState)
			},
		}
	})
}

// next is what a changed reader may use.
type next = func(context.Context) (history.Snapshot, error)

// reading is a changed reader.
type reading = func(ctx context.Context, next next) (history.Snapshot, error)

// remembering answers with the last good snapshot when a read fails in a way that
// counts.
func remembering(counts func(path string) bool) func() check.Subject {
	return reads(func(b built) reading {
		var last *history.Snapshot
		return func(ctx context.Context, next next) (history.Snapshot, error) {
			s, err := next(ctx)
			switch {
			case err == nil:
				c := s.Clone()
				last = &c
			case last != nil && counts(b.path()):
				return last.Clone(), nil
			}
			return s, err
		}
	})
}

// mending writes the canonical file anew before it reads, if the change says so.
func mending(change func(good, now []byte) []byte) func() check.Subject {
	return reads(func(b built) reading {
		good, _ := os.ReadFile(b.path())
		return func(ctx context.Context, next next) (history.Snapshot, error) {
			now, _ := os.ReadFile(b.path())
			if want := change(good, now); want != nil {
				if err := os.WriteFile(b.path(), want, 0o600); err != nil {
					return history.Snapshot{}, err
				}
			}
			return next(ctx)
		}
	})
}

// adopting reads a history that names others, as far as the change lets it. It is
// made of the plain adapter, which can be told.
func adopting(change func(own *document, read document)) func() check.Subject {
	return plainBut(func(p *plain) { p.adopt = change })
}

func exists(path string) bool { _, err := os.Stat(path); return err == nil }

func size(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return -1
	}
	return info.Size()
}

// knownCalls leaves out every result that answers no call.
func knownCalls(entries []history.Message) []history.Message {
	called := map[string]bool{}
	for _, m := range entries {
		for _, b := range m.Blocks {
			if c, ok := b.(history.ToolCall); ok {
				called[c.ID] = true
			}
		}
	}
	for i := range entries {
		entries[i].Blocks = slices.DeleteFunc(entries[i].Blocks, func(b history.Block) bool {
			r, ok := b.(history.ToolResult)
			return ok && !called[r.ToolCallID]
		})
	}
	return entries
}

func sourceMutants() []Mutant {
	const corrupt, torn, missing, foreign = "history.canonical.refuses-corrupt", "history.canonical.refuses-torn", "history.canonical.refuses-missing", "history.canonical.refuses-foreign"
	const invalid = "history.canonical.refuses-invalid"
	return []Mutant{
		{"history-orphan-dropped", "leaves out results that answer no call", invalid, "orphan-accepted",
			plainBut(func(p *plain) { p.mend = knownCalls })},
		{"history-orphan-kept", "does not look whether calls and results fit", invalid, "orphan-accepted", plainBut(func(p *plain) { p.lax = true })},
		{"history-call-reused", "does not look whether a call id is used twice", invalid, "reused-call-accepted", plainBut(func(p *plain) { p.lax = true })},
		{"history-H14", "writes the canonical file on every read, with the same bytes", "history.canonical.read-only", "source-rewritten",
			mending(func(good, _ []byte) []byte { return good })},
		{"history-read-stamps", "notes its reads in the canonical file", "history.canonical.read-only", "source-changed",
			reads(func(b built) reading {
				return func(ctx context.Context, next next) (history.Snapshot, error) {
					s, err := next(ctx)
					now, _ := os.ReadFile(b.path())
					return s, errors.Join(err, os.WriteFile(b.path(), append(bytes.TrimRight(now, "\n"), " \n"...), 0o600))
				}
			})},
		{"history-read-consumes", "moves the canonical file away when it has read it", "history.canonical.read-only", "source-deleted",
			reads(func(b built) reading {
				var kept *history.Snapshot
				return func(ctx context.Context, next next) (history.Snapshot, error) {
					if kept == nil {
						s, err := next(ctx)
						if err != nil {
							return s, err
						}
						kept = &s
						_ = os.Remove(b.path())
					}
					return kept.Clone(), nil
				}
			})},
		{"history-H19", "answers from its last good snapshot when the source is corrupt", corrupt, "corrupt-source-accepted", remembering(exists)},
		{"history-emptied", "takes an empty file for one not yet written", corrupt, "emptied-source-accepted",
			remembering(func(path string) bool { return size(path) == 0 })},
		{"history-torn-memory", "answers from memory when the last record is torn", torn, "torn-source-accepted", remembering(exists)},
		{"history-torn-skipped", "skips a torn last record", torn, "torn-source-accepted",
			mending(func(good, now []byte) []byte {
				if bytes.HasSuffix(now, []byte("\n")) {
					return nil
				}
				return now[:bytes.LastIndexByte(now, '\n')+1]
			})},
		{"history-torn-repaired", "cuts a torn last record off and refuses", torn, "source-repaired",
			reads(func(b built) reading {
				return func(ctx context.Context, next next) (history.Snapshot, error) {
					s, err := next(ctx)
					if now, _ := os.ReadFile(b.path()); err != nil && len(now) > 0 {
						_ = os.WriteFile(b.path(), now[:bytes.LastIndexByte(now, '\n')+1], 0o600)
					}
					return s, err
				}
			})},
		{"history-missing-memory", "answers from memory when the source is gone", missing, "missing-source-accepted",
			remembering(func(path string) bool { return !exists(path) })},
		{"history-missing-created", "makes an empty source where there is none", missing, "source-created",
			reads(func(b built) reading {
				return func(ctx context.Context, next next) (history.Snapshot, error) {
					s, err := next(ctx)
					if !exists(b.path()) {
						_ = os.WriteFile(b.path(), nil, 0o600)
					}
					return s, err
				}
			})},
		{"history-bad-text", "replaces broken characters when it reads", "history.canonical.refuses-bad-text", "bad-text-accepted",
			mending(func(_, now []byte) []byte {
				if fixed := bytes.ToValidUTF8(now, []byte("\ufffd")); !bytes.Equal(fixed, now) {
					return fixed
				}
				return nil
			})},
		{"history-H25", "accepts the history of another session", foreign, "foreign-session-accepted",
			adopting(func(own *document, read document) { own.Session = read.Session })},
		{"history-foreign-runtime", "accepts the history of another runtime", foreign, "foreign-runtime-accepted",
			adopting(func(own *document, read document) { own.Runtime = read.Runtime })},
		{"history-foreign-root", "accepts the history of another project", foreign, "foreign-root-accepted",
			adopting(func(own *document, read document) { own.Root = read.Root })},
		{"history-refusal-sticks", "never reads again after a refusal", "history.canonical.recovers", "refusal-sticks",
			reads(func(built) reading {
				var refused error
				return func(ctx context.Context, next next) (history.Snapshot, error) {
					if refused != nil {
						return history.Snapshot{}, refused
					}
					s, err := next(ctx)
					refused = err
					return s, err
				}
			})},
		{"history-refusal-quotes", "quotes the broken record in its error", "history.canonical.refusal-silent", "refusal-leaks",
			reads(func(b built) reading {
				return func(ctx context.Context, next next) (history.Snapshot, error) {
					s, err := next(ctx)
					if err != nil {
						now, _ := os.ReadFile(b.path())
						err = fmt.Errorf("%w: near %q", err, now)
					}
					return s, err
				}
			})},
		{"history-R08", "keeps its first snapshot for ever", "history.canonical.follows-source", "append-unseen",
			reads(func(built) reading {
				var kept *history.Snapshot
				return func(ctx context.Context, next next) (history.Snapshot, error) {
					if kept == nil {
						s, err := next(ctx)
						if err != nil {
							return s, err
						}
						kept = &s
					}
					return kept.Clone(), nil
				}
			})},
		{"history-grows-only", "keeps messages that the runtime has taken back", "history.canonical.follows-rollback", "rollback-unseen",
			reads(func(built) reading {
				var longest history.Snapshot
				return func(ctx context.Context, next next) (history.Snapshot, error) {
					s, err := next(ctx)
					if err == nil && len(s.Messages) >= len(longest.Messages) {
						longest = s
					}
					return longest.Clone(), err
				}
			})},
		{"history-revision-counts", "counts the changes of its source for a revision", "history.canonical.follows-rollback", "revision-unlike-history",
			reads(func(built) reading {
				last, n := "", 0
				return func(ctx context.Context, next next) (history.Snapshot, error) {
					s, err := next(ctx)
					if s.Revision != last {
						last = s.Revision
						n++
					}
					s.Revision = fmt.Sprintf("v%d", n)
					return s, err
				}
			})},
		{"history-append-damaged", "gives what is appended another text", "history.canonical.follows-source", "append-damaged",
			snapshots(func(s *history.Snapshot) {
				if n := len(s.Messages); n > 4 {
					s.Messages[n-1].Blocks = nil
				}
			})},
	}
}
