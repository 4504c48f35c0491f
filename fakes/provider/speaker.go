package provider

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// voice renders what a speaker says into the events of a dialect.
type voice interface {
	// begin comes before everything else.
	begin()
	// open begins a block, say goes on with it, shut ends it.
	open(b *block)
	say(b *block, piece string)
	shut(b *block)
	// stop ends the answer, fail breaks it off.
	stop()
	fail(r Refusal)
	// native is an event of a type that no word covers.
	native(kind string, fields map[string]jsontext.Value)
	// whole is the body of an answer that is no stream.
	whole() any
}

// blockKind is what a block of an answer holds.
type blockKind int

const (
	textBlock blockKind = iota
	thinkBlock
	callBlock
)

// block is a part of an answer: text, reasoning, or a tool call.
type block struct {
	kind blockKind
	id   string // of a call
	name string // of a call
	tool tool   // of a call: what the request calls it
	body strings.Builder
	key  string // tells a text from another
	part int    // index of a call that comes in pieces, -1 for one that comes whole
	item hole   // of a made up id, where the dialect has one for a block
	at   int    // place among the blocks
}

// speaker turns frames into an answer. It is a visitor that keeps what all dialects
// have in common; its voice renders.
type speaker struct {
	voice  voice
	ask    *request // what is answered; only its tools and its wishes for the form count
	id     string   // of the answer, as the script says
	model  string
	blocks []*block
	opened []*block // in order; a call in pieces leaves those before it open
	usage  usage
	reason fakes.EndReason

	out        []event
	ids        hole // made up so far
	answer     hole // id of the answer
	began      bool
	over       bool // nothing more may be said
	refusal    *Refusal
	cut, quiet bool
}

// usage is what an answer costs. What nobody said is 0.
type usage struct {
	in, out, cacheRead, cacheWrite, reasoning int64
	cost                                      *float64
	said                                      bool
}

func newSpeaker(ask *request) *speaker {
	s := &speaker{ask: ask}
	s.answer = s.newID()
	s.voice = ask.dialect.voice(s)
	return s
}

func (s *speaker) newID() hole {
	s.ids++
	return s.ids
}

// answerID is the id of the answer: the script's, or a made up one.
func (s *speaker) answerID(prefix string) string {
	if s.id != "" {
		return s.id
	}
	return prefix + s.answer.String()
}

// modelName is the model that the answer names.
func (s *speaker) modelName() string {
	if s.model != "" {
		return s.model
	}
	return modelHole.String()
}

// emit adds an event of the stream.
func (s *speaker) emit(name string, data any, content bool) {
	s.out = append(s.out, event{parts(sse(name, jsonText(data))), content})
}

// emitRaw adds bytes as they are.
func (s *speaker) emitRaw(raw []byte) {
	s.out = append(s.out, event{[]part{{raw, noHole}}, true})
}

// take hands out what was said since the last time.
func (s *speaker) take() []event {
	out := s.out
	s.out = nil
	return out
}

// unplayable says what this wire has no form for.
func unplayable(format string, args ...any) error {
	return fmt.Errorf("provider: %s: %w", fmt.Sprintf(format, args...), fakes.ErrUnplayable)
}

// hear lets the speaker say frames. A [*fakes.FrameError] says which it cannot. What the
// answer costs is heard first, as some wires say it at the beginning.
func (s *speaker) hear(frames []fakes.Frame) error {
	for _, first := range []bool{true, false} {
		for i, f := range frames {
			if _, costs := f.(fakes.Usage); costs != first {
				continue
			}
			err := unplayable("something after the end of the answer")
			if first || !s.over {
				err = f.Accept(s)
			}
			if err != nil {
				return &fakes.FrameError{Index: i, Word: f.Word(), Err: err}
			}
		}
	}
	return nil
}

// finish ends an answer that its frames did not end.
func (s *speaker) finish() {
	if !s.over {
		s.stop(fakes.EndOK)
	}
}

func (s *speaker) start() {
	if !s.began {
		s.began = true
		s.voice.begin()
	}
}

// hold opens a block, and shuts those before it unless they are calls in pieces too.
func (s *speaker) hold(b *block) {
	s.start()
	if b.part < 0 || s.ask.dialect == Anthropic {
		s.shut()
	}
	b.at = len(s.blocks)
	s.blocks = append(s.blocks, b)
	s.opened = append(s.opened, b)
	s.voice.open(b)
}

func (s *speaker) shut() {
	for _, b := range s.opened {
		s.voice.shut(b)
	}
	s.opened = nil
}

func (s *speaker) last() *block {
	if len(s.opened) == 0 {
		return nil
	}
	return s.opened[len(s.opened)-1]
}

func (s *speaker) say(b *block, piece string) {
	b.body.WriteString(piece)
	s.voice.say(b, piece)
}

// piece says a piece of text or of reasoning.
func (s *speaker) piece(kind blockKind, key, text string) {
	b := s.last()
	if b == nil || b.kind != kind || b.key != key {
		b = &block{kind: kind, key: key, part: -1}
		s.hold(b)
	}
	s.say(b, text)
}

func (s *speaker) Init(f fakes.Init) error {
	if s.began {
		return unplayable("an init in the middle of an answer")
	}
	s.id, s.model = f.Run, f.Model // session and directory are none of a provider's business
	return nil
}

func (s *speaker) Delta(f fakes.Delta) error {
	switch {
	case f.Run != "":
		return unplayable("a frame of another run")
	case f.Parent != "":
		return unplayable("what a nested agent says")
	case f.At != nil:
		return unplayable("a place in the text")
	}
	s.piece(textBlock, f.Msg+"\x00"+f.Part, f.Text)
	return nil
}

func (s *speaker) Think(f fakes.Think) error {
	if f.Parent != "" {
		return unplayable("what a nested agent thinks")
	}
	s.piece(thinkBlock, "", f.Text)
	return nil
}

// grow says what a whole text has beyond what its pieces said.
func (s *speaker) grow(key, text string) bool {
	b := s.last()
	if b == nil || b.kind != textBlock {
		s.piece(textBlock, key, text)
		return true
	}
	rest, extends := strings.CutPrefix(text, b.body.String())
	if extends && rest != "" {
		s.say(b, rest)
	}
	return extends
}

func (s *speaker) Snapshot(f fakes.Snapshot) error {
	if !s.grow("\x00"+f.Part, f.Text) {
		return unplayable("a text that does not go on from the one so far")
	}
	return nil
}

func (s *speaker) Final(f fakes.Final) error {
	switch {
	case f.Parent != "":
		return unplayable("what a nested agent says")
	case f.Text == nil:
		return unplayable("a message whose text is null")
	}
	if !s.grow(f.Msg+"\x00", *f.Text) {
		s.shut()
		s.piece(textBlock, f.Msg+"\x00", *f.Text)
	}
	s.shut()
	return nil
}

func (s *speaker) newCall(id, name string, part int) *block {
	b := &block{kind: callBlock, id: id, name: name, part: part, tool: s.ask.tool(name)}
	if b.id == "" {
		prefix := "call_"
		if s.ask.dialect == Anthropic {
			prefix = "toolu_"
		}
		b.id = prefix + s.newID().String()
	}
	return b
}

func (s *speaker) ToolCall(f fakes.ToolCall) error {
	if f.Parent != "" {
		return unplayable("a call of a nested agent")
	}
	input := f.Input
	if input == "" {
		input = "{}"
	}
	if !jsontext.Value(input).IsValid() {
		return unplayable("tool input that is no JSON; parts of a call may be")
	}
	b := s.newCall(f.ID, f.Name, -1)
	s.hold(b)
	s.say(b, b.tool.input(input))
	s.shut()
	return nil
}

func (s *speaker) CallPart(f fakes.CallPart) error {
	var b *block
	for _, open := range s.opened {
		if open.kind == callBlock && open.part == f.Index {
			b = open
		}
	}
	if b == nil {
		if f.Name == "" {
			return unplayable("a first piece of a call without a name")
		}
		b = s.newCall(f.ID, f.Name, f.Index)
		s.hold(b)
	}
	s.say(b, f.Fragment)
	return nil
}

// Result is of the client, not of the provider.
func (s *speaker) Result(fakes.Result) error {
	return unplayable("a tool's result: the client sends it, and a provider answers")
}

func (s *speaker) Usage(f fakes.Usage) error {
	if f.Kind != fakes.UsageTurn && f.Kind != "" {
		return unplayable("running totals: a provider counts one answer")
	}
	number := func(to *int64, from *int64) {
		if from != nil {
			*to = *from
		}
	}
	number(&s.usage.in, f.In)
	number(&s.usage.out, f.Out)
	number(&s.usage.cacheRead, f.CacheRead)
	number(&s.usage.cacheWrite, f.CacheWrite)
	number(&s.usage.reasoning, f.Reasoning)
	if f.CostUSD != nil {
		s.usage.cost = f.CostUSD
	}
	s.usage.said = true
	return nil
}

// stop ends the answer for a reason.
func (s *speaker) stop(reason fakes.EndReason) {
	s.start()
	s.shut()
	if reason == fakes.EndOK {
		for _, b := range s.blocks {
			if b.kind == callBlock {
				reason = fakes.EndToolUse
			}
		}
	}
	s.reason, s.over = reason, true
	s.voice.stop()
}

func (s *speaker) End(f fakes.End) error {
	switch {
	case f.Run != "":
		return unplayable("a frame of another run")
	case f.Error:
		s.fail(Refusal{Status: 500, Message: f.Text})
		return nil
	}
	switch f.Reason {
	case fakes.EndOK, fakes.EndLength, fakes.EndToolUse, fakes.EndRefusal:
		s.stop(f.Reason)
		return nil
	}
	return unplayable("an end by %s", f.Reason)
}

// fail breaks the answer off: with a status where nothing was said, else with an event.
func (s *speaker) fail(r Refusal) {
	s.over = true
	if s.began {
		s.voice.fail(r)
		return
	}
	s.refusal = &r
}

func (s *speaker) Failure(f fakes.Failure) error {
	if f.Run != "" {
		return unplayable("a frame of another run")
	}
	s.fail(failure(f))
	return nil
}

// Attempt is an answer of its own; scripts are cut there.
func (s *speaker) Attempt(f fakes.Attempt) error {
	if s.began || s.id != "" || s.model != "" {
		return unplayable("an attempt in the middle of an answer")
	}
	switch {
	case f.Event != "":
		s.start()
		s.over = true
		s.voice.fail(Refusal{Status: f.Status, Type: f.Error, Message: f.Text})
	case f.Status >= 400 || f.Error != "":
		s.fail(Refusal{Status: f.Status, Type: f.Error, Message: f.Text})
	case f.Text != "":
		s.piece(textBlock, "\x00", f.Text)
		s.shut()
	}
	return nil
}

func (s *speaker) Turn(f fakes.Turn) error {
	if f.State != "text-end" || f.Run != "" {
		return unplayable("turn state %q", f.State)
	}
	s.shut()
	return nil
}

func (s *speaker) Native(f fakes.Native) error {
	s.start()
	fields, err := objectFields(f.Fields)
	if err != nil {
		return unplayable("fields of %q: %v", f.Type, err)
	}
	s.voice.native(f.Type, fields)
	return nil
}

func (s *speaker) Raw(f fakes.Raw) error {
	if f.Piece > 0 {
		return unplayable("pieces of raw bytes: a fault splits")
	}
	s.start()
	end := map[fakes.EOL]string{fakes.EOLLF: "\n", fakes.EOLCRLF: "\r\n"}[f.EOL]
	s.emitRaw([]byte(f.Line + end))
	return nil
}

func (s *speaker) Cut(fakes.Cut) error {
	s.start()
	s.over, s.cut = true, true
	return nil
}

func (s *speaker) Silent(fakes.Silent) error {
	s.over, s.quiet = true, true
	return nil
}

func (s *speaker) Ask(fakes.Ask) error       { return unplayable("approvals") }
func (s *speaker) Ack(fakes.Ack) error       { return unplayable("requests of a host") }
func (s *speaker) Reject(fakes.Reject) error { return unplayable("requests of a host") }
func (s *speaker) Log(fakes.Log) error       { return unplayable("a log") }
func (s *speaker) Stderr(fakes.Stderr) error { return unplayable("a second channel") }
func (s *speaker) Exit(fakes.Exit) error     { return unplayable("a process") }
func (s *speaker) Child(fakes.Child) error   { return unplayable("a process") }
func (s *speaker) Ignore(fakes.Ignore) error { return unplayable("a process") }
