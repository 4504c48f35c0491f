package executor

import (
	"container/list"
	"context"
	"io"
	"sync"
)

// QueueOptions bounds a [Queue]. The zero value is right for most adapters.
type QueueOptions struct {
	// Max is how many droppable items (text deltas and status) are held; 0 or
	// less means 1000.
	Max int
	// Hard is how many items of any kind are held; 0 or less means 10 × Max.
	Hard int
	// Release is called once, when the consumer closes the queue, without a lock
	// held. It is where an adapter gives up the subscription. May be nil.
	Release func()
}

// Queue is the bounded buffer between an adapter and one observer of its
// events. The adapter pushes and ends, the observer pulls and closes; all methods
// may be called from several goroutines at once, and none but Next ever waits. It
// is a [Stream]. Make one with [NewQueue].
//
// An observer that falls behind costs text before it costs anything else
// (executor#queues). Text deltas and status are droppable: once more than Max of
// them are held, the oldest goes, and is counted. Everything else is kept until
// Hard items are held and none of them is droppable. Then the queue overflows:
// each run that has no done yet gets an error result for every call still open, a
// fatal error with [CodeQueueOverflow] and done(error), and the queue ends. These
// closing events have room beyond Hard.
type Queue struct {
	release   func()
	max, hard int

	mu      sync.Mutex
	held    buffer
	ledger  ledger
	waiters list.List // of *waiter, in order of arrival; empty unless held is
	ended   bool      // no more items come
	closed  bool      // the consumer gave up
	dropped int
}

// waiter is one pending Next.
type waiter struct {
	ctx context.Context // of that Next, to pass over one that has given up
	// handed gets the waiter's item, or is closed at the end. It has room for the
	// item, so that handing over never waits.
	handed chan Event
}

// NewQueue returns an empty, open queue.
func NewQueue(o QueueOptions) *Queue {
	q := &Queue{release: o.Release, max: o.Max, hard: o.Hard}
	if q.max <= 0 {
		q.max = 1000
	}
	if q.hard <= 0 {
		q.hard = 10 * q.max
	}
	return q
}

// Push gives the observer an event: to the Next that waits longest, else to the
// buffer. It reports whether the queue took the event, which it did also when it
// dropped it at once or later. It returns false after End, Close and overflow;
// the event that overflows the queue is itself refused.
func (q *Queue) Push(e Event) bool {
	droppable := isDroppable(e)
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.ended {
		return false
	}
	if w := q.nextWaiter(); w != nil {
		q.ledger.note(e)
		w.handed <- e
		return true
	}
	if q.held.len >= q.hard && !q.dropOldest() {
		if !droppable {
			q.overflow(e)
			return false
		}
		// The event is the only droppable one here, hence the oldest.
		q.ledger.note(e)
		q.dropped++
		return true
	}
	q.ledger.note(e)
	q.held.push(e, droppable)
	if q.held.droppable > q.max {
		q.dropOldest()
	}
	return true
}

// isDroppable reports whether an observer can do without the event. A kind that
// is not named here is kept.
func isDroppable(e Event) bool {
	kind := e.Kind()
	return kind == KindTextDelta || kind == KindStatus
}

// nextWaiter takes the longest waiting Next out of the line, or returns nil. It
// passes over those that have given up: what arrives now is not theirs.
func (q *Queue) nextWaiter() *waiter {
	for front := q.waiters.Front(); front != nil; front = q.waiters.Front() {
		w := q.waiters.Remove(front).(*waiter)
		if w.ctx.Err() == nil {
			return w
		}
	}
	return nil
}

func (q *Queue) dropOldest() bool {
	if !q.held.dropOldest() {
		return false
	}
	q.dropped++
	return true
}

// overflow ends the queue in place of the event that found no room.
func (q *Queue) overflow(refused Event) {
	for _, e := range q.ledger.closing(refused) {
		q.held.push(e, false)
	}
	q.end()
}

// End says that no more items come. What is held is still delivered; after that
// Next returns io.EOF. It is idempotent.
func (q *Queue) End() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.end()
}

func (q *Queue) end() {
	q.ended = true
	q.ledger = ledger{}
	for front := q.waiters.Front(); front != nil; front = q.waiters.Front() {
		close(q.waiters.Remove(front).(*waiter).handed)
	}
}

// Close gives up the subscription: what is held is thrown away, every Next that
// waits ends with io.EOF, and Release is called, also after End. It is idempotent
// and always returns nil.
func (q *Queue) Close() error {
	if q.shut() && q.release != nil {
		q.release()
	}
	return nil
}

// shut reports whether this call closed the queue.
func (q *Queue) shut() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return false
	}
	q.closed = true
	q.held = buffer{}
	q.end()
	return true
}

// Next returns the oldest event held, else waits for one, for the end of the
// queue (io.EOF), or for ctx. Calls that wait at once are served in order of
// arrival. The error of ctx leaves the queue as it was: no event is lost by giving
// up a Next, and one that was handed over before ctx ended is returned.
func (q *Queue) Next(ctx context.Context) (Event, error) {
	e, w, place, err := q.take(ctx)
	if w == nil {
		return e, err
	}
	select {
	case e, ok := <-w.handed:
		return handedOver(e, ok)
	case <-ctx.Done():
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	select {
	case e, ok := <-w.handed:
		return handedOver(e, ok)
	default:
		q.waiters.Remove(place) // no effect when Push passed over it
		return nil, ctx.Err()
	}
}

// take returns what Next can have at once, or its place in the line.
func (q *Queue) take(ctx context.Context) (Event, *waiter, *list.Element, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return nil, nil, nil, err
	}
	if e, ok := q.held.pop(); ok {
		return e, nil, nil, nil
	}
	if q.ended {
		return nil, nil, nil, io.EOF
	}
	w := &waiter{ctx: ctx, handed: make(chan Event, 1)}
	return nil, w, q.waiters.PushBack(w), nil
}

func handedOver(e Event, ok bool) (Event, error) {
	if !ok {
		return nil, io.EOF
	}
	return e, nil
}

// Dropped returns how many events were dropped so far. What Close threw away and
// what Push refused do not count.
func (q *Queue) Dropped() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.dropped
}
