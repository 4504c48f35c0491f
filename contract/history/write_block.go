package history

// blockWriter is the visitor that writes blocks.
type blockWriter writer

func (b *blockWriter) block(kind BlockType, extra Members, f func(w *writer)) {
	w := (*writer)(b)
	w.object(extra, func() {
		w.str("type", string(kind))
		f(w)
	})
}

// VisitText writes text.
func (b *blockWriter) VisitText(t Text) {
	b.block(t.Type(), t.Extra, func(w *writer) { w.str("text", t.Text) })
}

// VisitThinking writes thinking.
func (b *blockWriter) VisitThinking(t Thinking) {
	b.block(t.Type(), t.Extra, func(w *writer) { w.str("thinking", t.Thinking) })
}

// VisitToolCall writes id, name and arguments.
func (b *blockWriter) VisitToolCall(c ToolCall) {
	b.block(c.Type(), c.Extra, func(w *writer) {
		w.str("id", c.ID)
		w.str("name", c.Name)
		w.optional("arguments", c.Arguments)
	})
}

// VisitToolResult writes toolCallId, toolName, content and isError.
func (b *blockWriter) VisitToolResult(r ToolResult) {
	b.block(r.Type(), r.Extra, func(w *writer) {
		w.str("toolCallId", r.ToolCallID)
		w.str("toolName", r.ToolName)
		w.str("content", r.Content)
		w.boolean("isError", r.IsError)
	})
}

// VisitImage writes mimeType and data.
func (b *blockWriter) VisitImage(i Image) {
	b.block(i.Type(), i.Extra, func(w *writer) {
		w.optionalStr("mimeType", i.MimeType)
		w.optionalStr("data", i.Data)
	})
}

// VisitFileReference writes path.
func (b *blockWriter) VisitFileReference(r FileReference) {
	b.block(r.Type(), r.Extra, func(w *writer) { w.str("path", r.Path) })
}

// VisitArtifactReference writes artifactId.
func (b *blockWriter) VisitArtifactReference(r ArtifactReference) {
	b.block(r.Type(), r.Extra, func(w *writer) { w.str("artifactId", r.ArtifactID) })
}

// VisitSummaryReference writes summaryId.
func (b *blockWriter) VisitSummaryReference(r SummaryReference) {
	b.block(r.Type(), r.Extra, func(w *writer) { w.str("summaryId", r.SummaryID) })
}

// VisitOpaqueProvider writes originalType and value.
func (b *blockWriter) VisitOpaqueProvider(o OpaqueProvider) {
	b.block(o.Type(), o.Extra, func(w *writer) {
		w.optional("originalType", o.OriginalType.text)
		value := o.Value
		if value == "" {
			value = "null"
		}
		w.json("value", value)
	})
}
