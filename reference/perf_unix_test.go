//go:build unix

package reference

import (
	"fmt"
	"strings"
	"syscall"
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

// cpu is the processor time that this process has used, in milliseconds.
func cpu(b *testing.B) float64 {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e6
}

// loop runs a step as often as the benchmark wants, and counts what it costs on all
// processors together: the collector's part of it too.
func loop(b *testing.B, step func() error) {
	b.Helper()
	b.ReportAllocs()
	before := cpu(b)
	for b.Loop() {
		if err := step(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric((cpu(b)-before)/float64(b.N), "cpu-ms/op")
}

// BenchmarkLarge has these targets: first under 2.5 s, again under 50 ms, append
// under 5 ms.
func BenchmarkLarge(b *testing.B) {
	h := large(b)
	appended := 0
	b.Run("first", func(b *testing.B) {
		a := adapter(b, h.options())
		loop(b, func() error { _, err := a.RebuildDerivedState(b.Context()); return err })
	})
	b.Run("again", func(b *testing.B) {
		a := adapter(b, h.options())
		if _, err := a.SnapshotHistory(b.Context()); err != nil {
			b.Fatal(err)
		}
		loop(b, func() error { _, err := a.SnapshotHistory(b.Context()); return err })
	})
	b.Run("append", func(b *testing.B) {
		w := openWriter(b, WriterOptions{Path: h.path, MaxHistoryMessages: 1 << 30, MaxHistoryBytes: 1 << 30})
		loop(b, func() error {
			appended++
			return w.Append(b.Context(), text(fmt.Sprint("new", appended), "x"))
		})
	})
}
