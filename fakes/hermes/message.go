package hermes

import (
	"bytes"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// message is what the model says between two results of tools: text, then calls.
type message struct {
	text    []byte
	settled int // bytes of text that whole messages have said
	thought string
	calls   []call
	row     int64 // in state.db, once there are calls
}

// next begins another message.
func (r *renderer) next() {
	r.before, r.message = r.answer(), message{}
}

// speaking is the message that text goes to: not one that has made calls.
func (r *renderer) speaking() *message {
	if len(r.message.calls) > 0 {
		r.next()
	}
	return &r.message
}

// Delta says a piece of the text.
func (r *renderer) Delta(f fakes.Delta) error {
	if err := own(f.Run, f.Parent); err != nil {
		return err
	}
	if f.At != nil {
		return unplayable("a piece at a place of the text")
	}
	return r.say(f.Text)
}

func (r *renderer) say(text string) error {
	if r.mute() || text == "" {
		return nil
	}
	m := r.speaking()
	m.text = append(m.text, text...)
	return r.print(textLine{"text", text, millis()})
}

// Final says what of a text was not yet said. Where what was said is another text, the
// lines that told it stay, and the answer is the new one.
func (r *renderer) Final(f fakes.Final) error {
	if err := own("", f.Parent); err != nil {
		return err
	}
	if r.mute() || f.Text == nil {
		return nil
	}
	m := r.speaking()
	if rest, extends := bytes.CutPrefix([]byte(*f.Text), m.text[m.settled:]); !extends {
		m.text = append(m.text[:m.settled], *f.Text...)
	} else if err := r.say(string(rest)); err != nil {
		return err
	}
	m.settled = len(m.text)
	return nil
}

// Think is kept with the message. No line tells it.
func (r *renderer) Think(f fakes.Think) error {
	if err := own("", f.Parent); err != nil {
		return err
	}
	if !r.mute() {
		r.speaking().thought += f.Text
	}
	return nil
}

// addCall makes a call part of the message, and writes it.
func (r *renderer) addCall(c call) error {
	m := &r.message
	m.calls = append(m.calls, c)
	if len(m.calls) > 1 {
		return r.state.another(r.session, m.row, m.calls)
	}
	var err error
	m.row, err = r.state.append(r.session, row{role: "assistant", content: string(m.text), reasoning: m.thought, finish: "tool_calls", calls: m.calls})
	return err
}

// answer is what was said last.
func (r *renderer) answer() string {
	if len(r.message.text) > 0 {
		return string(r.message.text)
	}
	return r.before
}

// keep writes the last message, if it is one.
func (r *renderer) keep(finish string) error {
	m := r.message
	if m.row != 0 || len(m.text) == 0 && m.thought == "" {
		return nil
	}
	_, err := r.state.append(r.session, row{role: "assistant", content: string(m.text), reasoning: m.thought, finish: finish})
	return err
}
