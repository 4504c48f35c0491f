package claudecode

import (
	"strings"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// Delta says a piece of a text block. With a place, only what is new.
func (r *renderer) Delta(f fakes.Delta) error {
	if err := otherRun(f.Run); err != nil {
		return err
	}
	if f.Parent != "" {
		return unplayable("a piece of what a subagent says: it comes whole")
	}
	if r.quiet() {
		return nil
	}
	b, err := r.textBlock(f.Msg, f.Part)
	if err != nil {
		return err
	}
	text := f.Text
	if f.At != nil {
		said := b.said.String()
		if *f.At < 0 || *f.At > len(said) {
			return unplayable("a piece at %d of a text of %d bytes", *f.At, len(said))
		}
		whole := said[:*f.At] + text
		if strings.HasPrefix(said, whole) {
			return nil // all of it was said
		}
		return r.rewrite(b, whole)
	}
	return r.growText(b, text)
}

// Snapshot says what is new of a text block, or takes it back.
func (r *renderer) Snapshot(f fakes.Snapshot) error {
	if r.quiet() {
		return nil
	}
	b, err := r.textBlock("", f.Part)
	if err != nil {
		return err
	}
	return r.rewrite(b, f.Text)
}

// rewrite makes the text of a block another one: by what is new, or in a message that
// replaces the one so far.
func (r *renderer) rewrite(b *block, text string) error {
	if rest, extends := strings.CutPrefix(text, b.said.String()); extends {
		if rest == "" {
			return nil
		}
		return r.growText(b, rest)
	}
	part := b.part
	if err := r.abandon(); err != nil {
		return err
	}
	b, err := r.textBlock("", part)
	if err != nil {
		return err
	}
	return r.growText(b, text)
}

func (r *renderer) growText(b *block, text string) error {
	return r.grow(b, object{{"type", "text_delta"}, {"text", text}}, text)
}

// textBlock finds the open text block, or opens one; others end before.
func (r *renderer) textBlock(msg, part string) (*block, error) {
	m, err := r.open(msg)
	if err != nil {
		return nil, err
	}
	for _, b := range m.blocks {
		if b.kind == "text" && (b.part == part || part == "" || b.part == "") {
			return b, nil
		}
	}
	if err := r.settleAll(""); err != nil {
		return nil, err
	}
	return r.begin(&block{kind: "text", part: part}, textBlock(""))
}

// Think says a piece of a thinking block.
func (r *renderer) Think(f fakes.Think) error {
	if r.quiet() {
		return nil
	}
	if f.Parent != "" {
		return r.nestedText(f.Parent, object{{"type", "thinking"}, {"thinking", f.Text}, {"signature", signature}})
	}
	m, err := r.open("")
	if err != nil {
		return err
	}
	var b *block
	if n := len(m.blocks); n > 0 && m.blocks[n-1].kind == "thinking" {
		b = m.blocks[n-1]
	} else {
		if err := r.settleAll(""); err != nil {
			return err
		}
		if b, err = r.begin(&block{kind: "thinking"}, object{{"type", "thinking"}, {"thinking", ""}, {"signature", ""}}); err != nil {
			return err
		}
	}
	if err := r.thought(b, f.Text); err != nil {
		return err
	}
	return r.grow(b, object{{"type", "thinking_delta"}, {"thinking", f.Text}}, f.Text)
}

// thought tells how much was thought, as the CLI guesses it.
func (r *renderer) thought(b *block, text string) error {
	if !r.version.thinkingTokens {
		return nil
	}
	n := estimateThinking(text)
	b.guess += n
	return r.system("thinking_tokens", member{"estimated_tokens", b.guess}, member{"estimated_tokens_delta", n})
}

// Final says a whole text block: the end of the one that is open, or a new one.
func (r *renderer) Final(f fakes.Final) error {
	if r.quiet() {
		return nil
	}
	if f.Parent != "" {
		return r.nestedFinal(f)
	}
	if m := r.message; m != nil && m.text && (f.Msg == "" || m.name != f.Msg) && !m.has("text") {
		if err := r.close("end_turn"); err != nil {
			return err
		}
	}
	m, err := r.open(f.Msg)
	if err != nil {
		return err
	}
	streamed := m.has("text")
	b, err := r.textBlock(f.Msg, "")
	if err != nil {
		return err
	}
	if f.Text == nil {
		return r.finish(b, object{{"type", "text"}, {"text", nil}})
	}
	if !streamed {
		if err := r.growText(b, *f.Text); err != nil {
			return err
		}
	}
	return r.finishText(b, *f.Text)
}

// has reports whether a block of that kind is open.
func (m *message) has(kind string) bool {
	for _, b := range m.blocks {
		if b.kind == kind {
			return true
		}
	}
	return false
}
