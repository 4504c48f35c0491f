package codex

import (
	"sync"
	"time"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// hub numbers the events of one run, keeps them, and hands them to the run's
// observers. What is kept serves the first observer, whenever it comes, and later
// ones that come while the run is live; all of them see the same events.
type hub struct {
	runID string
	now   func() time.Time
	max   int // droppable events kept
	hard  int // events kept

	mu        sync.Mutex
	handle    *executor.Run // nil once the run is over
	sessionID *string
	seq       int64
	log       []executor.Event
	droppable int
	full      bool
	ended     bool
	observed  bool
	observers map[*executor.Queue]struct{}
}

func newHub(handle *executor.Run, runID string, o Options) *hub {
	return &hub{
		runID: runID, now: o.Now, max: o.QueueMax, hard: 10 * o.QueueMax,
		handle: handle, observers: map[*executor.Queue]struct{}{},
	}
}

// publish puts the events under their envelopes and hands them out. A non-empty
// session is the session id from here on; the first one stays.
func (h *hub) publish(session string, events ...executor.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if session != "" && h.sessionID == nil {
		h.sessionID = &session
	}
	if len(events) > 0 && len(h.observers) > 0 {
		// Bound before the first event can be seen, and not before anybody looks: a
		// quick runtime must not bind the handle while Start still returns it.
		h.handle.Bind(h.runID)
	}
	for _, e := range events {
		h.seq++
		e = e.WithHead(executor.Envelope{RunID: h.runID, SessionID: h.sessionID, TS: h.now().UnixMilli(), Seq: h.seq})
		h.keep(e)
		for q := range h.observers {
			if !q.Push(e) {
				delete(h.observers, q) // it fell too far behind, and has been told
			}
		}
	}
}

// keep adds to the log, within its bounds: text and status go first, oldest first.
// Once even what must not be lost is more than the hard bound, nothing more is
// kept; an observer that comes then gets what there is and overflows by the one
// event above the bound, as it would have live.
func (h *hub) keep(e executor.Event) {
	if h.full {
		return
	}
	h.log = append(h.log, e)
	if isDroppable(e) {
		h.droppable++
	}
	// Half the bound more may gather, so that the log is not moved for every event.
	if h.droppable > h.max+h.max/2 || h.droppable > 0 && len(h.log) > h.hard {
		h.shrink()
	}
	h.full = len(h.log) > h.hard
}

func (h *hub) shrink() {
	excess := h.droppable - h.max
	if excess <= 0 {
		excess = h.droppable
	}
	kept := h.log[:0]
	for _, e := range h.log {
		if excess > 0 && isDroppable(e) {
			excess--
			h.droppable--
			continue
		}
		kept = append(kept, e)
	}
	clear(h.log[len(kept):])
	h.log = kept
}

func isDroppable(e executor.Event) bool {
	kind := e.Kind()
	return kind == executor.KindTextDelta || kind == executor.KindStatus
}

// subscribe returns a new observer's stream: the run so far and what follows. A
// run that is over is given once.
func (h *hub) subscribe(handle *executor.Run) executor.Stream {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ended && h.observed {
		return executor.Ended{}
	}
	h.observed = true
	var q *executor.Queue
	q = executor.NewQueue(executor.QueueOptions{Max: h.max, Hard: h.hard, Release: func() { h.drop(q) }})
	if len(h.log) > 0 {
		handle.Bind(h.runID)
	}
	for _, e := range h.log {
		q.Push(e)
	}
	if h.ended {
		h.log = nil
		q.End()
		return q
	}
	h.observers[q] = struct{}{}
	return q
}

// drop forgets an observer that closed its stream.
func (h *hub) drop(q *executor.Queue) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.observers, q)
}

// end ends every observer's stream after what it was given.
func (h *hub) end() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ended, h.handle = true, nil
	for q := range h.observers {
		q.End()
	}
	h.observers = nil
	if h.observed {
		h.log = nil
	}
}
