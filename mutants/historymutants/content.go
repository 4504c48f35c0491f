package historymutants

import (
	"slices"
	"strings"

	"github.com/adaptercheck/adaptercheck/contract/history"
)

func contentMutants() []Mutant {
	const plainBlocks, richBlocks, provenance = "history.canonical.blocks", "history.canonical.blocks-rich", "history.canonical.provenance"
	none := history.Optional[string]{}
	return []Mutant{
		{"history-H04", "replaces what a tool gave", plainBlocks, "tool-result-changed",
			blocks(func(b *history.ToolResult) { b.Content = "(output omitted)" })},
		{"history-H05", "drops the arguments of calls", plainBlocks, "tool-arguments-changed",
			blocks(func(b *history.ToolCall) { b.Arguments = "{}" })},
		{"history-call-name", "spells tool names in its own way", plainBlocks, "tool-call-changed",
			blocks(func(b *history.ToolCall) { b.Name = strings.ToUpper(b.Name) })},
		{"history-text-trimmed", "trims texts", richBlocks, "text-changed",
			blocks(func(b *history.Text) { b.Text = strings.TrimSpace(b.Text) })},
		{"history-text-crlf", "writes line ends in its own way", richBlocks, "text-changed",
			blocks(func(b *history.Text) { b.Text = strings.ReplaceAll(b.Text, "\r\n", "\n") })},
		{"history-text-escaped", "escapes texts for a web page", richBlocks, "text-changed",
			blocks(func(b *history.Text) { b.Text = strings.ReplaceAll(b.Text, "<", "&lt;") })},
		{"history-text-ascii", "writes texts in ASCII", richBlocks, "text-changed",
			blocks(func(b *history.Text) {
				b.Text = strings.Map(func(r rune) rune {
					if r > 127 {
						return '?'
					}
					return r
				}, b.Text)
			})},
		{"history-text-short", "shortens long answers", plainBlocks, "text-changed",
			blocks(func(b *history.Text) { b.Text = b.Text[:min(len(b.Text), 12)] })},
		{"history-text-large", "cuts texts at 64 KB", "history.canonical.blocks-large", "text-changed",
			blocks(func(b *history.Text) { b.Text = b.Text[:min(len(b.Text), 64<<10)] })},
		{"history-text-megabyte", "cuts texts at one megabyte", "history.canonical.blocks-huge", "text-changed",
			blocks(func(b *history.Text) { b.Text = b.Text[:min(len(b.Text), 1<<20)] })},
		{"history-result-megabyte", "cuts out the middle of what a tool gave", "history.canonical.blocks-huge", "tool-result-changed",
			blocks(func(b *history.ToolResult) {
				const most = 1 << 20
				if n := len(b.Content); n > most {
					b.Content = b.Content[:most/2] + "…" + b.Content[n-most/2:]
				}
			})},
		{"history-image-megabyte", "leaves out images above a megabyte", "history.canonical.blocks-huge", "block-lost",
			messages(func(m *history.Message) {
				m.Blocks = slices.DeleteFunc(m.Blocks, func(b history.Block) bool {
					i, ok := b.(history.Image)
					return ok && len(i.Data.Or("")) > 1<<20
				})
			})},
		{"history-arguments-object", "reads arguments as an object", richBlocks, "tool-arguments-changed",
			blocks(func(b *history.ToolCall) {
				if !strings.HasPrefix(string(b.Arguments), "{") {
					b.Arguments = "{}"
				}
			})},
		{"history-text-nul", "ends a text at a NUL", richBlocks, "text-changed",
			blocks(func(b *history.Text) { b.Text, _, _ = strings.Cut(b.Text, "\x00") })},
		{"history-text-mark", "takes a byte order mark off", richBlocks, "text-changed",
			blocks(func(b *history.Text) { b.Text = strings.ReplaceAll(b.Text, "\ufeff", "") })},
		{"history-H08", "shows every result as an error", plainBlocks, "tool-error-flag-changed",
			blocks(func(b *history.ToolResult) { b.IsError = true })},
		{"history-error-hidden", "shows no result as an error", richBlocks, "tool-error-flag-changed",
			blocks(func(b *history.ToolResult) { b.IsError = false })},
		{"history-H20", "drops blocks of thinking, images and what it does not know", richBlocks, "block-lost",
			messages(func(m *history.Message) {
				m.Blocks = slices.DeleteFunc(m.Blocks, func(b history.Block) bool {
					return b.Type() == history.TypeThinking || b.Type() == history.TypeImage || b.Type() == history.TypeOpaqueProvider
				})
			})},
		{"history-empty-text", "drops empty texts", richBlocks, "block-lost",
			messages(func(m *history.Message) {
				m.Blocks = slices.DeleteFunc(m.Blocks, func(b history.Block) bool { t, ok := b.(history.Text); return ok && t.Text == "" })
			})},
		{"history-block-added", "adds an empty text to every message", plainBlocks, "block-added",
			messages(func(m *history.Message) { m.Blocks = append(m.Blocks, history.Text{}) })},
		{"history-block-order", "puts the calls of a message first", richBlocks, "block-type-changed",
			messages(func(m *history.Message) {
				slices.SortStableFunc(m.Blocks, func(a, b history.Block) int { return rank(a) - rank(b) })
			})},
		{"history-thinking", "keeps thoughts to itself", richBlocks, "thinking-changed",
			blocks(func(b *history.Thinking) { b.Thinking = "" })},
		{"history-image", "drops the data of images", richBlocks, "image-changed", blocks(func(b *history.Image) { b.Data = none })},
		{"history-file", "makes paths absolute", richBlocks, "reference-changed",
			blocks(func(b *history.FileReference) { b.Path = "/" + b.Path })},
		{"history-artifact", "resolves references to artifacts", richBlocks, "reference-changed",
			blocks(func(b *history.ArtifactReference) { b.ArtifactID = "resolved" })},
		{"history-summary", "renames summaries", richBlocks, "reference-changed",
			blocks(func(b *history.SummaryReference) { b.SummaryID = "1" })},
		{"history-opaque", "empties what it does not know", richBlocks, "opaque-changed",
			blocks(func(b *history.OpaqueProvider) { b.Value = "null" })},
		{"history-opaque-type", "forgets what an unknown block was called", richBlocks, "opaque-changed",
			blocks(func(b *history.OpaqueProvider) { b.OriginalType = none })},
		{"history-H07", "gives every message the user's role", "history.canonical.roles", "role-changed",
			messages(func(m *history.Message) { m.Role = history.User })},
		{"history-role-tool", "gives tool results to the user", "history.canonical.roles", "role-changed",
			messages(func(m *history.Message) {
				if m.Role == history.Tool {
					m.Role = history.User
				}
			})},
		{"history-H16", "numbers entries by their position", provenance, "source-entry-changed",
			snapshots(func(s *history.Snapshot) {
				for i := range s.Messages {
					s.Messages[i].SourceEntryID = string(rune('a' + i))
					s.Messages[i].Provenance.EntryID = string(rune('a' + i))
				}
			})},
		{"history-provenance-entry", "names its own entry for the native one", provenance, "provenance-entry-changed",
			messages(func(m *history.Message) { m.Provenance.EntryID = m.ID })},
		{"history-provenance-session", "forgets the session of a message", provenance, "provenance-session-changed",
			messages(func(m *history.Message) { m.Provenance.SessionID = "current" })},
		{"history-provenance-runtime", "forgets the runtime of a message", provenance, "provenance-runtime-changed",
			messages(func(m *history.Message) { m.Provenance.RuntimeID = none })},
		{"history-provenance-source", "takes every history for one of Pi", provenance, "provenance-source-changed",
			messages(func(m *history.Message) { m.Provenance.Source = history.PiSession })},
		{"history-flags-lost", "drops marks", "history.canonical.flags", "flag-lost",
			messages(func(m *history.Message) { m.Flags = history.Flags{} })},
		{"history-local-only-lost", "drops the mark of what must not be sent", "history.canonical.flags", "flag-lost",
			messages(func(m *history.Message) { m.Flags.LocalOnly = history.Some(false) })},
		{"history-flags-added", "pins everything", "history.canonical.flags", "flag-added",
			messages(func(m *history.Message) { m.Flags.Pinned = history.Some(true) })},
		{"history-created-at", "gives times in seconds", "history.canonical.metadata", "created-at-changed",
			messages(func(m *history.Message) { m.CreatedAt = history.Some(m.CreatedAt.Or(0) / 1000) })},
		{"history-writer", "forgets who wrote a message", "history.canonical.metadata", "message-model-changed",
			messages(func(m *history.Message) { m.Provider, m.Model = none, none })},
		{"history-estimate", "estimates tokens anew", "history.canonical.metadata", "token-estimate-changed",
			messages(func(m *history.Message) { m.TokenEstimate = history.Some(1.0) })},
		{"history-original-role", "forgets native roles", "history.canonical.metadata", "original-role-changed",
			messages(func(m *history.Message) { m.Provenance.OriginalRole = none })},
		{"history-unknown-dropped", "drops fields that it does not know", "history.canonical.unknown-fields", "unknown-field-lost",
			messages(func(m *history.Message) { m.Extra = nil })},
		{"history-unknown-block", "drops fields of blocks that it does not know", "history.canonical.unknown-fields", "unknown-field-lost",
			blocks(func(b *history.Text) { b.Extra = nil })},
	}
}

// rank puts calls first.
func rank(b history.Block) int {
	if b.Type() == history.TypeToolCall {
		return 0
	}
	return 1
}
