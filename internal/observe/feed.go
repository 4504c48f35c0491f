// Package observe gives the events of one run to any number of observers.
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

// Options bounds a [Feed]. The zero value is right for most adapters.
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
	now       func() time.Time
	max, hard int

	mu        sync.Mutex
	handle    *executor.Run // nil once the run is over
	seq       int64
	log       []executor.Event
	droppable int
	full      bool // what came last is not in the log
	ended     bool
	observed  bool
	observers map[*executor.Queue]struct{}
}

// New returns a feed without observers for the run of the handle, which it binds.
func New(handle *executor.Run, o Options) *Feed {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.QueueMax <= 0 {
		o.QueueMax = 1000
	}
	return &Feed{now: o.Now, max: o.QueueMax, hard: 10 * o.QueueMax, handle: handle, observers: map[*executor.Queue]struct{}{}}
}

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
		head.Seq, head.TS = f.seq, f.now().UnixMilli()
		e = e.WithHead(head)
		if len(f.observers) > 0 {
			// Bound before the first event can be seen, and not before anybody looks: a
			// quick runtime must not bind the handle while Start still returns it.
			f.handle.Bind(head.RunID)
		}
		f.keep(e)
		for q := range f.observers {
			if !q.Push(e) {
				delete(f.observers, q) // it fell too far behind, and has been told
			}
		}
	}
}

// keep adds to the log, within its bounds: text and status go first, oldest first.
// Once even what must not be lost is more than the hard bound, nothing more is
// kept; an observer that comes then gets what there is and overflows by the one
// event above the bound, as it would have live.
func (f *Feed) keep(e executor.Event) {
	if f.full {
		return
	}
	f.log = append(f.log, e)
	if isDroppable(e) {
		f.droppable++
	}
	// Half the bound more may gather, so that the log is not moved for every event.
	if f.droppable > f.max+f.max/2 || f.droppable > 0 && len(f.log) > f.hard {
		f.shrink()
	}
	f.full = len(f.log) > f.hard
}

func (f *Feed) shrink() {
	excess := f.droppable - f.max
	if excess <= 0 {
		excess = f.droppable
	}
	kept := f.log[:0]
	for _, e := range f.log {
		if excess > 0 && isDroppable(e) {
			excess--
			f.droppable--
			continue
		}
		kept = append(kept, e)
	}
	clear(f.log[len(kept):])
	f.log = kept
}

func isDroppable(e executor.Event) bool {
	kind := e.Kind()
	return kind == executor.KindTextDelta || kind == executor.KindStatus
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
	q = executor.NewQueue(executor.QueueOptions{Max: f.max, Hard: f.hard, Release: func() { f.release(q) }})
	for _, e := range f.log {
		handle.Bind(e.Head().RunID)
		q.Push(e)
	}
	if f.ended {
		f.log = nil
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
		f.log = nil
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
