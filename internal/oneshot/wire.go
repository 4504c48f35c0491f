package oneshot

import (
	"time"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/process"
)

// Wire reads what the process of one run says, and turns it into events without
// envelopes. The host calls it from one goroutine at a time. S is what an adapter
// keeps of a session between its runs.
type Wire[S any] interface {
	// Line maps one line that is not blank, or one piece where the plan says so. The
	// text is valid during the call.
	Line(number int64, text []byte) []executor.Event
	// TooLong maps a line that was skipped for its length in bytes.
	TooLong(number, length int64) []executor.Event
	// Session is the native session id; empty is unknown. It is set once.
	Session() string
	// Rest is how long the process may go on from when this was first said; 0 is as
	// long as it likes. A process that stays longer is ended, which is no failure.
	Rest() time.Duration
	// ToolsOpen reports whether tools may be running.
	ToolsOpen() bool
	// Keep writes down what outlives the run. It is called after every line and after
	// Finish, with the session's lock held.
	Keep(*S)
	// Finish gives the run its end: results for open calls, and done.
	Finish(Ending) []executor.Event
}

// Ending is what is known of a process that is over.
type Ending struct {
	// Aborted: the host asked for the end, and had it accepted in time.
	Aborted bool
	// Failed: the process died by a signal or exited with a code other than 0, and
	// not because the adapter ended it.
	Failed bool
	// How names the exit in words, for the message.
	How string
	// Stderr is the end of the second channel, without secrets and noise.
	Stderr string
}

// Request is what a run asks of the runtime.
type Request[S any] struct {
	// State is what was kept of the session.
	State S
	// Model is that of the start, else the one of SetModel; empty leaves it to the
	// runtime.
	Model string
	// Prompt is what was written for this run, the context of the start and the
	// message, parted by blank lines.
	Prompt string
	// Blocklist names tools that the runtime must not offer.
	Blocklist []string
}

// Plan is how a run is started.
type Plan[S any, W Wire[S]] struct {
	Process process.Options
	Wire    W
	// Pieces gives the wire the output in pieces as they come, line ends and all, for a
	// runtime that prints text and not one object per line.
	Pieces bool
	// Begin is called once with the started process, before anything is read. Nil
	// does nothing.
	Begin func(*process.Process)
	// Interrupt asks for the end by the runtime's own means. It must not wait: what
	// does not end by itself gets the signals.
	Interrupt func(*process.Process)
	// Stuck is called, from a goroutine of its own, when a line of output has begun and
	// does not go on for the grace: the process may have said its last word without a
	// line end, and wait for the end of its input. Nil does nothing.
	Stuck func()
	// End is called when the process is gone and has been read to its end. Nil does
	// nothing.
	End func()
}
