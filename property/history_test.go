package property_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/adaptercheck/adaptercheck/property"
	"github.com/adaptercheck/adaptercheck/reference"
)

func TestGroupsHoldForTheContractsOwn(t *testing.T) {
	property.Groups(t, history.AtomicGroups, property.Options{Should: true, Cases: 1000})
}

// jsonl is a subject over the reference runtime whose snapshots pass through bend.
func jsonl(bend func(*history.Snapshot)) check.Subject {
	return check.Subject{
		Name: "jsonl",
		History: func(_ context.Context, f check.Fixture) (*check.HistoryInstance, error) {
			path := filepath.Join(f.Dir, "session.jsonl")
			if err := reference.Create(reference.CreateOptions{
				Path: path, RuntimeID: f.RuntimeID, SessionID: f.SessionID, ProjectRoot: f.Root, Messages: f.Messages,
			}); err != nil {
				return nil, err
			}
			a, err := reference.New(reference.Options{
				Path: path, RuntimeID: f.RuntimeID, SessionID: f.SessionID, ProjectRoot: f.Root, Transport: f.Transport,
			})
			if err != nil {
				return nil, err
			}
			return &check.HistoryInstance{Adapter: bentHistory{a, bend}, Root: f.Root}, nil
		},
	}
}

type bentHistory struct {
	history.Adapter
	bend func(*history.Snapshot)
}

func (b bentHistory) SnapshotHistory(ctx context.Context) (history.Snapshot, error) {
	s, err := b.Adapter.SnapshotHistory(ctx)
	if err == nil && b.bend != nil {
		b.bend(&s)
	}
	return s, err
}

func TestHistoryHoldsForTheReferenceRuntime(t *testing.T) {
	property.History(t, jsonl(nil), property.Options{Should: true})
}

// Everything that a law has made is removed, and every adapter is shut down.
func TestHistoryReleases(t *testing.T) {
	var adapters []history.Adapter
	var dirs []string
	s := jsonl(nil)
	build := s.History
	s.History = func(ctx context.Context, f check.Fixture) (*check.HistoryInstance, error) {
		in, err := build(ctx, f)
		adapters, dirs = append(adapters, in.Adapter), append(dirs, filepath.Dir(f.Dir))
		return in, err
	}
	property.History(t, s, property.Options{Cases: 3})
	if len(dirs) != 3 {
		t.Fatalf("%d subjects, want 3", len(dirs))
	}
	for i, dir := range dirs {
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("a directory is still there: %v", err)
		}
		if _, err := adapters[i].SnapshotHistory(t.Context()); err == nil {
			t.Error("an adapter still reads")
		}
	}
}

// right applies a change to the right groups of any messages.
func right(change func([]history.AtomicGroup) []history.AtomicGroup) func([]history.Message) []history.AtomicGroup {
	return func(m []history.Message) []history.AtomicGroup { return change(history.AtomicGroups(m)) }
}

// split groups every call with its results alone, also where calls share a message.
func split(messages []history.Message) []history.AtomicGroup {
	var groups []history.AtomicGroup
	for _, g := range history.AtomicGroups(messages) {
		for _, id := range g.ToolCallIDs {
			var own []history.Message
			for _, m := range messages {
				m.Blocks = slices.DeleteFunc(slices.Clone(m.Blocks), func(b history.Block) bool {
					switch b := b.(type) {
					case history.ToolCall:
						return b.ID != id
					case history.ToolResult:
						return b.ToolCallID != id
					}
					return true
				})
				if slices.Contains(g.MessageIDs, m.ID) {
					own = append(own, m)
				}
			}
			groups = append(groups, history.AtomicGroups(own)...)
		}
	}
	return groups
}

// each changes every group.
func each(change func(*history.AtomicGroup)) func([]history.AtomicGroup) []history.AtomicGroup {
	return func(groups []history.AtomicGroup) []history.AtomicGroup {
		for i := range groups {
			change(&groups[i])
		}
		return groups
	}
}

func reversed(groups []history.AtomicGroup) []history.AtomicGroup {
	slices.Reverse(groups)
	return groups
}

func membersBackward(g *history.AtomicGroup) { slices.Reverse(g.MessageIDs) }
func callsByByte(g *history.AtomicGroup)     { slices.Sort(g.ToolCallIDs) }
func alwaysComplete(g *history.AtomicGroup)  { g.Complete = true }
func idOfCalls(g *history.AtomicGroup)       { g.ID = "runtime-tool-group:" + g.ToolCallIDs[0] }

func completeOnly(groups []history.AtomicGroup) []history.AtomicGroup {
	return slices.DeleteFunc(groups, func(g history.AtomicGroup) bool { return !g.Complete })
}

func TestGroupsFindWrongFunctions(t *testing.T) {
	for _, c := range []struct {
		name   string
		groups func([]history.Message) []history.AtomicGroup
		should bool
		code   string
		small  []string
	}{
		{"batches are split", split, false, "group-members-wrong", []string{`system call:"a" call:"B"`, `user call:"a"`}},
		{"members backward", right(each(membersBackward)), false, "group-members-wrong", []string{`system call:"a"`, `user call:"a"`}},
		{"calls by byte", right(each(callsByByte)), false, "group-calls-wrong", []string{`system call:"~～" call:"~😀"`}},
		{"always complete", right(each(alwaysComplete)), false, "group-complete-wrong", []string{`system call:"a"`}},
		{"id of calls", right(each(idOfCalls)), false, "group-id-wrong", []string{`system call:"a"`}},
		{"live calls are lost", right(completeOnly), false, "group-missing", []string{`system call:"a"`}},
		{"order of groups", right(reversed), true, "group-order-wrong", []string{`system call:"a"`, `user call:"b"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := outcome(t, func(tb property.TB) {
				property.Groups(tb, c.groups, property.Options{Seed: 7, Should: c.should, Cases: 500})
			})
			wantFailure(t, r, c.code, c.small)
		})
	}
}

func wantFailure(t *testing.T, r *recorder, code string, small []string) {
	t.Helper()
	if !r.failed || !strings.Contains(r.log.String(), code) {
		t.Fatalf("failed = %v, want a failure by %s:\n%s", r.failed, code, r.log.String())
	}
	if diff := cmp.Diff(small, r.shown()); diff != "" {
		t.Errorf("shrunk history (-want +got):\n%s\n%s", diff, r.log.String())
	}
}

// What is SHOULD does not fail a law that was not asked about it.
func TestGroupsLeaveOrderFree(t *testing.T) {
	if r := outcome(t, func(tb property.TB) { property.Groups(tb, right(reversed), property.Options{}) }); r.failed {
		t.Error(r.log.String())
	}
}

func TestHistoryFindsWrongAdapters(t *testing.T) {
	for _, c := range []struct {
		name  string
		bend  func(*history.Snapshot)
		code  string
		small []string
	}{
		{"batches are split", func(s *history.Snapshot) { s.ToolAtomicGroups = split(s.Messages) },
			"group-", []string{`assistant call:"a" call:"b"`}},
		{"live calls are complete", func(s *history.Snapshot) { each(alwaysComplete)(s.ToolAtomicGroups) },
			"group-complete-wrong", []string{`assistant call:"a"`}},
		{"the last result is lost", func(s *history.Snapshot) {
			if last := len(s.Messages) - 1; s.Messages[last].Role == history.Tool {
				s.Messages = s.Messages[:last]
				s.ToolAtomicGroups = history.AtomicGroups(s.Messages)
			}
		}, "messages-wrong", []string{`assistant call:"a"`, `tool result:"a"`}},
		{"a panic", func(s *history.Snapshot) { _ = s.ToolAtomicGroups[1] },
			"canonical-history-threw", []string{`user text`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := outcome(t, func(tb property.TB) { property.History(tb, jsonl(c.bend), property.Options{Seed: 7}) })
			wantFailure(t, r, c.code, c.small)
		})
	}
}

func TestHistoryWithoutJudgement(t *testing.T) {
	r := outcome(t, func(tb property.TB) { property.History(tb, check.Subject{Name: "executor-only"}, property.Options{}) })
	if diff := cmp.Diff("executor-only does not implement the history contract\n", r.log.String()); diff != "" || !r.failed {
		t.Errorf("failed = %v, log (-want +got):\n%s", r.failed, diff)
	}
}
