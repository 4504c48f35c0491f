package executor

import (
	"context"
	"errors"
	"io"
	"iter"
)

// Stream is one observer's view of a session's events, subscribed from the moment
// [Adapter.Events] returned it.
type Stream interface {
	// Next returns the next event. It waits for one, for ctx, or for the end of
	// the stream, which is io.EOF. Several calls may wait at once; each gets an
	// event of its own. The error of ctx leaves the stream as it was, and an
	// [*EventError] reports one event that could not be read; any other error ends
	// the stream.
	Next(ctx context.Context) (Event, error)
	// Close gives up the subscription. It is idempotent, does not wait for the
	// runtime, and does not touch other observers (executor#observers).
	Close() error
}

// All is a range view of a stream. It stops at the stream's end without an error;
// any other error is yielded once, as the last item, except that an event which
// could not be read (see [EventError]) is yielded and the iteration goes on. It
// does not close the stream.
//
//	for event, err := range executor.All(ctx, stream) {
//		if err != nil {
//			return err
//		}
//		…
//	}
func All(ctx context.Context, s Stream) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for {
			event, err := s.Next(ctx)
			if errors.Is(err, io.EOF) {
				return
			}
			if !yield(event, err) {
				return
			}
			var malformed *EventError
			if err != nil && !errors.As(err, &malformed) {
				return
			}
		}
	}
}

// Ended is a stream that is over: what Events returns for a handle that the
// adapter does not know, or for a restored one.
type Ended struct{}

// Next returns io.EOF.
func (Ended) Next(context.Context) (Event, error) { return nil, io.EOF }

// Close does nothing.
func (Ended) Close() error { return nil }
