package oneshot

import (
	"io"
	"time"
)

// pulse is a stream of lines that tells when one has begun and does not go on. It is
// for one goroutine.
type pulse struct {
	io.Reader
	wait  time.Duration
	stuck func() // nil tells nobody
	timer *time.Timer
}

// Read reads, and watches how what was read ends.
func (p *pulse) Read(b []byte) (int, error) {
	n, err := p.Reader.Read(b)
	if n == 0 || p.stuck == nil {
		return n, err
	}
	switch {
	case b[n-1] == '\n':
		p.stop()
	case p.timer == nil:
		p.timer = time.AfterFunc(p.wait, p.stuck)
	default:
		p.timer.Reset(p.wait)
	}
	return n, err
}

// stop ends the watch.
func (p *pulse) stop() {
	if p.timer != nil {
		p.timer.Stop()
	}
}
