package process

import "sync"

// tail keeps the last bytes written to it.
type tail struct {
	limit int

	mu  sync.Mutex
	buf []byte
	cut bool
}

// Write never fails and never blocks for long.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(b)
	if len(b) > t.limit {
		b, t.cut = b[len(b)-t.limit:], true
	}
	t.buf = append(t.buf, b...)
	// Twice the limit may gather, so that bytes are moved once and not per write.
	if len(t.buf) > 2*t.limit {
		t.trim()
	}
	return n, nil
}

func (t *tail) trim() {
	if extra := len(t.buf) - t.limit; extra > 0 {
		t.buf, t.cut = append(t.buf[:0], t.buf[extra:]...), true
	}
}

func (t *tail) get() (string, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.trim()
	return string(t.buf), t.cut
}
