package claudecode

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/oneshot"
)

// mapper turns the lines of one process into events without envelopes. It does no
// input or output and knows no time; what a line asks of the host is left in asked.
type mapper struct {
	// clean makes text of the runtime fit for a message: without secrets, bounded.
	clean func(string) string

	said    speech
	meant   speech // reasoning
	calls   oneshot.Calls
	unnamed int // calls that came without an id
	unread  oneshot.Unread
	spend   spending
	tasks   tasks

	session string // native session id as first told; that of the events
	resume  string // as last told; that of the next run
	phase   executor.Phase
	inTurn  bool // a turn has begun, or none has ended yet
	queued  bool // the runtime has turns yet to come
	spoken  bool // the model has ended its turn: what comes next is the result, or may be
	missed  bool // a line was skipped that may have been a result

	// apiError is the class of a failure that the runtime has told in the place of an
	// answer, apiText its text. The result decides what becomes of it.
	apiError, apiText string

	ended   bool    // a result has come
	verdict verdict // of the results so far
	summary string  // the last result's text

	lastID []byte  // uuid of the last line that had one
	asked  request // by the last line
}

func newMapper(clean func(string) string, s state) *mapper {
	return &mapper{
		clean: clean, said: speech{channel: executor.Assistant}, meant: speech{channel: executor.Reasoning},
		spend: spending{before: s.Totals}, resume: s.Native, inTurn: true,
	}
}

// line maps one line. The number is for error messages.
func (m *mapper) line(number int64, line []byte) []executor.Event {
	m.asked = request{}
	line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf")) // what another program printed may begin with it
	var f frame
	if !readable(line) || !members(line, f.take) {
		return m.malformed(number)
	}
	if m.repeated(f.uuid) {
		return nil
	}
	out, ok := m.frame(&f)
	if !ok {
		return append(out, m.malformed(number)...)
	}
	return out
}

// repeated reports whether a line is the last one again: each has an id of its own.
func (m *mapper) repeated(uuid jsontext.Value) bool {
	if !set(uuid) {
		return false
	}
	again := bytes.Equal(m.lastID, uuid)
	m.lastID = append(m.lastID[:0], uuid...)
	return again
}

func (m *mapper) malformed(number int64) []executor.Event {
	m.missed = m.missed || m.spoken
	return m.unread.Malformed(number)
}

func (m *mapper) tooLong(number, length int64) []executor.Event {
	m.missed = m.missed || m.spoken
	return m.unread.TooLong(number, length)
}

// frame maps a frame, and reports whether it could be read. What belongs to an agent
// that the runtime started for itself is none of the run's own.
func (m *mapper) frame(f *frame) ([]executor.Event, bool) {
	nested := set(f.parent)
	switch {
	case is(f.kind, "stream_event"):
		if nested {
			return nil, true
		}
		return m.streamed(f)
	case is(f.kind, "assistant"):
		if nested {
			return nil, true
		}
		return m.assistant(f)
	case is(f.kind, "user"):
		if nested || flagged(f.replay) {
			return nil, true
		}
		return m.user(f)
	case is(f.kind, "result"):
		return m.result(f), true
	case is(f.kind, "system"):
		return m.system(f), true
	case is(f.kind, "tool_progress"):
		// The only life sign of a tool that runs for long.
		return []executor.Event{executor.Status{Phase: executor.PhaseRunning}}, true
	case is(f.kind, "control_request"), is(f.kind, "control_cancel_request"), is(f.kind, "control_response"):
		return m.control(f)
	}
	return nil, true
}

// enter says that the run is in a phase, if that is new.
func (m *mapper) enter(p executor.Phase) []executor.Event {
	if m.phase == p {
		return nil
	}
	m.phase = p
	return []executor.Event{executor.Status{Phase: p}}
}

// assistant maps the line of one block of a message, or of a whole message.
func (m *mapper) assistant(f *frame) ([]executor.Event, bool) {
	var msg apiMessage
	if !members(f.message, msg.take) {
		return nil, false
	}
	if is(msg.model, "<synthetic>") {
		return nil, m.synthetic(f, &msg)
	}
	m.inTurn = true
	if set(msg.stopReason) {
		m.spend.called(msg.usage) // it did not stream, so that this is the whole count
	}
	id := text(msg.id)
	var out []executor.Event
	ok := true
	elements(msg.content, func(v jsontext.Value) {
		var b apiBlock
		if !members(v, b.take) {
			ok = false
			return
		}
		switch {
		case is(b.kind, "text"):
			out = append(out, m.said.line(id, textLike(b.text, m.said.latest()))...)
		case is(b.kind, "thinking"):
			out = append(out, m.meant.line(id, text(b.thinking))...)
		case is(b.kind, "tool_use"):
			events, read := m.toolUse(&b)
			out, ok = append(out, events...), ok && read
		}
	})
	return out, ok
}

// synthetic notes a line that the runtime wrote in the place of the model's: a
// failure, or the output of a command that the result repeats.
func (m *mapper) synthetic(f *frame, msg *apiMessage) bool {
	if !flagged(f.apiError) && !set(f.errorClass) {
		return true
	}
	m.apiError, m.apiText = text(f.errorClass), ""
	if m.apiError == "" {
		m.apiError = "unknown"
	}
	ok := true
	elements(msg.content, func(v jsontext.Value) {
		var b apiBlock
		ok = members(v, b.take) && ok
		m.apiText += text(b.text)
	})
	return ok
}

// toolUse announces a call. One that was announced is not announced again; one
// without an id gets one, and no result.
func (m *mapper) toolUse(b *apiBlock) ([]executor.Event, bool) {
	id, name := text(b.id), text(b.name)
	if name == "" {
		return nil, false
	}
	if known, _ := m.calls.Known(id); known && id != "" {
		return nil, true
	}
	if id == "" {
		m.unnamed++
		id = fmt.Sprintf("unnamed-%d", m.unnamed)
	}
	out := append(m.said.elsewhere(), m.meant.elsewhere()...)
	return append(out, m.calls.Announce(id, name, executor.JSON(raw(b.input)))), true
}

// user maps the results of tools. Its text is the runtime's own and no answer.
func (m *mapper) user(f *frame) ([]executor.Event, bool) {
	var msg apiMessage
	if !members(f.message, msg.take) {
		return nil, false
	}
	out := append(m.said.elsewhere(), m.meant.elsewhere()...)
	ok := true
	elements(msg.content, func(v jsontext.Value) {
		var b apiBlock
		if !members(v, b.take) {
			ok = false
			return
		}
		if is(b.kind, "tool_result") {
			out = append(out, m.calls.Answer(text(b.toolID), m.output(b.content), flagged(b.failed))...)
		}
	})
	return out, ok
}

// output is the text of a tool's result: a string, or the parts of an array by line.
// A part without text is given as the JSON that it is.
func (m *mapper) output(content jsontext.Value) string {
	if s, ok := str(content); ok {
		return s
	}
	out, first := "", true
	elements(content, func(v jsontext.Value) {
		if !first {
			out += "\n"
		}
		first = false
		var b apiBlock
		if !members(v, b.take) {
			return
		}
		if s, ok := str(b.text); ok {
			out += s
			return
		}
		out += raw(v)
	})
	return out
}
