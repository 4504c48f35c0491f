package provider

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// created is when answers say that they were made: the same for the same seed.
const created = 1767225600

// chatVoice speaks OpenAI Chat Completions.
type chatVoice struct {
	s     *speaker
	calls int
	index map[*block]int // of calls, among themselves
}

type chatChunk struct {
	ID          string       `json:"id"`
	Object      string       `json:"object"`
	Created     int64        `json:"created"`
	Model       string       `json:"model"`
	Tier        string       `json:"service_tier"`
	Fingerprint *string      `json:"system_fingerprint"`
	Choices     []chatChoice `json:"choices"`
	// Usage is absent unless the client asked for it, and then null until the end.
	Usage **chatUsage `json:"usage,omitzero"`
}

type chatChoice struct {
	Index    int          `json:"index"`
	Delta    *chatDelta   `json:"delta,omitzero"`
	Message  *chatMessage `json:"message,omitzero"`
	Logprobs *string      `json:"logprobs"`
	Finish   *string      `json:"finish_reason"`
}

type chatDelta struct {
	Role      string          `json:"role,omitzero"`
	Content   *jsontext.Value `json:"content,omitzero"`
	Refusal   *jsontext.Value `json:"refusal,omitzero"`
	Reasoning *string         `json:"reasoning_content,omitzero"`
	Calls     []chatCall      `json:"tool_calls,omitzero"`
}

type chatMessage struct {
	Role        string     `json:"role"`
	Content     *string    `json:"content"`
	Refusal     *string    `json:"refusal"`
	Reasoning   *string    `json:"reasoning_content,omitzero"`
	Calls       []chatCall `json:"tool_calls,omitzero"`
	Annotations []string   `json:"annotations"`
}

type chatCall struct {
	Index    *int         `json:"index,omitzero"`
	ID       string       `json:"id,omitzero"`
	Type     string       `json:"type,omitzero"`
	Function chatFunction `json:"function"`
}

type chatFunction struct {
	Name      string `json:"name,omitzero"`
	Arguments string `json:"arguments"`
}

type chatUsage struct {
	Prompt     int64    `json:"prompt_tokens"`
	Completion int64    `json:"completion_tokens"`
	Total      int64    `json:"total_tokens"`
	Cost       *float64 `json:"cost,omitzero"` // of routers
	In         struct {
		Cached int64 `json:"cached_tokens"`
		Audio  int64 `json:"audio_tokens"`
	} `json:"prompt_tokens_details"`
	Out struct {
		Reasoning int64 `json:"reasoning_tokens"`
		Audio     int64 `json:"audio_tokens"`
		Accepted  int64 `json:"accepted_prediction_tokens"`
		Rejected  int64 `json:"rejected_prediction_tokens"`
	} `json:"completion_tokens_details"`
}

func (v *chatVoice) usage() *chatUsage {
	u := v.s.usage
	out := &chatUsage{Prompt: u.in, Completion: u.out, Total: u.in + u.out, Cost: u.cost}
	out.In.Cached, out.Out.Reasoning = u.cacheRead, u.reasoning
	return out
}

func (v *chatVoice) frame(object string) chatChunk {
	fingerprint := "fp_adaptercheck"
	return chatChunk{ID: v.s.answerID("chatcmpl-"), Object: object, Created: created, Model: v.s.modelName(), Tier: "default",
		Fingerprint: &fingerprint, Choices: []chatChoice{}}
}

func (v *chatVoice) chunk(d chatDelta, finish *string, content bool) {
	c := v.frame("chat.completion.chunk")
	c.Choices = append(c.Choices, chatChoice{Delta: &d, Finish: finish})
	if v.s.ask.includeUsage {
		c.Usage = new(*chatUsage)
	}
	v.s.emit("", c, content)
}

func jsonString(s string) *jsontext.Value {
	v := jsontext.Value(jsonText(s))
	return &v
}

func jsonNull() *jsontext.Value {
	v := jsontext.Value("null")
	return &v
}

func (v *chatVoice) begin() {
	v.chunk(chatDelta{Role: "assistant", Content: jsonString(""), Refusal: jsonNull()}, nil, false)
}

func (v *chatVoice) open(b *block) {
	if b.kind != callBlock {
		return
	}
	if v.index == nil {
		v.index = map[*block]int{}
	}
	v.index[b] = v.calls
	v.calls++
	v.chunk(chatDelta{Calls: []chatCall{{Index: new(v.index[b]), ID: b.id, Type: "function", Function: chatFunction{Name: b.name}}}}, nil, false)
}

func (v *chatVoice) say(b *block, piece string) {
	switch b.kind {
	case textBlock:
		v.chunk(chatDelta{Content: jsonString(piece)}, nil, true)
	case thinkBlock:
		v.chunk(chatDelta{Reasoning: &piece}, nil, true)
	case callBlock:
		v.chunk(chatDelta{Calls: []chatCall{{Index: new(v.index[b]), Function: chatFunction{Arguments: piece}}}}, nil, true)
	}
}

func (v *chatVoice) shut(*block) {}

func (v *chatVoice) finish() string {
	switch v.s.reason {
	case fakes.EndLength:
		return "length"
	case fakes.EndToolUse:
		return "tool_calls"
	case fakes.EndRefusal:
		return "content_filter"
	}
	return "stop"
}

func (v *chatVoice) stop() {
	v.chunk(chatDelta{}, new(v.finish()), false)
	if v.s.ask.includeUsage {
		c := v.frame("chat.completion.chunk")
		c.Usage = new(v.usage())
		v.s.emit("", c, false)
	}
	v.s.out = append(v.s.out, event{parts([]byte("data: [DONE]\n\n")), false})
}

func (v *chatVoice) fail(r Refusal) { v.s.out = append(v.s.out, errorEvent("", r.openAI())) }

func (v *chatVoice) native(kind string, fields map[string]jsontext.Value) {
	v.s.emit("", nativeObject(kind, fields), true)
}

func (v *chatVoice) whole() any {
	m := chatMessage{Role: "assistant", Annotations: []string{}}
	add := func(to **string, text string) {
		if *to == nil {
			*to = new("")
		}
		**to += text
	}
	for _, b := range v.s.blocks {
		text := b.body.String()
		switch b.kind {
		case textBlock:
			add(&m.Content, text)
		case thinkBlock:
			add(&m.Reasoning, text)
		case callBlock:
			m.Calls = append(m.Calls, chatCall{ID: b.id, Type: "function", Function: chatFunction{b.name, text}})
		}
	}
	c := v.frame("chat.completion")
	c.Choices = append(c.Choices, chatChoice{Message: &m, Finish: new(v.finish())})
	c.Usage = new(v.usage())
	return c
}
