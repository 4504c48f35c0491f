package memory

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/memory"
	"github.com/adaptercheck/adaptercheck/internal/observe"
)

// liveRun is one run from its start to its done. The mapper and the questions
// belong to its lock.
type liveRun struct {
	adapter *Adapter
	session *session
	handle  *executor.Run
	feed    feed
	place   int // of the last frame that was read; the pump's own

	mu      sync.Mutex
	conn    *memory.Conn
	mapper  *mapper
	asks    map[string]*time.Timer
	grace   *time.Timer
	holding *time.Timer
	aborted bool
	away    bool // its connection is gone for good
	over    bool
	ended   chan struct{}
}

// pump reads the wire until the run is over.
func (l *liveRun) pump() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		select {
		case <-l.ended:
			cancel()
		case <-ctx.Done():
		}
	}()
	for {
		frame, err := l.next(ctx)
		l.mu.Lock()
		if l.over {
			l.mu.Unlock()
			return
		}
		var events []executor.Event
		switch {
		case err == nil:
			events = l.mapper.frame(frame)
			l.holdBack()
			if ask, ok := frame.(fakes.Ask); ok {
				l.ask(ask.ID)
			}
		case errors.Is(err, errBack):
			events = l.mapper.mild(executor.CodeConnectionLost, "the connection to the runtime was lost and has been restored")
		case errors.Is(err, io.EOF), errors.Is(err, errAway):
			l.away = errors.Is(err, errAway)
			events = l.mapper.lost()
		}
		l.publish(events)
		over := l.over
		l.mu.Unlock()
		if over {
			return
		}
	}
}

// holdBack starts the clock of events that wait for the run's name. The lock is
// held.
func (l *liveRun) holdBack() {
	if l.holding != nil || !l.mapper.waiting() {
		return
	}
	l.holding = time.AfterFunc(l.adapter.opts.HoldBack, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if !l.over {
			l.publish(l.mapper.release())
		}
	})
}

// publish delivers events and cleans up after the done. The lock is held.
func (l *liveRun) publish(events []executor.Event) {
	for _, e := range events {
		if e.Kind() == executor.KindDone {
			// The session is free before anybody can see the done.
			l.leave()
		}
		if !l.away {
			l.feed.Publish(e)
		}
	}
	if l.away {
		l.cut(events)
	}
	if l.over {
		l.feed.End()
		close(l.ended)
		_ = l.conn.Close()
		if l.feed.Observed() {
			l.adapter.forget(l.handle)
		}
	}
}

// cut delivers the last events of a run whose connection is gone for good, and ends its
// streams; but a host that wanted it stopped has what it wanted. The lock is held.
func (l *liveRun) cut(events []executor.Event) {
	chapter, connected := l.feed.(*observe.Chapter)
	if !connected || l.aborted {
		l.feed.Publish(events...)
		return
	}
	chapter.Cut(events...)
}

// leave frees the session. The lock is held.
func (l *liveRun) leave() {
	l.over = true
	for _, t := range []*time.Timer{l.grace, l.holding} {
		if t != nil {
			t.Stop()
		}
	}
	for _, t := range l.asks {
		t.Stop()
	}
	a := l.adapter
	a.mu.Lock()
	defer a.mu.Unlock()
	l.session.totals = l.mapper.totals
	if l.mapper.session != nil {
		l.session.native = *l.mapper.session
	}
	l.session.current = nil
}

// abort tells the runtime to stop and starts the grace after which the run ends
// anyway. Open questions are denied first.
func (l *liveRun) abort(ctx context.Context) error {
	l.mu.Lock()
	if l.over || l.aborted {
		l.mu.Unlock()
		return nil
	}
	l.aborted = true
	l.mapper.abort()
	var open []string
	for id, t := range l.asks {
		t.Stop()
		open = append(open, id)
	}
	clear(l.asks)
	l.grace = time.AfterFunc(l.adapter.opts.Grace, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if !l.over {
			l.publish(l.mapper.forced())
		}
	})
	conn := l.conn
	l.mu.Unlock()
	for _, id := range open {
		_ = conn.Answer(ctx, id, false) // the cancel that follows settles it too
	}
	return conn.Cancel(ctx)
}

// ask starts the clock of a question. The lock is held.
func (l *liveRun) ask(id string) {
	if l.aborted {
		return
	}
	l.asks[id] = time.AfterFunc(l.adapter.opts.Approval, func() {
		ctx, cancel := context.WithTimeout(context.Background(), l.adapter.opts.Grace)
		defer cancel()
		_ = l.answer(ctx, id, false)
	})
}

// errNoQuestion says that nothing waits for the answer.
var errNoQuestion = errors.New("approve: no open question with this id")

func (l *liveRun) answer(ctx context.Context, id string, allow bool) error {
	l.mu.Lock()
	t := l.asks[id]
	if t == nil || l.over {
		l.mu.Unlock()
		return errNoQuestion
	}
	t.Stop()
	delete(l.asks, id)
	conn := l.conn
	l.mu.Unlock()
	return conn.Answer(ctx, id, allow)
}
