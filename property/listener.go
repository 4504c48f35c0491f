package property

import (
	"context"
	"errors"
	"time"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// listener is one stream of a run.
type listener struct {
	stream executor.Stream
	played
	closed bool
	// from is how many words had been said when it came.
	from int
}

// listen reads a stream until it has told of the run's end.
func (s *stage) listen(ctx context.Context, r *talk, l *listener, budget time.Duration) {
	if l.closed {
		return
	}
	for deadline := time.Now().Add(budget); !l.done(r) && !l.over && len(l.events) < maxEvents; {
		left := time.Until(deadline)
		if left <= 0 {
			return
		}
		l.pull(ctx, s.c, left)
	}
}

// rest reads what comes when all is said.
func (s *stage) rest(ctx context.Context, l *listener) {
	for !l.over && len(l.events) < maxEvents && l.pull(ctx, s.c, s.c.Budgets.Quiet) {
	}
}

// done reports whether the run's end was told.
func (l *listener) done(r *talk) bool {
	id, _ := r.handle.ID()
	for _, e := range l.events {
		if e.Kind() == executor.KindDone && (e.Head().RunID == id || id == "") {
			return true
		}
	}
	return false
}

// pull reads one event, and reports whether one came.
func (l *listener) pull(ctx context.Context, c *check.C, budget time.Duration) bool {
	e, err := check.Await(ctx, c, budget, l.stream.Next)
	var malformed *executor.EventError
	switch {
	case errors.As(err, &malformed), err == nil && e == nil:
		l.malformed++
	case err != nil:
		l.over = !errors.Is(err, check.ErrHung) && !errors.Is(err, context.DeadlineExceeded)
		return false
	default:
		l.events = append(l.events, e)
	}
	return true
}
