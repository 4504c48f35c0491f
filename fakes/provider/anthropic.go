package provider

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// anthropicVoice speaks Anthropic Messages.
type anthropicVoice struct {
	s      *speaker
	pinged bool
}

type anthropicMessage struct {
	ID           string           `json:"id"`
	Type         string           `json:"type"`
	Role         string           `json:"role"`
	Model        string           `json:"model"`
	Content      []anthropicBlock `json:"content"`
	StopReason   *string          `json:"stop_reason"`
	StopSequence *string          `json:"stop_sequence"`
	Usage        anthropicUsage   `json:"usage"`
}

type anthropicBlock struct {
	Type      string         `json:"type"`
	Text      *string        `json:"text,omitzero"`
	Thinking  *string        `json:"thinking,omitzero"`
	Signature *string        `json:"signature,omitzero"`
	ID        string         `json:"id,omitzero"`
	Name      string         `json:"name,omitzero"`
	Input     jsontext.Value `json:"input,omitzero"`
}

type anthropicUsage struct {
	Input         int64                   `json:"input_tokens"`
	CacheCreation int64                   `json:"cache_creation_input_tokens"`
	CacheRead     int64                   `json:"cache_read_input_tokens"`
	Created       *anthropicCacheCreation `json:"cache_creation,omitzero"`
	Output        int64                   `json:"output_tokens"`
	Tier          string                  `json:"service_tier,omitzero"`
}

type anthropicCacheCreation struct {
	Short int64 `json:"ephemeral_5m_input_tokens"`
	Long  int64 `json:"ephemeral_1h_input_tokens"`
}

func (v *anthropicVoice) message() anthropicMessage {
	u := v.s.usage
	return anthropicMessage{ID: v.s.answerID("msg_"), Type: "message", Role: "assistant", Model: v.s.modelName(), Content: []anthropicBlock{},
		Usage: anthropicUsage{u.in, u.cacheWrite, u.cacheRead, &anthropicCacheCreation{Short: u.cacheWrite}, u.out, "standard"}}
}

func (v *anthropicVoice) begin() {
	m := v.message()
	m.Usage.Output = min(1, m.Usage.Output) // what a stream begins with
	v.s.emit("message_start", struct {
		Type    string           `json:"type"`
		Message anthropicMessage `json:"message"`
	}{"message_start", m}, false)
}

type anthropicStart struct {
	Type  string         `json:"type"`
	Index int            `json:"index"`
	Block anthropicBlock `json:"content_block"`
}

func (v *anthropicVoice) open(b *block) {
	empty := ""
	start := anthropicStart{"content_block_start", b.at, anthropicBlock{Type: "text", Text: &empty}}
	switch b.kind {
	case thinkBlock:
		start.Block = anthropicBlock{Type: "thinking", Thinking: &empty, Signature: &empty}
	case callBlock:
		start.Block = anthropicBlock{Type: "tool_use", ID: b.id, Name: b.name, Input: jsontext.Value("{}")}
	}
	v.s.emit(start.Type, start, false)
	if !v.pinged {
		v.pinged = true
		v.s.emit("ping", map[string]string{"type": "ping"}, false)
	}
	if b.kind == callBlock {
		v.delta(b, anthropicDelta{Type: "input_json_delta", JSON: &empty}, false)
	}
}

type anthropicDelta struct {
	Type      string  `json:"type"`
	Text      *string `json:"text,omitzero"`
	Thinking  *string `json:"thinking,omitzero"`
	Signature *string `json:"signature,omitzero"`
	JSON      *string `json:"partial_json,omitzero"`
}

func (v *anthropicVoice) delta(b *block, d anthropicDelta, content bool) {
	v.s.emit("content_block_delta", struct {
		Type  string         `json:"type"`
		Index int            `json:"index"`
		Delta anthropicDelta `json:"delta"`
	}{"content_block_delta", b.at, d}, content)
}

func (v *anthropicVoice) say(b *block, piece string) {
	d := anthropicDelta{Type: "text_delta", Text: &piece}
	switch b.kind {
	case thinkBlock:
		d = anthropicDelta{Type: "thinking_delta", Thinking: &piece}
	case callBlock:
		d = anthropicDelta{Type: "input_json_delta", JSON: &piece}
	}
	v.delta(b, d, true)
}

func (v *anthropicVoice) shut(b *block) {
	if b.kind == thinkBlock {
		signature := v.signature(b)
		v.delta(b, anthropicDelta{Type: "signature_delta", Signature: &signature}, false)
	}
	v.s.emit("content_block_stop", struct {
		Type  string `json:"type"`
		Index int    `json:"index"`
	}{"content_block_stop", b.at}, false)
}

// signature stands for what the provider signs its reasoning with.
func (v *anthropicVoice) signature(b *block) string {
	if b.item == 0 {
		b.item = v.s.newID()
	}
	return "EqQB" + b.item.String()
}

func (v *anthropicVoice) stopReason() string {
	switch v.s.reason {
	case fakes.EndLength:
		return "max_tokens"
	case fakes.EndToolUse:
		return "tool_use"
	case fakes.EndRefusal:
		return "refusal"
	}
	return "end_turn"
}

func (v *anthropicVoice) stop() {
	type delta struct {
		StopReason   string  `json:"stop_reason"`
		StopSequence *string `json:"stop_sequence"`
	}
	u := v.s.usage
	v.s.emit("message_delta", struct {
		Type  string         `json:"type"`
		Delta delta          `json:"delta"`
		Usage anthropicUsage `json:"usage"`
	}{"message_delta", delta{StopReason: v.stopReason()}, anthropicUsage{Input: u.in, CacheCreation: u.cacheWrite, CacheRead: u.cacheRead, Output: u.out}}, false)
	v.s.emit("message_stop", map[string]string{"type": "message_stop"}, false)
}

func (v *anthropicVoice) fail(r Refusal) {
	v.s.out = append(v.s.out, errorEvent("error", r.anthropic()))
}

func (v *anthropicVoice) native(kind string, fields map[string]jsontext.Value) {
	v.s.emit(kind, nativeObject(kind, fields), true)
}

func (v *anthropicVoice) whole() any {
	m := v.message()
	for _, b := range v.s.blocks {
		text := b.body.String()
		switch b.kind {
		case textBlock:
			m.Content = append(m.Content, anthropicBlock{Type: "text", Text: &text})
		case thinkBlock:
			signature := v.signature(b)
			m.Content = append(m.Content, anthropicBlock{Type: "thinking", Thinking: &text, Signature: &signature})
		case callBlock:
			if strings.TrimSpace(text) == "" {
				text = "{}"
			}
			m.Content = append(m.Content, anthropicBlock{Type: "tool_use", ID: b.id, Name: b.name, Input: asValue(text)})
		}
	}
	reason := v.stopReason()
	m.StopReason = &reason
	return m
}
