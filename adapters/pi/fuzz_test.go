package pi

import (
	"context"
	"errors"
	"io/fs"
	"testing"

	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/adaptercheck/adaptercheck/fixtures"
)

// A session file is refused, or gives messages that a snapshot may hold.
func FuzzParse(f *testing.F) {
	const header = `{"type":"session","version":3,"id":"s1","timestamp":"2027-01-15T08:00:00.000Z","cwd":"/p"}` + "\n"
	recordings := fixtures.Recordings("pi-sessions")
	names, err := fs.Glob(recordings, "*.jsonl")
	if err != nil || len(names) == 0 {
		f.Fatalf("no recorded sessions: %v", err)
	}
	for _, name := range names {
		data, err := fs.ReadFile(recordings, name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	for _, seed := range []string{
		"", "\n", header, header + "{}\n", header + `{"type":"message","id":"a","parentId":"a"}` + "\n",
		header + `{"type":"message","id":"a","parentId":null,"timestamp":"2027-01-15T08:00:01.500Z","message":{"role":"user","content":"hi"}}` + "\n",
	} {
		f.Add([]byte(seed))
	}
	ctx := context.Background()
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := parse(ctx, data, 1000)
		if err != nil {
			return
		}
		branch, err := s.branch("")
		if err != nil {
			return
		}
		messages, err := convert(ctx, s.id, branch)
		if err != nil {
			return
		}
		for _, g := range history.AtomicGroups(messages) {
			if len(g.MessageIDs) == 0 {
				t.Error("a group of nothing")
			}
		}
		if _, err := revisionOf(ctx, branch); err != nil && !errors.Is(err, errFormat) {
			t.Errorf("a revision of what was read: %v", err)
		}
	})
}
