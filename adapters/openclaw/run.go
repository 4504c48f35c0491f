package openclaw

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/observe"
)

// run is one run from its start to its done.
type run struct {
	adapter *Adapter
	session *session
	chapter *observe.Chapter
	send    chatSend
	denied  []string // tools that the configuration forbids for it

	// on is the connection that the run is followed on.
	on atomic.Pointer[conn]

	begun chan struct{} // closed when it is known whether there is a run

	mu         sync.Mutex
	mapper     *mapper
	id         string // the gateway's name for the run
	epoch      int    // the gateway's life that it runs in
	known      bool   // begun is closed
	refusal    error  // why there is no run
	aborted    bool
	cancelled  bool // the gateway has taken the abort
	gapped     bool // frames were lost, and observers were told
	reconcile  bool // what it said is to be read from the history
	cut        bool // its streams end with it
	concluding bool
	over       bool
	asks       map[string]*time.Timer // open questions, until they are denied
	asked      map[string]bool        // all that were passed on
	settling   *time.Timer            // runs while the end is hinted at
	fenced     bool                   // the end waits for the answer behind which nothing is left
	grace      *time.Timer
	checking   *time.Timer
}

// chatSend is the request that a run is. The same one again asks what became of it.
type chatSend struct {
	Session string `json:"sessionKey"`
	Message string `json:"message"`
	Deliver bool   `json:"deliver"` // to a channel outside
	Key     string `json:"idempotencyKey"`
}

// ack is the gateway's answer to a chat.send.
type ack struct {
	Run      text           `json:"runId"`
	Status   text           `json:"status"`
	Accepted jsontext.Value `json:"accepted"`
	Summary  text           `json:"summary"`
}

// errNoRun says that the gateway took the message and began nothing.
var errNoRun = errors.New("the gateway acknowledged the message but started no run")

// readAck judges an acknowledgement by what it holds: a run that has a name is one,
// unless its status says in a word of old that it is not.
func readAck(payload jsontext.Value) (ack, error) {
	var a ack
	if !read(payload, &a) || a.Run == "" || a.Accepted.Kind() == 'f' {
		return a, errNoRun
	}
	switch a.Status {
	case "error", "dropped", "rejected", "no-active-run", "no_active_run", "no_session", "aborted", "timeout":
		return a, fmt.Errorf("%w (status %s)", errNoRun, a.Status)
	}
	return a, nil
}

// askings is how often a message is sent that the gateway does not acknowledge: under
// the same key it begins one run.
const askings = 3

// launch sends the message. What becomes of it is told by begun.
func (r *run) launch(c *conn) {
	var payload jsontext.Value
	n, err := 0, error(errUnanswered)
	for ; n < askings && errors.Is(err, errUnanswered) && !r.isKnown(); n++ {
		payload, err = c.call(context.Background(), "chat.send", &r.send, r.adapter.options.RequestTimeout/askings)
	}
	if errors.Is(err, errLost) {
		r.adapter.lost(c) // it is sent again when the connection is back
		return
	}
	a, bad := ack{}, err
	if err == nil {
		a, bad = readAck(payload)
	}
	if bad != nil {
		r.refuse(bad)
		return
	}
	r.accept(string(a.Run))
	if n > 1 && a.Status == "ok" {
		r.ended(c) // it is over, and nothing of it was heard
	}
}

func (r *run) isKnown() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.known
}

// accept notes that there is a run, and its name.
func (r *run) accept(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if id != "" && id != r.id && !r.over && !r.mapper.begun {
		r.adapter.route(id, r)
		r.id = id
	}
	r.knowing(nil)
}

// refuse notes that there is none. A run that has spoken is one, whatever the answer.
func (r *run) refuse(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.knowing(err)
}

// knowing closes begun. The lock is held.
func (r *run) knowing(refusal error) {
	if r.known {
		return
	}
	r.known, r.refusal = true, refusal
	close(r.begun)
}

// take maps something that came over a connection. That it came shows that the run is
// followed there.
func (r *run) take(c *conn, frame func(*mapper) []executor.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over || r.concluding || !c.alive() && r.on.Load() != c {
		return // or it came late over a connection that is over
	}
	r.follow(c)
	events := frame(r.mapper)
	r.knowing(nil)
	r.publish(events)
	r.judge()
}

// follow notes the connection that the run is followed on. Another one than before is
// a loss that was recovered from. The lock is held.
func (r *run) follow(c *conn) {
	before := r.on.Swap(c)
	if before == c {
		return
	}
	r.epoch = c.epoch
	if r.known {
		r.publish(mild(executor.CodeConnectionLost, "the connection to the gateway was lost and has been restored"))
	}
}

// publish puts events under the run's name and, once it is known, the gateway's id for
// the session. The lock is held.
func (r *run) publish(events []executor.Event) {
	head := executor.Envelope{RunID: r.id}
	if r.mapper.session != "" {
		session := r.mapper.session
		head.SessionID = &session
	}
	for i, e := range events {
		events[i] = e.WithHead(head)
	}
	if r.over && r.cut && !r.aborted {
		r.chapter.Cut(events...)
		return
	}
	r.chapter.Publish(events...)
}

// judge acts on what is known of the run's end. The lock is held.
func (r *run) judge() {
	switch end := &r.mapper.end; {
	case end.over():
		r.conclude(true)
	case end.hinting() && r.settling == nil:
		r.settling = time.AfterFunc(r.adapter.options.Settle, r.settle)
	case !end.hinting() && r.settling != nil:
		r.settling.Stop()
		r.settling = nil
	}
}

// settle ends a run by its lifecycle, if the chat has nothing to say about it. What the
// gateway has said before it answers has been read by then, however much that is.
func (r *run) settle() {
	r.mu.Lock()
	if r.over || r.concluding || r.settling == nil || r.fenced {
		r.mu.Unlock()
		return
	}
	r.fenced = true
	r.adapter.busy.Add(1) // dispose waits for the run first
	r.mu.Unlock()
	defer r.adapter.busy.Done()
	r.look()

	r.mu.Lock()
	defer r.mu.Unlock()
	r.fenced = false
	if r.over || r.concluding || r.settling == nil {
		return
	}
	r.settling = nil
	r.mapper.end.settle()
	r.judge()
}

// rule ends a run by what the adapter itself knows. The lock is held.
func (r *run) rule(v outcome, look bool) {
	if r.over || r.concluding {
		return
	}
	r.mapper.end.verdict = v
	r.conclude(look)
}

// conclude starts the end of the run, once: with a look at what it cost, or without
// where nothing would answer. The lock is held.
func (r *run) conclude(look bool) {
	if r.concluding || r.over {
		return
	}
	r.concluding = true
	for _, t := range []*time.Timer{r.settling, r.checking} {
		if t != nil {
			t.Stop()
		}
	}
	r.knowing(nil)
	go r.finish(look)
}

// finish ends the run. The session is free before anybody can see the done.
func (r *run) finish(look bool) {
	defer r.adapter.runs.Done()
	var rows []row
	if look {
		rows = r.look()
	}
	r.mu.Lock()
	if r.reconcile {
		r.publish(r.mapper.reconcile(rows))
	}
	events := r.mapper.finish(rows, r.aborted)
	r.over = true
	if r.grace != nil {
		r.grace.Stop()
	}
	for _, t := range r.asks {
		t.Stop()
	}
	r.adapter.release(r, r.aborted && !r.cancelled)
	r.publish(events)
	r.chapter.End()
	r.mapper = nil // the handle may be held for long
	r.mu.Unlock()
	r.permit()
}

// look reads what the gateway has written down of the run, for the time of
// UsageTimeout. Nil is not known.
func (r *run) look() []row {
	c := r.on.Load()
	if c == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), r.adapter.options.UsageTimeout)
	defer cancel()
	_, rows, _ := r.history(ctx, c)
	return rows
}

// Rows of the history that are asked for: enough for most runs, and the most there are.
const (
	someRows = 100
	mostRows = 1000
)

type historyParams struct {
	Session string `json:"sessionKey"`
	Limit   int    `json:"limit"`
}

// history reads what the gateway has written down of the session, and the rows of this
// run in it, nil where its beginning is not among them: a part would be a wrong bill.
func (r *run) history(ctx context.Context, c *conn) (history, []row, error) {
	r.mu.Lock()
	id := r.id
	r.mu.Unlock()
	for _, limit := range []int{someRows, mostRows} {
		payload, err := c.call(ctx, "chat.history", historyParams{r.send.Session, limit}, 0)
		if err != nil {
			return history{}, nil, err
		}
		var h history
		if !read(payload, &h) {
			return history{}, nil, nil
		}
		rows, whole := rowsOf(&h, id)
		if whole {
			return h, rows, nil
		}
		if len(h.Messages) < limit {
			return h, nil, nil
		}
	}
	return history{}, nil, nil
}
