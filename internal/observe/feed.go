// Package observe gives the events of one run to any number of observers.
//
// It holds the rules of executor#observers in one place for every adapter in this
// tree: frames before the first observer are kept; the first observer gets the run
// from its start, also when it is over by then; one that comes while the run is
// live gets it from its start too; a run that is over is not played again.
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
	// QueueMax is the number of droppable events held for an observer that does
	// not read; 0 means the queue's own default.
	QueueMax int
	// Now is the clock behind event times; nil means time.Now.
	Now func() time.Time
}

// Feed numbers the events of one run, stamps them, and fans them out. Its methods
// may be called from several goroutines; events keep the order of Publish.
type Feed struct {
	opts Options

	mu       sync.Mutex
	seq      int64
	log      []executor.Event
	attached map[*executor.Queue]struct{}
	seen     bool // a first observer has been served
	full     bool // the log could not be kept; it lacks what came since
	ended    bool
}

// keep is how many events a feed remembers for observers that come late. Beyond
// it text and status go first, oldest first, as in a queue.
const keep = 9_000

// New returns a feed without observers.
func New(o Options) *Feed {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Feed{opts: o, attached: map[*executor.Queue]struct{}{}}
}

// Publish sends the event to every observer, with the next seq and the time of
// now. After End it does nothing.
func (f *Feed) Publish(e executor.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ended {
		return
	}
	f.seq++
	head := e.Head()
	head.Seq = f.seq
	head.TS = f.opts.Now().UnixMilli()
	e = e.WithHead(head)
	f.remember(e)
	for q := range f.attached {
		q.Push(e)
	}
}

// remember keeps the event for late observers. When the log is full it forgets
// the older half of what may be dropped, so that the cost per event is constant.
// Once nothing may be dropped the log is over, as an observer's queue would be.
func (f *Feed) remember(e executor.Event) {
	if f.full {
		return
	}
	f.log = append(f.log, e)
	if len(f.log) < keep {
		return
	}
	droppable := 0
	for _, e := range f.log {
		if isDroppable(e) {
			droppable++
		}
	}
	if droppable == 0 {
		f.full = true
		return
	}
	forget := (droppable + 1) / 2
	kept := f.log[:0]
	for _, e := range f.log {
		if forget > 0 && isDroppable(e) {
			forget--
			continue
		}
		kept = append(kept, e)
	}
	clear(f.log[len(kept):])
	f.log = kept
}

func isDroppable(e executor.Event) bool {
	return e.Kind() == executor.KindTextDelta || e.Kind() == executor.KindStatus
}

// End ends every stream once what is held for it was read.
func (f *Feed) End() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ended {
		return
	}
	f.ended = true
	for q := range f.attached {
		q.End()
	}
	f.attached = nil
	if f.seen {
		f.log = nil
	}
}

// Subscribe adds an observer, from now on.
func (f *Feed) Subscribe() executor.Stream {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ended && f.seen {
		return executor.Ended{}
	}
	var q *executor.Queue
	q = executor.NewQueue(executor.QueueOptions{Max: f.opts.QueueMax, Release: func() { f.release(q) }})
	for _, e := range f.log {
		q.Push(e)
	}
	f.seen = true
	if f.full {
		f.overflow(q)
		return q
	}
	if f.ended {
		f.log = nil
		q.End()
		return q
	}
	f.attached[q] = struct{}{}
	return q
}

// overflow ends a stream whose beginning could be kept and whose rest could not.
func (f *Feed) overflow(q *executor.Queue) {
	code := executor.CodeQueueOverflow
	head := f.log[len(f.log)-1].Head()
	for _, e := range []executor.Event{
		executor.Error{Code: &code, Message: "the observer came too late", Fatal: true},
		executor.Done{Reason: executor.ReasonError},
	} {
		head.Seq++
		q.Push(e.WithHead(head))
	}
	q.End()
}

func (f *Feed) release(q *executor.Queue) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.attached, q)
}

// Observers is how many streams are attached now.
func (f *Feed) Observers() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.attached)
}

// Observed reports whether the run has had an observer.
func (f *Feed) Observed() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.seen
}
