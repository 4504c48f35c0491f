package codex

import (
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// errand is what an app-server is started for.
type errand struct {
	thread threadParams // with an id: to be gone on with
	prompt string
	model  string // empty leaves it to Codex
}

// method is how the thread is asked for.
func (e errand) method() string {
	if e.thread.ThreadID == "" {
		return methodStart
	}
	return methodResume
}

// step is how far a talk has come.
type step int

const (
	stepInitialize step = iota // initialize has no answer yet
	stepThread                 // the thread has none
	stepTurn                   // the turn has none
	stepSoon                   // it has, and does not run yet
	stepLive                   // the turn runs
	stepOver                   // nothing more is asked
)

// The methods that this host asks for.
const (
	methodInitialize = "initialize"
	methodStart      = "thread/start"
	methodResume     = "thread/resume"
	methodTurn       = "turn/start"
	methodSteer      = "turn/steer"
	methodInterrupt  = "turn/interrupt"
)

// talk is what this host and the app-server say to each other: the handshake, the turn,
// and what is written for it while it runs. Its methods may be called from several
// goroutines.
type talk struct {
	errand  errand
	console *console
	hush    func() // ends stdin: the app-server ends by itself then

	mu           sync.Mutex
	step         step
	thread, turn string
	aborted      bool
	asked        map[int64]*request
	notes        []*note // written for the run, not taken yet
	size         int     // of them in bytes
	flushed      bool
}

// request is one without an answer.
type request struct {
	method string
	note   *note
}

// note is context that was written for the run.
type note struct {
	text string
	sent bool         // with the message of the turn
	back func() error // keeps it for the next run
}

// maxNotes bounds the notes that the turn has not taken, in bytes.
const maxNotes = 1 << 20

func (t *talk) begin() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.asked = map[int64]*request{}
	t.ask(methodInitialize, initializeParams{clientInfo{Name: "adaptercheck", Title: "adaptercheck", Version: "1"}}, nil)
}

// ask puts a request. One that cannot be put gets no answer. The caller holds mu.
func (t *talk) ask(method string, params any, n *note) {
	if id, err := t.console.ask(method, params); err == nil {
		t.asked[id] = &request{method: method, note: n}
	}
}

// take returns the request that was answered, nil if there is none.
func (t *talk) take(id jsontext.Value) *request {
	n, err := strconv.ParseInt(string(id), 10, 64)
	if err != nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	r := t.asked[n]
	delete(t.asked, n)
	return r
}

// welcomed goes on with the thread.
func (t *talk) welcomed() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.step != stepInitialize {
		return
	}
	t.step = stepThread
	_ = t.console.tell("initialized") // what cannot be put is followed by what ends the process
	thread := t.errand.thread
	if thread.ThreadID == "" {
		// The process is in the directory. Codex takes one that it is told for one that
		// the user trusts, and writes that down in the user's configuration.
		thread.Dir = ""
	}
	t.ask(t.errand.method(), thread, nil)
}

// threadKnown goes on with the turn, and reports whether it was waited for. What was
// written by now goes with the message.
func (t *talk) threadKnown(thread string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.step != stepThread {
		return false
	}
	t.step, t.thread = stepTurn, thread
	var parts []string
	for _, n := range t.notes {
		n.sent = true
		parts = append(parts, n.text)
	}
	t.ask(methodTurn, turnParams{
		ThreadID: thread, Input: input(strings.Join(append(parts, t.errand.prompt), "\n\n")), Model: t.errand.model,
	}, nil)
	return true
}

// turnAnswered says that the turn will run. It takes nothing until it does.
func (t *talk) turnAnswered() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.step == stepTurn {
		t.step = stepSoon
		t.delivered()
	}
}

// turnStarted says that a turn runs: the one that was asked for, or one that Codex began
// by itself. What was written meanwhile is given to it, unless it is to end.
func (t *talk) turnStarted(turn string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.step < stepTurn || t.step > stepLive || turn == t.turn {
		return
	}
	waiting := t.step != stepLive
	t.step, t.turn = stepLive, turn
	t.delivered()
	switch {
	case t.aborted:
		t.ask(methodInterrupt, interruptParams{t.thread, t.turn}, nil)
	case waiting:
		for _, n := range t.notes {
			t.steer(n)
		}
	}
}

// delivered forgets what went with the message. The caller holds mu.
func (t *talk) delivered() {
	for _, n := range append([]*note(nil), t.notes...) {
		if n.sent {
			t.drop(n)
		}
	}
}

// steer gives a note to the turn. The caller holds mu.
func (t *talk) steer(n *note) {
	t.ask(methodSteer, steerParams{t.thread, t.turn, input(n.text)}, n)
}

// write takes a note for the run, and reports whether it did. One that the turn does
// not take is kept for the next run at the end.
func (t *talk) write(text string, back func() error) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.flushed || t.size+len(text) > maxNotes {
		return false
	}
	n := &note{text: text, back: back}
	t.notes = append(t.notes, n)
	t.size += len(text)
	if t.step == stepLive && !t.aborted {
		t.steer(n)
	}
	return true
}

// taken says that the turn has taken the note.
func (t *talk) taken(n *note) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.drop(n)
}

// drop forgets a note. The caller holds mu.
func (t *talk) drop(n *note) {
	for i, it := range t.notes {
		if it == n {
			t.notes = append(t.notes[:i:i], t.notes[i+1:]...)
			t.size -= len(n.text)
			return
		}
	}
}

// flush returns the notes that were not taken, in the order in which they were written.
// No more is taken after it.
func (t *talk) flush() []*note {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.flushed = true
	notes := t.notes
	t.notes = nil
	return notes
}

// abort asks for the end of the turn. One that was not asked for does not begin; one
// that does not run yet has no name by which Codex would stop it, and is stopped as
// whatever begins.
func (t *talk) abort() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.aborted = true
	switch t.step {
	case stepInitialize, stepThread:
		t.step = stepOver
		t.hush()
	case stepTurn, stepSoon, stepLive:
		t.ask(methodInterrupt, interruptParams{t.thread, t.turn}, nil)
	}
}

// over ends the talk, once: the app-server ends by itself when its stdin does.
func (t *talk) over() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.step != stepOver {
		t.step = stepOver
		t.hush()
	}
}

// late reports which answer the handshake still waits for, empty for none, and ends the
// talk if it does.
func (t *talk) late() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var waits string
	switch t.step {
	case stepInitialize:
		waits = methodInitialize
	case stepThread:
		waits = t.errand.method()
	case stepTurn:
		waits = methodTurn
	default:
		return ""
	}
	t.step = stepOver
	t.hush()
	return waits
}
