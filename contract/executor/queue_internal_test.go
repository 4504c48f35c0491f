package executor

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
)

// A consumer that polls with short contexts leaves nothing behind in the line.
func TestQueueForgetsCancelledPulls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewQueue(QueueOptions{})
		for range 100 {
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				if _, err := q.Next(ctx); !errors.Is(err, context.Canceled) {
					t.Errorf("got %v, want context.Canceled", err)
				}
			}()
			synctest.Wait()
			cancel()
			synctest.Wait()
		}
		if n := q.waiters.Len(); n != 0 {
			t.Errorf("%d pulls are still in the line", n)
		}
	})
}

// Dropping the oldest text costs the same however much stands before it.
func BenchmarkQueueDrop(b *testing.B) {
	for _, before := range []int{0, 1000, 100_000} {
		b.Run(fmt.Sprint(before, " kept before"), func(b *testing.B) {
			b.ReportAllocs()
			q := NewQueue(QueueOptions{Max: 1000, Hard: before + 2000})
			for range before {
				q.Push(Cost{})
			}
			for range 1000 {
				q.Push(TextDelta{})
			}
			for b.Loop() {
				q.Push(TextDelta{})
			}
		})
	}
}

// A push and a pull, with nothing waiting.
func BenchmarkQueuePushNext(b *testing.B) {
	b.ReportAllocs()
	q := NewQueue(QueueOptions{})
	for b.Loop() {
		q.Push(TextDelta{})
		if _, err := q.Next(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
