package openclaw

import (
	"sync"
	"time"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// feed gives the events of one session to any number of observers, run after run, and
// numbers them. A stream that was asked for with the handle of a run begins with that
// run, and goes on with the session's later ones until its consumer closes it.
type feed struct {
	now       func() time.Time
	max, hard int

	mu        sync.Mutex
	seq       int64
	observers map[*executor.Queue]struct{}
}

func newFeed(o *Options) *feed {
	return &feed{now: o.Now, max: o.QueueMax, hard: 10 * o.QueueMax, observers: map[*executor.Queue]struct{}{}}
}

// chapter is what a feed has of one run. It keeps the run's events for observers that
// are yet to come, within bounds.
type chapter struct {
	feed   *feed
	handle *executor.Run // nil once the run is over, and its observers have been told

	log       []executor.Event
	droppable int
	full      bool // what came last is not in the log
	hidden    bool // observers of earlier runs are not told yet
	ended     bool
	observed  bool // somebody asked for it with its own handle
}

// begin opens the chapter of a run. Observers of earlier runs are told of it from reveal
// on: a quick gateway must not bind the handle while Start still returns it.
func (f *feed) begin(handle *executor.Run) *chapter {
	return &chapter{feed: f, handle: handle, hidden: true}
}

// reveal tells the observers of earlier runs.
func (c *chapter) reveal() {
	c.feed.mu.Lock()
	defer c.feed.mu.Unlock()
	if !c.hidden {
		return
	}
	c.hidden = false
	for _, e := range c.log {
		c.push(e)
	}
	if c.ended {
		c.handle = nil
	}
}

// publish hands events to every observer, each with the next seq and the time of now.
func (c *chapter) publish(head executor.Envelope, events []executor.Event) {
	f := c.feed
	f.mu.Lock()
	defer f.mu.Unlock()
	if c.ended {
		return
	}
	for _, e := range events {
		f.seq++
		head.Seq, head.TS = f.seq, f.now().UnixMilli()
		e = e.WithHead(head)
		c.keep(e)
		if !c.hidden {
			c.push(e)
		}
	}
}

// push hands an event to every observer. The lock is held.
func (c *chapter) push(e executor.Event) {
	if len(c.feed.observers) == 0 {
		return
	}
	if c.handle != nil {
		c.handle.Bind(e.Head().RunID) // before the event can be seen
	}
	for q := range c.feed.observers {
		if !q.Push(e) {
			delete(c.feed.observers, q) // it fell too far behind, and has been told
		}
	}
}

// keep adds to the log: text and status go first, oldest first. Once even what must not
// be lost is more than the hard bound, nothing more is kept; an observer that comes
// then gets what there is and overflows by the one event above the bound.
func (c *chapter) keep(e executor.Event) {
	if c.full {
		return
	}
	c.log = append(c.log, e)
	if isDroppable(e) {
		c.droppable++
	}
	// Half the bound more may gather, so that the log is not moved for every event.
	if c.droppable > c.feed.max+c.feed.max/2 || c.droppable > 0 && len(c.log) > c.feed.hard {
		c.shrink()
	}
	c.full = len(c.log) > c.feed.hard
}

func (c *chapter) shrink() {
	excess := c.droppable - c.feed.max
	if excess <= 0 {
		excess = c.droppable
	}
	kept := c.log[:0]
	for _, e := range c.log {
		if excess > 0 && isDroppable(e) {
			excess--
			c.droppable--
			continue
		}
		kept = append(kept, e)
	}
	clear(c.log[len(kept):])
	c.log = kept
}

func isDroppable(e executor.Event) bool {
	kind := e.Kind()
	return kind == executor.KindTextDelta || kind == executor.KindStatus
}

// subscribe returns a new observer's stream: the run so far, and what follows in the
// session. A run that is over is given once. handle is the one that the observer holds.
func (c *chapter) subscribe(handle *executor.Run) executor.Stream {
	f := c.feed
	f.mu.Lock()
	defer f.mu.Unlock()
	var q *executor.Queue
	q = executor.NewQueue(executor.QueueOptions{Max: f.max, Hard: f.hard, Release: func() { f.release(q) }})
	for _, e := range c.log {
		handle.Bind(e.Head().RunID)
		q.Push(e)
	}
	c.observed = true
	if c.ended {
		c.log = nil
	}
	f.observers[q] = struct{}{}
	return q
}

// release forgets an observer that closed its stream.
func (f *feed) release(q *executor.Queue) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.observers, q)
}

// end says that the run is over. What it said is kept for the first who asks.
func (c *chapter) end() {
	c.feed.mu.Lock()
	defer c.feed.mu.Unlock()
	c.ended = true
	if !c.hidden {
		c.handle = nil
	}
	if c.observed {
		c.log = nil
	}
}

// shut ends the stream of every observer after what it was given.
func (f *feed) shut() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for q := range f.observers {
		q.End()
	}
	clear(f.observers)
}
