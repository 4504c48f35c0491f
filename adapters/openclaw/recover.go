package openclaw

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// atOnce is how many runs are asked after at a time.
const atOnce = 16

// lost comes back to the gateway, for the runs that are live. Without one there is no
// hurry: the next start connects.
func (a *Adapter) lost(*conn) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.returning || len(a.live) == 0 {
		return
	}
	a.returning = true
	a.busy.Go(a.comeBack)
}

// comeBack connects again, with growing waits between the attempts, and takes the live
// runs up where they are. When the budget is spent, or the gateway will not have this
// host, they end.
func (a *Adapter) comeBack() {
	ctx, cancel := context.WithTimeout(a.link.ctx, a.options.ReconnectBudget)
	defer cancel()
	for delay := a.options.ReconnectDelay; ; delay = min(time.Duration(float64(delay)*delayGrowth), maxDelay) {
		pause(ctx, delay)
		if a.back(nil) {
			return
		}
		c, err := a.link.get(ctx)
		if err == nil {
			a.resume(ctx, c)
			a.askAfter(ctx, c)
			if a.back(c) {
				return
			}
		}
		if ctx.Err() != nil || final(err) {
			a.giveUp()
			return
		}
	}
}

// pause waits, for ctx at most.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// final reports whether an attempt to connect would fail the same way again.
func final(err error) bool {
	var refused *GatewayError
	return errors.As(err, &refused) && !refused.Retryable || errors.Is(err, errHandshake)
}

// back reports whether every live run is followed on the connection, or none is live,
// which ends the return.
func (a *Adapter) back(c *conn) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	for r := range a.live {
		if on := r.on.Load(); on != c || c == nil || !c.alive() {
			return false
		}
	}
	a.returning = false
	return true
}

// giveUp ends the runs that could not be taken up again.
func (a *Adapter) giveUp() {
	a.mu.Lock()
	a.returning = false
	var gone []*run
	for r := range a.live {
		if on := r.on.Load(); on == nil || !on.alive() {
			gone = append(gone, r)
		}
	}
	a.mu.Unlock()
	for _, r := range gone {
		r.gone("the connection to the gateway was lost and could not be restored")
	}
}

// gone ends a run that cannot be followed any more, and its streams.
func (r *run) gone(why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cut = true
	if !r.known {
		r.knowing(errLost)
	}
	r.rule(failure(executor.CodeStreamTruncated, why), false)
}

// resume takes up the live runs that are not followed on the connection.
func (a *Adapter) resume(ctx context.Context, c *conn) {
	a.mu.Lock()
	var runs []*run
	for r := range a.live {
		if r.on.Load() != c {
			runs = append(runs, r)
		}
	}
	a.mu.Unlock()
	var work sync.WaitGroup
	places := make(chan struct{}, atOnce)
	for _, r := range runs {
		places <- struct{}{}
		work.Go(func() {
			defer func() { <-places }()
			r.recover(ctx, c)
		})
	}
	work.Wait()
}

// recover finds out what became of a run of which frames may have been lost: from the
// history, which tells the run that the session is at, and by asking for the same run
// again, which the gateway answers with how it stands. A gateway that has forgotten it
// would start it anew, and is not asked.
func (r *run) recover(ctx context.Context, c *conn) {
	r.mu.Lock()
	stopped := r.aborted
	r.mu.Unlock()
	if stopped {
		_ = r.abort(ctx) // the first one may not have been heard; the grace ends the run
	}
	h, rows, err := r.history(ctx, c)
	if err != nil && !isRefusal(err) {
		return // the connection is no good
	}
	r.mu.Lock()
	if r.over || r.concluding {
		r.mu.Unlock()
		return
	}
	id, epoch, known, complete := r.id, r.epoch, r.known, r.mapper.complete(rows)
	r.mu.Unlock()
	switch {
	case h.InFlight.is.Run == text(id):
		r.resumed(c, string(h.InFlight.is.Text))
	case epoch != c.epoch && known:
		if !complete {
			r.gone("the gateway was restarted, and the run is lost")
			return
		}
		r.ended(c)
	default:
		r.replay(ctx, c)
	}
}

// replay sends the same message under the same key again, which starts nothing that was
// started before.
func (r *run) replay(ctx context.Context, c *conn) {
	payload, err := c.call(ctx, "chat.send", &r.send, 0)
	if err != nil && !isRefusal(err) {
		return
	}
	a, bad := readAck(payload)
	var refused *GatewayError
	switch {
	case errors.As(err, &refused) && a.Status != "error":
		r.refuse(err)
		r.gone(refused.Error())
	case err != nil || bad != nil:
		r.failed(c, r.adapter.options.clean(string(a.Summary)))
	case a.Status == "ok":
		r.ended(c)
	default:
		r.resumed(c, "") // first, as a start that still waits has not seen the loss
		r.accept(string(a.Run))
	}
}

func isRefusal(err error) bool {
	var refused *GatewayError
	return errors.As(err, &refused)
}

// resumed goes on with a run that is live. The text that it had meanwhile is told
// where it goes on from what was told; where it does not, the next chat event has it.
func (r *run) resumed(c *conn, text string) {
	r.take(c, func(m *mapper) []executor.Event { return m.said.extend(text) })
}

// ended ends a run whose end was not seen. What it said meanwhile is in the history.
func (r *run) ended(c *conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over || r.concluding {
		return
	}
	r.follow(c)
	r.reconcile = true
	r.rule(outcome{reason: executor.ReasonSuccess}, true)
}

// failed ends a run whose failure was not seen.
func (r *run) failed(c *conn, message string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over || r.concluding {
		return
	}
	r.follow(c)
	r.rule(failure("", message), true)
}

// missed tells the live runs of frames that did not come, and looks after each, as its
// end may be among them.
func (a *Adapter) missed(c *conn, unreadable bool) {
	a.mu.Lock()
	runs := make([]*run, 0, len(a.live))
	for r := range a.live {
		if r.on.Load() == c {
			runs = append(runs, r)
		}
	}
	a.mu.Unlock()
	for _, r := range runs {
		r.missed(c, unreadable)
	}
}

func (r *run) missed(c *conn, unreadable bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over || r.concluding {
		return
	}
	if !r.gapped && r.known {
		r.gapped = true
		code, message := executor.CodeFramesLost, "frames of the gateway were lost; they may have been of this run"
		if unreadable {
			code, message = executor.CodeMalformedFrame, "a frame of the gateway could not be read and was skipped; it may have been of this run"
		}
		r.publish(mild(code, message))
	}
	if r.checking == nil {
		r.checking = time.AfterFunc(r.adapter.options.Settle, func() { r.check(c) })
	}
}

// check looks after a run of which frames may have been lost.
func (r *run) check(c *conn) {
	r.mu.Lock()
	r.checking = nil
	if r.over || r.concluding || r.on.Load() != c {
		r.mu.Unlock()
		return
	}
	r.adapter.busy.Add(1) // dispose waits for the run first
	r.mu.Unlock()
	defer r.adapter.busy.Done()
	ctx, cancel := context.WithTimeout(c.ctx, r.adapter.options.RequestTimeout)
	defer cancel()
	r.recover(ctx, c)
	r.adapter.askAfter(ctx, c)
}

// texts lists what a model said in the rows.
func texts(rows []row) []string {
	var all []string
	for i := range rows {
		if s, is := rows[i].text(); is && s != "" && rows[i].Role == "assistant" {
			all = append(all, s)
		}
	}
	return all
}

// joined is the whole text of the rows, joined as the gateway joined what was told.
func (m *mapper) joined(rows []row) (whole string, extends bool) {
	for _, between := range []string{"\n\n", ""} { // one version, another
		whole = strings.Join(texts(rows), between)
		if strings.HasPrefix(whole, m.said.told.String()) {
			return whole, true
		}
	}
	return strings.Join(texts(rows), "\n\n"), false
}

// complete reports whether the rows of a run have all that it said, and end in an
// answer.
func (m *mapper) complete(rows []row) bool {
	if len(rows) == 0 {
		return false
	}
	last := &rows[len(rows)-1]
	answer, _ := last.text()
	_, extends := m.joined(rows)
	return last.Role == "assistant" && last.Stop != "toolUse" && answer != "" && extends
}

// reconcile maps what the history has of a run whose end was not seen, and the verdict.
func (m *mapper) reconcile(rows []row) []executor.Event {
	var out []executor.Event
	for i := range rows {
		out = append(out, m.tools.row(&rows[i])...)
	}
	if all := texts(rows); len(all) > 0 {
		m.reply = all[len(all)-1]
	}
	m.end.verdict = written(rows, m.said.told.Len() > 0)
	whole, extends := m.joined(rows)
	if extends {
		return append(out, m.said.whole(whole)...)
	}
	return append(out, m.said.final(whole)...)
}

// written is how a run ended, by what was written down of it.
func written(rows []row, told bool) outcome {
	for _, r := range rows {
		if r.Abort.is.Aborted {
			return outcome{reason: executor.ReasonAborted}
		}
	}
	if n := len(rows); n > 0 {
		if rows[n-1].Stop == "error" {
			return failure("", string(rows[n-1].Failure))
		}
		return stopped(string(rows[n-1].Stop))
	}
	if told {
		return outcome{reason: executor.ReasonSuccess}
	}
	return failure(executor.CodeStreamTruncated, "the run ended unseen, and what it said could not be read")
}
