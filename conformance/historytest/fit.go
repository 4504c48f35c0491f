package historytest

import (
	"fmt"
	"slices"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
)

// fit cuts a fixture to what the subject's format can hold. What fits already is
// left as it is.
func fit(format check.Format, f *check.Fixture) {
	out := make([]history.Message, 0, len(f.Messages))
	for _, m := range f.Messages {
		if format.Source != "" && format.Source != history.RuntimeSession {
			m.Provenance.Source, m.Provenance.RuntimeID = format.Source, history.Optional[string]{}
		}
		if name, ok := format.Roles[m.Role]; ok {
			m.Provenance.OriginalRole = history.Some(name)
		}
		for i, b := range m.Blocks {
			if format.Blocks != nil && !slices.Contains(format.Blocks, b.Type()) {
				m.Blocks[i] = history.Text{Text: inWords(b)}
			}
		}
		parts := []history.Message{m}
		if format.OneResult {
			parts = oneResult(m)
		}
		for _, part := range parts {
			if format.Converted {
				part = converted(part)
			}
			out = append(out, part)
		}
	}
	// A history that ends early is a history: what is open in it is a live call.
	if most := format.MaxMessages; most > 0 && len(out) > most {
		out = out[:most]
	}
	f.Messages = out
}

// oneResult gives every tool result but the first one a message of its own.
func oneResult(m history.Message) []history.Message {
	isResult := func(b history.Block) bool { return b.Type() == history.TypeToolResult }
	parts := []history.Message{m}
	parts[0].Blocks = nil
	found := false
	for _, b := range m.Blocks {
		if !isResult(b) || !found {
			found = found || isResult(b)
			parts[0].Blocks = append(parts[0].Blocks, b)
			continue
		}
		own := m.Clone()
		suffix := fmt.Sprintf("-%d", len(parts)+1)
		own.ID, own.SourceEntryID, own.Provenance.EntryID = own.ID+suffix, own.SourceEntryID+suffix, own.Provenance.EntryID+suffix
		own.Blocks = []history.Block{b}
		parts = append(parts, own)
	}
	return parts
}

// converted leaves what a message made from another shape has.
func converted(m history.Message) history.Message {
	m.TokenEstimate, m.Provenance.Extra, m.Flags = history.Optional[float64]{}, nil, history.Flags{}
	if slices.ContainsFunc(m.Blocks, func(b history.Block) bool {
		return b.Type() == history.TypeToolCall || b.Type() == history.TypeToolResult
	}) {
		m.Flags.Atomic = history.Some(true)
	}
	return m
}

// inWords is a block as a text.
func inWords(b history.Block) string {
	w := &wordsOf{}
	b.Accept(w)
	return w.text
}

type wordsOf struct{ text string }

func (w *wordsOf) VisitText(b history.Text)                           { w.text = b.Text }
func (w *wordsOf) VisitThinking(b history.Thinking)                   { w.text = b.Thinking }
func (w *wordsOf) VisitToolCall(b history.ToolCall)                   { w.text = b.Name + " " + string(b.Arguments) }
func (w *wordsOf) VisitToolResult(b history.ToolResult)               { w.text = b.Content }
func (w *wordsOf) VisitImage(b history.Image)                         { w.text = b.Data.Or("") }
func (w *wordsOf) VisitFileReference(b history.FileReference)         { w.text = b.Path }
func (w *wordsOf) VisitArtifactReference(b history.ArtifactReference) { w.text = b.ArtifactID }
func (w *wordsOf) VisitSummaryReference(b history.SummaryReference)   { w.text = b.SummaryID }
func (w *wordsOf) VisitOpaqueProvider(b history.OpaqueProvider)       { w.text = string(b.Value) }
