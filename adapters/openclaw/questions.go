package openclaw

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// ErrNoQuestion is returned by Approve for a question that is not open.
var ErrNoQuestion = errors.New("no open question with this id")

type resolve struct {
	ID       string `json:"id"`
	Decision string `json:"decision"`
}

// ask passes a question on and starts the clock of its answer. The lock is held.
func (r *run) ask(id string) []executor.Event {
	if r.asked[id] {
		return nil
	}
	r.asked[id] = true
	wait := r.adapter.options.ApprovalTimeout
	if r.aborted {
		wait = 0
	}
	r.asks[id] = time.AfterFunc(wait, func() { r.deny(id) })
	return r.mapper.asks(id)
}

// askAfter passes on the questions that live runs were asked while nobody listened. A
// gateway that does not list them leaves them to its own limit.
func (a *Adapter) askAfter(ctx context.Context, c *conn) {
	payload, err := c.call(ctx, "exec.approval.list", struct{}{}, 0)
	if err != nil {
		return
	}
	var named struct {
		Approvals jsontext.Value `json:"approvals"`
	}
	if read(payload, &named) {
		payload = named.Approvals
	}
	var open []object[approvalEvent]
	if payload.Kind() != '[' || json.Unmarshal(payload, &open, lenient) != nil {
		return
	}
	for _, q := range open {
		a.question(c, &q.is)
	}
}

// question gives a question to the run that asks.
func (a *Adapter) question(c *conn, q *approvalEvent) {
	if q.ID == "" {
		return
	}
	if r := a.find(q.Request.is.Run, q.Request.is.Session); r != nil {
		r.take(c, func(*mapper) []executor.Event { return r.ask(string(q.ID)) })
	}
}

// deny answers a question that nobody has answered. An answer that cannot be given now
// is given later: nothing is allowed meanwhile.
func (r *run) deny(id string) {
	r.mu.Lock()
	if r.over {
		r.mu.Unlock()
		return
	}
	r.adapter.busy.Add(1) // dispose waits for the run first
	r.mu.Unlock()
	defer r.adapter.busy.Done()
	ctx, cancel := context.WithTimeout(context.Background(), r.adapter.options.RequestTimeout)
	defer cancel()
	err := r.answer(ctx, id, false)
	var refused *GatewayError
	if err == nil || errors.Is(err, ErrNoQuestion) || errors.As(err, &refused) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.over {
		r.asks[id] = time.AfterFunc(r.adapter.options.ReconnectDelay, func() { r.deny(id) })
	}
}

// unask forgets a question that was answered, here or elsewhere.
func (r *run) unask(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if t := r.asks[id]; t != nil {
		t.Stop()
		delete(r.asks, id)
	}
}

// answer answers an open question, once. Where the answer does not reach the gateway the
// question is open again, and is denied when its time is up.
func (r *run) answer(ctx context.Context, id string, allow bool) error {
	r.mu.Lock()
	t := r.asks[id]
	if t == nil || r.over || r.aborted && allow {
		r.mu.Unlock()
		return ErrNoQuestion
	}
	t.Stop()
	delete(r.asks, id)
	r.mu.Unlock()

	decision := "deny"
	if allow {
		decision = "allow-once"
	}
	err := errLost
	if c := r.adapter.link.current(); c != nil {
		_, err = c.call(ctx, "exec.approval.resolve", resolve{id, decision}, 0)
	}
	if err == nil {
		return nil
	}
	if allow {
		r.mu.Lock()
		defer r.mu.Unlock()
		if !r.over && r.asks[id] == nil {
			r.asks[id] = time.AfterFunc(r.adapter.options.ApprovalTimeout, func() { r.deny(id) })
		}
	}
	return fmt.Errorf("answer a question: %w", err)
}
