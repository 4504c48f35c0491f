// Package observe gives the events of runs to any number of observers: a [Feed] those
// of one run, a [Session] those of one run after another.
//
// It holds the rules of executor#observers in one place for every adapter in this
// tree: what comes before the first observer is kept; the first observer gets the
// run from its start, also when it is over by then; one that comes while the run is
// live gets it from its start too; a run that is over is not given again.
//
// It imports contract/executor.
package observe

import (
	"sync"
	"time"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// Options bounds a [Feed] or a [Session]. The zero value is right for most adapters.
type Options struct {
	// QueueMax is how many droppable events are held for an observer that does not
	// read, and for one that is yet to come; 0 means 1000. Ten times as many events
	// of any kind are the hard bound.
	QueueMax int
	// Now is the clock behind event times; nil means time.Now.
	Now func() time.Time
}

// Feed numbers the events of one run, stamps them with the time, keeps them, and
// hands them to the run's observers. All of them see the same events. Its methods
// may be called from several goroutines; events keep the order of Publish.
type Feed struct {
	options Options

	mu        sync.Mutex
	handle    *executor.Run // nil once the run is over
	seq       int64
	log       log
	ended     bool
	observed  bool
	observers map[*executor.Queue]struct{}
}

// New returns a feed without observers for the run of the handle, which it binds.
func New(handle *executor.Run, o Options) *Feed {
	o = o.withDefaults()
	return &Feed{options: o, handle: handle, log: log{max: o.QueueMax}, observers: map[*executor.Queue]struct{}{}}
}

func (o Options) withDefaults() Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.QueueMax <= 0 {
		o.QueueMax = 1000
	}
	return o
}

// queue is a queue within the bounds.
func (o Options) queue(release func()) *executor.Queue {
	return executor.NewQueue(executor.QueueOptions{Max: o.QueueMax, Hard: hardness * o.QueueMax, Release: release})
}

// hardness is how many times the droppable events an observer is held events of any kind.
const hardness = 10

// Publish hands events to every observer, each with the next seq and the time of
// now. Run and session are the caller's. After End it does nothing.
func (f *Feed) Publish(events ...executor.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ended {
		return
	}
	for _, e := range events {
		f.seq++
		head := e.Head()
		head.Seq, head.TS = f.seq, f.options.Now().UnixMilli()
		e = e.WithHead(head)
		if len(f.observers) > 0 {
			// Bound before the first event can be seen, and not before anybody looks: a
			// quick runtime must not bind the handle while Start still returns it.
			f.handle.Bind(head.RunID)
		}
		f.log.keep(e)
		for q := range f.observers {
			if !q.Push(e) {
				delete(f.observers, q) // it fell too far behind, and has been told
			}
		}
	}
}

// Subscribe returns a new observer's stream: the run so far and what follows. A run
// that is over is given once. handle is the one that the observer holds.
func (f *Feed) Subscribe(handle *executor.Run) executor.Stream {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ended && f.observed {
		return executor.Ended{}
	}
	f.observed = true
	var q *executor.Queue
	q = f.options.queue(func() { f.release(q) })
	for _, e := range f.log.events {
		handle.Bind(e.Head().RunID)
		q.Push(e)
	}
	if f.ended {
		f.log.events = nil
		q.End()
		return q
	}
	f.observers[q] = struct{}{}
	return q
}

// release forgets an observer that closed its stream.
func (f *Feed) release(q *executor.Queue) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.observers, q)
}

// End ends every observer's stream after what it was given. It is idempotent.
func (f *Feed) End() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ended, f.handle = true, nil
	for q := range f.observers {
		q.End()
	}
	f.observers = nil
	if f.observed {
		f.log.events = nil
	}
}

// Observed reports whether the run has had an observer.
func (f *Feed) Observed() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.observed
}

// Observers is how many streams are attached now.
func (f *Feed) Observers() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.observers)
}
