package codex

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/oneshot"
	"github.com/adaptercheck/adaptercheck/internal/process"
)

// serverWire is a run of codex app-server as the host of the run sees it: one process,
// one thread, one turn.
type serverWire struct {
	*serverMapper
	talk      talk
	options   Options
	questions questions
	child     *process.Process

	resting atomic.Bool // as the mapper's idle
	halted  atomic.Bool // a line has begun and did not go on for the grace

	patience *time.Timer // runs while the handshake has no answer
	mu       sync.Mutex
	waited   string        // the method whose answer did not come in time
	ended    bool          // the process is over
	stopped  chan struct{} // closed when a process that did not answer is gone; nil while it may
}

var _ wire = (*serverWire)(nil)

// open tells the process what the run is about.
func (w *serverWire) open(child *process.Process) {
	console := openConsole(child.Stdin())
	w.child, w.talk.console = child, console
	w.talk.hush = func() {
		child.Note() // what it leaves behind when it goes now is known before
		console.lines.End()
	}
	w.talk.begin()
	w.patience = time.AfterFunc(w.options.StartTimeout, w.giveUp)
}

// giveUp ends a process that does not answer.
func (w *serverWire) giveUp() {
	w.mu.Lock()
	if w.ended {
		w.mu.Unlock()
		return
	}
	w.waited = w.talk.late()
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

// close lets go of the process, which is over.
func (w *serverWire) close() {
	w.questions.settle()
	w.talk.console.lines.Close()
	w.mu.Lock()
	w.ended = true
	stopped := w.stopped
	w.mu.Unlock()
	w.patience.Stop()
	if stopped != nil {
		<-stopped
	}
}

// interrupt asks for the end of the run by the runtime's own means. What cannot be
// asked is left to the signals that follow.
func (w *serverWire) interrupt() {
	w.questions.settle()
	w.talk.abort()
}

// stuck ends stdin where the line that does not go on may be the last: a turn that runs
// would end with it. What was read before that line may not be mapped yet; see Rest.
func (w *serverWire) stuck() {
	w.halted.Store(true)
	if w.resting.Load() {
		w.talk.over()
	}
}

// Line maps one line and does what it asks. Requests have a method and an id,
// notifications a method, answers an id.
func (w *serverWire) Line(number int64, line []byte) []executor.Event {
	var f serverFrame
	var out []executor.Event
	method := ""
	err := f.read(line)
	if err == nil {
		method = text(f.method)
	}
	switch {
	case err != nil:
		out = w.malformed(number)
	case method != "" && set(f.id):
		out = w.requested(number, method, &f)
	case method != "":
		out = w.notified(number, method, f.params)
	case set(f.id):
		out = w.answered(number, &f)
	}
	w.heard()
	return w.greet(out)
}

// TooLong reports a line that was skipped.
func (w *serverWire) TooLong(number, length int64) []executor.Event {
	out := w.tooLong(number, length)
	w.heard()
	return w.greet(out)
}

// heard ends the talk when the turn is over, or when its end may have been a line that
// was skipped: the process then ends by itself, and the run does not wait for ever.
func (w *serverWire) heard() {
	w.resting.Store(w.idle)
	if w.settled() {
		w.questions.settle()
		w.talk.over()
	}
}

// notified maps a notification. The names of thread and turn come with some of them
// too, which is as good as the answer if that was lost.
func (w *serverWire) notified(number int64, method string, params jsontext.Value) []executor.Event {
	switch method {
	case "thread/started":
		var thread jsontext.Value
		if w.resumed != "" || read(params, member{"thread", &thread}) != nil {
			return nil
		}
		return w.threadTold(thread, nil)
	case "serverRequest/resolved":
		var n notice
		if n.read(params) == nil {
			w.questions.withdraw(string(n.request))
		}
		return nil
	}
	out := w.notification(number, method, params)
	if w.turn != "" {
		w.talk.turnStarted(w.turn)
	}
	return out
}

// answered does what follows from an answer.
func (w *serverWire) answered(number int64, f *serverFrame) []executor.Event {
	r := w.talk.take(f.id)
	if r == nil {
		return nil
	}
	refused := set(f.failure)
	switch r.method {
	case methodSteer:
		if !refused {
			w.talk.taken(r.note)
		}
		return nil
	case methodInterrupt:
		if refused {
			w.talk.over() // there is no turn to interrupt
		}
		return nil
	}
	if refused {
		message, code := serverFailure(f.failure)
		w.lost = r.method == methodResume && unknownThread(message)
		return w.fail(code, "codex app-server refused "+r.method+": "+message)
	}
	switch r.method {
	case methodInitialize:
		w.talk.welcomed()
		return nil
	case methodTurn:
		w.talk.turnAnswered() // its name comes when it runs
		return nil
	}
	var thread, model jsontext.Value
	if read(f.result, member{"thread", &thread}, member{"model", &model}) != nil {
		return w.malformed(number)
	}
	return w.threadTold(thread, model)
}

// threadTold begins the turn on the thread, once.
func (w *serverWire) threadTold(thread, model jsontext.Value) []executor.Event {
	var id jsontext.Value
	if read(thread, member{"id", &id}) != nil || text(id) == "" {
		return nil // without a name there is no turn, and no answer for ever
	}
	if !w.talk.threadKnown(text(id)) {
		return nil
	}
	w.greeting = append([]executor.Event{executor.Status{Phase: executor.PhaseInit, Model: text(model)}}, w.adopt(text(id))...)
	return nil
}

// Rest is the grace, once the turn has ended, or is about to and was seen to falter.
func (w *serverWire) Rest() time.Duration {
	if w.settled() || w.idle && w.halted.Load() {
		return w.options.Grace
	}
	return 0
}

// Finish gives the run its end. Context that the turn did not take is kept for the next
// run.
func (w *serverWire) Finish(e oneshot.Ending) []executor.Event {
	var out []executor.Event
	for _, n := range w.talk.flush() {
		if err := n.back(); err != nil {
			out = append(out, w.trouble(executor.CodeRuntime, fmt.Sprintf("context that was written for the run is lost: %v", err), false))
		}
	}
	w.mu.Lock()
	waited := w.waited
	w.mu.Unlock()
	if waited != "" && w.outcome == outcomeNone {
		out = append(out, w.fail(executor.CodeRuntime, "codex app-server did not answer "+waited+" in time")...)
	}
	return w.greet(append(out, w.finish(e)...))
}
