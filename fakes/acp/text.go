package acp

import (
	"strings"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// speech is a message that is being said, of the answer or of the thinking.
type speech struct {
	kind    string // of its chunks
	name    string // as the frames call it
	message string // its id
	said    strings.Builder
}

const (
	answering = "agent_message_chunk"
	thinking  = "agent_thought_chunk"
)

// Delta says a piece of a message.
func (r *renderer) Delta(f fakes.Delta) error {
	if err := otherRun(f.Run); err != nil {
		return err
	}
	if err := nested(f.Parent); err != nil {
		return err
	}
	if f.At != nil {
		return unplayable("a piece at a place in the text")
	}
	if r.quiet() {
		return nil
	}
	return r.grow(answering, f.Msg, f.Text)
}

// Think says a piece of reasoning.
func (r *renderer) Think(f fakes.Think) error {
	if err := nested(f.Parent); err != nil {
		return err
	}
	if r.quiet() {
		return nil
	}
	return r.grow(thinking, "", f.Text)
}

// Snapshot has no form: chunks are increments.
func (r *renderer) Snapshot(fakes.Snapshot) error { return unplayable("the whole text so far") }

// Final says what the chunks of the message have not said, or a message of its own.
func (r *renderer) Final(f fakes.Final) error {
	if err := nested(f.Parent); err != nil {
		return err
	}
	if f.Text == nil {
		return unplayable("a message without a text")
	}
	if r.quiet() {
		return nil
	}
	t, rest := r.current(), *f.Text
	if s := t.speech; s.is(answering, f.Msg) {
		if more, extends := strings.CutPrefix(rest, s.said.String()); extends {
			rest = more
		} else {
			r.settle(t)
		}
	}
	if rest != "" {
		if err := r.grow(answering, f.Msg, rest); err != nil {
			return err
		}
	}
	r.settle(t)
	return nil
}

// is reports whether the speech is of that kind and name. An empty name fits all.
func (s *speech) is(kind, name string) bool {
	return s != nil && s.kind == kind && (s.name == name || s.name == "" || name == "")
}

// grow says a piece of the message that is being said, or of a new one.
func (r *renderer) grow(kind, name, text string) error {
	t := r.current()
	if !t.speech.is(kind, name) {
		r.settle(t)
		t.speech = &speech{kind: kind, name: name}
		switch {
		case r.agent.messages && name != "":
			t.speech.message = name
		case r.agent.messages:
			t.speech.message = r.ids.word("msg")
		}
	}
	t.speech.said.WriteString(text)
	return r.update(t.of, chunk{kind, t.speech.message, block(text)})
}

// settle ends the message that is being said: nothing at the wire tells.
func (r *renderer) settle(t *turn) {
	s := t.speech
	t.speech = nil
	if s != nil && s.said.Len() > 0 {
		t.of.remember(chunk{s.kind, s.message, block(s.said.String())})
	}
}

// Turn ends a message. Other states have no form.
func (r *renderer) Turn(f fakes.Turn) error {
	if err := otherRun(f.Run); err != nil {
		return err
	}
	if f.State != "text-end" {
		return unplayable("turn state %q", f.State)
	}
	if !r.quiet() {
		r.settle(r.current())
	}
	return nil
}
