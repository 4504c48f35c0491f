//go:build unix

package child

import (
	"errors"
	"io"
	"os"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// pipeBuf is how much a pipe takes at once if it takes anything (PIPE_BUF, at its
// smallest among the systems here).
const pipeBuf = 512

// bigPipeBuf is the same on Linux for pipes, a page; other descriptors are asked
// for their room before each write anyway.
const bigPipeBuf = 4096

// outbox writes to a descriptor from a goroutine of its own, so that a reader who
// does not read holds up nothing but the bytes. It keeps what the descriptor does
// not take, without bound: the puppet decides how much that is.
type outbox struct {
	file *os.File
	// idle gets a token each time that nothing is left to write.
	idle chan struct{}

	mu      sync.Mutex
	changed *sync.Cond
	queue   [][]byte
	writing bool  // the goroutine has taken a piece
	stalled bool  // the descriptor takes nothing now
	closing bool  // close when empty
	err     error // of the descriptor, then nothing more is written
}

func newOutbox(file *os.File) *outbox {
	b := &outbox{file: file, idle: make(chan struct{}, 1)}
	b.changed = sync.NewCond(&b.mu)
	go b.run() // ends with close, an error, or the process
	return b
}

// Write queues bytes for one write. It fails once the descriptor did.
func (b *outbox) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err != nil {
		return 0, b.err
	}
	if b.closing {
		return 0, os.ErrClosed
	}
	b.queue = append(b.queue, append([]byte(nil), p...))
	b.changed.Broadcast()
	return len(p), nil
}

func (b *outbox) drained() <-chan struct{} { return b.idle }

// settle waits until all is written, or the descriptor takes no more for now.
func (b *outbox) settle() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.err == nil && !b.stalled && b.busy() {
		b.changed.Wait()
	}
	return b.err
}

// empty reports whether all is written, or never will be.
func (b *outbox) empty() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.err != nil || !b.busy()
}

func (b *outbox) busy() bool { return b.writing || len(b.queue) > 0 }

// close closes the descriptor when all is written.
func (b *outbox) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closing = true
	b.changed.Broadcast()
}

func (b *outbox) run() {
	for {
		p, more := b.take()
		if !more {
			return
		}
		err := b.put(p)
		b.mu.Lock()
		b.writing = false
		b.err = err
		if err != nil || len(b.queue) == 0 {
			select {
			case b.idle <- struct{}{}:
			default:
			}
		}
		b.changed.Broadcast()
		b.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// take waits for the next piece. False is the end.
func (b *outbox) take() ([]byte, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.queue) == 0 {
		if b.closing {
			b.file.Close()
			b.changed.Broadcast()
			return nil, false
		}
		b.changed.Wait()
	}
	p := b.queue[0]
	b.queue, b.writing = b.queue[1:], true
	return p, true
}

// put writes one piece, in writes that do not block.
func (b *outbox) put(p []byte) error {
	fd := int(b.file.Fd())
	size := bigPipeBuf
	if !onLinux {
		size = pipeBuf
	}
	for len(p) > 0 {
		ready, err := writable(fd, 0)
		if err == nil && !ready {
			b.stall(true)
			_, err = writable(fd, -1)
			b.stall(false)
		}
		if err != nil {
			return err
		}
		n, err := syscall.Write(fd, p[:min(len(p), size)])
		switch {
		case errors.Is(err, syscall.EINTR), errors.Is(err, syscall.EAGAIN):
		case err != nil:
			return os.NewSyscallError("write", err)
		case n == 0:
			return io.ErrShortWrite
		}
		p = p[max(n, 0):]
	}
	return nil
}

func (b *outbox) stall(now bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stalled = now
	b.changed.Broadcast()
}

// writable asks whether a descriptor takes bytes, waiting so many milliseconds, -1
// for ever. A broken one is ready: the write says so.
func writable(fd, wait int) (bool, error) {
	for {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}, wait)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		return n > 0, os.NewSyscallError("poll", err)
	}
}
