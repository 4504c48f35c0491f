package provider

import (
	"fmt"
	"strings"

	"github.com/adaptercheck/adaptercheck/fakes"
)

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

// fail breaks the answer off: with a status where nothing was said, else with an event.
func (s *speaker) fail(r Refusal) {
	s.over = true
	if s.began {
		s.voice.fail(r)
		return
	}
	s.refusal = &r
}
