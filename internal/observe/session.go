package observe

import (
	"sync"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// Session gives the events of one session to any number of observers, run after run,
// and numbers them. A stream that was asked for with the handle of a run begins with
// that run, and goes on with the session's later ones until its consumer closes it. Its
// methods and those of its chapters may be called from several goroutines.
type Session struct {
	options Options

	mu        sync.Mutex
	seq       int64
	observers map[*executor.Queue]struct{}
}

// NewSession returns a session without runs.
func NewSession(o Options) *Session {
	return &Session{options: o.withDefaults(), observers: map[*executor.Queue]struct{}{}}
}

// Chapter is what a session has of one run. It keeps the run's events for observers that
// are yet to come.
type Chapter struct {
	session *Session
	handle  *executor.Run // nil once the run is over, and its observers have been told

	log      log
	hidden   bool // observers of earlier runs are not told yet
	ended    bool
	observed bool // somebody asked for it with its own handle
}

// Begin opens the chapter of a run, and binds the run's handle. Observers of earlier runs
// are told of it from Reveal on: a quick runtime must not bind the handle while Start
// still returns it.
func (s *Session) Begin(handle *executor.Run) *Chapter {
	return &Chapter{session: s, handle: handle, log: log{max: s.options.QueueMax}, hidden: true}
}

// Reveal tells the observers of earlier runs, once.
func (c *Chapter) Reveal() {
	c.session.mu.Lock()
	defer c.session.mu.Unlock()
	if !c.hidden {
		return
	}
	c.hidden = false
	for _, e := range c.log.events {
		c.push(e)
	}
	if c.ended {
		c.handle = nil
		c.forget()
	}
}

// Publish hands events to every observer, each with the next seq of the session and the
// time of now. Run and session are the caller's. After End it does nothing.
func (c *Chapter) Publish(events ...executor.Event) {
	s := c.session
	s.mu.Lock()
	defer s.mu.Unlock()
	c.publish(events)
}

func (c *Chapter) publish(events []executor.Event) {
	if c.ended {
		return
	}
	s := c.session
	for _, e := range events {
		s.seq++
		head := e.Head()
		head.Seq, head.TS = s.seq, s.options.Now().UnixMilli()
		e = e.WithHead(head)
		c.log.keep(e)
		if !c.hidden {
			c.push(e)
		}
	}
}

// Cut is Publish and End for a run whose connection was lost for good: the stream of
// every observer ends after the events. One that comes after them is not touched.
func (c *Chapter) Cut(events ...executor.Event) {
	s := c.session
	s.mu.Lock()
	defer s.mu.Unlock()
	c.publish(events)
	c.end()
	s.shut()
}

// push hands an event to every observer. The lock is held.
func (c *Chapter) push(e executor.Event) {
	if len(c.session.observers) == 0 {
		return
	}
	if c.handle != nil {
		c.handle.Bind(e.Head().RunID) // before the event can be seen
	}
	for q := range c.session.observers {
		if !q.Push(e) {
			delete(c.session.observers, q) // it fell too far behind, and has been told
		}
	}
}

// Subscribe returns a new observer's stream: the run so far, and what follows in the
// session. A run that is over is given once. handle is the one that the observer holds.
func (c *Chapter) Subscribe(handle *executor.Run) executor.Stream {
	s := c.session
	s.mu.Lock()
	defer s.mu.Unlock()
	var q *executor.Queue
	q = s.options.queue(func() { s.release(q) })
	for _, e := range c.log.events {
		handle.Bind(e.Head().RunID)
		q.Push(e)
	}
	c.observed = true
	c.forget()
	s.observers[q] = struct{}{}
	return q
}

// release forgets an observer that closed its stream.
func (s *Session) release(q *executor.Queue) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.observers, q)
}

// End says that the run is over. What it said is kept for the first who asks. Streams go
// on.
func (c *Chapter) End() {
	c.session.mu.Lock()
	defer c.session.mu.Unlock()
	c.end()
}

func (c *Chapter) end() {
	c.ended = true
	if !c.hidden {
		c.handle = nil
	}
	c.forget()
}

// forget lets go of what nobody is given any more. The lock is held.
func (c *Chapter) forget() {
	if c.ended && c.observed && !c.hidden {
		c.log.events = nil
	}
}

// Observed reports whether somebody has asked for the run with its own handle.
func (c *Chapter) Observed() bool {
	c.session.mu.Lock()
	defer c.session.mu.Unlock()
	return c.observed
}

// Shut ends the stream of every observer after what it was given.
func (s *Session) Shut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shut()
}

func (s *Session) shut() {
	for q := range s.observers {
		q.End()
	}
	clear(s.observers)
}
