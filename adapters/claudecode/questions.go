package claudecode

import (
	"errors"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/internal/ndjson"
)

// ErrNoQuestion is returned by Approve for a question that is not open: it was never
// asked, has an answer, waited too long, was withdrawn, or its run is over.
var ErrNoQuestion = errors.New("no question of this id is open")

// questions are those of a run that wait for an answer, by id. The zero value has
// none.
type questions struct {
	mu     sync.Mutex
	open   map[string]*question
	closed bool // none is open any more, and none will be
}

// question waits for an answer.
type question struct {
	input jsontext.Value
	timer *time.Timer // denies it
}

// ask opens a question. One that nobody answers in time is denied.
func (q *questions) ask(id string, input jsontext.Value, wait time.Duration, deny func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed || q.open[id] != nil {
		return
	}
	if q.open == nil {
		q.open = map[string]*question{}
	}
	q.open[id] = &question{input: input, timer: time.AfterFunc(wait, deny)}
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

// settle closes every question without an answer: the runtime takes none for no.
func (q *questions) settle() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	for _, it := range q.open {
		it.timer.Stop()
	}
	q.open = nil
}

// answer answers a question, once.
func (w *wire) answer(id string, allow bool) error {
	q := w.questions.take(id)
	if q == nil {
		return ErrNoQuestion
	}
	err := w.console.answer(id, q.input, allow)
	if errors.Is(err, ndjson.ErrEnded) {
		return ErrNoQuestion // the process hears nothing any more
	}
	return err
}
