package provider

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// responsesVoice speaks OpenAI Responses.
type responsesVoice struct {
	s        *speaker
	sequence int
}

type responsesObject struct {
	ID           string               `json:"id"`
	Object       string               `json:"object"`
	Created      int64                `json:"created_at"`
	Status       string               `json:"status"`
	Background   bool                 `json:"background"`
	Error        *responsesError      `json:"error"`
	Incomplete   *responsesIncomplete `json:"incomplete_details"`
	Instructions *string              `json:"instructions"`
	MaxOutput    *int64               `json:"max_output_tokens"`
	Model        string               `json:"model"`
	Output       []responsesItem      `json:"output"`
	Parallel     bool                 `json:"parallel_tool_calls"`
	Previous     *string              `json:"previous_response_id"`
	Reasoning    struct {
		Effort  *string `json:"effort"`
		Summary *string `json:"summary"`
	} `json:"reasoning"`
	Tier        string                    `json:"service_tier"`
	Store       bool                      `json:"store"`
	Temperature float64                   `json:"temperature"`
	Text        map[string]map[string]any `json:"text"`
	ToolChoice  string                    `json:"tool_choice"`
	Tools       []string                  `json:"tools"`
	TopP        float64                   `json:"top_p"`
	Truncation  string                    `json:"truncation"`
	Usage       *responsesUsage           `json:"usage"`
	User        *string                   `json:"user"`
	Metadata    map[string]string         `json:"metadata"`
}

type responsesError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

type responsesIncomplete struct {
	Reason string `json:"reason"`
}

type responsesUsage struct {
	Input int64 `json:"input_tokens"`
	In    struct {
		Cached int64 `json:"cached_tokens"`
	} `json:"input_tokens_details"`
	Output int64 `json:"output_tokens"`
	Out    struct {
		Reasoning int64 `json:"reasoning_tokens"`
	} `json:"output_tokens_details"`
	Total int64 `json:"total_tokens"`
}

// responsesItem is an item of the output. Each type has only some of the fields.
type responsesItem struct {
	ID        string              `json:"id"`
	Type      string              `json:"type"`
	Status    string              `json:"status,omitzero"`
	Role      string              `json:"role,omitzero"`
	Content   *[]responsesContent `json:"content,omitzero"`
	Summary   *[]responsesSummary `json:"summary,omitzero"`
	Encrypted string              `json:"encrypted_content,omitzero"`
	CallID    string              `json:"call_id,omitzero"`
	Name      string              `json:"name,omitzero"`
	Namespace string              `json:"namespace,omitzero"`
	Arguments *string             `json:"arguments,omitzero"`
	Input     *string             `json:"input,omitzero"`
}

type responsesContent struct {
	Type        string   `json:"type"`
	Annotations []string `json:"annotations"`
	Logprobs    []string `json:"logprobs"`
	Text        string   `json:"text"`
}

type responsesSummary struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

func outputText(text string) responsesContent {
	return responsesContent{Type: "output_text", Annotations: []string{}, Logprobs: []string{}, Text: text}
}

func (v *responsesVoice) object(status string) responsesObject {
	return responsesObject{ID: v.s.answerID("resp_"), Object: "response", Created: created, Status: status, Model: v.s.modelName(),
		Output: []responsesItem{}, Parallel: true, Tier: "default", Store: true, Temperature: 1, TopP: 1, ToolChoice: "auto", Tools: []string{},
		Text: map[string]map[string]any{"format": {"type": "text"}}, Truncation: "disabled", Metadata: map[string]string{}}
}

// event is what all events of the dialect have, and what some have. Index fields are
// pointers, as 0 is a place.
type responsesEvent struct {
	Type     string           `json:"type"`
	Sequence int              `json:"sequence_number"`
	Response *responsesObject `json:"response,omitzero"`
	Item     *responsesItem   `json:"item,omitzero"`
	ItemID   string           `json:"item_id,omitzero"`
	Output   *int             `json:"output_index,omitzero"`
	Content  *int             `json:"content_index,omitzero"`
	Summary  *int             `json:"summary_index,omitzero"`
	Part     any              `json:"part,omitzero"`
	Delta    *string          `json:"delta,omitzero"`
	Text     *string          `json:"text,omitzero"`
	Args     *string          `json:"arguments,omitzero"`
	Name     string           `json:"name,omitzero"`
	Input    *string          `json:"input,omitzero"`
	Logprobs *[]string        `json:"logprobs,omitzero"`
}

func (v *responsesVoice) emit(e responsesEvent, content bool) {
	e.Sequence = v.sequence
	v.sequence++
	v.s.emit(e.Type, e, content)
}

func (v *responsesVoice) begin() {
	o := v.object("in_progress")
	v.emit(responsesEvent{Type: "response.created", Response: &o}, false)
	v.emit(responsesEvent{Type: "response.in_progress", Response: &o}, false)
}

// item is a block as the dialect shows it, whole or at its beginning.
func (v *responsesVoice) item(b *block, whole bool) responsesItem {
	if b.item == 0 {
		b.item = v.s.newID()
	}
	text, status := "", "in_progress"
	if whole {
		text, status = b.body.String(), "completed"
	}
	id := b.item.String()
	switch b.kind {
	case thinkBlock:
		item := responsesItem{ID: "rs_" + id, Type: "reasoning", Summary: &[]responsesSummary{}}
		if whole {
			item.Summary = &[]responsesSummary{{"summary_text", text}}
			item.Encrypted = "gAAAAAB" + id
		}
		return item
	case callBlock:
		item := responsesItem{Status: status, CallID: b.id, Name: b.name, Namespace: b.tool.namespace}
		if b.tool.custom {
			item.ID, item.Type, item.Input = "ctc_"+id, "custom_tool_call", &text
		} else {
			item.ID, item.Type, item.Arguments = "fc_"+id, "function_call", &text
		}
		return item
	}
	content := []responsesContent{}
	if whole {
		content = append(content, outputText(text))
	}
	return responsesItem{ID: "msg_" + id, Type: "message", Status: status, Role: "assistant", Content: &content}
}

func (v *responsesVoice) open(b *block) {
	item := v.item(b, false)
	v.emit(responsesEvent{Type: "response.output_item.added", Output: &b.at, Item: &item}, false)
	switch b.kind {
	case textBlock:
		v.emit(responsesEvent{Type: "response.content_part.added", ItemID: item.ID, Output: &b.at, Content: new(0), Part: outputText("")}, false)
	case thinkBlock:
		v.emit(responsesEvent{Type: "response.reasoning_summary_part.added", ItemID: item.ID, Output: &b.at, Summary: new(0), Part: responsesSummary{"summary_text", ""}}, false)
	}
}

func (v *responsesVoice) say(b *block, piece string) {
	e := responsesEvent{ItemID: v.item(b, false).ID, Output: &b.at, Delta: &piece}
	switch {
	case b.kind == textBlock:
		e.Type, e.Content, e.Logprobs = "response.output_text.delta", new(0), &[]string{}
	case b.kind == thinkBlock:
		e.Type, e.Summary = "response.reasoning_summary_text.delta", new(0)
	case b.tool.custom:
		e.Type = "response.custom_tool_call_input.delta"
	default:
		e.Type = "response.function_call_arguments.delta"
	}
	v.emit(e, true)
}

func (v *responsesVoice) shut(b *block) {
	item, text := v.item(b, true), b.body.String()
	done := responsesEvent{ItemID: item.ID, Output: &b.at}
	part := done
	switch {
	case b.kind == textBlock:
		done.Type, done.Content, done.Text, done.Logprobs = "response.output_text.done", new(0), &text, &[]string{}
		part.Type, part.Content, part.Part = "response.content_part.done", new(0), outputText(text)
	case b.kind == thinkBlock:
		done.Type, done.Summary, done.Text = "response.reasoning_summary_text.done", new(0), &text
		part.Type, part.Summary, part.Part = "response.reasoning_summary_part.done", new(0), responsesSummary{"summary_text", text}
	case b.tool.custom:
		done.Type, done.Input = "response.custom_tool_call_input.done", &text
	default:
		done.Type, done.Args, done.Name = "response.function_call_arguments.done", &text, b.name
	}
	v.emit(done, false)
	if part.Type != "" {
		v.emit(part, false)
	}
	v.emit(responsesEvent{Type: "response.output_item.done", Output: &b.at, Item: &item}, false)
}

// final is the answer as it stands at its end.
func (v *responsesVoice) final() responsesObject {
	o := v.object("completed")
	switch v.s.reason {
	case fakes.EndLength:
		o.Status, o.Incomplete = "incomplete", &responsesIncomplete{"max_output_tokens"}
	case fakes.EndRefusal:
		o.Status, o.Incomplete = "incomplete", &responsesIncomplete{"content_filter"}
	}
	for _, b := range v.s.blocks {
		o.Output = append(o.Output, v.item(b, true))
	}
	u := v.s.usage
	o.Usage = &responsesUsage{Input: u.in, Output: u.out, Total: u.in + u.out}
	o.Usage.In.Cached, o.Usage.Out.Reasoning = u.cacheRead, u.reasoning
	return o
}

func (v *responsesVoice) stop() {
	o := v.final()
	v.emit(responsesEvent{Type: "response." + o.Status, Response: &o}, false)
}

func (v *responsesVoice) fail(r Refusal) {
	o, e := v.object("failed"), r.openAI()
	code := e.Error.Type
	if e.Error.Code != nil {
		code = *e.Error.Code
	}
	o.Error = &responsesError{code, e.Error.Message}
	v.emit(responsesEvent{Type: "response.failed", Response: &o}, false)
}

func (v *responsesVoice) native(kind string, fields map[string]jsontext.Value) {
	v.s.emit(kind, nativeObject(kind, fields), true)
}

func (v *responsesVoice) whole() any { return v.final() }

// asValue is a tool's input as a JSON value; what is no JSON is a text.
func asValue(text string) jsontext.Value {
	if v := jsontext.Value(text); v.IsValid() {
		return v
	}
	return jsontext.Value(jsonText(text))
}

// input is what a tool gets where a script says JSON: a custom tool takes text.
func (t tool) input(text string) string {
	if !t.custom {
		return text
	}
	if plain, err := jsontext.AppendUnquote(nil, strings.TrimSpace(text)); err == nil {
		return string(plain)
	}
	return text
}
