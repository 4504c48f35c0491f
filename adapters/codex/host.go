package codex

import (
	"strings"
	"time"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/oneshot"
)

// wire is a run's mapper as the host of the run sees it.
type wire struct {
	*mapper
	grace time.Duration
	lost  bool // the runtime does not have the thread that it was to go on with
}

var _ oneshot.Wire[state] = (*wire)(nil)

// Line maps one line.
func (w *wire) Line(number int64, text []byte) []executor.Event { return w.line(number, text) }

// TooLong reports a line that was skipped.
func (w *wire) TooLong(number, length int64) []executor.Event {
	return append(w.release(), w.unread.TooLong(number, length)...)
}

// Session is the thread.
func (w *wire) Session() string { return w.thread }

// ToolsOpen reports whether calls wait for their results.
func (w *wire) ToolsOpen() bool { return w.calls.Open() > 0 }

// Rest is the grace, once the turn has ended and no other has begun.
func (w *wire) Rest() time.Duration {
	if w.settled() {
		return w.grace
	}
	return 0
}

// Keep writes down what the wire told about the thread. A thread that the runtime
// says it does not have is forgotten, or the session could never start again: the
// failed run has told the host, and the next one begins a new thread.
func (w *wire) Keep(s *state) {
	switch {
	case w.lost:
		*s = state{}
	case isThread(w.thread): // nothing else can be resumed safely
		*s = state{Thread: w.thread, Totals: w.before}
	}
}

// Finish gives the run its end.
func (w *wire) Finish(e oneshot.Ending) []executor.Event {
	w.lost = w.thread == "" && strings.Contains(e.Stderr, "no rollout found for thread id")
	return w.finish(e)
}
