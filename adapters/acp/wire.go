package acp

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"syscall"
	"time"

	sdk "github.com/coder/acp-go-sdk"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/ndjson"
	"github.com/adaptercheck/adaptercheck/internal/oneshot"
	"github.com/adaptercheck/adaptercheck/internal/process"
)

// wire is a run as the host of the run sees it: one process, one session, one prompt.
type wire struct {
	*mapper
	talk      talk
	options   Options
	questions questions
	files     files
	child     *process.Process

	patience *time.Timer // runs until the prompt can be sent
	mu       sync.Mutex
	waited   string        // the method whose answer did not come in time
	ended    bool          // the process is over
	stopped  chan struct{} // closed when a process that did not answer is gone; nil while it may
}

var _ oneshot.Wire[state] = (*wire)(nil)

func newWire(o Options, clean func(string) string, r oneshot.Request[state], dir string) *wire {
	return &wire{
		mapper: newMapper(clean, r.State, r.Model), options: o, files: files{dir: dir, may: o.Files},
		talk: talk{errand: errand{
			resume: r.State.Session, dir: dir, servers: servers(o.Servers), prompt: r.Prompt, model: r.Model, auth: o.AuthMethod, files: o.Files, grace: o.Grace,
		}},
	}
}

// open tells the process what the run is about.
func (w *wire) open(child *process.Process) {
	console := openConsole(child.Stdin())
	w.child, w.talk.console = child, console
	w.talk.hush = func() {
		child.Note() // what it leaves behind when it goes now is known before
		console.lines.End()
	}
	w.patience = time.AfterFunc(w.options.StartTimeout, w.giveUp)
	w.talk.begin()
}

// giveUp ends a process that does not get ready.
func (w *wire) giveUp() {
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
func (w *wire) close() {
	w.questions.settle()
	w.talk.over()
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

// interrupt asks for the end of the turn by the protocol's own means. What cannot be
// asked is left to the signals that follow.
func (w *wire) interrupt() {
	w.talk.abort()
	w.withdraw()
}

// withdraw answers what is open with cancelled, and lets nothing be asked any more.
func (w *wire) withdraw() {
	for _, q := range w.questions.settle() {
		_ = w.talk.console.answer(q.request, cancelled()) // a process that is gone needs no answer
	}
}

// Keep writes down what the wire told about the session.
func (w *wire) Keep(to *state) {
	w.live = w.live || w.talk.prompted()
	w.mapper.Keep(to)
}

// Line maps one line and does what it asks. Requests have a method and an id,
// notifications a method, answers an id.
func (w *wire) Line(number int64, line []byte) []executor.Event {
	var m message
	var out []executor.Event
	switch err := m.read(line); {
	case err != nil:
		out = w.garbled(number, line)
	case m.Method != "" && set(m.ID):
		out = w.requested(number, &m)
	case m.Method == sdk.ClientMethodSessionUpdate:
		out = w.updated(number, m.Params, w.talk.prompted())
	case m.Method != "": // nothing that anybody has to know
	case set(m.ID):
		out = w.answered(number, &m)
	case m.Error != nil: // the agent could not read a line
		out = []executor.Event{w.trouble(executor.CodeRuntime, "the agent could not read what it was sent: "+m.Error.String(), false)}
	}
	w.heard()
	return w.greet(out)
}

// TooLong reports a line that was skipped.
func (w *wire) TooLong(number, length int64) []executor.Event {
	return w.greet(w.unread.TooLong(number, length))
}

// garbled reports a line that could not be read. If it was the answer to the prompt, no
// other one comes, and how the turn ended is not known.
func (w *wire) garbled(number int64, line []byte) []executor.Event {
	if bytes.Contains(line, []byte(`"stopReason"`)) && !bytes.Contains(line, []byte(`"method"`)) && w.talk.prompted() {
		w.talk.over()
	}
	return w.unread.Malformed(number)
}

// heard ends the talk when the turn is over: the process then ends by itself.
func (w *wire) heard() {
	if w.outcome != outcomeNone {
		w.withdraw()
		w.talk.over()
	}
}

// answered does what follows from an answer.
func (w *wire) answered(number int64, m *message) []executor.Event {
	method := w.talk.take(m.ID)
	switch {
	case method == "":
		return nil // nobody asked, or it was answered before
	case method == methodFence:
		w.talk.fenced()
		return nil
	case m.Error != nil:
		return w.refused(method, m.Error)
	}
	switch method {
	case sdk.AgentMethodInitialize:
		return w.welcomed(number, m.Result)
	case sdk.AgentMethodAuthenticate:
		w.talk.authenticated()
		return nil
	case sdk.AgentMethodSessionNew, sdk.AgentMethodSessionLoad, sdk.AgentMethodSessionResume:
		return w.opened(number, method, m.Result)
	case sdk.AgentMethodSessionPrompt:
		return w.stop(number, m.Result)
	}
	w.talk.chosen()
	return nil
}

// refused maps the refusal of a request. A session that the agent does not have is
// forgotten.
func (w *wire) refused(method string, f *failure) []executor.Event {
	opening := method == sdk.AgentMethodSessionNew || method == sdk.AgentMethodSessionLoad || method == sdk.AgentMethodSessionResume
	if opening && f.is(codeAuth) && w.talk.authenticate() {
		return nil
	}
	if method != sdk.AgentMethodSessionNew && opening {
		w.lost = f.is(codeNotFound) || f.is(codeParams)
	}
	why := f.String()
	switch {
	case method == sdk.AgentMethodSessionPrompt && why != "":
	case why == "":
		why = "the agent refused " + method
	default:
		why = "the agent refused " + method + ": " + why
	}
	return w.fail(executor.CodeRuntime, why)
}

// welcomed takes what the agent says of itself.
func (w *wire) welcomed(number int64, result jsontext.Value) []executor.Event {
	var hello struct {
		Version *sdk.ProtocolVersion `json:"protocolVersion"`
		Able    struct {
			Load     bool `json:"loadSession"`
			Sessions struct {
				Resume jsontext.Value `json:"resume"`
			} `json:"sessionCapabilities"`
		} `json:"agentCapabilities"`
	}
	if decode(result, &hello) != nil {
		return append(w.unread.Malformed(number), w.fail(executor.CodeRuntime, "the agent's answer to initialize cannot be read")...)
	}
	if hello.Version != nil && *hello.Version != sdk.ProtocolVersionNumber {
		return w.fail(executor.CodeRuntime, "the agent speaks another version of the protocol")
	}
	w.talk.welcomed(abilities{load: hello.Able.Load, resume: set(hello.Able.Sessions.Resume)})
	return nil
}

// opened begins the turn on the session.
func (w *wire) opened(number int64, method string, result jsontext.Value) []executor.Event {
	s, ok := readSession(result)
	id := s.id
	if method != sdk.AgentMethodSessionNew {
		id = w.talk.errand.resume
	}
	if !ok || id == "" {
		return append(w.unread.Malformed(number), w.fail(executor.CodeRuntime, "the agent's answer to "+method+" names no session")...)
	}
	w.adopt(id, s.model, w.talk.resumes())
	if !w.talk.opened(id, s.choice) {
		return w.fail(executor.CodeRuntime, "the agent offers no choice of models")
	}
	return nil
}

// requested does what the agent asks, or refuses it.
func (w *wire) requested(number int64, m *message) []executor.Event {
	console := w.talk.console
	switch m.Method {
	case sdk.ClientMethodSessionRequestPermission:
		return w.permission(number, m)
	case sdk.ClientMethodFsReadTextFile, sdk.ClientMethodFsWriteTextFile:
		result, err := w.files.serve(m.Method, m.Params)
		if err != nil {
			_ = console.refuse(m.ID, err) // a process that is gone needs no answer
			return nil
		}
		_ = console.answer(m.ID, result)
		return nil
	}
	_ = console.refuse(m.ID, sdk.NewMethodNotFound(m.Method))
	return nil
}

// permission puts a question to the host, under the id of the call that it is about.
func (w *wire) permission(number int64, m *message) []executor.Event {
	var asked struct {
		Call    toolUpdate             `json:"toolCall"`
		Options []sdk.PermissionOption `json:"options"`
	}
	if decode(m.Params, &asked) != nil {
		_ = w.talk.console.refuse(m.ID, sdk.NewInvalidParams(nil))
		return w.unread.Malformed(number)
	}
	name := asked.Call.ID
	if name == "" {
		name = "request-" + strings.Trim(string(m.ID), `"`)
	}
	id, ok := w.questions.ask(name, newQuestion(m.ID, asked.Options), w.options.ApprovalTimeout, func(id string) { _ = w.answer(id, false) })
	if !ok { // the turn is being ended
		_ = w.talk.console.answer(m.ID, cancelled())
		return nil
	}
	return append(w.asked(&asked.Call), executor.Status{Phase: executor.PhaseRunning, Detail: executor.DetailApproval + ":" + id})
}

// answer answers a question, once.
func (w *wire) answer(id string, allow bool) error {
	q := w.questions.take(id)
	if q == nil {
		return ErrNoQuestion
	}
	option := q.deny
	if allow {
		option = q.allow
	}
	verdict := cancelled()
	if option != "" {
		verdict = selected(option)
	}
	err := w.talk.console.answer(q.request, verdict)
	switch {
	case errors.Is(err, ndjson.ErrEnded):
		return ErrNoQuestion // the process hears nothing any more
	case err == nil && allow && option == "":
		return ErrNoOption
	}
	return err
}

// Rest is the grace, once the turn has ended.
func (w *wire) Rest() time.Duration {
	if w.outcome != outcomeNone {
		return w.options.Grace
	}
	return 0
}

// Finish gives the run its end.
func (w *wire) Finish(e oneshot.Ending) []executor.Event {
	var out []executor.Event
	w.mu.Lock()
	waited := w.waited
	w.mu.Unlock()
	if waited != "" && w.outcome == outcomeNone {
		out = w.fail(executor.CodeRuntime, "the agent did not answer "+waited+" in time")
	}
	return w.greet(append(out, w.finish(e, w.options.ID)...))
}
