package pi

import (
	"context"
	"errors"
	"sync"
	"syscall"
	"time"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/ndjson"
	"github.com/adaptercheck/adaptercheck/internal/oneshot"
	"github.com/adaptercheck/adaptercheck/internal/process"
)

// wire is one run: its mapper, and the console of its process.
//
// Several lines may say that the agent is done, and none that it is done for good: it
// tries again, shortens what it tells the model, or takes up what was written meanwhile.
// So the process is asked how it stands after each of them. Its answer comes after all
// that it had to say by then.
type wire struct {
	*mapper
	options   ExecutorOptions
	child     *process.Process
	console   *console
	questions questions
	hushed    bool // stdin has ended

	patience *time.Timer // runs while the prompt is not taken
	mu       sync.Mutex
	waited   string        // what did not come in time
	over     bool          // the process is over
	stopped  chan struct{} // closed when a process that did not answer is gone; nil while it may
}

var _ oneshot.Wire[kept] = (*wire)(nil)

// begin asks the process which session it has. The prompt follows when that is known to
// be the right one.
func (w *wire) begin(child *process.Process, prompt string) {
	w.child, w.console = child, openConsole(child.Stdin(), prompt)
	w.console.state()
	w.patience = time.AfterFunc(w.options.StartTimeout, w.giveUp)
}

// giveUp ends a process that does not answer.
func (w *wire) giveUp() {
	w.mu.Lock()
	if w.over {
		w.mu.Unlock()
		return
	}
	w.waited = w.console.late()
	if w.waited == "" {
		w.mu.Unlock()
		return
	}
	w.stopped = make(chan struct{})
	w.mu.Unlock()
	defer close(w.stopped)
	// One that cannot be ended is the host's to report.
	_ = w.child.Stop(context.Background(), process.Step{Signal: syscall.SIGTERM, Grace: w.options.Grace})
}

// interrupt asks for the end of the run by the runtime's own means. What cannot be asked
// is left to the signals that follow. An extension that waits for an answer would hold
// the end up.
func (w *wire) interrupt() {
	for _, q := range w.questions.settle() {
		_ = w.console.answer(q, false)
	}
	if !w.console.abort() {
		w.child.Note()
		w.console.end()
	}
}

// hush ends stdin, once. What the process leaves behind when it goes is known before.
func (w *wire) hush() {
	if w.hushed {
		return
	}
	w.hushed = true
	w.questions.settle()
	w.child.Note()
	w.console.end()
}

// end lets go of the process, which is over.
func (w *wire) end() {
	w.questions.settle()
	w.console.lines.Close()
	w.mu.Lock()
	w.over = true
	stopped := w.stopped
	w.mu.Unlock()
	w.patience.Stop()
	if stopped != nil {
		<-stopped
	}
}

// Line maps one line and does what it asks.
func (w *wire) Line(number int64, text []byte) []executor.Event {
	out := w.line(number, text)
	return w.greet(append(out, w.follow()...))
}

// TooLong reports a line that was skipped.
func (w *wire) TooLong(number, length int64) []executor.Event {
	out := w.tooLong(number, length)
	return w.greet(append(out, w.follow()...))
}

// follow does what the last line asks.
func (w *wire) follow() (out []executor.Event) {
	h := w.heard
	switch {
	case h.answer != nil:
		out = w.answered(h.answer)
	case h.question != nil:
		q := *h.question
		if w.questions.ask(q, w.options.ApprovalTimeout, func() { _ = w.answer(q.id, false) }) {
			out = append(out, executor.Status{Phase: executor.PhaseRunning, Detail: executor.DetailApproval + ":" + q.id})
		}
	case h.dismissed != "":
		w.console.dismiss(h.dismissed)
	case h.started:
		w.console.started()
	}
	if h.check || w.heard.check {
		w.console.state()
	}
	if w.done && w.console.quiet() {
		w.hush()
	}
	return out
}

// answered does what follows from an answer.
func (w *wire) answered(a *answer) []executor.Event {
	switch a.command {
	case "get_state":
		return w.stands(a)
	case "prompt":
		first := w.console.taken(a.id)
		w.done = false // the agent may begin anew
		w.heard.check = !a.begins
		if a.refused {
			return w.refused(first, a.why)
		}
	case "abort":
		w.hush()
	case "set_model", "parse":
		if a.refused {
			return []executor.Event{w.trouble(executor.CodeRuntime, a.command+": "+a.why, false)}
		}
	}
	return nil
}

// stands takes how the process stands: first of all which session it has.
func (w *wire) stands(a *answer) []executor.Event {
	if !w.greeted {
		if !w.meet(a) {
			w.hush()
			return nil
		}
		w.console.begin(w.provider)
		return nil
	}
	if w.console.current(a.id) && a.idle && !w.expects() && w.console.quiet() {
		w.hush()
		return w.rest()
	}
	return nil
}

// refused reports a prompt that was not taken. Without its first one there is no run.
func (w *wire) refused(first bool, why string) []executor.Event {
	if !first {
		return []executor.Event{w.trouble(executor.CodeRuntime, "pi did not take what was written for the run: "+why, false)}
	}
	w.fail(executor.CodeRuntime, "pi refused the prompt: "+why)
	w.hush()
	return nil
}

// answer answers a question, once.
func (w *wire) answer(id string, allow bool) error {
	q := w.questions.take(id)
	if q == nil {
		return ErrNoQuestion
	}
	err := w.console.answer(q, allow)
	if errors.Is(err, ndjson.ErrEnded) {
		return ErrNoQuestion // the process hears nothing any more
	}
	return err
}

// Session is the native session.
func (w *wire) Session() string { return w.native }

// ToolsOpen reports whether calls wait for their results.
func (w *wire) ToolsOpen() bool { return w.calls.Open() > 0 }

// Rest bounds a process whose agent is done, as far as it has told.
func (w *wire) Rest() time.Duration {
	if w.hushed || w.ended && !w.expects() {
		return w.options.Grace
	}
	return 0
}

// Keep writes down what is known of the session. One that Pi does not have any more is
// forgotten, or it could never start again: the failed run has told the host, and the
// next one begins a new session.
func (w *wire) Keep(k *kept) {
	switch {
	case w.lost:
		*k = kept{}
	case oneshot.IsUUID(w.native) && w.file != "":
		*k = kept{Native: w.native, File: w.file, Saved: w.saved}
	}
}

// Finish gives the run its end.
func (w *wire) Finish(e oneshot.Ending) []executor.Event {
	w.mu.Lock()
	waited := w.waited
	w.mu.Unlock()
	if waited != "" {
		w.fail(executor.CodeRuntime, "pi did not answer "+waited+" in time")
	}
	return w.greet(w.finish(e))
}
