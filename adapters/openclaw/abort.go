package openclaw

import (
	"context"
	"errors"
	"time"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

type chatAbort struct {
	Session string `json:"sessionKey"`
	Run     string `json:"runId"`
}

type sessionsAbort struct {
	Key string `json:"key"`
	Run string `json:"runId"`
}

// abortWait is how long the gateway has at least to answer an abort: a grace that is
// short ends the run, and does not make an abort fail that is on its way.
const abortWait = time.Second

// abort asks the gateway to stop the run, and ends it after the grace in any case. A
// second abort asks again only where the first was not heard.
func (r *run) abort(ctx context.Context) error {
	r.mu.Lock()
	if r.over || r.cancelled {
		r.mu.Unlock()
		return nil
	}
	if !r.aborted {
		r.aborted = true
		r.grace = time.AfterFunc(r.adapter.options.Grace, func() {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.rule(outcome{reason: executor.ReasonAborted}, false)
		})
	}
	id := r.id
	var open []string
	for q := range r.asks {
		open = append(open, q)
	}
	r.mu.Unlock()

	c := r.adapter.link.current()
	if c == nil {
		return errLost
	}
	ctx, cancel := context.WithTimeout(ctx, max(r.adapter.options.Grace, abortWait))
	defer cancel()
	stopped, err := stop(ctx, c, r.send.Session, id)
	for _, q := range open {
		_ = r.answer(ctx, q, false) // the abort has settled it, if it was heard
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cancelled = r.cancelled || stopped
	return err
}

// stop aborts a run: as a chat, and, where that finds nothing or fails, as the session
// has it. It reports whether the gateway knew the run and stopped it.
func stop(ctx context.Context, c *conn, session, run string) (bool, error) {
	var a struct {
		Aborted flag `json:"aborted"`
		Status  text `json:"status"`
	}
	payload, err := c.call(ctx, "chat.abort", chatAbort{session, run}, 0)
	if err == nil && read(payload, &a) && bool(a.Aborted) {
		return true, nil
	}
	payload, second := c.call(ctx, "sessions.abort", sessionsAbort{session, run}, 0)
	if second != nil {
		return false, errors.Join(err, second)
	}
	return read(payload, &a) && a.Status == "aborted", nil
}

// sweep aborts runs of a session that were given up here and may go on there.
func (a *Adapter) sweep(ctx context.Context, c *conn, s *session) {
	a.mu.Lock()
	stale, native := s.stale, s.native
	s.stale = nil
	a.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, a.options.Grace)
	defer cancel()
	for _, run := range stale {
		if _, err := stop(ctx, c, native, run); err != nil {
			a.mu.Lock()
			s.stale = append(s.stale, run)
			a.mu.Unlock()
		}
	}
}
