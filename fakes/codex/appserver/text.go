package appserver

import (
	"strings"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// textItem is a message of the model that is being said.
type textItem struct {
	item      agentMessage
	msg, part string
	said      strings.Builder
	whole     bool // the item has its text
}

// thoughtItem is a reasoning that is being said.
type thoughtItem struct {
	item reasoningItem
	said strings.Builder
}

// Delta says a piece of a message. With a place, only what is new.
func (r *renderer) Delta(f fakes.Delta) error {
	if err := otherRun(f.Run); err != nil {
		return err
	}
	if err := nested(f.Parent); err != nil {
		return err
	}
	if r.quiet() {
		return nil
	}
	t, m, err := r.message(f.Msg, f.Part)
	if err != nil || f.At == nil {
		return r.grow(t, m, f.Text, err)
	}
	at, said := *f.At, m.said.String()
	if at < 0 || r.process != nil && at > len(said) { // a trial does not know what was said before
		return unplayable("a piece at %d of a text of %d bytes", at, len(said))
	}
	whole := said[:min(at, len(said))] + f.Text
	if strings.HasPrefix(said, whole) {
		return nil // all of it was said
	}
	return r.rewrite(t, m, whole)
}

// Snapshot says what is new of a message, or takes it back.
func (r *renderer) Snapshot(f fakes.Snapshot) error {
	if r.quiet() {
		return nil
	}
	t, m, err := r.message("", f.Part)
	if err != nil {
		return err
	}
	return r.rewrite(t, m, f.Text)
}

// rewrite makes the text of a message another one: by what is new, or in a message that
// replaces the one so far when the model was asked again.
func (r *renderer) rewrite(t *turn, m *textItem, text string) error {
	if rest, extends := strings.CutPrefix(text, m.said.String()); extends {
		return r.grow(t, m, rest, nil)
	}
	if err := r.retry("", ""); err != nil {
		return err
	}
	t, m, err := r.message(m.msg, m.part)
	return r.grow(t, m, text, err)
}

// grow says a piece of a message, if it could be begun.
func (r *renderer) grow(t *turn, m *textItem, text string, err error) error {
	if err != nil || text == "" {
		return err
	}
	m.said.WriteString(text)
	return r.tell("item/agentMessage/delta", textDelta{t.of.id, t.id, m.item.ID, text})
}

// message finds the message that is being said, or begins one.
func (r *renderer) message(msg, part string) (*turn, *textItem, error) {
	t := r.current()
	if m := t.text; m != nil && m.is(msg, part) {
		return t, m, nil
	}
	if err := r.settle(t); err != nil {
		return t, nil, err
	}
	if err := r.takeSteered(t); err != nil {
		return t, nil, err
	}
	m := &textItem{msg: msg, part: part, item: r.agentMessage("")}
	t.text, t.speaking = m, true
	return t, m, r.opened(t, m.item, m.item.Started)
}

// is reports whether the names are those of the message. An empty one fits all.
func (m *textItem) is(msg, part string) bool {
	fits := func(a, b string) bool { return a == b || a == "" || b == "" }
	return fits(m.msg, msg) && fits(m.part, part)
}

func (r *renderer) agentMessage(text string) agentMessage {
	return agentMessage{Type: "agentMessage", ID: r.ids.item("msg"), Text: &text, times: times{Started: r.ids.now()}}
}

// Final says a whole message: the end of the one that is being said, or one of which
// there were no pieces.
func (r *renderer) Final(f fakes.Final) error {
	if err := nested(f.Parent); err != nil {
		return err
	}
	if r.quiet() {
		return nil
	}
	t := r.current()
	if m := t.text; m != nil && m.is(f.Msg, "") {
		m.item.Text, m.whole = f.Text, true
		return r.settle(t)
	}
	if err := r.settle(t); err != nil {
		return err
	}
	if err := r.takeSteered(t); err != nil {
		return err
	}
	item := r.agentMessage("")
	item.Text = f.Text
	t.speaking = true
	if err := r.opened(t, item, item.Started); err != nil {
		return err
	}
	return r.said(t, item)
}

// said ends a message.
func (r *renderer) said(t *turn, item agentMessage) error {
	at := r.ids.now()
	item.Completed = &at
	t.last = &item
	return r.closed(t, item, at)
}

// settle ends the message and the reasoning that are being said.
func (r *renderer) settle(t *turn) error {
	if x := t.thought; x != nil {
		t.thought = nil
		at := r.ids.now()
		x.item.Summary, x.item.Completed = []string{x.said.String()}, &at
		if err := r.closed(t, x.item, at); err != nil {
			return err
		}
	}
	m := t.text
	if m == nil {
		return nil
	}
	t.text = nil
	if !m.whole {
		said := m.said.String()
		m.item.Text = &said
	}
	return r.said(t, m.item)
}

// Think says a piece of a reasoning's summary.
func (r *renderer) Think(f fakes.Think) error {
	if err := nested(f.Parent); err != nil {
		return err
	}
	if r.quiet() {
		return nil
	}
	t := r.current()
	x := t.thought
	if x == nil {
		if err := r.settle(t); err != nil {
			return err
		}
		if err := r.takeSteered(t); err != nil {
			return err
		}
		x = &thoughtItem{item: reasoningItem{Type: "reasoning", ID: r.ids.item("rs"), times: times{Started: r.ids.now()}}}
		t.thought, t.speaking = x, true
		if err := r.opened(t, x.item, x.item.Started); err != nil {
			return err
		}
		if err := r.tell("item/reasoning/summaryPartAdded", summaryPart{t.of.id, t.id, x.item.ID, 0}); err != nil {
			return err
		}
	}
	x.said.WriteString(f.Text)
	return r.tell("item/reasoning/summaryTextDelta", summaryDelta{textDelta{t.of.id, t.id, x.item.ID, f.Text}, 0})
}
