package codex

import (
	"time"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/oneshot"
)

// execWire is a run of codex exec as the host of the run sees it.
type execWire struct {
	*execMapper
	grace time.Duration
}

var _ wire = (*execWire)(nil)

// Line maps one line.
func (w *execWire) Line(number int64, text []byte) []executor.Event { return w.line(number, text) }

// TooLong reports a line that was skipped.
func (w *execWire) TooLong(number, length int64) []executor.Event { return w.tooLong(number, length) }

// Rest is the grace, once the turn has ended and no other has begun.
func (w *execWire) Rest() time.Duration {
	if w.settled() {
		return w.grace
	}
	return 0
}

// Finish gives the run its end. A thread that Codex does not have it names on stderr
// alone.
func (w *execWire) Finish(e oneshot.Ending) []executor.Event {
	w.lost = w.resumed != "" && w.thread == "" && unknownThread(e.Stderr)
	return w.finish(e)
}
