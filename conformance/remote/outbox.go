package remote

import (
	"errors"
	"io"
	"sync"

	"github.com/creachadair/jrpc2/channel"
)

// maxBacklog bounds what waits for a subject that does not read, in bytes.
const maxBacklog = 256 << 20

var errBacklog = errors.New("the subject does not read its standard input")

// outbox writes lines in a goroutine of its own: a subject that does not read must
// not hold up whoever writes.
type outbox struct {
	w    io.WriteCloser
	done chan struct{} // closed when the goroutine has ended

	mu     sync.Mutex
	more   *sync.Cond
	queue  [][]byte
	size   int
	closed bool
	err    error
}

func newOutbox(w io.WriteCloser) *outbox {
	o := &outbox{w: w, done: make(chan struct{})}
	o.more = sync.NewCond(&o.mu)
	go o.run()
	return o
}

// put queues a line. It does not wait.
func (o *outbox) put(line []byte) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.err != nil:
		return o.err
	case o.closed:
		return channel.ErrClosed
	case o.size+len(line) > maxBacklog:
		return errBacklog
	}
	o.queue = append(o.queue, line)
	o.size += len(line)
	o.more.Signal()
	return nil
}

func (o *outbox) run() {
	defer close(o.done)
	for {
		o.mu.Lock()
		for len(o.queue) == 0 && !o.closed {
			o.more.Wait()
		}
		if o.closed {
			o.mu.Unlock()
			return
		}
		lines := o.queue
		o.queue = nil
		o.mu.Unlock()
		for _, line := range lines {
			_, err := o.w.Write(line)
			o.mu.Lock()
			o.size -= len(line)
			if err != nil && o.err == nil {
				o.err = err
			}
			stop := o.closed || o.err != nil
			o.mu.Unlock()
			if stop {
				break
			}
		}
	}
}

// close ends the input of the subject, what waits is given up, and returns when the
// goroutine has ended. It may be called again.
func (o *outbox) close() {
	o.mu.Lock()
	was := o.closed
	o.closed = true
	o.more.Signal()
	o.mu.Unlock()
	if !was {
		_ = o.w.Close() // a Write that waits ends
	}
	<-o.done
}
