package codex

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

// ErrNoQuestion is returned by Approve for a question that is not open: it was never
// asked, has an answer, waited too long, was withdrawn, or its run is over.
var ErrNoQuestion = errors.New("no question of this id is open")

// questions are those of a run that wait for an answer, by id. The zero value has
// none.
type questions struct {
	mu     sync.Mutex
	open   map[string]*question
	used   map[string]bool // ids that are taken
	closed bool            // none is open any more, and none will be
}

// question waits for an answer.
type question struct {
	request string // the JSON text of the id of its request
	yes, no string // the JSON texts of its answers
	timer   *time.Timer
}

// ask opens a question under the name of what it is about, or under one like it if
// that is taken, and returns the id. One that nobody answers in time is denied.
func (q *questions) ask(name string, it question, wait time.Duration, deny func(id string)) (id string, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return "", false
	}
	if q.open == nil {
		q.open, q.used = map[string]*question{}, map[string]bool{}
	}
	id = name
	for n := 2; q.used[id]; n++ {
		id = fmt.Sprintf("%s~%d", name, n)
	}
	q.used[id] = true
	it.timer = time.AfterFunc(wait, func() { deny(id) })
	q.open[id] = &it
	return id, true
}

// take closes a question, and returns nil if it is not open.
func (q *questions) take(id string) *question {
	q.mu.Lock()
	defer q.mu.Unlock()
	it := q.open[id]
	if it != nil {
		it.timer.Stop()
		delete(q.open, id)
	}
	return it
}

// withdraw closes the question of that request.
func (q *questions) withdraw(request string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for id, it := range q.open {
		if it.request == request {
			it.timer.Stop()
			delete(q.open, id)
		}
	}
}

// settle closes every question without an answer: a turn that is over takes none for
// no.
func (q *questions) settle() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	for _, it := range q.open {
		it.timer.Stop()
	}
	q.open = nil
}
