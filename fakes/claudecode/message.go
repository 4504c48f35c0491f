package claudecode

import (
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// message is one answer of the model: content blocks, one after another.
type message struct {
	name    string // the name that frames give it
	id      string
	request string
	begin   tokens // what it has spent when it begins
	known   bool   // begin is more than a guess
	out     *int64 // what it has said in the end, once that is known
	next    int    // index of the next block
	told    int    // blocks whose assistant line is out
	blocks  []*block
	text    bool // a text block is over
	tools   bool
	agent   *subagent // that it is of; nil is the main one
}

// block is a content block that is open.
type block struct {
	kind  string // text, thinking, tool_use
	index int
	part  string // the name that frames give it
	place int    // the place that frames give it
	said  strings.Builder
	guess int64 // tokens of thinking
	call  *call
}

// signature is what the provider signs thinking with.
const signature = "c2lnbmF0dXJl"

// open finds the message that goes on, or begins one.
func (r *renderer) open(name string) (*message, error) {
	if m := r.message; m != nil && name != "" && m.name != "" && m.name != name {
		if err := r.close("end_turn"); err != nil {
			return nil, err
		}
	}
	if r.message != nil {
		if r.message.name == "" {
			r.message.name = name
		}
		return r.message, nil
	}
	if r.turn == nil {
		r.turn = &turn{begun: true}
	}
	m := &message{name: name, request: r.ids.api("req")}
	if m.id = r.messages[name]; name == "" || m.id == "" {
		m.id = r.ids.api("msg")
		r.messages[name] = m.id
	}
	m.begin, m.known = r.foreseen()
	r.message, r.turn.last = m, m
	r.turn.apis++
	if !r.inv.partial {
		return m, nil
	}
	if r.retries == 0 {
		if err := r.system("status", member{"status", "requesting"}); err != nil {
			return nil, err
		}
	}
	r.turn.ids = append(r.turn.ids, m.id)
	start := object{{"type", "message_start"}, {"message", object{{"id", m.id}, {"type", "message"}, {"role", "assistant"}, {"model", apiName(r.model)},
		{"content", []object{}}, {"stop_reason", nil}, {"stop_sequence", nil}, {"usage", m.usage()}}}}
	extra := []member{{"ttft_ms", 0}}
	if r.version.shape >= v21332 {
		extra = append(extra, member{"thinking_display", "updates"})
	}
	return m, r.event(start, extra...)
}

// foreseen is what the coming message begins with: what a usage frame says that
// follows before the message is over. Its output is then still to come.
func (r *renderer) foreseen() (tokens, bool) {
	stub := tokens{Output: 1}
	if r.process == nil {
		return stub, false
	}
	for _, f := range r.process.Ahead() {
		switch f := f.(type) {
		case fakes.Usage:
			if f.Kind == fakes.UsageTotal {
				return stub, false
			}
			return tokens{Input: value(f.In), CacheRead: value(f.CacheRead), CacheWrite: value(f.CacheWrite), Output: 1}, true
		case fakes.Result, fakes.End, fakes.Failure, fakes.Init, fakes.Cut, fakes.Exit:
			return stub, false
		}
	}
	return stub, false
}

func value(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

// usage is what lines of a message say that it has spent.
func (m *message) usage() object {
	return object{{"input_tokens", m.begin.Input}, {"cache_creation_input_tokens", m.begin.CacheWrite}, {"cache_read_input_tokens", m.begin.CacheRead},
		{"output_tokens", m.begin.Output}, {"service_tier", "standard"}}
}

// event prints a stream event, where partial messages were asked for.
func (r *renderer) event(event object, members ...member) error {
	if !r.inv.partial {
		return nil
	}
	o := object{{"type", "stream_event"}, {"event", event}, {"session_id", r.session}, {"parent_tool_use_id", nil}, {"uuid", r.ids.uuid()}}
	o = append(o, members...)
	if r.version.shape >= v21332 {
		o.add("api_message_id", r.message.id)
	}
	return r.say(o)
}

// begin opens a block.
func (r *renderer) begin(b *block, content object) (*block, error) {
	m := r.message
	b.index = m.next
	m.next++
	m.blocks = append(m.blocks, b)
	var extra []member
	if b.kind == "thinking" && r.version.shape >= v21332 {
		extra = append(extra, member{"thinking_display", "updates"})
	}
	return b, r.event(object{{"type", "content_block_start"}, {"index", b.index}, {"content_block", content}}, extra...)
}

// grow adds a piece to a block.
func (r *renderer) grow(b *block, piece object, text string) error {
	b.said.WriteString(text)
	var extra []member
	if b.kind == "thinking" && r.version.shape >= v21332 {
		extra = append(extra, member{"thinking_display", "updates"})
	}
	return r.event(object{{"type", "content_block_delta"}, {"index", b.index}, {"delta", piece}}, extra...)
}

// finish ends a block: its assistant line comes before its stop.
func (r *renderer) finish(b *block, content object, members ...member) error {
	m := r.message
	for i, x := range m.blocks {
		if x == b {
			m.blocks = append(m.blocks[:i:i], m.blocks[i+1:]...)
		}
	}
	m.told++
	if err := r.assistant(m, content, members...); err != nil {
		return err
	}
	return r.event(object{{"type", "content_block_stop"}, {"index", b.index}})
}

// assistant prints the line of one block.
func (r *renderer) assistant(m *message, content object, members ...member) error {
	if m.agent == nil {
		r.turn.spoke = true
	}
	o := object{{"type", "assistant"}, {"message", object{{"id", m.id}, {"type", "message"}, {"role", "assistant"}, {"model", apiName(r.model)},
		{"content", []object{content}}, {"stop_reason", nil}, {"stop_sequence", nil}, {"usage", m.usage()}, {"context_management", nil}}},
		{"parent_tool_use_id", m.agent.parent()}}
	o = r.tag(o)
	if r.version.shape >= v21332 {
		o.add("timestamp", r.clock())
	}
	if r.version.shape >= v21197 {
		o.add("request_id", m.request)
	}
	o = append(o, r.version.of(m.agent)...)
	if id := r.turn.from.UUID; id != "" && m.agent == nil && r.version.shape >= v21332 {
		o.add("user_message_uuid", id)
		o.add("user_message_uuids", []string{id})
	}
	return r.say(append(o, members...))
}

// settle ends a block with what it has said.
func (r *renderer) settle(b *block) error {
	switch b.kind {
	case "text":
		return r.finishText(b, b.said.String())
	case "thinking":
		return r.finishThinking(b)
	}
	return r.finishCall(b, b.said.String())
}

func (r *renderer) finishText(b *block, text string) error {
	r.message.text = true
	r.turn.text = text
	return r.finish(b, textBlock(text))
}

func (r *renderer) finishThinking(b *block) error {
	if err := r.event(object{{"type", "content_block_delta"}, {"index", b.index}, {"delta", object{{"type", "signature_delta"}, {"signature", signature}}}}); err != nil {
		return err
	}
	var extra []member
	if r.version.shape >= v21332 {
		extra = []member{{"thinking_duration_ms", 0}, {"thinking_display", "updates"}}
	}
	return r.finish(b, object{{"type", "thinking"}, {"thinking", b.said.String()}, {"signature", signature}}, extra...)
}

// finishCall ends a tool_use block. Text that is no JSON is told as such.
func (r *renderer) finishCall(b *block, input string) error {
	var value any = jsontext.Value(input)
	switch {
	case input == "":
		value = object{}
	case !jsontext.Value(input).IsValid():
		value = object{{"__unparsedToolInput", object{{"raw", input}, {"len", utf8.RuneCountInString(input)}}}}
	}
	b.call.input = input
	r.message.tools = true
	var extra []member
	if server, tool, ok := toolOf(b.call.name); ok && r.version.shape >= v21332 {
		extra = append(extra, member{"tool_use_meta", []object{{{"id", b.call.id}, {"display_name", capital(tool)}, {"server_display_name", server}, {"tool_name", tool}}}})
	}
	return r.finish(b, object{{"type", "tool_use"}, {"id", b.call.id}, {"name", b.call.name}, {"input", value}}, extra...)
}

// settleAll ends the open blocks that are of no other kind, all for an empty kind.
func (r *renderer) settleAll(but string) error {
	if r.message == nil {
		return nil
	}
	for _, b := range append([]*block(nil), r.message.blocks...) {
		if b.kind == but {
			continue
		}
		if err := r.settle(b); err != nil {
			return err
		}
	}
	return nil
}

// close ends the open message.
func (r *renderer) close(stop string) error {
	m := r.message
	if m == nil {
		return nil
	}
	if err := r.settleAll(""); err != nil {
		return err
	}
	if m.tools && stop == "end_turn" {
		stop = "tool_use"
	}
	out := m.begin.Output
	if m.out != nil {
		out = *m.out
	}
	r.turn.stop = stop
	r.retries = 0
	err := r.event(object{{"type", "message_delta"}, {"delta", object{{"stop_reason", stop}, {"stop_sequence", nil}}}, {"usage", object{{"output_tokens", out}}}})
	if err == nil {
		err = r.event(object{{"type", "message_stop"}})
	}
	r.message = nil
	return err
}

// abandon gives the open message up: what it said is taken back, but for the blocks
// that are over.
func (r *renderer) abandon() error {
	m := r.message
	if m == nil {
		return nil
	}
	if r.version.abandons {
		for _, b := range m.blocks {
			if err := r.event(object{{"type", "content_block_stop"}, {"index", b.index}}); err != nil {
				return err
			}
		}
		if err := r.event(object{{"type", "message_stop"}}, r.abandoned(m)...); err != nil {
			return err
		}
	}
	for _, b := range m.blocks {
		if b.call != nil {
			delete(r.calls, b.call.id) // it never became callable
		}
	}
	r.message = nil
	return nil
}

// abandoned marks the end of a message that was given up. The id of the message comes
// before the mark.
func (r *renderer) abandoned(m *message) []member {
	return []member{{"abandoned_blocks", object{{"api_message_id", m.id}, {"from_block_index", m.told}}}}
}
