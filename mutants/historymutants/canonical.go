package historymutants

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync/atomic"

	"github.com/adaptercheck/adaptercheck/contract/history"
)

func canonicalMutants() []Mutant {
	const list, stable = "history.canonical.messages", "history.canonical.revision-stable"
	return []Mutant{
		{"history-H01", "drops the last message", list, "message-missing",
			snapshots(func(s *history.Snapshot) { s.Messages = s.Messages[:len(s.Messages)-1] })},
		{"history-H02", "swaps the first two messages", list, "message-order",
			snapshots(func(s *history.Snapshot) { s.Messages[0], s.Messages[1] = s.Messages[1], s.Messages[0] })},
		{"history-message-added", "adds a message of its own", list, "message-added",
			snapshots(func(s *history.Snapshot) {
				m := s.Messages[0].Clone()
				m.ID += "-summary"
				s.Messages = append(s.Messages, m)
			})},
		{"history-message-twice", "gives the last message twice", list, "message-added",
			snapshots(func(s *history.Snapshot) { s.Messages = append(s.Messages, s.Messages[len(s.Messages)-1]) })},
		{"history-custom-dropped", "leaves out messages of a custom role", "history.canonical.messages-rich", "message-missing",
			snapshots(func(s *history.Snapshot) {
				s.Messages = slices.DeleteFunc(s.Messages, func(m history.Message) bool { return m.Role == history.Custom })
			})},
		{"history-window-of-messages", "gives the newest hundred messages", "history.canonical.messages-many", "message-missing",
			snapshots(func(s *history.Snapshot) { s.Messages = s.Messages[max(0, len(s.Messages)-100):] })},
		{"history-repetition-dropped", "drops a message that says what the one before it says", "history.canonical.messages-rich", "message-missing",
			snapshots(func(s *history.Snapshot) {
				s.Messages = slices.CompactFunc(s.Messages, func(a, b history.Message) bool {
					return a.Role == b.Role && slices.EqualFunc(a.Blocks, b.Blocks, func(x, y history.Block) bool { return reflect.DeepEqual(x, y) })
				})
			})},
		{"history-ten-thousand", "gives the newest ten thousand messages", "history.canonical.messages-most", "message-missing",
			snapshots(func(s *history.Snapshot) { s.Messages = s.Messages[max(0, len(s.Messages)-10_000):] })},
		{"history-fourteen-bits", "numbers messages in fourteen bits", "history.canonical.messages-most", "message-order",
			snapshots(func(s *history.Snapshot) {
				const most = 1 << 14
				if len(s.Messages) > most {
					s.Messages = slices.Concat(s.Messages[most:], s.Messages[:most])
				}
			})},
		{"history-long-compacted", "shortens a long history to what it says", "history.canonical.messages-most", "long-history-changed",
			snapshots(func(s *history.Snapshot) {
				for i := range s.Messages[:max(0, len(s.Messages)-5_000)] {
					if _, ok := s.Messages[i].Blocks[0].(history.ToolResult); ok {
						s.Messages[i].Blocks = []history.Block{history.Text{Text: "(see the file)"}}
					}
				}
			})},
		{"history-long-groups", "groups the newest thousand messages", "history.canonical.messages-most", "long-history-groups-wrong",
			snapshots(func(s *history.Snapshot) {
				s.ToolAtomicGroups = history.AtomicGroups(s.Messages[max(0, len(s.Messages)-1_000):])
			})},
		{"history-empty-refused", "takes a session without messages for one that is not there", "history.canonical.empty", "empty-history-refused",
			reads(func(built) reading {
				return func(ctx context.Context, next next) (history.Snapshot, error) {
					s, err := next(ctx)
					if err == nil && len(s.Messages) == 0 {
						err = errors.New("no session")
					}
					return s, err
				}
			})},
		{"history-empty-greeting", "begins an empty session with a greeting", "history.canonical.empty", "message-added",
			snapshots(func(s *history.Snapshot) {
				if len(s.Messages) == 0 {
					s.Messages = []history.Message{{ID: "greeting", Role: history.System}}
				}
			})},
		{"history-H10", "makes up a revision for every snapshot", stable, "revision-unstable",
			hooked(func(built) hooks {
				var n atomic.Int64
				return hooks{snapshot: func(ctx context.Context, in history.Adapter) (history.Snapshot, error) {
					s, err := in.SnapshotHistory(ctx)
					s.Revision = fmt.Sprintf("%s-%d", s.Revision, n.Add(1))
					return s, err
				}}
			})},
		{"history-revision-blank", "has no revision", stable, "revision-blank", snapshots(func(s *history.Snapshot) { s.Revision = " " })},
		{"history-revision-calls", "counts completions in its revision", stable, "revision-unstable",
			hooked(func(built) hooks {
				n := 0
				return hooks{
					complete: func(ctx context.Context, in history.Adapter, req history.CompletionRequest) (history.CompletionResult, error) {
						n++
						return in.Complete(ctx, req)
					},
					snapshot: func(ctx context.Context, in history.Adapter) (history.Snapshot, error) {
						s, err := in.SnapshotHistory(ctx)
						s.Revision = fmt.Sprintf("%s-%d", s.Revision, n)
						return s, err
					},
				}
			})},
		{"history-revision-ids", "makes its revision of the message ids", "history.canonical.revision-distinct", "revision-not-distinct",
			snapshots(func(s *history.Snapshot) {
				all := ""
				for _, m := range s.Messages {
					all += m.ID + "\n"
				}
				s.Revision = history.RevisionOf([]byte(all))
			})},
		{"history-revision-constant", "always has the same revision", "history.canonical.follows-source", "revision-stale",
			snapshots(func(s *history.Snapshot) { s.Revision = "1" })},
		{"history-H22", "gives another root than the trusted one", "history.canonical.project-root", "snapshot-root-differs",
			snapshots(func(s *history.Snapshot) { s.ProjectRoot += "/src" })},
		{"history-H23", "names the next version of the schema", "history.canonical.schema-version", "schema-version-wrong",
			snapshots(func(s *history.Snapshot) { s.SchemaVersion = "runtime-history-v2" })},
		{"history-snapshot-runtime", "names itself for the runtime in snapshots", "history.canonical.identity", "snapshot-runtime-wrong",
			snapshots(func(s *history.Snapshot) { s.RuntimeID = "adapter" })},
		{"history-snapshot-session", "shortens the session's id", "history.canonical.identity", "snapshot-session-wrong",
			snapshots(func(s *history.Snapshot) { s.SessionID = s.SessionID[:8] })},
		{"history-snapshot-shared", "hands out its cached snapshot", "history.canonical.snapshot-owned", "snapshot-shared",
			hooked(func(built) hooks {
				var kept *history.Snapshot
				return hooks{snapshot: func(ctx context.Context, in history.Adapter) (history.Snapshot, error) {
					if kept == nil {
						s, err := in.SnapshotHistory(ctx)
						if err != nil {
							return s, err
						}
						kept = &s
					}
					return *kept, nil
				}}
			})},
		{"history-snapshot-shallow", "copies its cached messages, but not their groups", "history.canonical.snapshot-owned", "snapshot-shared",
			hooked(func(built) hooks {
				var kept []history.AtomicGroup
				return hooks{snapshot: func(ctx context.Context, in history.Adapter) (history.Snapshot, error) {
					s, err := in.SnapshotHistory(ctx)
					if kept == nil {
						kept = s.ToolAtomicGroups
					}
					s.ToolAtomicGroups = kept
					return s, err
				}}
			})},
		{"history-K05", "never finishes a snapshot", "history.canonical.valid", "canonical-history-hung",
			hooked(func(built) hooks {
				return hooks{snapshot: func(ctx context.Context, _ history.Adapter) (history.Snapshot, error) {
					<-ctx.Done()
					return history.Snapshot{}, ctx.Err()
				}}
			})},
		{"history-snapshot-throws", "panics when it reads", "history.canonical.messages", "canonical-history-threw",
			hooked(func(built) hooks {
				return hooks{snapshot: func(context.Context, history.Adapter) (history.Snapshot, error) { panic("index out of range") }}
			})},
		{"history-one-reader", "refuses a second reader", "history.canonical.concurrent", "canonical-history-threw",
			hooked(func(built) hooks {
				var reading atomic.Int32
				meet := make(chan struct{})
				return hooks{
					snapshot: func(ctx context.Context, in history.Adapter) (history.Snapshot, error) {
						return in.SnapshotHistory(ctx)
					},
					rebuild: func(ctx context.Context, in history.Adapter) (history.Snapshot, error) {
						switch reading.Add(1) {
						case 1:
							select {
							case <-meet:
							case <-ctx.Done():
							}
							return in.RebuildDerivedState(ctx)
						case 2:
							close(meet)
						}
						return history.Snapshot{}, errors.New("busy")
					},
				}
			})},
		{"history-readers-mix", "gives the second concurrent reader half a history", "history.canonical.concurrent", "concurrent-reads-differ",
			hooked(func(built) hooks {
				var reads atomic.Int32
				return hooks{rebuild: func(ctx context.Context, in history.Adapter) (history.Snapshot, error) {
					s, err := in.RebuildDerivedState(ctx)
					if reads.Add(1) == 2 && err == nil {
						s.Messages = s.Messages[:1]
					}
					return s, err
				}}
			})},
		{"history-id-blank", "gives a message no id", "history.canonical.message-ids", "message-id-invalid",
			snapshots(func(s *history.Snapshot) { s.Messages[0].ID = "" })},
		{"history-id-twice", "gives two messages one id", "history.canonical.message-ids", "message-id-invalid",
			snapshots(func(s *history.Snapshot) { s.Messages[0].ID = s.Messages[1].ID })},
		{"history-call-id-twice", "names a batch of calls by their tool", "history.canonical.call-ids", "call-id-invalid",
			messages(func(m *history.Message) {
				for i, b := range m.Blocks {
					switch b := b.(type) {
					case history.ToolCall:
						b.ID = b.Name
						m.Blocks[i] = b
					case history.ToolResult:
						b.ToolCallID = b.ToolName
						m.Blocks[i] = b
					}
				}
			})},
		{"history-result-orphan", "ties results to nothing", "history.canonical.result-ids", "result-orphaned",
			blocks(func(b *history.ToolResult) { b.ToolCallID += "-result" })},
		{"history-invalid", "gives groups that name messages it does not give", "history.canonical.valid", "snapshot-invalid",
			snapshots(func(s *history.Snapshot) {
				s.Messages = slices.DeleteFunc(s.Messages, func(m history.Message) bool { return m.Role == history.Tool })
			})},
	}
}
