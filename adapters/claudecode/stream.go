package claudecode

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// streamed maps an event of the model's stream. Pieces of a tool's input are not
// passed on: the call comes whole with its line, or never.
func (m *mapper) streamed(f *frame) ([]executor.Event, bool) {
	var e apiEvent
	if !members(f.event, e.take) {
		return nil, false
	}
	switch {
	case is(e.kind, "content_block_delta"):
		return m.delta(int(count(e.index)), e.delta)
	case is(e.kind, "content_block_start"):
		return m.delta(int(count(e.index)), e.block) // a block may begin with text
	case is(e.kind, "message_start"):
		return m.messageStart(e.message)
	case is(e.kind, "message_delta"):
		m.spend.grew(e.usage)
		return nil, m.messageDelta(e.delta)
	case is(e.kind, "message_stop"):
		return m.messageStop(f.abandoned)
	}
	return nil, true
}

func (m *mapper) delta(index int, delta jsontext.Value) ([]executor.Event, bool) {
	var b apiBlock
	if !members(delta, b.take) {
		return nil, false
	}
	if set(b.text) {
		return m.said.delta(index, text(b.text)), true
	}
	piece := text(b.thinking)
	if piece == "" {
		return nil, true
	}
	return append(m.enter(executor.PhaseThinking), m.meant.delta(index, piece)...), true
}

func (m *mapper) messageStart(message jsontext.Value) ([]executor.Event, bool) {
	var msg apiMessage
	if !members(message, msg.take) {
		return nil, false
	}
	m.inTurn, m.spoken = true, false
	m.spend.called(msg.usage)
	id := text(msg.id)
	return append(m.said.begin(id), m.meant.begin(id)...), true
}

// messageDelta tells why the model stopped: for a tool, for a while, or for good.
func (m *mapper) messageDelta(delta jsontext.Value) bool {
	var msg apiMessage
	if set(delta) && !members(delta, msg.take) {
		return false
	}
	m.spoken = set(msg.stopReason) && !is(msg.stopReason, "tool_use") && !is(msg.stopReason, "pause_turn")
	return true
}

// messageStop ends a message. Blocks that the runtime gave up are taken back; what
// is left stands.
func (m *mapper) messageStop(abandoned jsontext.Value) ([]executor.Event, bool) {
	ok := true
	if set(abandoned) {
		from := 0 // what cannot be read takes all back
		ok = members(abandoned, func(name []byte, v jsontext.Value) {
			if string(name) == "from_block_index" {
				from = int(count(v))
			}
		})
		m.said.abandon(from)
		m.meant.abandon(from)
	}
	return append(m.said.end(), m.meant.end()...), ok
}
