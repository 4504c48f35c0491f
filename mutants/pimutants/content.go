package pimutants

import (
	"strings"

	"github.com/adaptercheck/adaptercheck/contract/history"
)

func contentMutants() []Mutant {
	const plain, rich = "history.canonical.blocks", "history.canonical.blocks-rich"
	return []Mutant{
		{ID: "pi-first-block", Note: "gives the first block of a message", Check: rich, Code: "block-lost",
			Subject: messages(func(m *history.Message) { m.Blocks = m.Blocks[:min(1, len(m.Blocks))] })},
		{ID: "pi-images-lost", Note: "loses images", Check: rich, Code: "block-lost", Subject: without(history.TypeImage)},
		{ID: "pi-thinking-lost", Note: "loses what the model thought", Check: rich, Code: "block-lost", Subject: without(history.TypeThinking)},
		{ID: "pi-unknown-blocks-lost", Note: "loses blocks that it does not know", Check: rich, Code: "block-lost", Subject: without(history.TypeOpaqueProvider)},
		{ID: "pi-empty-text-lost", Note: "loses texts that are empty", Check: rich, Code: "block-lost",
			Subject: blocks(func(b history.Block) []history.Block {
				if t, ok := b.(history.Text); ok && t.Text == "" {
					return nil
				}
				return []history.Block{b}
			})},
		{ID: "pi-thinking-said", Note: "shows what the model thought as what it said", Check: rich, Code: "block-type-changed",
			Subject: blocks(func(b history.Block) []history.Block {
				if t, ok := b.(history.Thinking); ok {
					b = history.Text{Text: t.Thinking}
				}
				return []history.Block{b}
			})},
		{ID: "pi-unknown-blocks-emptied", Note: "keeps only the type of a block that it does not know", Check: rich, Code: "opaque-changed",
			Subject: each(func(b *history.OpaqueProvider) { b.Value = `{"type":` + b.OriginalType.Text() + `}` })},
		{ID: "pi-arguments-quoted", Note: "gives the arguments of a call as a text with JSON in it", Check: plain, Code: "tool-arguments-changed",
			Subject: each(func(b *history.ToolCall) { b.Arguments = history.Some(string(b.Arguments)).Text() })},
		{ID: "pi-arguments-lost", Note: "gives calls without arguments", Check: plain, Code: "tool-arguments-changed",
			Subject: each(func(b *history.ToolCall) { b.Arguments = "" })},
		{ID: "pi-results-trimmed", Note: "trims the white space around tool results", Check: plain, Code: "tool-result-changed",
			Subject: each(func(b *history.ToolResult) { b.Content = strings.TrimSpace(b.Content) })},
		{ID: "pi-results-well", Note: "shows every tool result as a success", Check: rich, Code: "tool-error-flag-changed",
			Subject: each(func(b *history.ToolResult) { b.IsError = false })},
		{ID: "pi-line-ends", Note: "makes line feeds of all line ends", Check: rich, Code: "text-changed",
			Subject: each(func(b *history.Text) { b.Text = strings.ReplaceAll(b.Text, "\r\n", "\n") })},
		{ID: "pi-text-cut", Note: "cuts texts at 50 kB, as Pi does for the model", Check: "history.canonical.blocks-large", Code: "text-changed",
			Subject: each(func(b *history.Text) { b.Text = b.Text[:min(50<<10, len(b.Text))] })},
		{ID: "pi-unknown-fields-lost", Note: "loses the fields of messages that it does not know", Check: "history.canonical.unknown-fields", Code: "unknown-field-lost",
			Subject: messages(func(m *history.Message) { m.Extra = nil })},
	}
}
