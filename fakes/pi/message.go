package pi

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// message is an answer of the model that is being said.
type message struct {
	name   string // the name that frames give it
	blocks []*block
	usage  *spent // told by the time that it is over
	stop   string // why the model stopped; empty as long as it goes on
	err    string
	at     int64
	id     string // the provider's

	counted   []byte // usage as text, of countedOf
	countedOf *spent
}

// block is a part of an answer.
type block struct {
	kind  string // text, thinking, toolCall
	part  string // the name that frames give it
	said  strings.Builder
	call  *call
	over  bool // its end is out
	index int
}

// ahead reports whether a call is known to follow what is said now.
func (r *renderer) ahead() (call fakes.CallPart, follows bool) {
	if r.process == nil {
		return fakes.CallPart{}, false
	}
	for _, f := range r.process.Ahead() {
		switch f := f.(type) {
		case fakes.CallPart:
			return f, f.ID != ""
		default:
			return fakes.CallPart{}, false
		}
	}
	return fakes.CallPart{}, false
}

// openMessage finds the answer that goes on, or begins one.
func (r *renderer) openMessage(name string) (*message, error) {
	if err := r.begin(); err != nil {
		return nil, err
	}
	run := r.run
	if m := run.message; m != nil && name != "" && m.name != "" && m.name != name {
		if err := r.closeMessage("stop", ""); err != nil {
			return nil, err
		}
	}
	if m := run.message; m != nil {
		if m.name == "" {
			m.name = name
		}
		return m, nil
	}
	if run.last != nil && len(run.calls) == 0 {
		if err := r.endTurn(); err != nil {
			return nil, err
		}
	}
	if err := r.beginTurn(); err != nil {
		return nil, err
	}
	run.last, run.results = nil, nil
	m := &message{name: name, at: r.clock.now(), usage: r.owed}
	run.message, r.owed = m, nil
	return m, r.event("message_start", member{"message", r.object(m, false)})
}

// responded notes that the provider has begun to answer.
func (r *renderer) responded(m *message) {
	if m.id == "" {
		m.id = r.ids.response()
	}
}

// object is the message as lines tell it: as it is so far, or when it is over.
func (r *renderer) object(m *message, over bool) object {
	content := []object{}
	for _, b := range m.blocks {
		content = append(content, b.object(m.stop != ""))
	}
	stop := m.stop
	switch {
	case stop != "":
	case r.version.slim:
		stop = "pending"
	default:
		stop = "stop"
	}
	o := object{
		{"role", "assistant"}, {"content", content}, {"api", r.model.api}, {"provider", r.model.provider}, {"model", r.model.ID},
		{"usage", m.usage.object(r.version)}, {"stopReason", stop}, {"timestamp", m.at},
	}
	if m.id != "" {
		o.add(member{"responseId", m.id})
	}
	if m.err != "" {
		o.add(member{"errorMessage", m.err})
	}
	if over && r.version.detailed {
		if raw, told := rawStops[stop]; told {
			o.add(member{"rawStopReason", raw})
		}
		o.add(member{"durationMs", 0}, member{"thinkingLevel", r.level})
	}
	return o
}

// rawStops are the provider's own words for why it stopped.
var rawStops = map[string]string{"stop": "stop", "toolUse": "tool_calls", "length": "length"}

func (b *block) object(over bool) object {
	switch b.kind {
	case "thinking":
		return object{{"type", "thinking"}, {"thinking", b.said.String()}, {"thinkingSignature", "reasoning_content"}}
	case "toolCall":
		return b.call.block(over || b.over, b.said.String())
	}
	return object{{"type", "text"}, {"text", b.said.String()}}
}

// block is a call as the content of a message.
func (c *call) block(over bool, said string) object {
	o := object{{"type", "toolCall"}, {"id", c.id}, {"name", c.name}, {"arguments", c.arguments(said)}}
	if !over {
		o.add(member{"partialArgs", said}, member{"streamIndex", c.index})
	}
	return o
}

// update says that something of the message has changed.
func (r *renderer) update(m *message, kind string, b *block, members ...member) error {
	r.responded(m)
	e := append(object{{"type", kind}, {"contentIndex", b.index}}, members...)
	if r.version.slim {
		return r.event("message_update", member{"usage", m.usage.object(r.version)}, member{"assistantMessageEvent", e})
	}
	if r.inv.mode == modeText { // there is nobody to tell, and it is long
		return nil
	}
	whole := r.object(m, false)
	e.add(member{"partial", whole})
	return r.event("message_update", member{"assistantMessageEvent", e}, member{"message", whole})
}

// piece says that a piece was added to a block. There may be many: the line is put
// together as text.
func (r *renderer) piece(m *message, kind string, b *block, piece string) error {
	if !r.version.slim {
		return r.update(m, kind, b, member{"delta", piece})
	}
	r.responded(m)
	if m.counted == nil || m.countedOf != m.usage {
		var err error
		if m.counted, err = render(m.usage.object(r.version)); err != nil {
			return err
		}
		m.countedOf = m.usage
	}
	line := append([]byte(`{"type":"message_update","usage":`), m.counted...)
	line = append(line, `,"assistantMessageEvent":{"type":"`...)
	line = append(line, kind...)
	line = append(line, `","contentIndex":`...)
	line = strconv.AppendInt(line, int64(b.index), 10)
	line = append(line, `,"delta":`...)
	line, err := jsontext.AppendQuote(line, strings.ToValidUTF8(piece, "\uFFFD"))
	if err != nil {
		return fmt.Errorf("render a line: %w", err)
	}
	return r.sayLine(append(line, "}}"...))
}

// newBlock adds a block to the message. The caller tells of it.
func (m *message) newBlock(kind, part string) *block {
	b := &block{kind: kind, part: part, index: len(m.blocks)}
	m.blocks = append(m.blocks, b)
	return b
}

// grow adds a piece to a text or a thinking.
func (r *renderer) grow(m *message, b *block, piece string) error {
	fresh := b.said.Len() == 0
	b.said.WriteString(piece)
	var next *block
	if part, follows := r.ahead(); follows && !r.version.slim { // what is told of the message is what is known of it by now
		next = m.callBlock(part.Index, part.ID, part.Name)
	}
	kind := b.kind
	if fresh {
		if err := r.update(m, kind+"_start", b); err != nil {
			return err
		}
	}
	if err := r.piece(m, kind+"_delta", b, piece); err != nil || next == nil {
		return err
	}
	return r.startCall(m, next)
}

// settleText ends the message where its text was whole and counted: what comes is of
// another one.
func (r *renderer) settleText() error {
	if r.run == nil || r.run.message == nil || r.run.message.usage == nil || !r.run.message.said() {
		return nil
	}
	return r.closeMessage("stop", "")
}

// finishBlock says that a block is over.
func (r *renderer) finishBlock(m *message, b *block) error {
	if b.over {
		return nil
	}
	b.over = true
	if b.kind == "toolCall" {
		return r.update(m, "toolcall_end", b, member{"toolCall", b.call.block(true, b.said.String())})
	}
	return r.update(m, b.kind+"_end", b, member{"content", b.said.String()})
}

// closeMessage ends the answer: stop, length, error, aborted. One that calls tools is
// followed by their work.
func (r *renderer) closeMessage(stop, why string) error {
	run := r.run
	m := run.message
	if m == nil {
		return nil
	}
	for _, b := range m.blocks {
		if b.kind == "toolCall" && stop == "stop" {
			stop = "toolUse"
		}
	}
	m.stop, m.err = stop, why
	if stop != "error" {
		for _, b := range m.blocks {
			if err := r.finishBlock(m, b); err != nil {
				return err
			}
		}
	} else {
		for _, b := range m.blocks {
			b.over = true
		}
	}
	if m.usage == nil && r.version.detailed && stop != "error" && stop != "aborted" {
		m.usage = &spent{}
	}
	last, err := render(r.object(m, true))
	if err != nil {
		return err
	}
	run.message, run.last = nil, last
	if m.usage != nil {
		r.session.spent.add(*m.usage)
	}
	r.failed, r.stop, r.answered = why, stop, m.text()
	if err := r.told("assistant", run.last); err != nil {
		return err
	}
	if stop != "error" && stop != "aborted" && r.attempt > 0 {
		attempt := r.attempt
		r.attempt = 0
		if err := r.event("auto_retry_end", member{"success", true}, member{"attempt", attempt}); err != nil {
			return err
		}
	}
	if stop != "toolUse" {
		return nil
	}
	return r.execute(m)
}

// text is what the message says.
func (m *message) text() string {
	var all []string
	for _, b := range m.blocks {
		if b.kind == "text" {
			all = append(all, b.said.String())
		}
	}
	return strings.Join(all, "\n")
}

// failEmpty says an answer that never came.
func (r *renderer) failEmpty(stop, why string) error {
	if err := r.begin(); err != nil {
		return err
	}
	if r.run.last != nil {
		if err := r.endTurn(); err != nil {
			return err
		}
	}
	if err := r.beginTurn(); err != nil {
		return err
	}
	m := &message{at: r.clock.now(), stop: stop, err: why, usage: r.owed}
	r.owed = nil
	if m.usage != nil {
		r.session.spent.add(*m.usage)
	}
	r.failed, r.stop, r.answered = why, stop, ""
	var err error
	r.run.results = nil
	r.run.last, err = r.tell("assistant", r.object(m, true))
	return err
}

// parsed is a JSON text that may not be whole yet, made whole.
func parsed(text string) jsontext.Value {
	if v := jsontext.Value(text); v.IsValid() {
		return v
	}
	var open []byte
	quoted, escaped := false, false
	for i := range len(text) {
		switch c := text[i]; {
		case escaped:
			escaped = false
		case quoted && c == '\\':
			escaped = true
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{':
			open = append(open, '}')
		case c == '[':
			open = append(open, ']')
		case (c == '}' || c == ']') && len(open) > 0:
			open = open[:len(open)-1]
		}
	}
	if quoted {
		text += `"`
	}
	for i := len(open) - 1; i >= 0; i-- {
		text += string(open[i])
	}
	if v := jsontext.Value(text); v.IsValid() {
		return v
	}
	return jsontext.Value("{}")
}
