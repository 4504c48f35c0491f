package subjects

import (
	"bytes"
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/contract/history"
)

// piEpoch is the time of entries whose message has none, in milliseconds since the
// epoch.
const piEpoch = 1_800_000_000_000

func piTime(ms int64) string {
	return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z07:00")
}

// piWriter writes the lines of a session file and keeps the first error.
type piWriter struct {
	buf  bytes.Buffer
	last string // id of the last entry
	err  error
}

func (w *piWriter) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

func (w *piWriter) quote(s string) history.JSON {
	b, err := jsontext.AppendQuote(nil, s)
	if err != nil {
		w.fail(err)
	}
	return history.JSON(b)
}

// object is the JSON text of an object, without a line end.
func (w *piWriter) object(members history.Members) history.JSON {
	b := []byte{'{'}
	for i, m := range members {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, w.quote(m.Name)...), ':'), m.Value...)
	}
	return history.JSON(append(b, '}'))
}

// line ends a record. A value that is no JSON would break it.
func (w *piWriter) line(members history.Members) {
	v := jsontext.Value(w.object(members))
	if err := v.Compact(); err != nil {
		w.fail(err)
	}
	w.buf.Write(append(v, '\n'))
}

// entry adds an entry below the last one.
func (w *piWriter) entry(kind, id string, at int64, members history.Members) {
	parent := history.JSON("null")
	if w.last != "" {
		parent = w.quote(w.last)
	}
	w.last = id
	w.line(append(history.Members{
		{Name: "type", Value: w.quote(kind)}, {Name: "id", Value: w.quote(id)}, {Name: "parentId", Value: parent},
		{Name: "timestamp", Value: w.quote(piTime(at))},
	}, members...))
}

// message adds the entry of a canonical message. What an extension says is an entry
// of a type of its own.
func (w *piWriter) message(m history.Message) {
	at := int64(m.CreatedAt.Or(piEpoch))
	if m.Role == history.Custom {
		w.entry("custom_message", m.SourceEntryID, at, append(history.Members{
			{Name: "customType", Value: `"conformance"`}, {Name: "content", Value: w.content(m.Blocks)}, {Name: "display", Value: "true"},
		}, m.Extra...))
		return
	}
	native := history.Members{{Name: "role", Value: w.quote(piRoles[m.Role])}}
	if m.Role == history.Tool {
		native = append(native, w.result(m.Blocks)...)
	} else {
		native = append(native, history.Member{Name: "content", Value: w.content(m.Blocks)})
	}
	for _, field := range []history.Member{{Name: "provider", Value: m.Provider.Text()}, {Name: "model", Value: m.Model.Text()}, {Name: "timestamp", Value: m.CreatedAt.Text()}} {
		if field.Value != "" {
			native = append(native, field)
		}
	}
	w.entry("message", m.SourceEntryID, at, history.Members{{Name: "message", Value: w.object(append(native, m.Extra...))}})
}

// result is the part of a message that answers a tool call: the first block, and
// images behind it.
func (w *piWriter) result(blocks []history.Block) history.Members {
	if len(blocks) == 0 {
		w.fail(fmt.Errorf("a tool message without a block"))
		return nil
	}
	r, ok := blocks[0].(history.ToolResult)
	if !ok {
		w.fail(fmt.Errorf("a tool message that begins with a block of type %s", blocks[0].Type()))
		return nil
	}
	content := append([]history.Block{history.Text{Text: r.Content}}, blocks[1:]...)
	failed := history.JSON("false")
	if r.IsError {
		failed = "true"
	}
	return history.Members{
		{Name: "toolCallId", Value: w.quote(r.ToolCallID)}, {Name: "toolName", Value: w.quote(r.ToolName)},
		{Name: "content", Value: w.content(content)}, {Name: "isError", Value: failed},
	}
}

func (w *piWriter) content(blocks []history.Block) history.JSON {
	c := &piContent{w: w}
	for _, b := range blocks {
		b.Accept(c)
	}
	return history.JSON("[" + string(bytes.Join(c.items, []byte(","))) + "]")
}

// piContent writes blocks, and refuses those for which Pi has none.
type piContent struct {
	w     *piWriter
	items [][]byte
}

func (c *piContent) add(kind history.BlockType, extra history.Members, members ...history.Member) {
	all := append(history.Members{{Name: "type", Value: c.w.quote(string(kind))}}, members...)
	c.items = append(c.items, []byte(c.w.object(append(all, extra...))))
}

func (c *piContent) refuse(b history.Block) {
	c.w.fail(fmt.Errorf("a block of type %s, which Pi does not have here", b.Type()))
}

func (c *piContent) VisitText(b history.Text) {
	c.add(b.Type(), b.Extra, history.Member{Name: "text", Value: c.w.quote(b.Text)})
}

func (c *piContent) VisitThinking(b history.Thinking) {
	c.add(b.Type(), b.Extra, history.Member{Name: "thinking", Value: c.w.quote(b.Thinking)})
}

func (c *piContent) VisitToolCall(b history.ToolCall) {
	members := history.Members{{Name: "id", Value: c.w.quote(b.ID)}, {Name: "name", Value: c.w.quote(b.Name)}}
	if b.Arguments != "" {
		members = append(members, history.Member{Name: "arguments", Value: b.Arguments})
	}
	c.add(b.Type(), b.Extra, members...)
}

func (c *piContent) VisitImage(b history.Image) {
	var members history.Members
	for _, field := range []history.Member{{Name: "data", Value: b.Data.Text()}, {Name: "mimeType", Value: b.MimeType.Text()}} {
		if field.Value != "" {
			members = append(members, field)
		}
	}
	c.add(b.Type(), b.Extra, members...)
}

// VisitOpaqueProvider writes the block as the provider made it.
func (c *piContent) VisitOpaqueProvider(b history.OpaqueProvider) {
	c.items = append(c.items, []byte(b.Value))
}

func (c *piContent) VisitToolResult(b history.ToolResult)               { c.refuse(b) }
func (c *piContent) VisitFileReference(b history.FileReference)         { c.refuse(b) }
func (c *piContent) VisitArtifactReference(b history.ArtifactReference) { c.refuse(b) }
func (c *piContent) VisitSummaryReference(b history.SummaryReference)   { c.refuse(b) }
