package ndjson

import (
	"errors"
	"io"
	"slices"
	"sync"
)

// maxWaiting bounds the bytes that wait to be written.
const maxWaiting = 64 << 20

// The errors of [Writer.Put].
var (
	// ErrEnded: the stream has ended, or its reader is gone.
	ErrEnded = errors.New("ended: the stream takes no more lines")
	// ErrFull: the reader does not read, and 64 MiB wait for it.
	ErrFull = errors.New("full: too much waits to be read")
)

// Writer writes lines to a stream whose reader may be slow or never read at all.
// None of its methods but Close waits for the reader. They may be called from
// several goroutines; lines keep the order of Put.
type Writer struct {
	dst  io.WriteCloser
	done chan struct{}

	mu      sync.Mutex
	more    *sync.Cond // lines, or the end, have come
	lines   [][]byte
	waiting int
	ended   bool
}

// NewWriter returns a writer to dst, which it closes at the end. Closing dst must
// end a Write that waits. The writer has a goroutine until End or Close.
func NewWriter(dst io.WriteCloser) *Writer {
	w := &Writer{dst: dst, done: make(chan struct{})}
	w.more = sync.NewCond(&w.mu)
	go w.write()
	return w
}

// Put adds a line, given without its end. A line is taken whatever its length if no
// other waits. The writer keeps no reference to it.
func (w *Writer) Put(line []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.ended:
		return ErrEnded
	case w.waiting > 0 && w.waiting+len(line) > maxWaiting:
		return ErrFull
	}
	ended := append(slices.Clone(line), '\n')
	w.lines = append(w.lines, ended)
	w.waiting += len(ended)
	w.more.Signal()
	return nil
}

// End closes the stream after the lines that were put. It is idempotent.
func (w *Writer) End() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = true
	w.more.Signal()
}

// Close closes the stream now and waits for the goroutine. Lines that were not
// written yet are lost.
func (w *Writer) Close() {
	w.mu.Lock()
	w.ended, w.lines = true, nil
	w.more.Signal()
	w.mu.Unlock()
	_ = w.dst.Close() // nobody is left to be told
	<-w.done
}

func (w *Writer) write() {
	defer close(w.done)
	for {
		line, ok := w.next()
		if !ok {
			_ = w.dst.Close()
			return
		}
		if _, err := w.dst.Write(line); err != nil {
			w.End() // the reader is gone
			w.drop()
		}
	}
}

// next waits for the oldest line; false is the end.
func (w *Writer) next() ([]byte, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.lines) == 0 {
		if w.ended {
			return nil, false
		}
		w.more.Wait()
	}
	line := w.lines[0]
	w.lines[0] = nil
	w.lines = w.lines[1:]
	w.waiting -= len(line)
	return line, true
}

func (w *Writer) drop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lines = nil
}
