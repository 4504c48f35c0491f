package remote

import (
	"io"
	"sync"

	"github.com/adaptercheck/adaptercheck/internal/redact"
)

// maxTraced is how much of a line a trace shows, in bytes.
const maxTraced = 64 << 10

// trace writes what crosses the wire, with the values of the subject's own
// environment masked. A nil trace writes nothing.
type trace struct {
	mu   sync.Mutex
	w    io.Writer
	mask *redact.Redactor
}

func newTrace(w io.Writer, mask *redact.Redactor) *trace {
	if w == nil {
		return nil
	}
	return &trace{w: w, mask: mask}
}

// line writes one line: > to the subject, < from it. A trace that cannot be written
// is no reason to stop.
func (t *trace) line(way byte, b []byte) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	out := append([]byte{way, ' '}, t.mask.Head(string(b), maxTraced)...)
	_, _ = t.w.Write(append(out, '\n'))
}
