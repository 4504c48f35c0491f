package idle_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/contract/executor/idle"
)

const (
	idleFor  = 50 * time.Millisecond
	graceFor = 30 * time.Millisecond
)

// step is one answer of a source: after so much silence, an event or an error.
type step struct {
	after time.Duration
	seq   int64
	err   error
}

// source is a stream that answers as its steps say and is silent after the last.
type source struct {
	steps   []step
	deaf    bool // Next does not mind its context
	onNext  func()
	onClose func() error

	mu  sync.Mutex
	now counts
}

// counts is what a source saw.
type counts struct {
	pulls  int
	out    int // pulls that are not back
	most   int // the most pulls that were out at once
	closes int
}

func (s *source) count(change func(*counts)) counts {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.now)
	return s.now
}

func (s *source) seen() counts { return s.count(func(*counts) {}) }

func (s *source) Next(ctx context.Context) (executor.Event, error) {
	s.count(func(c *counts) {
		c.pulls++
		c.out++
		c.most = max(c.most, c.out)
	})
	defer func() { s.count(func(c *counts) { c.out-- }) }()
	if s.onNext != nil {
		s.onNext()
	}
	if len(s.steps) == 0 {
		if s.deaf {
			time.Sleep(time.Hour)
			return nil, io.EOF
		}
		<-ctx.Done()
		return nil, ctx.Err()
	}
	next := s.steps[0]
	s.steps = s.steps[1:]
	select {
	case <-time.After(next.after):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if next.err != nil {
		return nil, next.err
	}
	return executor.TextDelta{Envelope: executor.Envelope{RunID: "r", Seq: next.seq}}, nil
}

func (s *source) Close() error {
	s.count(func(c *counts) { c.closes++ })
	if s.onClose != nil {
		return s.onClose()
	}
	return nil
}

// diary notes when OnIdle is called.
type diary struct {
	begin time.Time
	mu    sync.Mutex
	times []time.Duration
}

func newDiary() *diary { return &diary{begin: time.Now()} }

func (d *diary) note() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.times = append(d.times, time.Since(d.begin))
}

// read returns the times, once whatever still runs has come to rest.
func (d *diary) read() []time.Duration {
	synctest.Wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.times
}

func every(gap time.Duration, n int64) []step {
	var steps []step
	for seq := range n {
		steps = append(steps, step{after: gap, seq: seq + 1})
	}
	return steps
}

func TestWithTimeout(t *testing.T) {
	const ms = time.Millisecond
	broken := errors.New("broken pipe")
	malformed := &executor.EventError{Field: "seq", Problem: executor.ProblemMissing, Want: "a number"}
	for _, c := range []struct {
		name  string
		steps []step
		want  []string        // each with the time it came at
		idles []time.Duration // when OnIdle was called
	}{
		{"the source ends", []step{{10 * ms, 1, nil}, {10 * ms, 0, io.EOF}},
			[]string{"10ms 1", "20ms EOF"}, nil},
		{"silence from the start", nil,
			[]string{"80ms EOF"}, []time.Duration{50 * ms}},
		{"each event opens the full window", every(40*ms, 3),
			[]string{"40ms 1", "80ms 2", "120ms 3", "200ms EOF"}, []time.Duration{170 * ms}},
		{"an event in the grace is delivered from the pull in flight", []step{{60 * ms, 1, nil}, {5 * ms, 0, io.EOF}},
			[]string{"60ms 1", "65ms EOF"}, []time.Duration{50 * ms}},
		{"R68: an event in the grace restores the full window", []step{{60 * ms, 1, nil}, {40 * ms, 2, nil}, {40 * ms, 3, nil}, {0, 0, io.EOF}},
			[]string{"60ms 1", "100ms 2", "140ms 3", "140ms EOF"}, []time.Duration{50 * ms}},
		{"R68: gaps of 60 with idle 50 and grace 30 lose nothing", append(every(60*ms, 5), step{0, 0, io.EOF}),
			[]string{"60ms 1", "120ms 2", "180ms 3", "240ms 4", "300ms 5", "300ms EOF"},
			[]time.Duration{50 * ms, 110 * ms, 170 * ms, 230 * ms, 290 * ms}},
		{"a second silence is told and gets its grace", []step{{60 * ms, 1, nil}},
			[]string{"60ms 1", "140ms EOF"}, []time.Duration{50 * ms, 110 * ms}},
		{"an error of the source", []step{{10 * ms, 1, nil}, {10 * ms, 0, broken}, {0, 2, nil}},
			[]string{"10ms 1", "20ms broken pipe"}, nil},
		{"an error in the grace", []step{{60 * ms, 0, broken}},
			[]string{"60ms broken pipe"}, []time.Duration{50 * ms}},
		{"an event that could not be read is an event", []step{{60 * ms, 0, malformed}, {40 * ms, 2, nil}, {0, 0, io.EOF}},
			[]string{"60ms " + malformed.Error(), "100ms 2", "100ms EOF"}, []time.Duration{50 * ms}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				src, idles := &source{steps: c.steps}, newDiary()
				s := idle.WithTimeout(src, idle.Options{Idle: idleFor, Grace: graceFor, OnIdle: idles.note})
				var got []string
				for {
					e, err := s.Next(t.Context())
					at := time.Since(idles.begin)
					if err == nil {
						got = append(got, fmt.Sprint(at, " ", e.Head().Seq))
						continue
					}
					got = append(got, fmt.Sprint(at, " ", err))
					var bad *executor.EventError
					if !errors.As(err, &bad) {
						break
					}
				}
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Errorf("items (-want +got):\n%s", diff)
				}
				if diff := cmp.Diff(c.idles, idles.read()); diff != "" {
					t.Errorf("OnIdle (-want +got):\n%s", diff)
				}
				// However it ended, the source is closed without the consumer.
				if n := src.seen(); n.closes != 1 || n.out != 0 || n.most > 1 {
					t.Errorf("got %+v; want it closed once and no pull out", n)
				}
				if _, err := s.Next(t.Context()); !errors.Is(err, io.EOF) {
					t.Errorf("after the end: %v, want io.EOF", err)
				}
				if err := s.Close(); err != nil || src.seen().closes != 1 {
					t.Errorf("Close = %v, %+v", err, src.seen())
				}
			})
		})
	}
}

func TestDefaults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		idles := newDiary()
		s := idle.WithTimeout(&source{}, idle.Options{OnIdle: idles.note})
		if _, err := s.Next(t.Context()); !errors.Is(err, io.EOF) {
			t.Error(err)
		}
		if took := time.Since(idles.begin); took != 30*time.Minute+5*time.Second {
			t.Errorf("ended after %s", took)
		}
		if diff := cmp.Diff([]time.Duration{30 * time.Minute}, idles.read()); diff != "" {
			t.Errorf("OnIdle (-want +got):\n%s", diff)
		}
	})
}

// OnIdle is not waited for, and may use the stream.
func TestOnIdleMayBlock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		src := &source{}
		var s executor.Stream
		s = idle.WithTimeout(src, idle.Options{Idle: idleFor, Grace: graceFor, OnIdle: func() {
			time.Sleep(time.Minute)
			s.Close()
		}})
		if _, err := s.Next(t.Context()); !errors.Is(err, io.EOF) || time.Since(begin) != idleFor+graceFor {
			t.Errorf("%v after %s", err, time.Since(begin))
		}
		time.Sleep(time.Hour)
		if src.seen().closes != 1 {
			t.Errorf("closed %d times", src.seen().closes)
		}
	})
}

// OnIdle that closes the stream ends the pull at once.
func TestOnIdleCloses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		var s executor.Stream
		s = idle.WithTimeout(&source{}, idle.Options{Idle: idleFor, Grace: graceFor, OnIdle: func() { s.Close() }})
		if _, err := s.Next(t.Context()); !errors.Is(err, io.EOF) || time.Since(begin) != idleFor {
			t.Errorf("%v after %s", err, time.Since(begin))
		}
	})
}

// A consumer that takes its time between pulls is not the runtime's silence.
func TestSlowConsumer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := &source{steps: append(every(10*time.Millisecond, 3), step{err: io.EOF})}
		s := idle.WithTimeout(src, idle.Options{Idle: idleFor, Grace: graceFor, OnIdle: func() { t.Error("told of silence") }})
		n := 0
		for _, err := range executor.All(t.Context(), s) {
			if err != nil {
				t.Error(err)
			}
			n++
			time.Sleep(time.Hour)
		}
		if n != 3 {
			t.Errorf("%d events, want 3", n)
		}
	})
}

// A Next that gives up leaves its pull in flight: the next one has its event.
func TestCancelledNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := &source{steps: []step{{after: 20 * time.Millisecond, seq: 1}}}
		s := idle.WithTimeout(src, idle.Options{Idle: idleFor, Grace: graceFor})
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		if e, err := s.Next(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, %v", e, err)
		}
		if e, err := s.Next(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("with a context that is over: %v, %v", e, err)
		}
		if n := src.seen(); n.pulls != 1 || n.out != 1 {
			t.Errorf("got %+v; want one pull, still out", n)
		}
		if e, err := s.Next(t.Context()); err != nil || e.Head().Seq != 1 {
			t.Errorf("got %v, %v", e, err)
		}
		if src.seen().pulls != 1 {
			t.Errorf("%d pulls, want 1", src.seen().pulls)
		}
		s.Close()
	})
}

// An event that came in time is not late because it was fetched late.
func TestFetchedLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for range 20 { // a choice by chance between event and expiry would show
			src := &source{steps: []step{{after: 20 * time.Millisecond, seq: 1}}}
			s := idle.WithTimeout(src, idle.Options{Idle: idleFor, Grace: graceFor, OnIdle: func() { t.Error("told of silence") }})
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
			s.Next(ctx)
			cancel()
			time.Sleep(time.Hour)
			if e, err := s.Next(t.Context()); err != nil || e.Head().Seq != 1 {
				t.Errorf("got %v, %v", e, err)
			}
			s.Close()
		}
	})
}

// A consumer that polls with short contexts does not hold off the expiry.
func TestPolling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		idles := newDiary()
		s := idle.WithTimeout(&source{}, idle.Options{Idle: idleFor, Grace: graceFor, OnIdle: idles.note})
		for {
			ctx, cancel := context.WithTimeout(t.Context(), 7*time.Millisecond)
			_, err := s.Next(ctx)
			cancel()
			if errors.Is(err, io.EOF) {
				break
			}
		}
		if took := time.Since(idles.begin); took != idleFor+graceFor {
			t.Errorf("ended after %s", took)
		}
		if diff := cmp.Diff([]time.Duration{idleFor}, idles.read()); diff != "" {
			t.Errorf("OnIdle (-want +got):\n%s", diff)
		}
	})
}

// Several Nexts wait at once: each gets an event of its own, in order of arrival,
// and there is one pull of the source at a time.
func TestConcurrentNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := &source{steps: append(every(time.Millisecond, 3), step{err: io.EOF})}
		s := idle.WithTimeout(src, idle.Options{Idle: idleFor, Grace: graceFor})
		got := make([]string, 5)
		for i := range got {
			go func() {
				e, err := s.Next(t.Context())
				if err != nil {
					got[i] = err.Error()
					return
				}
				got[i] = fmt.Sprint(e.Head().Seq)
			}()
			synctest.Wait()
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if diff := cmp.Diff([]string{"1", "2", "3", "EOF", "EOF"}, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if src.seen().most != 1 {
			t.Errorf("%d pulls at once", src.seen().most)
		}
	})
}

// A Next that waits in line gives up with its context too.
func TestCancelledInLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := idle.WithTimeout(&source{}, idle.Options{Idle: time.Hour})
		go s.Next(t.Context())
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := s.Next(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		s.Close()
	})
}

func TestClose(t *testing.T) {
	refused := errors.New("refused")
	for _, c := range []struct {
		name  string
		deaf  bool
		close func() error
		want  error
		took  time.Duration
	}{
		{name: "a right source"},
		{name: "R69: the error of a source is the error of Close and of nothing else", close: func() error { return refused }, want: refused},
		{name: "R69: a source that does not close", close: func() error { time.Sleep(time.Hour); return nil }, want: context.DeadlineExceeded, took: graceFor},
		{name: "a pull that does not come back", deaf: true, want: context.DeadlineExceeded, took: graceFor},
		{name: "a slow source that closes in time", close: func() error { time.Sleep(graceFor / 2); return nil }, took: graceFor / 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				src := &source{deaf: c.deaf, onClose: c.close}
				s := idle.WithTimeout(src, idle.Options{Idle: idleFor, Grace: graceFor})
				next := make(chan error, 1)
				go func() { _, err := s.Next(t.Context()); next <- err }()
				synctest.Wait()
				begin := time.Now()
				if err := s.Close(); !errors.Is(err, c.want) {
					t.Errorf("Close = %v, want %v", err, c.want)
				}
				if took := time.Since(begin); took != c.took {
					t.Errorf("took %s, want %s", took, c.took)
				}
				if err := <-next; !errors.Is(err, io.EOF) {
					t.Errorf("the pull that waited got %v, want io.EOF", err)
				}
				if err := s.Close(); !errors.Is(err, c.want) {
					t.Errorf("Close again = %v, want %v", err, c.want)
				}
				if took := time.Since(begin); took != c.took {
					t.Errorf("closing again waited: %s, want %s", took, c.took)
				}
				if src.seen().closes != 1 {
					t.Errorf("source closed %d times", src.seen().closes)
				}
				time.Sleep(2 * time.Hour) // what hung is through, nothing is left
			})
		})
	}
}

// A source that ends in the expiry and will not close does not hold up the
// consumer's Next.
func TestExpiryDoesNotWaitForTheSource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		src := &source{deaf: true, onClose: func() error { time.Sleep(time.Hour); return nil }}
		s := idle.WithTimeout(src, idle.Options{Idle: idleFor, Grace: graceFor})
		if _, err := s.Next(t.Context()); !errors.Is(err, io.EOF) || time.Since(begin) != idleFor+graceFor {
			t.Errorf("%v after %s", err, time.Since(begin))
		}
		time.Sleep(2 * time.Hour)
	})
}

// After Close there is nothing more to have, not even what was on its way.
func TestNextAfterClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := &source{steps: every(20*time.Millisecond, 2)}
		s := idle.WithTimeout(src, idle.Options{Idle: idleFor, Grace: graceFor})
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		s.Next(ctx)
		time.Sleep(time.Second) // the event is there
		s.Close()
		for range 20 {
			if e, err := s.Next(t.Context()); !errors.Is(err, io.EOF) {
				t.Fatalf("got %v, %v", e, err)
			}
		}
		if src.seen().pulls != 1 {
			t.Errorf("%d pulls, want 1", src.seen().pulls)
		}
	})
}

// A stream that was never pulled closes its source all the same.
func TestCloseUnpulled(t *testing.T) {
	src := &source{}
	if err := idle.WithTimeout(src, idle.Options{}).Close(); err != nil || src.seen().closes != 1 || src.seen().pulls != 0 {
		t.Errorf("Close = %v, %d closes, %d pulls", err, src.seen().closes, src.seen().pulls)
	}
}

// A panic of the source comes up in the consumer, as it would without this
// package, and not in a goroutine where nobody can catch it.
func TestSourcePanics(t *testing.T) {
	caught := func(do func()) (v any) {
		defer func() { v = recover() }()
		do()
		return nil
	}
	synctest.Test(t, func(t *testing.T) {
		src := &source{onNext: func() { panic("in Next") }, onClose: func() error { panic("in Close") }}
		s := idle.WithTimeout(src, idle.Options{})
		if got := caught(func() { s.Next(t.Context()) }); got != "in Next" {
			t.Errorf("Next panicked with %v", got)
		}
		if got := caught(func() { s.Close() }); got != "in Close" {
			t.Errorf("Close panicked with %v", got)
		}
		if _, err := s.Next(t.Context()); !errors.Is(err, io.EOF) {
			t.Errorf("after the panic: %v", err)
		}
	})
}

// A source that ends its goroutine is an error, not an event of nothing.
func TestSourceEndsGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := idle.WithTimeout(&source{onNext: runtime.Goexit}, idle.Options{})
		if e, err := s.Next(t.Context()); e != nil || err == nil {
			t.Errorf("got %v, %v", e, err)
		}
		s.Close()
	})
}

// Under load with real goroutines, every event comes through once.
func TestQueueThrough(t *testing.T) {
	q := executor.NewQueue(executor.QueueOptions{Max: 10_000})
	s := idle.WithTimeout(q, idle.Options{})
	go func() {
		for seq := range int64(2000) {
			q.Push(executor.TextDelta{Envelope: executor.Envelope{RunID: "r", Seq: seq}})
		}
		q.End()
	}()
	want := int64(0)
	for e, err := range executor.All(t.Context(), s) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Head().Seq != want {
			t.Fatalf("got %d, want %d", e.Head().Seq, want)
		}
		want++
	}
	if want != 2000 {
		t.Errorf("%d events", want)
	}
	s.Close()
}

func ExampleWithTimeout() {
	q := executor.NewQueue(executor.QueueOptions{})
	head := executor.Envelope{RunID: "run-1", Seq: 1}
	q.Push(executor.TextDelta{Envelope: head, Text: "working"}) // and then nothing

	stream := idle.WithTimeout(q, idle.Options{
		Idle: time.Millisecond,
		OnIdle: sync.OnceFunc(func() { // abort the run; the runtime says its last words
			head.Seq++
			q.Push(executor.Done{Envelope: head, Reason: executor.ReasonAborted})
			q.End()
		}),
	})
	defer stream.Close()
	for event, err := range executor.All(context.Background(), stream) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(event.Kind())
	}
	// Output:
	// text-delta
	// done
}
