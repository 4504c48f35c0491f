package reference

import (
	"fmt"
	"strings"
	"testing"

	"github.com/adaptercheck/adaptercheck/contract/history"
)

// large is the session that the targets speak of: 100,000 messages, 38 MB.
func large(tb testing.TB) home {
	tb.Helper()
	messages := long(100_000)
	for i := range messages {
		if t, ok := messages[i].Blocks[0].(history.Text); ok {
			t.Text = strings.Repeat("some words that were said ", 8)
			messages[i].Blocks[0] = t
		}
	}
	h := newHome(tb, messages...)
	if size := len(h.bytes(tb)); size < 37e6 || size > 40e6 {
		tb.Fatalf("the session has %d bytes", size)
	}
	return h
}

// BenchmarkLarge has these targets: first under 2.5 s, again under 50 ms, append
// under 5 ms.
func BenchmarkLarge(b *testing.B) {
	h := large(b)
	b.Run("first", func(b *testing.B) {
		a := adapter(b, h.options())
		b.ReportAllocs()
		for b.Loop() {
			if _, err := a.RebuildDerivedState(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("again", func(b *testing.B) {
		a := adapter(b, h.options())
		if _, err := a.SnapshotHistory(b.Context()); err != nil {
			b.Fatal(err)
		}
		b.ReportAllocs()
		for b.Loop() {
			if _, err := a.SnapshotHistory(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("append", func(b *testing.B) {
		w := openWriter(b, WriterOptions{Path: h.path, MaxHistoryMessages: 1 << 30, MaxHistoryBytes: 1 << 30})
		for i := 0; b.Loop(); i++ {
			if err := w.Append(b.Context(), text(fmt.Sprint("new", i), "x")); err != nil {
				b.Fatal(err)
			}
		}
	})
}
