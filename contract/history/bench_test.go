package history_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/adaptercheck/adaptercheck/contract/history"
)

// longHistory has n messages, half of them pairs of a call and its result.
func longHistory(n int) []history.Message {
	messages := make([]history.Message, 0, n)
	for i := range n {
		var b history.Block
		switch i % 4 {
		case 0:
			b = history.Text{Text: "question"}
		case 1:
			b = call(fmt.Sprintf("call-%08d", i))
		case 2:
			b = result(fmt.Sprintf("call-%08d", i-1))
		case 3:
			b = history.Text{Text: "answer"}
		}
		messages = append(messages, message(fmt.Sprintf("entry-%08d", i), b))
	}
	return messages
}

// oneGroup has n messages that all belong to one group: n-1 calls in one message,
// and a message for each result.
func oneGroup(n int) []history.Message {
	messages := []history.Message{message("calls")}
	for i := range n - 1 {
		id := fmt.Sprintf("call-%08d", i)
		messages[0].Blocks = append(messages[0].Blocks, call(id))
		messages = append(messages, message(id, result(id)))
	}
	return messages
}

var sizes = []int{1_000, 10_000, 100_000}

// perMessage runs f on histories of every size and reports the time for a message,
// which stays flat where f is linear.
func perMessage(b *testing.B, build func(int) []history.Message, f func(*testing.B, []history.Message)) {
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			messages := build(n)
			b.ReportAllocs()
			b.ResetTimer()
			f(b, messages)
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/message")
		})
	}
}

func BenchmarkAtomicGroups(b *testing.B) {
	perMessage(b, longHistory, func(b *testing.B, messages []history.Message) {
		for b.Loop() {
			history.AtomicGroups(messages)
		}
	})
}

func BenchmarkAtomicGroupsOneGroup(b *testing.B) {
	perMessage(b, oneGroup, func(b *testing.B, messages []history.Message) {
		for b.Loop() {
			history.AtomicGroups(messages)
		}
	})
}

func BenchmarkValidate(b *testing.B) {
	perMessage(b, longHistory, func(b *testing.B, messages []history.Message) {
		s := snapshot(messages)
		for b.Loop() {
			history.Validate(s)
		}
	})
}

func BenchmarkValidateOneGroup(b *testing.B) {
	perMessage(b, oneGroup, func(b *testing.B, messages []history.Message) {
		s := snapshot(messages)
		for b.Loop() {
			history.Validate(s)
		}
	})
}

// BenchmarkValidateManyWrongGroups gives each call of one big group a wrong group
// of its own.
func BenchmarkValidateManyWrongGroups(b *testing.B) {
	perMessage(b, oneGroup, func(b *testing.B, messages []history.Message) {
		s := snapshot(messages)
		whole := s.ToolAtomicGroups[0]
		s.ToolAtomicGroups = nil
		for i, id := range whole.ToolCallIDs {
			s.ToolAtomicGroups = append(s.ToolAtomicGroups, history.AtomicGroup{ID: id, MessageIDs: whole.MessageIDs[i : i+1], ToolCallIDs: []string{id}})
		}
		for b.Loop() {
			history.Validate(s)
		}
	})
}

func BenchmarkAdvise(b *testing.B) {
	perMessage(b, longHistory, func(b *testing.B, messages []history.Message) {
		for b.Loop() {
			history.Advise(messages)
		}
	})
}

func BenchmarkParseMessage(b *testing.B) {
	text := []byte(withBlocks(`{"type":"text","text":"some words"}`, `{"type":"toolCall","id":"a","name":"read","arguments":{"path":"src/index.ts"}}`))
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := history.ParseMessage(text); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkMarshalMessage(b *testing.B) {
	m, err := history.ParseMessage([]byte(withBlocks(`{"type":"text","text":"some words"}`, `{"type":"toolCall","id":"a","name":"read","arguments":{"path":"src/index.ts"}}`)))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	var dst []byte
	for b.Loop() {
		if dst, err = history.AppendMessage(dst[:0], m); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkNegotiate settles n requests over n declarations. All but those of the
// registry name what nobody knows, as a newer client and a newer runtime would.
func BenchmarkNegotiate(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			declared := make([]history.Declaration, 0, n)
			requested := make([]history.Request, 0, n)
			for i := range n - len(history.Capabilities()) {
				id := history.Capability(fmt.Sprint("later-", i))
				declared = append(declared, history.Supports(id, "v1"))
				requested = append(requested, history.Request{ID: id})
			}
			for _, id := range history.Capabilities() {
				declared = append(declared, history.Supports(id, "v1"))
				requested = append(requested, history.Request{ID: id})
			}
			b.ReportAllocs()
			for b.Loop() {
				if got := history.Negotiate(declared, requested); len(got.Enabled) != len(history.Capabilities()) {
					b.Fatal(got.Enabled)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/request")
		})
	}
}

// BenchmarkRevisionOf hashes the bytes of a file of 38 MB.
func BenchmarkRevisionOf(b *testing.B) {
	source := make([]byte, 38_000_000)
	b.SetBytes(int64(len(source)))
	for b.Loop() {
		history.RevisionOf(source)
	}
}

// TestMemoryOfLongHistories bounds what groups and validation allocate, all of it
// counted whether or not it was freed. A quadratic step would show here without a
// clock.
func TestMemoryOfLongHistories(t *testing.T) {
	const n, bound = 100_000, 200 << 20
	for name, build := range map[string]func(int) []history.Message{"pairs": longHistory, "one group": oneGroup} {
		t.Run(name, func(t *testing.T) {
			messages := build(n)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			s := snapshot(messages)
			issues := history.Validate(s)
			runtime.ReadMemStats(&after)
			if len(issues) > 0 {
				t.Fatalf("%d issues, first %v", len(issues), issues[0])
			}
			if got := after.TotalAlloc - before.TotalAlloc; got > bound {
				t.Errorf("allocated %d MiB, at most %d MiB expected", got>>20, uint64(bound)>>20)
			} else {
				t.Logf("allocated %d MiB", got>>20)
			}
		})
	}
}

func BenchmarkClone(b *testing.B) {
	perMessage(b, longHistory, func(b *testing.B, messages []history.Message) {
		s := snapshot(messages)
		for b.Loop() {
			s.Clone()
		}
	})
}
