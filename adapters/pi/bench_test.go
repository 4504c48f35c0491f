package pi_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/adaptercheck/adaptercheck/adapters/pi"
)

// long lays a session of 100,000 messages, about 45 MB, a third of them with a tool
// call or its result.
func long(b *testing.B) pi.Options {
	b.Helper()
	root, err := filepath.EvalSymlinks(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	text := strings.Repeat("some words of a long story, ", 8)
	entries := make([]string, 0, 100_000)
	parent := "null"
	for i := range 100_000 {
		id := fmt.Sprintf("%08x", i)
		message := `{"role":"user","content":[{"type":"text","text":"` + text + `"}],"timestamp":1800000000000}`
		switch i % 6 {
		case 1:
			message = fmt.Sprintf(`{"role":"assistant","content":[{"type":"toolCall","id":"call-%d","name":"read","arguments":{"path":"a/b/c"}}],"api":"x","provider":"p","model":"m","usage":{"input":1,"output":2,"cost":{"total":0.5}},"stopReason":"toolUse","timestamp":1800000000000}`, i)
		case 2:
			message = fmt.Sprintf(`{"role":"toolResult","toolCallId":"call-%d","toolName":"read","content":[{"type":"text","text":%q}],"isError":false,"timestamp":1800000000000}`, i-1, text)
		}
		entries = append(entries, say(id, parent, message))
		parent = id
	}
	o := pi.Options{Path: filepath.Join(b.TempDir(), "session.jsonl"), ProjectRoot: root, Trusted: true}
	if err := os.WriteFile(o.Path, []byte(lines(root, entries...)), 0o600); err != nil {
		b.Fatal(err)
	}
	return o
}

func BenchmarkFirstSnapshot(b *testing.B) {
	o := long(b)
	b.ReportAllocs()
	for b.Loop() {
		a, err := pi.New(o)
		if err != nil {
			b.Fatal(err)
		}
		if s, err := a.SnapshotHistory(b.Context()); err != nil || len(s.Messages) != 100_000 {
			b.Fatal(len(s.Messages), err)
		}
	}
}

func BenchmarkUnchangedSnapshot(b *testing.B) {
	a, err := pi.New(long(b))
	if err != nil {
		b.Fatal(err)
	}
	if _, err := a.SnapshotHistory(b.Context()); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if s, err := a.SnapshotHistory(b.Context()); err != nil || len(s.Messages) != 100_000 {
			b.Fatal(len(s.Messages), err)
		}
	}
}
