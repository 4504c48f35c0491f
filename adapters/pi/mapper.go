package pi

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/oneshot"
)

// mapper turns the lines of one process into events without envelopes. It does no input
// or output and knows no time; what a line asks of the host is left in heard.
type mapper struct {
	// clean makes text of the runtime fit for a message: without secrets, bounded.
	clean   func(string) string
	resumed string // the session that the process was to go on with

	native   string // id of the session
	file     string // of the session; empty is one that is not kept
	saved    bool   // the file is written
	greeted  bool   // the process has said which session it has
	greeting []executor.Event
	lost     bool   // it does not have the one that it was to go on with
	provider string // of the model

	said   speech
	meant  speech // reasoning
	calls  oneshot.Calls
	inputs map[string]string // of calls, by id
	// answered are the inputs of calls that have their results, by id.
	answered map[string]string
	unnamed  int // calls that came without an id
	unread   oneshot.Unread
	phase    executor.Phase

	begun    bool // the agent has begun
	ended    bool // it has said that it is done, and not begun again
	waits    bool // it has said that it will try again
	compacts bool // it shortens what it tells the model
	done     bool // it has said that it is done for good

	open    bool     // an answer is being given
	told    string   // time of the last answer that is over: its name on this wire
	tools   []string // calls of the answer that is being given
	retried bool     // the answer that failed is asked for again
	stop    string   // why the last answer ended; empty is none yet
	why     string   // why it failed

	usage    *executor.Usage
	usd      float64
	unpriced bool // something was spent whose price is not known
	failure  *executor.Error

	heard heard // in the last line
}

// heard is what a line asks of the host. The zero value asks nothing.
type heard struct {
	answer    *answer
	question  *question
	dismissed string // id of what is no question for yes or no
	started   bool   // the agent has begun
	check     bool   // how the process stands is worth a question
}

// answer is an answer to a command.
type answer struct {
	id, command string
	refused     bool
	why         string
	data        jsontext.Value
	begins      bool // to prompt: the agent begins on it
	idle        bool // to get_state: nothing goes on and nothing waits
}

func newMapper(clean func(string) string, from kept) *mapper {
	return &mapper{
		clean: clean, resumed: from.Native, saved: from.Saved,
		said: speech{channel: executor.Assistant}, meant: speech{channel: executor.Reasoning},
	}
}

// line maps one line. The number is for error messages.
func (m *mapper) line(number int64, line []byte) []executor.Event {
	m.heard = heard{}
	line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf")) // what another program printed may begin with it
	var f frame
	if !read(line, &f) || f.Type.Kind() != '"' {
		return m.malformed(number)
	}
	out, ok := m.frame(&f)
	if !ok {
		return append(out, m.malformed(number)...)
	}
	return out
}

// malformed reports a line that is none. What it was can be seen in how the process
// stands.
func (m *mapper) malformed(number int64) []executor.Event {
	m.heard = heard{check: true}
	return m.unread.Malformed(number)
}

func (m *mapper) tooLong(number, length int64) []executor.Event {
	m.heard = heard{check: true}
	return m.unread.TooLong(number, length)
}

// frame maps a frame, and reports whether it could be read.
func (m *mapper) frame(f *frame) ([]executor.Event, bool) {
	switch text(f.Type) {
	case "response":
		return nil, m.response(f)
	case "session": // of the other modes
		m.native = text(f.ID)
	case "agent_start":
		m.begun, m.ended, m.waits, m.done = true, false, false, false
		m.heard.started = true
		return m.enter(executor.PhaseRunning), true
	case "turn_start":
		return m.enter(executor.PhaseRunning), true
	}
	if m.ended && !m.expects() && ofAgent[text(f.Type)] {
		return nil, true // it has not begun again
	}
	switch text(f.Type) {
	case "message_start":
		return m.messageStart(f)
	case "message_update":
		return m.update(f)
	case "message_end":
		return m.messageEnd(f.Message)
	case "turn_end":
		return m.turnEnd(f)
	case "tool_execution_start":
		return m.execute(f)
	case "tool_execution_end":
		return m.executed(f)
	case "agent_end":
		return m.agentEnd(f), true
	case "agent_settled":
		m.done, m.waits = true, false
		return m.rest(), true
	case "auto_retry_start":
		m.waits, m.retried = true, true
		m.phase = executor.PhaseRunning
		return []executor.Event{executor.Status{Phase: executor.PhaseRunning, Detail: executor.DetailRetry}}, true
	case "auto_retry_end":
		if !isTrue(f.Success) {
			m.waits, m.heard.check = false, true
		}
	case "compaction_start":
		m.compacts = true
		return []executor.Event{executor.Status{Phase: executor.PhaseRunning}}, true
	case "compaction_end":
		return m.compacted(f), true
	case "extension_error":
		return []executor.Event{m.trouble("extension-error", text(f.Error), false)}, true
	case "extension_ui_request":
		m.dialog(f)
	}
	return nil, true
}

// ofAgent are the frames of an agent that works.
var ofAgent = map[string]bool{
	"message_start": true, "message_update": true, "message_end": true, "turn_end": true,
	"tool_execution_start": true, "tool_execution_end": true, "agent_end": true,
}

// response notes an answer.
func (m *mapper) response(f *frame) bool {
	a := &answer{id: text(f.ID), command: text(f.Command), refused: !isTrue(f.Success), why: text(f.Error), data: f.Data}
	if a.command == "" {
		return false
	}
	if a.command == "get_state" && !a.refused {
		var s stateData
		if !read(a.data, &s) {
			return false
		}
		a.idle = !isTrue(s.Streaming) && !isTrue(s.Compacts) && number(s.Pending) == 0
	}
	var p struct {
		Disposition jsontext.Value `json:"disposition"`
	}
	a.begins = a.command == "prompt" && read(a.data, &p) && text(p.Disposition) == "started"
	m.heard.answer = a
	return true
}

// meet takes the session that the process has, and reports whether it is the right one.
func (m *mapper) meet(a *answer) bool {
	m.greeted = true
	var s stateData
	var model modelData
	_ = read(a.data, &s) || a.refused // one that cannot be read names no session
	_ = read(s.Model, &model)
	if id := text(s.Session); m.resumed != "" && id != m.resumed {
		m.lost = true
		m.fail(executor.CodeRuntime, "pi does not have the session that was to be gone on with any more")
		return false
	}
	m.native, m.file, m.provider = text(s.Session), text(s.File), text(model.Provider)
	m.phase = executor.PhaseInit
	m.greeting = []executor.Event{executor.Status{Phase: executor.PhaseInit, Model: text(model.ID)}}
	return true
}

// greet puts the greeting before the first events of the run: the agent has not spoken
// when its process tells which session it has.
func (m *mapper) greet(out []executor.Event) []executor.Event {
	if len(out) == 0 || m.greeting == nil {
		return out
	}
	out = append(m.greeting, out...)
	m.greeting = nil
	return out
}

// enter says that the run is in a phase, if that is new.
func (m *mapper) enter(p executor.Phase) []executor.Event {
	if m.phase == p {
		return nil
	}
	m.phase = p
	return []executor.Event{executor.Status{Phase: p}}
}

// expects reports whether the agent has said that it is not done.
func (m *mapper) expects() bool { return m.waits || m.compacts }

// agentEnd notes that the agent is done, for good or until it tries again.
func (m *mapper) agentEnd(f *frame) []executor.Event {
	m.ended = true
	m.waits = isTrue(f.WillRetry)
	// A version that tells this will tell when it is done for good.
	m.heard.check = len(f.WillRetry) == 0
	return nil
}

// compacted notes that what the model is told was shortened.
func (m *mapper) compacted(f *frame) []executor.Event {
	m.compacts, m.heard.check = false, true
	if isTrue(f.WillRetry) {
		m.waits, m.retried = true, true
	}
	if why := text(f.Failure); why != "" {
		return []executor.Event{m.trouble(executor.CodeRuntime, why, false)}
	}
	return nil
}

// rest says that the run is over, whether or not a line has said so.
func (m *mapper) rest() []executor.Event {
	m.ended = true
	return m.enter(executor.PhaseTurnComplete)
}

// dialog notes what an extension asks.
func (m *mapper) dialog(f *frame) {
	id := text(f.ID)
	if id == "" {
		return
	}
	switch text(f.Method) {
	case "notify", "setStatus", "setWidget", "setTitle", "set_editor_text":
		return
	case "confirm":
		m.heard.question = &question{id: id}
		return
	case "select":
		if yes, one := allowing(words(f.Options)); one {
			m.heard.question = &question{id: id, yes: yes}
			return
		}
	}
	m.heard.dismissed = id // it wants more than yes or no
}
