package codex

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/oneshot"
)

// serverMapper turns the notifications of one codex app-server into events without
// envelopes. It does no input or output and knows no time. Answers, and requests of the
// app-server's own, are the business of the [talk].
type serverMapper struct {
	story
	turn     string // id of the turn that runs, or ran last; empty until it is known
	turnOpen bool
	idle     bool             // the thread has come to rest: what comes next is the end of the turn
	missed   bool             // a line was skipped that may have been it
	greeting []executor.Event // of the thread; told once there is more to tell

	thinking string // the part of an item of reasoning that came last

	// held are errors without a retry: the end of the turn may be one of them.
	held []executor.Error
}

func newServerMapper(s story) *serverMapper {
	return &serverMapper{story: s}
}

// notification maps a notification. What belongs to another thread, such as that of an
// agent which Codex started for itself, is none of the run's own.
func (m *serverMapper) notification(number int64, method string, params jsontext.Value) []executor.Event {
	look := notifications[method]
	if look == nil {
		return nil
	}
	var n notice
	if n.read(params) != nil {
		return m.malformed(number)
	}
	if thread := text(n.thread); thread != "" && m.thread != "" && thread != m.thread {
		return nil
	}
	if m.turn == "" && strings.HasPrefix(method, "item/") {
		m.begun, m.turn = true, text(n.turn) // the line that said so was lost
	}
	out, ok := look(m, &n)
	if !ok {
		out = append(out, m.malformed(number)...)
	}
	return out
}

// notifications has one reader per method that is read. A reader reports whether the
// notification could be read.
var notifications = map[string]func(*serverMapper, *notice) ([]executor.Event, bool){
	"turn/started":                    (*serverMapper).turnStarted,
	"turn/plan/updated":               (*serverMapper).planned,
	"turn/completed":                  (*serverMapper).turnCompleted,
	"thread/status/changed":           (*serverMapper).statusChanged,
	"thread/tokenUsage/updated":       (*serverMapper).counted,
	"item/started":                    (*serverMapper).itemStarted,
	"item/completed":                  (*serverMapper).itemCompleted,
	"item/agentMessage/delta":         (*serverMapper).spoke,
	"item/reasoning/summaryTextDelta": (*serverMapper).thought,
	"item/reasoning/textDelta":        (*serverMapper).thought,
	"error":                           (*serverMapper).failed,
}

// malformed reports a line that could not be read.
func (m *serverMapper) malformed(number int64) []executor.Event {
	m.missed = m.missed || m.idle
	return append(m.elsewhere(), m.unread.Malformed(number)...)
}

// tooLong reports a line that was skipped.
func (m *serverMapper) tooLong(number, length int64) []executor.Event {
	m.missed = m.missed || m.idle
	return append(m.elsewhere(), m.unread.TooLong(number, length)...)
}

// greet keeps what is told of the thread until the turn tells something: a process that
// was only asked has not spoken.
func (m *serverMapper) greet(out []executor.Event) []executor.Event {
	if len(out) == 0 {
		return nil
	}
	greeting := m.greeting
	m.greeting = nil
	return append(greeting, out...)
}

// turnStarted says which turn runs. Most of the time it is the one that was asked for,
// and has been named by the answer.
func (m *serverMapper) turnStarted(n *notice) ([]executor.Event, bool) {
	var t serverTurn
	if t.read(n.whole) != nil {
		return nil, false
	}
	m.begun, m.turnOpen, m.idle = true, true, false
	if id := text(t.id); id != "" {
		m.turn = id
	}
	return []executor.Event{executor.Status{Phase: executor.PhaseRunning}}, true
}

// settled reports whether the runtime has said how the run ended and nothing more has
// begun, or may have said so in a line that was skipped.
func (m *serverMapper) settled() bool { return m.missed || m.outcome != outcomeNone && !m.turnOpen }

// planned is progress without a text.
func (m *serverMapper) planned(*notice) ([]executor.Event, bool) {
	return []executor.Event{executor.Status{Phase: executor.PhaseRunning}}, true
}

// statusChanged notes whether the thread is at rest.
func (m *serverMapper) statusChanged(n *notice) ([]executor.Event, bool) {
	var kind jsontext.Value
	if read(n.status, member{"type", &kind}) != nil {
		return nil, false
	}
	m.idle = m.begun && text(kind) != "active"
	return nil, true
}

// counted maps the running totals of the thread. They come with each call of the model,
// and once more when a thread goes on.
func (m *serverMapper) counted(n *notice) ([]executor.Event, bool) {
	var total jsontext.Value
	var u serverUsage
	if read(n.usage, member{"total", &total}) != nil || decode(total, &u) != nil {
		return nil, false
	}
	return m.spend(u.Input, u.Cached, u.Output)
}

// failed maps an error. The app-server says whether it tries again; if it does not, the
// end of the turn tells whether the turn has failed.
func (m *serverMapper) failed(n *notice) ([]executor.Event, bool) {
	if n.retry.Kind() == 't' {
		return m.retry(), true
	}
	message, code := serverFailure(n.fail)
	m.held = append(m.held, m.trouble(code, message, false))
	return nil, true
}

// turnCompleted is the terminal frame. An error in it beats its label. It repeats the
// last message, which is told if its own line was lost.
func (m *serverMapper) turnCompleted(n *notice) ([]executor.Event, bool) {
	var t serverTurn
	if t.read(n.whole) != nil {
		return nil, false
	}
	m.begun, m.turnOpen = true, false
	if status := text(t.status); !set(t.failure) && (status == "completed" || status == "interrupted") {
		out := m.repeated(t.items)
		if m.outcome == outcomeNone {
			m.outcome = outcomeCompleted
			if status == "interrupted" {
				m.outcome = outcomeInterrupted
			}
		}
		return append(out, m.release()...), true
	}
	message, code := serverFailure(t.failure)
	if last := len(m.held) - 1; last >= 0 {
		e := m.held[last]
		if message == "" || m.clean(message) == e.Message {
			m.held = m.held[:last]
			code, message = *e.Code, e.Message
		}
	}
	return append(m.release(), m.fail(code, message)...), true
}

// repeated tells the messages that the end of a turn repeats and nothing else has told.
func (m *serverMapper) repeated(items jsontext.Value) []executor.Event {
	var out []executor.Event
	elements(items, func(item jsontext.Value) {
		var id, kind, body jsontext.Value
		if read(item, member{"id", &id}, member{"type", &kind}, member{"text", &body}) == nil && text(kind) == "agentMessage" {
			out = append(out, m.said.whole(text(id), text(body))...)
		}
	})
	return out
}

// release tells the errors that are held: none of them was the end.
func (m *serverMapper) release() []executor.Event {
	var out []executor.Event
	for _, e := range m.held {
		out = append(out, e)
	}
	m.held = nil
	return out
}

// finish gives the run its end.
func (m *serverMapper) finish(e oneshot.Ending) []executor.Event {
	return append(m.release(), m.story.finish(e)...)
}
