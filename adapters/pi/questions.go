package pi

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"time"
)

// ErrNoQuestion is returned by Approve for a question that is not open: it was never
// asked, has an answer, waited too long, or its run is over.
var ErrNoQuestion = errors.New("no question of this id is open")

// question is one of an extension that can be answered with yes or no.
type question struct {
	id string
	// yes is the option that allows, of a question that gives some; empty is a question
	// for yes or no.
	yes   string
	timer *time.Timer // denies it
}

// questions are those of a run that wait for an answer, by id. The zero value has none.
type questions struct {
	mu     sync.Mutex
	open   map[string]*question
	closed bool // none is open any more, and none will be
}

// ask opens a question, and reports whether it did. One that nobody answers in time is
// denied.
func (q *questions) ask(it question, wait time.Duration, deny func()) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed || q.open[it.id] != nil {
		return false
	}
	if q.open == nil {
		q.open = map[string]*question{}
	}
	it.timer = time.AfterFunc(wait, deny)
	q.open[it.id] = &it
	return true
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

// settle closes every question, and returns those that were open.
func (q *questions) settle() []*question {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	var open []*question
	for _, it := range q.open {
		it.timer.Stop()
		open = append(open, it)
	}
	q.open = nil
	return open
}

// affirmative are the options that stand for yes.
var affirmative = []string{"yes", "allow", "allow once", "approve", "ok"}

// allowing is the one option that allows, if there is one: with none or several it is
// not a question for yes or no.
func allowing(options []string) (yes string, one bool) {
	for _, o := range options {
		if !slices.Contains(affirmative, strings.ToLower(strings.TrimSpace(o))) {
			continue
		}
		if one {
			return "", false
		}
		yes, one = o, true
	}
	return yes, one && yes != ""
}
