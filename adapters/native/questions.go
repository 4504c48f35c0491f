package native

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/adaptercheck/adaptercheck/adapters/native/tool"
	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// ErrNoQuestion is returned by Approve for a question that is not open.
var ErrNoQuestion = errors.New("there is no open question of that id")

// questions are what a run has asked and not been answered.
type questions struct {
	timeout time.Duration

	mu     sync.Mutex
	open   map[string]chan bool
	closed bool
}

// put opens a question. The channel has room for its one answer.
func (q *questions) put(id string) <-chan bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	answer := make(chan bool, 1)
	if q.open == nil {
		q.open = map[string]chan bool{}
	}
	if !q.closed {
		q.open[id] = answer
	}
	return answer
}

// drop closes a question, and reports what it was answered if it was.
func (q *questions) drop(id string, answer <-chan bool) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.open, id)
	select {
	case allow := <-answer:
		return allow
	default:
		return false
	}
}

// answer answers a question, once.
func (q *questions) answer(id string, allow bool) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	answer, is := q.open[id]
	if !is {
		return ErrNoQuestion
	}
	delete(q.open, id)
	answer <- allow
	return nil
}

func (q *questions) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed, q.open = true, nil
}

// approve asks the host whether a tool may be called, where that is asked for. What nobody
// answers is denied, and so is what an abort overtakes.
func (r *run) approve(ctx context.Context, call tool.CallInfo, d tool.Definition) bool {
	if !r.adapter.options.NeedsApproval(d) {
		return true
	}
	answer := r.questions.put(call.ID)
	r.emit(executor.Status{Phase: executor.PhaseRunning, Detail: executor.DetailApproval + ":" + call.ID})
	timer := time.NewTimer(r.questions.timeout)
	defer timer.Stop()
	select {
	case allow := <-answer:
		return allow && ctx.Err() == nil
	case <-timer.C:
		return r.questions.drop(call.ID, answer)
	case <-ctx.Done():
		r.questions.drop(call.ID, answer)
		return false
	}
}

// Approve answers the question whether the call of that id may be made, which a status
// event of the run has asked. [ErrNoQuestion] says that it is not open.
func (a *Adapter) Approve(_ context.Context, run *executor.Run, id string, allow bool) error {
	known, err := a.lookup(run)
	if err == nil {
		err = ErrNoQuestion
		if known.run != nil {
			err = known.run.questions.answer(id, allow)
		}
	}
	if err != nil {
		return fmt.Errorf("approve: %w", err)
	}
	return nil
}
