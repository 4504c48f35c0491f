package executor_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

var _ executor.Stream = (*executor.Queue)(nil)

func head(seq int64) executor.Envelope { return executor.Envelope{RunID: "r", TS: 1, Seq: seq} }

func delta(seq int64) executor.Event  { return executor.TextDelta{Envelope: head(seq), Text: "x"} }
func status(seq int64) executor.Event { return executor.Status{Envelope: head(seq), Phase: "running"} }
func cost(seq int64) executor.Event   { return executor.Cost{Envelope: head(seq)} }
func done(seq int64) executor.Event {
	return executor.Done{Envelope: head(seq), Reason: executor.ReasonSuccess, Summary: "x"}
}

func call(seq int64, id string) executor.Event {
	return executor.ToolCall{Envelope: head(seq), ID: id, Name: "tool-" + id, Input: "{}"}
}

func result(seq int64, id string) executor.Event {
	return executor.ToolResult{Envelope: head(seq), ID: id, Name: "tool-" + id, Output: "ok"}
}

// brief writes an event as its kind and number, so that lists of them compare.
func brief(e executor.Event) string {
	letter := map[executor.Kind]string{
		executor.KindTextDelta: "text", executor.KindStatus: "status", executor.KindCost: "cost", executor.KindDone: "done",
		executor.KindToolCall: "call", executor.KindToolResult: "result", executor.KindError: "error",
	}[e.Kind()]
	return fmt.Sprintf("%s %d", letter, e.Head().Seq)
}

// drain pulls an ended queue empty.
func drain(t *testing.T, q *executor.Queue) []executor.Event {
	t.Helper()
	var events []executor.Event
	for {
		e, err := q.Next(t.Context())
		if errors.Is(err, io.EOF) {
			return events
		}
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
}

func briefs(events []executor.Event) []string {
	list := []string{}
	for _, e := range events {
		list = append(list, brief(e))
	}
	return list
}

// What the queue does in each situation that adapters get into. Where the
// queues in the field do otherwise, the name says so.
func TestQueue(t *testing.T) {
	type Q = *executor.Queue
	for _, c := range []struct {
		name    string
		o       executor.QueueOptions
		do      func(t *testing.T, q Q)
		want    []string
		dropped int
	}{
		{name: "empty and ended", do: func(*testing.T, Q) {}, want: []string{}},
		{name: "keeps the order", do: func(_ *testing.T, q Q) {
			q.Push(status(1))
			q.Push(delta(2))
			q.Push(call(3, "a"))
			q.Push(result(4, "a"))
			q.Push(cost(5))
			q.Push(done(6))
		}, want: []string{"status 1", "text 2", "call 3", "result 4", "cost 5", "done 6"}},
		{name: "drops the oldest droppable beyond max", o: executor.QueueOptions{Max: 2}, do: func(_ *testing.T, q Q) {
			for seq := range int64(4) {
				q.Push(delta(seq))
			}
		}, want: []string{"text 2", "text 3"}, dropped: 2},
		{name: "text and status share the bound", o: executor.QueueOptions{Max: 2}, do: func(_ *testing.T, q Q) {
			q.Push(status(1))
			q.Push(delta(2))
			q.Push(status(3))
		}, want: []string{"text 2", "status 3"}, dropped: 1},
		{name: "drops from the middle, not the call before it (field: drop-oldest of any kind)", o: executor.QueueOptions{Max: 1}, do: func(_ *testing.T, q Q) {
			q.Push(call(1, "a"))
			q.Push(delta(2))
			q.Push(result(3, "a"))
			q.Push(delta(4))
			q.Push(cost(5))
			q.Push(delta(6))
			q.Push(done(7))
		}, want: []string{"call 1", "result 3", "cost 5", "text 6", "done 7"}, dropped: 2},
		{name: "other kinds do not count against max", o: executor.QueueOptions{Max: 1}, do: func(_ *testing.T, q Q) {
			q.Push(delta(1))
			for seq := int64(2); seq < 6; seq++ {
				q.Push(cost(seq))
			}
		}, want: []string{"text 1", "cost 2", "cost 3", "cost 4", "cost 5"}},
		{name: "what was pulled makes room", o: executor.QueueOptions{Max: 1}, do: func(t *testing.T, q Q) {
			q.Push(delta(1))
			if e, err := q.Next(t.Context()); err != nil || brief(e) != "text 1" {
				t.Errorf("Next = %v, %v", e, err)
			}
			q.Push(delta(2))
		}, want: []string{"text 2"}},
		{name: "push after end is refused", do: func(t *testing.T, q Q) {
			q.Push(delta(1))
			q.End()
			q.End()
			if q.Push(done(2)) {
				t.Error("the push was taken")
			}
		}, want: []string{"text 1"}},
		{name: "end keeps what is held", do: func(_ *testing.T, q Q) {
			q.Push(delta(1))
			q.Push(done(2))
			q.End()
		}, want: []string{"text 1", "done 2"}},
		{name: "close throws away what is held (field: leftovers stay readable)", do: func(t *testing.T, q Q) {
			q.Push(delta(1))
			if err := q.Close(); err != nil {
				t.Error(err)
			}
			if q.Push(done(2)) {
				t.Error("the push was taken")
			}
		}, want: []string{}},
		{name: "close after end", do: func(_ *testing.T, q Q) {
			q.Push(delta(1))
			q.End()
			q.Close()
		}, want: []string{}},
		{name: "max below zero reads as the default (field: capacity one)", o: executor.QueueOptions{Max: -1}, do: func(_ *testing.T, q Q) {
			q.Push(delta(1))
			q.Push(delta(2))
		}, want: []string{"text 1", "text 2"}},
		{name: "what overflow refuses is not counted as dropped", o: executor.QueueOptions{Max: 1, Hard: 1}, do: func(_ *testing.T, q Q) {
			q.Push(cost(1))
			q.Push(cost(2))
		}, want: []string{"cost 1", "error 2", "done 3"}},
		{name: "a full queue makes room from what is droppable", o: executor.QueueOptions{Max: 2, Hard: 3}, do: func(_ *testing.T, q Q) {
			q.Push(delta(1))
			q.Push(delta(2))
			q.Push(cost(3))
			q.Push(cost(4))
			q.Push(done(5))
		}, want: []string{"cost 3", "cost 4", "done 5"}, dropped: 2},
		{name: "a full queue drops text at once", o: executor.QueueOptions{Max: 2, Hard: 2}, do: func(t *testing.T, q Q) {
			q.Push(cost(1))
			q.Push(cost(2))
			if !q.Push(delta(3)) {
				t.Error("text ended the queue")
			}
		}, want: []string{"cost 1", "cost 2"}, dropped: 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			q := executor.NewQueue(c.o)
			c.do(t, q)
			q.End()
			if diff := cmp.Diff(c.want, briefs(drain(t, q))); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
			if got := q.Dropped(); got != c.dropped {
				t.Errorf("Dropped() = %d, want %d", got, c.dropped)
			}
			if _, err := q.Next(t.Context()); !errors.Is(err, io.EOF) {
				t.Errorf("Next after the end: %v, want io.EOF", err)
			}
		})
	}
}

// 1005 deltas and a done, unpulled: the last 1000 deltas and the done remain.
// Queues in the field keep 999 deltas here, and lose the done itself when enough
// follows it.
func TestQueueKeepsDone(t *testing.T) {
	for _, after := range []int64{0, 1, 1000, 20_000} {
		t.Run(fmt.Sprint(after, " after done"), func(t *testing.T) {
			q := executor.NewQueue(executor.QueueOptions{})
			for seq := int64(1); seq <= 1005; seq++ {
				q.Push(delta(seq))
			}
			q.Push(done(1006))
			for seq := int64(1007); seq < 1007+after; seq++ {
				q.Push(delta(seq))
			}
			q.End()
			events := drain(t, q)
			if len(events) != 1001 || q.Dropped() != int(5+after) {
				t.Errorf("%d events, %d dropped; want 1001, %d", len(events), q.Dropped(), 5+after)
			}
			found := 0
			for i, e := range events {
				if e.Kind() == executor.KindDone {
					found++
				}
				if i > 0 && e.Head().Seq <= events[i-1].Head().Seq {
					t.Fatalf("out of order: %s after %s", brief(e), brief(events[i-1]))
				}
			}
			if found != 1 {
				t.Errorf("%d done events, want 1", found)
			}
		})
	}
}

// A flood of text with calls, results and costs in it: only text is lost.
func TestQueueFlood(t *testing.T) {
	q := executor.NewQueue(executor.QueueOptions{})
	const n = 20_000
	kept := 0
	for seq := int64(1); seq <= n; seq++ {
		e := delta(seq)
		switch seq % 100 {
		case 0:
			e = call(seq, fmt.Sprint(seq))
			kept++
		case 1:
			e = result(seq, fmt.Sprint(seq-1))
			kept++
		case 2:
			e = cost(seq)
			kept++
		}
		if !q.Push(e) {
			t.Fatalf("%s was refused", brief(e))
		}
	}
	q.Push(done(n + 1))
	q.End()
	got := map[executor.Kind]int{}
	for _, e := range drain(t, q) {
		got[e.Kind()]++
	}
	want := map[executor.Kind]int{
		executor.KindTextDelta: 1000, executor.KindToolCall: n / 100,
		executor.KindToolResult: n / 100, executor.KindCost: n / 100, executor.KindDone: 1,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("kinds (-want +got):\n%s", diff)
	}
	if want := n - kept - 1000; q.Dropped() != want {
		t.Errorf("Dropped() = %d, want %d", q.Dropped(), want)
	}
}

// Producers and pulls race; every event arrives exactly once.
func TestQueueRace(t *testing.T) {
	const producers, pullers, each = 4, 4, 500
	q := executor.NewQueue(executor.QueueOptions{Max: producers * each})
	var pushing, pulling sync.WaitGroup
	for p := range int64(producers) {
		pushing.Go(func() {
			for i := range int64(each) {
				q.Push(delta(p*each + i))
			}
		})
	}
	var mu sync.Mutex
	seen := map[int64]int{}
	for range pullers {
		pulling.Go(func() {
			for e, err := range executor.All(t.Context(), q) {
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				seen[e.Head().Seq]++
				mu.Unlock()
			}
		})
	}
	// Pulls that give up at any moment take nothing with them.
	pulling.Go(func() {
		for range 200 {
			ctx, cancel := context.WithCancel(t.Context())
			pulling.Go(cancel)
			e, err := q.Next(ctx)
			if err == nil {
				mu.Lock()
				seen[e.Head().Seq]++
				mu.Unlock()
			}
		}
	})
	pushing.Wait()
	q.End()
	pulling.Wait()
	if len(seen) != producers*each {
		t.Errorf("%d of %d events arrived", len(seen), producers*each)
	}
	for seq, n := range seen {
		if n != 1 {
			t.Errorf("event %d arrived %d times", seq, n)
		}
	}
}

// pull is a Next in a goroutine of its own.
type pull struct {
	event executor.Event
	err   error
}

func pullIn(q *executor.Queue, ctx context.Context) chan pull {
	c := make(chan pull, 1)
	go func() {
		e, err := q.Next(ctx)
		c <- pull{e, err}
	}()
	return c
}

// Pulls that wait at once are served in order of arrival. In the field the
// second one displaces the first, which never settles.
func TestQueueConcurrentPulls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := executor.NewQueue(executor.QueueOptions{})
		var pulls []chan pull
		for range 3 {
			pulls = append(pulls, pullIn(q, t.Context()))
			synctest.Wait()
		}
		for seq := int64(1); seq <= 3; seq++ {
			q.Push(delta(seq))
		}
		for i, p := range pulls {
			if got := <-p; got.err != nil || got.event.Head().Seq != int64(i+1) {
				t.Errorf("pull %d got %v, %v", i, got.event, got.err)
			}
		}
	})
}

// A pull that waits ends with the queue, whoever ends it.
func TestQueueEndReleasesPulls(t *testing.T) {
	for name, end := range map[string]func(*executor.Queue){
		"End":   (*executor.Queue).End,
		"Close": func(q *executor.Queue) { q.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := executor.NewQueue(executor.QueueOptions{})
				pulls := []chan pull{pullIn(q, t.Context()), pullIn(q, t.Context())}
				synctest.Wait()
				end(q)
				for _, p := range pulls {
					if got := <-p; !errors.Is(got.err, io.EOF) {
						t.Errorf("got %v, %v; want io.EOF", got.event, got.err)
					}
				}
			})
		})
	}
}

// An event that arrives as a pull gives up is not lost: before the push it goes
// to the next in line or stays, after the push the pull has it.
func TestQueueCancelledPull(t *testing.T) {
	t.Run("before the push, nobody else waits", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			q := executor.NewQueue(executor.QueueOptions{})
			ctx, cancel := context.WithCancel(t.Context())
			p := pullIn(q, ctx)
			synctest.Wait()
			cancel()
			q.Push(delta(1))
			if got := <-p; !errors.Is(got.err, context.Canceled) {
				t.Errorf("got %v, %v; want context.Canceled", got.event, got.err)
			}
			if e, err := q.Next(t.Context()); err != nil || e.Head().Seq != 1 {
				t.Errorf("the next pull got %v, %v", e, err)
			}
		})
	})
	t.Run("before the push, another waits", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			q := executor.NewQueue(executor.QueueOptions{})
			ctx, cancel := context.WithCancel(t.Context())
			first := pullIn(q, ctx)
			synctest.Wait()
			second := pullIn(q, t.Context())
			synctest.Wait()
			cancel()
			q.Push(delta(1))
			if got := <-first; !errors.Is(got.err, context.Canceled) {
				t.Errorf("first got %v, %v; want context.Canceled", got.event, got.err)
			}
			if got := <-second; got.err != nil || got.event.Head().Seq != 1 {
				t.Errorf("second got %v, %v", got.event, got.err)
			}
		})
	})
	t.Run("after the push", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			q := executor.NewQueue(executor.QueueOptions{})
			ctx, cancel := context.WithCancel(t.Context())
			p := pullIn(q, ctx)
			synctest.Wait()
			q.Push(delta(1))
			cancel()
			if got := <-p; got.err != nil || got.event.Head().Seq != 1 {
				t.Errorf("got %v, %v", got.event, got.err)
			}
		})
	})
	t.Run("before the pull", func(t *testing.T) {
		q := executor.NewQueue(executor.QueueOptions{})
		q.Push(delta(1))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if e, err := q.Next(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, %v; want context.Canceled", e, err)
		}
		if e, err := q.Next(t.Context()); err != nil || e.Head().Seq != 1 {
			t.Errorf("the next pull got %v, %v", e, err)
		}
	})
}

// lateCtx ends at the moment a pull begins to wait on it, after something else.
type lateCtx struct {
	context.Context
	before func()
	ended  chan struct{}
}

func (c *lateCtx) Done() <-chan struct{} {
	c.before()
	close(c.ended)
	return c.ended
}

func (c *lateCtx) Err() error {
	select {
	case <-c.ended:
		return context.Canceled
	default:
		return nil
	}
}

// An event and the end of the context reach a waiting pull in the same moment:
// the pull has the event, whichever it looks at first.
func TestQueuePullGetsBoth(t *testing.T) {
	for range 50 {
		q := executor.NewQueue(executor.QueueOptions{})
		ctx := &lateCtx{Context: t.Context(), before: func() { q.Push(delta(1)) }, ended: make(chan struct{})}
		if e, err := q.Next(ctx); err != nil || e.Head().Seq != 1 {
			t.Fatalf("got %v, %v", e, err)
		}
	}
}

func TestQueueReleasesOnce(t *testing.T) {
	released := 0
	var q *executor.Queue
	q = executor.NewQueue(executor.QueueOptions{Release: func() {
		released++
		q.Dropped() // no lock is held
		q.Close()   // nor does closing again matter
	}})
	q.End()
	if released != 0 {
		t.Error("the producer's end released the subscription")
	}
	for range 3 {
		if err := q.Close(); err != nil {
			t.Error(err)
		}
	}
	if released != 1 {
		t.Errorf("released %d times, want once", released)
	}
}
