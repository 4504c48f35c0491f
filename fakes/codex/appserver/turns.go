package appserver

import (
	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/child"
)

// turn is from a turn/start to its turn/completed.
type turn struct {
	id    string
	of    *conversation
	first addressed

	begun   bool // something of it was said
	started *int64
	flagged bool // it is told that an approval is waited for
	// speaking: a call of the model has said something, and not what it has spent.
	speaking bool
	text     *textItem
	thought  *thoughtItem
	calls    []*call
	last     *agentMessage // that is whole
	steered  []addressed   // what waits for the tools
	diff     string
	retries  int
}

// addressed is a message, and the id that the client gave it.
type addressed struct {
	input  []userInput
	client string
}

// current is the turn that frames speak of: the one that goes on, else the last one.
func (r *renderer) current() *turn {
	t := r.turn
	if t == nil {
		t = r.past
	}
	t.begun = true
	return t
}

// Init begins a turn: the one that was asked for, or one of the server's own.
func (r *renderer) Init(fakes.Init) error {
	if r.scripted() {
		if err := r.awaitTurn(); err != nil {
			return err
		}
	}
	if r.quiet() {
		return nil
	}
	if r.turn == nil || r.turn.begun {
		of := r.current().of
		r.turn = &turn{id: r.ids.uuid(), of: of}
	}
	t := r.turn
	t.begun = true
	t.of.record.Turn = t.id
	if err := r.save(t.of); err != nil {
		return err
	}
	if err := r.status(t, threadStatus{Type: "active", Flags: &[]string{}}); err != nil {
		return err
	}
	at := r.ids.seconds()
	t.started = &at
	if err := r.tell("turn/started", turnChanged{t.of.id, turnInfo{ID: t.id, Root: t.id, View: "notLoaded", Status: "inProgress", Started: t.started}}); err != nil {
		return err
	}
	return r.repeat(t, t.first)
}

// awaitTurn waits, in a script, for the turn/start whose turn is due.
func (r *renderer) awaitTurn() error {
	code, ended := r.process.Await(func() bool { return r.turn != nil && !r.turn.begun || r.input.closed && len(r.process.Play.Args) == 0 })
	if ended {
		return &child.Ended{Code: code}
	}
	r.input.cutShort, r.input.stays, r.Muted = false, false, false
	return nil
}

// repeat says the user's message as an item.
func (r *renderer) repeat(t *turn, m addressed) error {
	if len(m.input) == 0 {
		return nil
	}
	item := userMessage{Type: "userMessage", ID: r.ids.uuid(), times: times{Started: r.ids.now()}}
	if m.client != "" {
		item.Client = &m.client
	}
	for _, x := range m.input {
		item.Content = append(item.Content, x.raw)
	}
	if err := r.opened(t, item, item.Started); err != nil {
		return err
	}
	at := r.ids.now()
	item.Completed = &at
	return r.closed(t, item, at)
}

// opened and closed say how an item stands.
func (r *renderer) opened(t *turn, item any, at int64) error {
	return r.tell("item/started", itemStarted{item, t.of.id, t.id, at})
}

func (r *renderer) closed(t *turn, item any, at int64) error {
	return r.tell("item/completed", itemCompleted{Item: item, Thread: t.of.id, Turn: t.id, Completed: at})
}

func (r *renderer) status(t *turn, s threadStatus) error {
	return r.tell("thread/status/changed", statusChanged{t.of.id, s})
}

// waits tells whether the turn waits for an approval, where that changes.
func (r *renderer) waits(t *turn) error {
	flags := []string{}
	for _, q := range r.asked {
		if q.turn == t && !q.plain {
			flags = []string{"waitingOnApproval"}
		}
	}
	if t.flagged == (len(flags) > 0) {
		return nil
	}
	t.flagged = !t.flagged
	return r.status(t, threadStatus{Type: "active", Flags: &flags})
}

// steer adds a message to a turn: at once, which breaks off what the model says, or when
// its tools have answered.
func (r *renderer) steer(t *turn, m addressed) error {
	r.input.steered++
	t.steered = append(t.steered, m)
	if !t.begun || t.open() > 0 {
		return nil
	}
	return r.takeSteered(t)
}

// takeSteered says the messages that wait.
func (r *renderer) takeSteered(t *turn) error {
	if len(t.steered) == 0 || r.silenced() {
		return nil
	}
	if err := r.hush(t); err != nil {
		return err
	}
	waiting := t.steered
	t.steered = nil
	for _, m := range waiting {
		if err := r.repeat(t, m); err != nil {
			return err
		}
	}
	return nil
}

// hush breaks off what the model says. Items that are open stay so.
func (r *renderer) hush(t *turn) error {
	t.text, t.thought = nil, nil
	if !t.speaking {
		return nil
	}
	t.speaking = false
	return r.rateLimits()
}

// finish ends the turn, as the thread stands then.
func (r *renderer) finish(t *turn, thread, status string, failure *turnError, items ...any) error {
	if err := r.save(t.of); err != nil { // no turn ends that is not kept, said to begin or not
		return err
	}
	if err := r.status(t, threadStatus{Type: thread}); err != nil {
		return err
	}
	if failure != nil {
		if err := r.tell("error", errorNotice{*failure, false, t.of.id, t.id}); err != nil {
			return err
		}
	}
	began, at := r.ids.seconds(), r.ids.seconds()
	if t.started != nil {
		began = *t.started
	}
	spent := (at - began) * 1000
	info := turnInfo{ID: t.id, Root: t.id, Items: items, View: "notLoaded", Status: status, Error: failure, Started: &began, Completed: &at, Duration: &spent}
	if status == "completed" {
		info.View = "summary"
	}
	if r.turn == t {
		r.turn, r.past = nil, t
	}
	if err := r.tell("turn/completed", turnChanged{t.of.id, info}); err != nil {
		return err
	}
	if r.process != nil {
		r.next()
	}
	return nil
}

// cutShort ends a turn that the client stopped. A script goes on with the next one.
func (r *renderer) cutShort(t *turn) error {
	r.input.stays = false
	r.input.cutShort = r.scripted()
	return r.finish(t, "idle", "interrupted", nil)
}
