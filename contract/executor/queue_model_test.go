package executor_test

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// model is the queue in its plainest form: one slice, scanned from the front.
type model struct {
	max, hard     int
	held          []executor.Event
	ended, closed bool
	last          int64
	dropped       int
	released      int
	open          bool // whether the one run is live
	straggler     bool // whether the one run has ended
}

func soft(e executor.Event) bool {
	return e.Kind() == executor.KindTextDelta || e.Kind() == executor.KindStatus
}

func (m *model) dropOldest() bool {
	for i, e := range m.held {
		if soft(e) {
			m.held = append(m.held[:i:i], m.held[i+1:]...)
			m.dropped++
			return true
		}
	}
	return false
}

func (m *model) push(e executor.Event) bool {
	if m.ended {
		return false
	}
	if len(m.held) == m.hard && !m.dropOldest() {
		if soft(e) {
			m.last = e.Head().Seq
			m.dropped++
			m.open, m.straggler = true, false
			return true
		}
		m.ended = true
		if m.open || !m.straggler {
			m.held = append(m.held, executor.Error{Envelope: head(m.last + 1)}, executor.Done{Envelope: head(m.last + 2)})
		}
		return false
	}
	m.last = e.Head().Seq
	m.open = e.Kind() != executor.KindDone
	m.straggler = !m.open
	m.held = append(m.held, e)
	count := 0
	for _, e := range m.held {
		if soft(e) {
			count++
		}
	}
	if count > m.max {
		m.dropOldest()
	}
	return true
}

// The queue does what the model does, whatever the order of pushes, pulls, ends
// and closes. No pull waits here: one on an empty queue has a context that is
// over.
func TestQueueAgainstModel(t *testing.T) {
	over, cancel := context.WithCancel(t.Context())
	cancel()
	rapid.Check(t, func(t *rapid.T) {
		m := &model{
			max:  rapid.IntRange(1, 5).Draw(t, "max"),
			hard: rapid.IntRange(1, 12).Draw(t, "hard"),
		}
		released := 0
		q := executor.NewQueue(executor.QueueOptions{Max: m.max, Hard: m.hard, Release: func() { released++ }})
		seq := int64(0)
		push := func(make func(int64) executor.Event) func(*rapid.T) {
			return func(t *rapid.T) {
				seq += rapid.Int64Range(1, 3).Draw(t, "step")
				if got, want := q.Push(make(seq)), m.push(make(seq)); got != want {
					t.Fatalf("Push(%d) = %v, want %v", seq, got, want)
				}
			}
		}
		pull := func(t *rapid.T) {
			if len(m.held) == 0 && !m.ended {
				if _, err := q.Next(over); !errors.Is(err, context.Canceled) {
					t.Fatalf("Next = %v, want context.Canceled", err)
				}
				return
			}
			e, err := q.Next(context.Background())
			if len(m.held) == 0 {
				if !errors.Is(err, io.EOF) {
					t.Fatalf("Next = %v, %v; want io.EOF", e, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(brief(m.held[0]), brief(e)); diff != "" {
				t.Fatalf("Next (-want +got):\n%s", diff)
			}
			m.held = m.held[1:]
		}
		actions := map[string]func(*rapid.T){
			"text":   push(delta),
			"status": push(status),
			"cost":   push(cost),
			"done":   push(done),
			"pull":   pull,
			"pull 2": pull,
			"": func(t *rapid.T) {
				if q.Dropped() != m.dropped || released != m.released {
					t.Fatalf("dropped %d, released %d; want %d, %d", q.Dropped(), released, m.dropped, m.released)
				}
			},
		}
		// Ends are rare, else most runs are over before they begin.
		rare := func(do func()) func(*rapid.T) {
			return func(t *rapid.T) {
				if rapid.IntRange(0, 19).Draw(t, "rare") == 0 {
					do()
				}
			}
		}
		actions["end"] = rare(func() { q.End(); m.ended = true })
		actions["close"] = rare(func() {
			q.Close()
			if !m.closed {
				m.released++
			}
			m.ended, m.closed, m.held = true, true, nil
		})
		t.Repeat(actions)
	})
}
