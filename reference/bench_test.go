package reference

import (
	"fmt"
	"testing"

	"github.com/adaptercheck/adaptercheck/contract/history"
)

var sizes = []int{1_000, 10_000, 100_000}

// long is a history of n messages, half of them pairs of a call and its result.
func long(n int) []history.Message {
	out := make([]history.Message, 0, n)
	for i := range n {
		entry := fmt.Sprint("e", i)
		switch i % 4 {
		case 2:
			out = append(out, call(entry, fmt.Sprint("t", i)))
		case 3:
			out = append(out, result(entry, fmt.Sprint("t", i-1)))
		default:
			out = append(out, text(entry, "some words that were said"))
		}
	}
	return out
}

func perMessage(b *testing.B, n int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/message")
}

func BenchmarkSnapshotFirst(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprint("messages=", n), func(b *testing.B) {
			a := adapter(b, newHome(b, long(n)...).options())
			for b.Loop() {
				if _, err := a.RebuildDerivedState(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
			perMessage(b, n)
		})
	}
}

func BenchmarkSnapshotAgain(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprint("messages=", n), func(b *testing.B) {
			a := adapter(b, newHome(b, long(n)...).options())
			if _, err := a.SnapshotHistory(b.Context()); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := a.SnapshotHistory(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
			perMessage(b, n)
		})
	}
}

// BenchmarkAppend adds to a session of n messages through one writer. The time is
// that of a write and a flush, whatever n is.
func BenchmarkAppend(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprint("messages=", n), func(b *testing.B) {
			w := openWriter(b, WriterOptions{Path: newHome(b, long(n)...).path, MaxHistoryMessages: 10 * n})
			for i := 0; b.Loop(); i++ {
				if err := w.Append(b.Context(), text(fmt.Sprint("new", i), "x")); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkCreate(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprint("messages=", n), func(b *testing.B) {
			h, messages := newHome(b), long(n)
			for i := 0; b.Loop(); i++ {
				opts := h.create(messages...)
				opts.Path = fmt.Sprint(h.path, i)
				if err := Create(opts); err != nil {
					b.Fatal(err)
				}
			}
			perMessage(b, n)
		})
	}
}
