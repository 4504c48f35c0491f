package pi

import (
	"strings"

	"github.com/adaptercheck/adaptercheck/contract/history"
)

// blocks takes what a message says out of its fields.
func (f *fields) blocks(role string) ([]history.Block, error) {
	switch role {
	case roleToolResult:
		return f.toolResult()
	case roleBash:
		return f.texts("command", "output")
	case roleCompactionSummary, roleBranchSummary:
		return f.texts("summary")
	}
	content, _ := f.take("content")
	return f.scan.content(content)
}

// texts gives one text per field.
func (f *fields) texts(names ...string) ([]history.Block, error) {
	out := make([]history.Block, len(names))
	for i, name := range names {
		v, _ := f.take(name)
		if kindOf(v) != '"' {
			return nil, want(name, "a string")
		}
		out[i] = history.Text{Text: text(v)}
	}
	return out, nil
}

// content reads what a message says: a text, a list of blocks, or nothing.
func (s *scanner) content(v history.JSON) ([]history.Block, error) {
	switch kindOf(v) {
	case '"':
		return []history.Block{history.Text{Text: text(v)}}, nil
	case '[':
		items, err := s.items(v)
		if err != nil {
			return nil, err
		}
		out := make([]history.Block, len(items))
		for i, item := range items {
			out[i] = s.block(item)
		}
		return out, nil
	case 0, 'n':
		return []history.Block{}, nil
	}
	return nil, want("content", "a string or a list of blocks")
}

// toolResult gives the result, whose content is all its texts, one below the other,
// then whatever else the tool gave, images usually. Ids that are missing are empty:
// they do not pass validation.
func (f *fields) toolResult() ([]history.Block, error) {
	content, _ := f.take("content")
	blocks, err := f.scan.content(content)
	if err != nil {
		return nil, err
	}
	call, _ := f.take("toolCallId")
	name, _ := f.take("toolName")
	failed, _ := f.take("isError")
	var said []string
	var more []history.Block
	for _, b := range blocks {
		if t, ok := b.(history.Text); ok {
			said = append(said, t.Text)
			continue
		}
		more = append(more, b)
	}
	result := history.ToolResult{
		ToolCallID: text(call), ToolName: text(name), Content: strings.Join(said, "\n"), IsError: failed == "true",
	}
	return append([]history.Block{result}, more...), nil
}

// block reads one block.
func (s *scanner) block(v history.JSON) history.Block {
	f, err := s.fields(v)
	if err != nil {
		return history.OpaqueProvider{Value: compact(v)}
	}
	named, _ := f.take("type")
	if b := f.known(text(named)); b != nil {
		return b
	}
	opaque := history.OpaqueProvider{Value: compact(v)}
	if kindOf(named) == '"' {
		opaque.OriginalType = history.Some(text(named))
	}
	return opaque
}

// known reads a block of a type that is known; nil if it is not, or is in another
// shape. A tool call is one in any shape: what is wrong with it must not hide it
// from validation.
func (f *fields) known(kind string) history.Block {
	switch history.BlockType(kind) {
	case history.TypeText:
		if v, ok := f.take("text"); ok && kindOf(v) == '"' {
			return history.Text{Text: text(v), Extra: f.rest()}
		}
	case history.TypeThinking:
		if v, ok := f.take("thinking"); ok && kindOf(v) == '"' {
			return history.Thinking{Thinking: text(v), Extra: f.rest()}
		}
	case history.TypeToolCall:
		id, _ := f.take("id")
		name, _ := f.take("name")
		arguments, _ := f.take("arguments")
		return history.ToolCall{ID: text(id), Name: text(name), Arguments: compact(arguments), Extra: f.rest()}
	case history.TypeImage:
		mime, okMime := f.optionalText("mimeType")
		data, okData := f.optionalText("data")
		if okMime && okData {
			return history.Image{MimeType: mime, Data: data, Extra: f.rest()}
		}
	}
	return nil
}
