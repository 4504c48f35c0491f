package pi

import (
	"strings"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// Delta says a piece of a text. With a place, only what is new.
func (r *renderer) Delta(f fakes.Delta) error {
	if err := own(f.Run, f.Parent); err != nil || r.quiet() {
		return err
	}
	if err := r.settleText(); err != nil {
		return err
	}
	m, b, err := r.textBlock(f.Msg, f.Part)
	if err != nil {
		return err
	}
	if f.At == nil {
		return r.grow(m, b, f.Text)
	}
	said := b.said.String()
	if *f.At < 0 || *f.At > len(said) {
		return unplayable("a piece at %d of a text of %d bytes", *f.At, len(said))
	}
	whole := said[:*f.At] + f.Text
	if strings.HasPrefix(said, whole) {
		return nil // all of it was said
	}
	return r.rewrite(m, b, whole)
}

// Think says a piece of a thought.
func (r *renderer) Think(f fakes.Think) error {
	if err := own("", f.Parent); err != nil || r.quiet() {
		return err
	}
	if err := r.settleText(); err != nil {
		return err
	}
	m, err := r.openMessage("")
	if err != nil {
		return err
	}
	if n := len(m.blocks); n > 0 && m.blocks[n-1].kind == "thinking" && !m.blocks[n-1].over {
		return r.grow(m, m.blocks[n-1], f.Text)
	}
	return r.grow(m, m.newBlock("thinking", ""), f.Text)
}

// Snapshot says what is new of a text. Where it takes text back, the answer fails, and
// another attempt says it anew.
func (r *renderer) Snapshot(f fakes.Snapshot) error {
	if r.quiet() {
		return nil
	}
	m, b, err := r.textBlock("", f.Part)
	if err != nil {
		return err
	}
	return r.rewrite(m, b, f.Text)
}

// rewrite makes a text another one: by what is new, or in another attempt.
func (r *renderer) rewrite(m *message, b *block, text string) error {
	if rest, extends := strings.CutPrefix(text, b.said.String()); extends {
		if rest == "" {
			return nil
		}
		return r.grow(m, b, rest)
	}
	part := b.part
	if err := r.retry("terminated"); err != nil {
		return err
	}
	m, b, err := r.textBlock("", part)
	if err != nil {
		return err
	}
	return r.grow(m, b, text)
}

// textBlock finds the text that goes on, or begins one.
func (r *renderer) textBlock(msg, part string) (*message, *block, error) {
	m, err := r.openMessage(msg)
	if err != nil {
		return nil, nil, err
	}
	for i := len(m.blocks) - 1; i >= 0; i-- {
		b := m.blocks[i]
		if b.kind == "text" && !b.over && (part != "" && b.part == part || i == len(m.blocks)-1 && (part == "" || b.part == "")) {
			return m, b, nil
		}
	}
	return m, m.newBlock("text", part), nil
}

// Final says a whole text: the rest of the one that goes on, or one of its own. Another
// one is another message.
func (r *renderer) Final(f fakes.Final) error {
	if err := own("", f.Parent); err != nil {
		return err
	}
	if f.Text == nil {
		return unplayable("a message without a text")
	}
	if r.quiet() {
		return nil
	}
	if r.run != nil && r.run.message != nil && r.run.message.said() {
		if err := r.closeMessage("stop", ""); err != nil {
			return err
		}
	}
	m, b, err := r.textBlock(f.Msg, "")
	if err != nil {
		return err
	}
	if rest, extends := strings.CutPrefix(*f.Text, b.said.String()); !extends {
		err = r.rewrite(m, b, *f.Text)
	} else if rest != "" || b.said.Len() == 0 {
		err = r.grow(m, b, rest)
	}
	if err != nil {
		return err
	}
	m = r.run.message // another attempt may have said it
	return r.finishBlock(m, m.blocks[len(m.blocks)-1])
}

// said reports whether a text of the message is over.
func (m *message) said() bool {
	for _, b := range m.blocks {
		if b.kind == "text" && b.over {
			return true
		}
	}
	return false
}
