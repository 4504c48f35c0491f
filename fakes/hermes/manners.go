package hermes

import (
	"strconv"
	"time"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/child"
)

// defaultGrace is how long a process that was told to stop lets its tools end.
const defaultGrace = 1500 * time.Millisecond

// grace is what HERMES_SIGTERM_GRACE says, in seconds.
func (r *renderer) grace() time.Duration {
	seconds, err := strconv.ParseFloat(r.process.Play.Getenv("HERMES_SIGTERM_GRACE"), 64)
	if err != nil {
		return defaultGrace
	}
	return time.Duration(seconds * float64(time.Second))
}

// Stop ends the tools and, after the grace, the run. A script has nothing that could
// happen meanwhile, and stops at once.
func (r *renderer) Stop(signal string) (code int, ended bool) {
	if r.version.onSignal == dies {
		return child.DieBy(signal), true
	}
	if r.interrupted {
		return 0, false
	}
	r.interrupted = true
	r.process.EndChildren()
	grace := r.grace()
	if grace <= 0 || !r.process.Puppet() {
		r.unwind()
		return 0, false
	}
	time.AfterFunc(grace, func() { r.process.Do(r.unwind) }) // nothing is done once the process has ended
	return 0, false
}

// unwind ends the run as an interrupt does.
func (r *renderer) unwind() {
	switch {
	case r.version.onSignal == unwinds:
		r.process.LastWord("Traceback (most recent call last):\nKeyboardInterrupt\n")
		r.Stage.Leave(0, "INT")
	case r.over:
		r.Stage.Leave(exitInterrupted, "")
	default:
		r.Muted = r.cut
		if err := r.interrupt(); err != nil {
			r.process.LastWord(err.Error() + "\n")
		}
	}
}

// exitInterrupted is the exit code of an interrupt that was caught.
const exitInterrupted = 130

// exitBroken is the exit code of Python where stdout cannot be flushed.
const exitBroken = 120

// Broken ends the process as Python ends when nobody reads its stdout.
func (r *renderer) Broken(error) int {
	r.process.LastWord("Exception ignored in: <_io.TextIOWrapper name='<stdout>' mode='w' encoding='utf-8'>\nBrokenPipeError: [Errno 32] Broken pipe\n")
	return exitBroken
}

// Cut closes stdout. What the process says as it is stopped does not come any more.
func (r *renderer) Cut(f fakes.Cut) error {
	r.cut = true
	return r.Deeds.Cut(f)
}

// Over ends a script that has no end of a turn: nothing was answered.
func (r *renderer) Over() {
	if !r.process.Leaving() && !r.Muted {
		r.Stage.Leave(0, "")
	}
}
