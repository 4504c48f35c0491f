package claudecode

import (
	"strings"
	"time"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/oneshot"
	"github.com/adaptercheck/adaptercheck/internal/process"
)

// wire is one run: its mapper, and the console of its process.
type wire struct {
	*mapper
	options Options
	dir     string // the directory of the process
	resumed string // the native session that it was to go on with
	lost    bool   // the runtime does not have that session
	child   *process.Process
	console *console
	hushed  bool // stdin has ended, as the runtime has told all

	questions questions
}

var _ oneshot.Wire[state] = (*wire)(nil)

// begin tells the process what the run is about.
func (w *wire) begin(child *process.Process, prompt string) {
	w.child, w.console = child, openConsole(child.Stdin())
	_ = w.console.message(prompt) // it is the first line, so that there is room
}

// interrupt asks for the end of the run by the runtime's own means. What cannot be
// asked is left to the signals that follow.
func (w *wire) interrupt() {
	w.questions.settle()
	_ = w.console.interrupt()
	w.hush()
}

// hush ends stdin: a process whose stdin is open waits for more when it has told all.
// What it leaves behind when it goes now is known before.
func (w *wire) hush() {
	w.child.Note()
	w.console.lines.End()
}

// end lets go of the process, which is over.
func (w *wire) end() {
	w.questions.settle()
	w.console.lines.Close()
}

// Line maps one line and does what it asks.
func (w *wire) Line(number int64, text []byte) []executor.Event {
	out := w.line(number, text)
	switch asked := w.asked; {
	case asked.question != "":
		w.questions.ask(asked.question, asked.input, w.options.ApprovalTimeout, func() { _ = w.answer(asked.question, false) })
	case asked.withdrawn != "":
		w.questions.take(asked.withdrawn)
	case asked.foreign != "":
		_ = w.console.refuse(asked.foreign) // a process that is gone needs no answer
	}
	w.heard()
	return out
}

// heard ends stdin once when the runtime has told all, or when what it told last may
// have been that: it then ends by itself, and the run does not wait for ever.
func (w *wire) heard() {
	if (w.settled() || w.missed) && !w.hushed {
		w.hushed = true
		w.hush()
	}
}

// TooLong reports a line that was skipped.
func (w *wire) TooLong(number, length int64) []executor.Event {
	out := w.tooLong(number, length)
	w.heard()
	return out
}

// Session is the native session.
func (w *wire) Session() string { return w.session }

// ToolsOpen reports whether calls wait for their results.
func (w *wire) ToolsOpen() bool { return w.calls.Open() > 0 }

// Rest bounds a process that has told its result: by the grace where nothing more is
// announced, by the wait for background work where some is.
func (w *wire) Rest() time.Duration {
	switch {
	case w.settled():
		return w.options.Grace
	case w.waiting():
		return w.options.BackgroundWait
	}
	return 0
}

// Keep writes down what the wire told about the session. A session that the runtime
// says it does not have is forgotten, or it could never start again: the failed run
// has told the host, and the next one begins a new session.
func (w *wire) Keep(s *state) {
	switch {
	case w.lost:
		*s = state{}
	case w.session != "" && oneshot.IsUUID(w.resume): // nothing else can be resumed
		*s = state{Native: w.resume, Dir: w.dir, Totals: w.spend.before}
	}
}

// Finish gives the run its end. A runtime that does not have the session says so in a
// result without an init; older ones say it on stderr alone.
func (w *wire) Finish(e oneshot.Ending) []executor.Event {
	refused := w.verdict.reason == executor.ReasonError || strings.Contains(e.Stderr, "No conversation found")
	w.lost = w.resumed != "" && w.session == "" && refused
	return w.finish(e)
}
