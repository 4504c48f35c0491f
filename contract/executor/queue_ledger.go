package executor

import (
	"cmp"
	"slices"
)

// ledger remembers what an overflowing queue must close: the runs without a done
// and their calls without a result. It is a visitor, so that a new kind of event
// cannot be forgotten here.
type ledger struct {
	live    map[string]*liveRun // by run id
	begun   int                 // runs begun so far
	over    string              // the run that ended last
	anyOver bool
	seq     int64 // of the last event noted
}

type liveRun struct {
	order int
	head  Envelope // of the run's last event
	open  map[string]openCall
	calls int // calls announced so far
}

type openCall struct {
	order    int
	id, name string
}

// note writes down an event that the queue took.
func (l *ledger) note(e Event) {
	l.seq = e.Head().Seq
	e.Accept(l)
}

// run returns the entry of the run that the envelope names.
func (l *ledger) run(h Envelope) *liveRun {
	r := l.live[h.RunID]
	if r == nil {
		if l.live == nil {
			l.live = map[string]*liveRun{}
		}
		r = &liveRun{order: l.begun}
		l.begun++
		l.live[h.RunID] = r
	}
	r.head = h
	return r
}

// VisitTextDelta notes that the run is live.
func (l *ledger) VisitTextDelta(e TextDelta) { l.run(e.Envelope) }

// VisitToolCall notes that the call is open. One whose input is still partial is
// not callable, so nothing answers it.
func (l *ledger) VisitToolCall(e ToolCall) {
	r := l.run(e.Envelope)
	if _, known := r.open[e.ID]; known || e.Partial {
		return
	}
	if r.open == nil {
		r.open = map[string]openCall{}
	}
	r.open[e.ID] = openCall{order: r.calls, id: e.ID, name: e.Name}
	r.calls++
}

// VisitToolResult notes that the call is answered.
func (l *ledger) VisitToolResult(e ToolResult) { delete(l.run(e.Envelope).open, e.ID) }

// VisitStatus notes that the run is live.
func (l *ledger) VisitStatus(e Status) { l.run(e.Envelope) }

// VisitCost notes that the run is live.
func (l *ledger) VisitCost(e Cost) { l.run(e.Envelope) }

// VisitDone notes that the run is over.
func (l *ledger) VisitDone(e Done) {
	delete(l.live, e.RunID)
	l.over, l.anyOver = e.RunID, true
}

// VisitError notes that the run is live: done is still to come.
func (l *ledger) VisitError(e Error) { l.run(e.Envelope) }

// closing returns the events that close every live run when the refused event
// found no room, oldest run first, numbered on from the last event noted. The
// refused event's own run counts as live, unless it has just ended.
func (l *ledger) closing(refused Event) []Event {
	head := refused.Head()
	if !l.anyOver || head.RunID != l.over || l.live[head.RunID] != nil {
		l.run(head)
	}
	var events []Event
	add := func(e Event, r *liveRun) {
		l.seq++
		h := r.head
		h.TS, h.Seq = head.TS, l.seq
		events = append(events, e.WithHead(h))
	}
	code := CodeQueueOverflow
	for _, r := range sortedBy(l.live, func(r *liveRun) int { return r.order }) {
		for _, c := range sortedBy(r.open, func(c openCall) int { return c.order }) {
			add(ToolResult{ID: c.id, Name: c.name, Output: overflowText, IsError: true}, r)
		}
		add(Error{Code: &code, Message: overflowText, Fatal: true}, r)
		add(Done{Reason: ReasonError, Summary: overflowText}, r)
	}
	return events
}

const overflowText = "queue overflow: the observer fell too far behind"

// sortedBy returns the map's values in the order of their keys.
func sortedBy[V any](m map[string]V, key func(V) int) []V {
	values := make([]V, 0, len(m))
	for _, v := range m {
		values = append(values, v)
	}
	slices.SortFunc(values, func(a, b V) int { return cmp.Compare(key(a), key(b)) })
	return values
}
