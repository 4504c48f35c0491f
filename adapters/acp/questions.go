package acp

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	sdk "github.com/coder/acp-go-sdk"
	"github.com/go-json-experiment/json/jsontext"
)

// The errors of Approve.
var (
	// ErrNoQuestion: the permission is not open. It was never asked for, has an answer,
	// waited too long, or its run is over.
	ErrNoQuestion = errors.New("no question of this id is open")
	// ErrNoOption: the agent offers no way to grant the permission. It is denied.
	ErrNoOption = errors.New("the agent offers no way to allow this")
)

// questions are the permissions of a run that wait for an answer, by id. The zero value
// has none.
type questions struct {
	mu     sync.Mutex
	open   map[string]*question
	used   map[string]bool // ids that are taken
	closed bool            // none is open any more, and none will be
}

// question waits for an answer.
type question struct {
	request     jsontext.Value // id of its request
	allow, deny sdk.PermissionOptionId
	timer       *time.Timer // denies it
}

// newQuestion chooses among the options of a permission what holds the least.
func newQuestion(request jsontext.Value, options []sdk.PermissionOption) *question {
	q := &question{request: request}
	for _, kind := range []sdk.PermissionOptionKind{
		sdk.PermissionOptionKindAllowOnce, sdk.PermissionOptionKindRejectOnce, sdk.PermissionOptionKindAllowAlways, sdk.PermissionOptionKindRejectAlways,
	} {
		for _, o := range options {
			to := &q.deny
			if strings.HasPrefix(string(kind), "allow") {
				to = &q.allow
			}
			if o.Kind == kind && *to == "" {
				*to = o.OptionId
			}
		}
	}
	return q
}

// ask opens a question under the name of what it is about, or under one like it if
// that is taken, and returns the id. One that nobody answers in time is denied. False
// says that nothing is asked any more.
func (q *questions) ask(name string, it *question, wait time.Duration, deny func(id string)) (id string, ok bool) {
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
	q.open[id] = it
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

// settle closes every question, and returns those that were open.
func (q *questions) settle() []*question {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	var left []*question
	for _, it := range q.open {
		it.timer.Stop()
		left = append(left, it)
	}
	q.open = nil
	return left
}

// cancelled is the answer to a question of a turn that is being ended.
func cancelled() sdk.RequestPermissionResponse {
	return sdk.RequestPermissionResponse{Outcome: sdk.RequestPermissionOutcome{Cancelled: &sdk.RequestPermissionOutcomeCancelled{Outcome: "cancelled"}}}
}

func selected(option sdk.PermissionOptionId) sdk.RequestPermissionResponse {
	return sdk.RequestPermissionResponse{Outcome: sdk.RequestPermissionOutcome{Selected: &sdk.RequestPermissionOutcomeSelected{Outcome: "selected", OptionId: option}}}
}
