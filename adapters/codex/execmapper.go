package codex

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/oneshot"
)

// execMapper turns the lines of one codex exec into events without envelopes. It does
// no input or output and knows no time.
type execMapper struct {
	story
	turnOpen bool
	warned   string // text of the last warning

	// held is the text of a top-level error of which it is not known yet whether it
	// is the failure that follows.
	held *string
}

// line maps one line. The number is for error messages.
func (m *execMapper) line(number int64, line []byte) []executor.Event {
	var f execFrame
	if f.read(line) != nil {
		return m.malformed(number)
	}
	kind := text(f.kind)
	message := errorText(f.failure)
	if kind == "error" {
		message = text(f.message)
	}
	var out []executor.Event
	if m.held != nil {
		if kind != "turn.failed" || message != *m.held {
			out = m.release()
		}
		m.held = nil
	}
	switch kind {
	case "thread.started":
		out = append(out, executor.Status{Phase: executor.PhaseInit})
		return append(out, m.adopt(text(f.thread))...)
	case "turn.started":
		m.turnOpen, m.begun = true, true
		out = append(out, m.elsewhere()...)
		return append(out, executor.Status{Phase: executor.PhaseRunning})
	case "turn.completed":
		m.turnOpen, m.begun = false, true
		if m.outcome == outcomeNone {
			m.outcome = outcomeCompleted
		}
		return append(out, m.usage(number, f.usage)...)
	case "turn.failed":
		m.turnOpen, m.begun = false, true
		return append(out, m.fail(failureCode(message), message)...)
	case "item.started", "item.updated", "item.completed":
		return append(out, m.item(number, kind, f.item)...)
	case "error":
		if strings.HasPrefix(message, "Reconnecting...") {
			return append(out, m.retry()...)
		}
		m.held = &message
		return out
	}
	return append(out, m.elsewhere()...)
}

// malformed reports a line that could not be read.
func (m *execMapper) malformed(number int64) []executor.Event {
	out := append(m.release(), m.elsewhere()...)
	return append(out, m.unread.Malformed(number)...)
}

// tooLong reports a line that was skipped.
func (m *execMapper) tooLong(number, length int64) []executor.Event {
	out := append(m.release(), m.elsewhere()...)
	return append(out, m.unread.TooLong(number, length)...)
}

// release turns the held error into one that is not fatal.
func (m *execMapper) release() []executor.Event {
	if m.held == nil {
		return nil
	}
	held := *m.held
	m.held = nil
	return []executor.Event{m.trouble(failureCode(held), held, false)}
}

// usage maps what the terminal frame counts, which is the only place where the wire
// does. What cannot be read does not take the terminal with it.
func (m *execMapper) usage(number int64, usage jsontext.Value) []executor.Event {
	if !set(usage) {
		return nil
	}
	var u execUsage
	if decode(usage, &u) == nil {
		if out, ok := m.spend(u.Input, u.Cached, u.Output); ok {
			return out
		}
	}
	return m.malformed(number)
}

// settled reports whether the runtime has said how the run ended and has nothing
// more announced.
func (m *execMapper) settled() bool { return m.outcome != outcomeNone && !m.turnOpen }

// finish gives the run its end.
func (m *execMapper) finish(e oneshot.Ending) []executor.Event {
	return append(m.release(), m.story.finish(e)...)
}
