package responses

import (
	"context"
	"errors"
	"fmt"
	"net/http"
)

// Exchange is a request whose answer is being written. Its methods may be called from
// any goroutine.
type Exchange struct {
	Request Request

	orders chan order
	gone   chan struct{} // closed when nothing more can be written
}

// order is what the goroutine of the request shall do.
type order struct {
	text []byte
	cut  bool
	end  bool
	done chan error
}

// Send writes the events, and returns how many bytes that were when they have been
// handed to the connection. It is [ErrGone] when the answer is over or the client has
// left.
func (e *Exchange) Send(ctx context.Context, events ...Event) (bytes int64, err error) {
	var text []byte
	for _, v := range events {
		text = fmt.Appendf(text, "event: %s\ndata: %s\n\n", v.Type, v.Data)
	}
	if err := e.order(ctx, order{text: text}); err != nil {
		return 0, err
	}
	return int64(len(text)), nil
}

// End ends the answer. It may have ended already.
func (e *Exchange) End() { _ = e.order(context.Background(), order{end: true}) }

// Cut breaks the connection off in the middle of the answer. It may have ended already.
func (e *Exchange) Cut() { _ = e.order(context.Background(), order{cut: true}) }

// Gone is closed when the answer is over: ended, cut, or nobody is there any more to
// read it.
func (e *Exchange) Gone() <-chan struct{} { return e.gone }

func (e *Exchange) order(ctx context.Context, o order) error {
	o.done = make(chan error, 1)
	select {
	case e.orders <- o:
	case <-e.gone:
		return ErrGone
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	select {
	case err := <-o.done:
		return err
	case <-ctx.Done(): // a client that does not read holds the write up
		return context.Cause(ctx)
	}
}

// serve carries out orders until the answer is over. A panic with ErrAbortHandler is how
// net/http is told to break a connection off.
func (e *Exchange) serve(w http.ResponseWriter, client context.Context, closed <-chan struct{}) {
	control := http.NewResponseController(w)
	begun := false
	for {
		select {
		case o := <-e.orders:
			if !begun && !o.cut {
				begun = true
				w.Header().Set("Content-Type", "text/event-stream")
				w.WriteHeader(http.StatusOK)
			}
			var err error
			if len(o.text) > 0 {
				_, err = w.Write(o.text)
				if err = errors.Join(err, control.Flush()); err != nil {
					err = ErrGone
				}
			}
			o.done <- err
			switch {
			case o.cut:
				panic(http.ErrAbortHandler)
			case o.end, err != nil:
				return
			}
		case <-client.Done():
			return
		case <-closed:
			return
		}
	}
}
