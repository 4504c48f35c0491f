package executortest

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/contract/executor/verify"
)

// Observer reads one stream in the check's own goroutine and keeps what it saw.
type Observer struct {
	t      *T
	stream executor.Stream
	handle *executor.Run
	// Events seen so far.
	Events []executor.Event
	// Ended: the stream is over.
	Ended bool
	// Err is why it ended, if not by its end.
	Err error
	// Malformed counts events that could not be read.
	Malformed int
	// Bound is what the handle showed when the first event had come.
	Bound *bindingState
}

// bindingState is the state of a handle at one moment.
type bindingState struct {
	id    string
	bound bool
}

// Observe subscribes to a run.
func (t *T) Observe(ctx context.Context, handle *executor.Run) *Observer {
	s := check.Call(ctx, t.C, "", t.Budgets.Call, func(context.Context) (executor.Stream, error) {
		return t.Adapter.Events(handle), nil
	})
	if s == nil {
		t.Fail(t.threw(), "events returned no stream")
	}
	t.Cleanup(func(context.Context) error { return s.Close() })
	return &Observer{t: t, stream: s, handle: handle}
}

// next pulls once. It reports false when nothing came within the budget, or the
// stream is over.
func (o *Observer) next(ctx context.Context, budget time.Duration) bool {
	if o.Ended {
		return false
	}
	e, err := check.Await(ctx, o.t.C, budget, o.stream.Next)
	return o.took(e, err)
}

// took keeps the answer of one pull.
func (o *Observer) took(e executor.Event, err error) bool {
	o.t.Answered(err)
	var malformed *executor.EventError
	switch {
	case errors.As(err, &malformed):
		o.Malformed++
		return true
	case errors.Is(err, io.EOF):
		o.Ended = true
		return false
	case errors.Is(err, check.ErrHung), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return false
	case err != nil:
		o.Ended, o.Err = true, err
		return false
	case e == nil:
		o.Malformed++
		return true
	}
	if o.Bound == nil {
		id, bound := o.handle.ID()
		o.Bound = &bindingState{id, bound}
	}
	o.Events = append(o.Events, e)
	return true
}

// maxEvents bounds what an observer reads: a subject may never stop.
const maxEvents = 100_000

// until pulls until the last event satisfies the predicate. It reports whether
// that came within the budget.
func (o *Observer) until(ctx context.Context, budget time.Duration, is func(executor.Event) bool) bool {
	for _, e := range o.Events {
		if is(e) {
			return true
		}
	}
	deadline := time.Now().Add(budget)
	for len(o.Events)+o.Malformed < maxEvents {
		left := time.Until(deadline)
		seen := len(o.Events)
		if left <= 0 || !o.next(ctx, left) {
			return false
		}
		if len(o.Events) > seen && is(o.Events[seen]) {
			return true
		}
	}
	return false
}

// Done reads until the run's done and reports whether it came.
func (o *Observer) Done(ctx context.Context) bool {
	return o.until(ctx, o.t.Budgets.Terminal, isDone)
}

// catchUp reads until the text has been said, in whatever pieces.
func (o *Observer) catchUp(ctx context.Context, text string) {
	tail := ""
	for o.next(ctx, o.t.Budgets.Terminal) {
		if len(o.Events) == 0 {
			continue
		}
		d, ok := o.Events[len(o.Events)-1].(executor.TextDelta)
		if !ok {
			continue
		}
		if tail += d.Text; strings.Contains(tail, text) {
			return
		}
		tail = tail[max(0, len(tail)-len(text)):]
	}
}

// Drain reads what an observer that fell behind was left, up to the run's done, and
// reports whether that came. There may be thousands of events: each hundred has the
// terminal budget.
func (o *Observer) Drain(ctx context.Context) bool {
	type answer struct {
		event executor.Event
		err   error
	}
	for !o.Ended && len(o.Events)+o.Malformed < maxEvents {
		batch, err := check.Await(ctx, o.t.C, o.t.Budgets.Terminal, func(ctx context.Context) ([]answer, error) {
			var batch []answer
			for len(batch) < 100 {
				e, err := o.stream.Next(ctx)
				batch = append(batch, answer{e, err})
				if err != nil || e == nil || isDone(e) {
					break
				}
			}
			return batch, nil
		})
		if err != nil {
			return false
		}
		more := false
		for _, a := range batch {
			seen := len(o.Events)
			more = o.took(a.event, a.err)
			if len(o.Events) > seen && isDone(o.Events[seen]) {
				return true
			}
		}
		if !more {
			return false
		}
	}
	return false
}

// MustDone ends the check with the code if no done comes.
func (o *Observer) MustDone(ctx context.Context, missing check.Code) executor.Done {
	if !o.Done(ctx) {
		o.t.Fail(missing, "no done within the budget; events: %v", kinds(o.Events))
	}
	d, _ := verify.Last(o.Events, "")
	return d
}

// Kind reads until an event of the kind comes and reports whether it did.
func (o *Observer) Kind(ctx context.Context, k executor.Kind) bool {
	return o.until(ctx, o.t.Budgets.FirstEvent, func(e executor.Event) bool { return e.Kind() == k })
}

// Hears reads until the answer holds the word and reports whether it came.
func (o *Observer) Hears(ctx context.Context, word string) bool {
	return o.until(ctx, o.t.Budgets.FirstEvent, func(executor.Event) bool { return strings.Contains(o.Text(), word) })
}

// Rest reads until the stream ends or nothing has come for the quiet budget.
func (o *Observer) Rest(ctx context.Context) {
	for len(o.Events)+o.Malformed < maxEvents && o.next(ctx, o.t.Budgets.Quiet) {
	}
}

// Glance reads what is there already: what an adapter says by itself it has said by the
// time that the runtime has answered.
func (o *Observer) Glance(ctx context.Context) {
	for len(o.Events)+o.Malformed < maxEvents && o.next(ctx, o.t.Budgets.Quiet/10) {
	}
}

// Text is the answer so far.
func (o *Observer) Text() string { return verify.Text(o.Events, "", executor.Assistant) }

// First returns the first event of the type.
func First[E executor.Event](o *Observer) (E, bool) {
	for _, e := range o.Events {
		if e, ok := e.(E); ok {
			return e, true
		}
	}
	var zero E
	return zero, false
}

// All returns every event of the type.
func All[E executor.Event](o *Observer) []E {
	var all []E
	for _, e := range o.Events {
		if e, ok := e.(E); ok {
			all = append(all, e)
		}
	}
	return all
}

func isDone(e executor.Event) bool { return e.Kind() == executor.KindDone }

// kinds lists the kinds of the last events, for the local trace.
func kinds(events []executor.Event) []executor.Kind {
	const most = 20
	var out []executor.Kind
	for _, e := range events[max(0, len(events)-most):] {
		out = append(out, e.Kind())
	}
	return out
}

// report notes every finding whose code is among those the check declares.
func (t *T) report(found []verify.Finding, codes ...verify.Code) {
	for _, f := range found {
		for _, c := range codes {
			if f.Code == c {
				t.Notef(check.Code(c), "event %d", f.Index)
			}
		}
	}
}

// poll waits until the condition holds or ctx ends. It is for state of a fake that
// has no event of its own.
func poll(ctx context.Context, holds func() bool) bool {
	return pollEvery(ctx, time.Millisecond, holds)
}

func pollEvery(ctx context.Context, every time.Duration, holds func() bool) bool {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		if holds() {
			return true
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return holds()
		}
	}
}
