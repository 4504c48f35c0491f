package memory

import (
	"context"
	"errors"
	"time"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/memory"
)

var (
	// errBack says that the connection was lost and is there again.
	errBack = errors.New("the connection was lost and restored")
	// errAway says that it was lost for good.
	errAway = errors.New("the connection was lost and could not be restored")
)

// next returns the next frame of the run, over as many connections as that takes. What
// got lost on the way is read up again from what the runtime has kept; a connection that
// was lost is told once as errBack, or as errAway.
func (l *liveRun) next(ctx context.Context) (fakes.Frame, error) {
	if !l.adapter.opts.Connected {
		return l.conn.Next(ctx)
	}
	for {
		frame, err := l.conn.Next(ctx)
		switch {
		case errors.Is(err, memory.ErrLost):
			if err := l.comeBack(ctx); err != nil {
				return nil, err
			}
			return nil, errBack
		case err != nil:
			return nil, err
		case l.conn.Place() == l.place+1:
			l.place++
			return frame, nil
		}
		if err := l.comeBack(ctx); err != nil {
			return nil, err
		}
	}
}

// comeBack takes the run up again behind what was read of it, as long as the budget
// lasts.
func (l *liveRun) comeBack(ctx context.Context) error {
	bounded, cancel := context.WithTimeout(ctx, l.adapter.opts.Reconnect)
	defer cancel()
	const longest = 20 * time.Millisecond
	for delay := time.Millisecond; ; delay = min(2*delay, longest) {
		conn, err := l.conn.Resume(bounded, l.place)
		if err == nil {
			l.take(bounded, conn)
			return nil
		}
		timer := time.NewTimer(delay)
		select {
		case <-timer.C:
		case <-bounded.Done():
			timer.Stop()
		}
		if bounded.Err() != nil || errors.Is(err, memory.ErrForgotten) {
			return errAway
		}
	}
}

// take makes a connection the run's own. An abort that the last one has not carried is
// asked for again.
func (l *liveRun) take(ctx context.Context, conn *memory.Conn) {
	l.mu.Lock()
	l.conn = conn
	aborted := l.aborted
	over := l.over
	l.mu.Unlock()
	switch {
	case over: // it was forced to end meanwhile
		_ = conn.Close()
	case aborted:
		_ = conn.Cancel(ctx) // the grace ends the run in any case
	}
}
