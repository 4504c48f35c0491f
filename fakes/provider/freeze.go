package provider

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// hearer turns what a real provider answered into frames. Events that it does not know
// stay as they are.
type hearer struct {
	frames []fakes.Frame
	usage  fakes.Usage
	costs  bool
	stop   fakes.EndReason
	calls  map[int]*heardCall
	order  []*heardCall
	failed bool
}

// heardCall is a call of which pieces have come.
type heardCall struct {
	id, name, input string
}

// frozen reads an answer of a dialect into frames.
func frozen(d Dialect, contentType string, body []byte) []fakes.Frame {
	h := &hearer{calls: map[int]*heardCall{}}
	hear := map[Dialect]func(kind string, data []byte, whole bool){Anthropic: h.anthropic, Chat: h.chat, Responses: h.responses}[d]
	if !strings.HasPrefix(contentType, "text/event-stream") {
		hear("", body, true)
		return h.end()
	}
	for block := range bytes.SplitSeq(bytes.ReplaceAll(body, []byte("\r\n"), []byte("\n")), []byte("\n\n")) {
		for line := range bytes.SplitSeq(block, []byte("\n")) {
			data, is := bytes.CutPrefix(line, []byte("data:"))
			data = bytes.TrimSpace(data)
			if !is || string(data) == "[DONE]" {
				continue
			}
			var kind struct {
				Type string `json:"type"`
			}
			if decode(data, &kind) != nil {
				h.say(fakes.Raw{Line: string(block) + "\n\n", EOL: fakes.EOLNone})
				continue
			}
			hear(kind.Type, data, false)
		}
	}
	return h.end()
}

// decode reads what others wrote: they may repeat names.
func decode(data []byte, to any) error {
	return json.Unmarshal(data, to, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

func (h *hearer) say(f fakes.Frame) { h.frames = append(h.frames, f) }

func (h *hearer) text(text string) {
	if text != "" {
		h.say(fakes.Delta{Text: text})
	}
}

func (h *hearer) think(text string) {
	if text != "" {
		h.say(fakes.Think{Text: text})
	}
}

// part is a piece of the call at an index.
func (h *hearer) part(index int, id, name, input string) {
	c := h.calls[index]
	if c == nil {
		c = &heardCall{}
		h.calls[index] = c
		h.order = append(h.order, c)
	}
	c.id, c.name, c.input = or(c.id, id), or(c.name, name), c.input+input
}

// called says the calls that have come whole.
func (h *hearer) called() {
	for i, c := range h.order {
		switch {
		case c.input == "":
			h.say(fakes.ToolCall{ID: c.id, Name: c.name, Input: "{}"})
		case jsontext.Value(c.input).IsValid():
			h.say(fakes.ToolCall{ID: c.id, Name: c.name, Input: c.input})
		default:
			h.say(fakes.CallPart{Index: i, ID: c.id, Name: c.name, Fragment: c.input})
		}
	}
	h.order, h.calls = nil, map[int]*heardCall{}
}

func (h *hearer) count(to **int64, n *int64) {
	if n != nil {
		*to, h.costs = n, true
	}
}

func (h *hearer) fail(code, message string) {
	h.called()
	h.failed = true
	h.say(fakes.Failure{Code: code, Message: message, Fatal: true})
}

// end closes what was heard. A stream without a terminal event was cut.
func (h *hearer) end() []fakes.Frame {
	h.called()
	if h.costs {
		h.usage.Kind = fakes.UsageTurn
		h.frames = append([]fakes.Frame{h.usage}, h.frames...)
	}
	switch {
	case h.failed:
	case h.stop == "":
		h.say(fakes.Cut{})
	default:
		h.say(fakes.End{Reason: h.stop})
	}
	return h.frames
}

// native keeps an event that is not known.
func (h *hearer) native(kind string, data []byte) {
	fields, err := objectFields(string(data))
	if err != nil {
		return
	}
	delete(fields, "type")
	h.say(fakes.Native{Type: kind, Fields: string(jsonText(fields))})
}

// stopped translates a reason; words that a dialect does not share are told apart by
// themselves.
func stopped(reason string) fakes.EndReason {
	switch reason {
	case "max_tokens", "length", "max_output_tokens":
		return fakes.EndLength
	case "refusal", "content_filter":
		return fakes.EndRefusal
	case "tool_use", "tool_calls":
		return fakes.EndToolUse
	}
	return fakes.EndOK
}

type heardUsage struct {
	Input      *int64 `json:"input_tokens"`
	Output     *int64 `json:"output_tokens"`
	CacheRead  *int64 `json:"cache_read_input_tokens"`
	CacheWrite *int64 `json:"cache_creation_input_tokens"`
	Prompt     *int64 `json:"prompt_tokens"`
	Completion *int64 `json:"completion_tokens"`
	PromptOf   struct {
		Cached *int64 `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionOf struct {
		Reasoning *int64 `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
	InputOf struct {
		Cached *int64 `json:"cached_tokens"`
	} `json:"input_tokens_details"`
	OutputOf struct {
		Reasoning *int64 `json:"reasoning_tokens"`
	} `json:"output_tokens_details"`
}

func (h *hearer) spent(u *heardUsage) {
	if u == nil {
		return
	}
	for _, n := range []*int64{u.Input, u.Prompt} {
		h.count(&h.usage.In, n)
	}
	for _, n := range []*int64{u.Output, u.Completion} {
		h.count(&h.usage.Out, n)
	}
	for _, n := range []*int64{u.CacheRead, u.PromptOf.Cached, u.InputOf.Cached} {
		h.count(&h.usage.CacheRead, n)
	}
	for _, n := range []*int64{u.CompletionOf.Reasoning, u.OutputOf.Reasoning} {
		h.count(&h.usage.Reasoning, n)
	}
	h.count(&h.usage.CacheWrite, u.CacheWrite)
}

type heardError struct {
	Type    string `json:"type"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

type heardBlock struct {
	Type     string         `json:"type"`
	Text     string         `json:"text"`
	Thinking string         `json:"thinking"`
	ID       string         `json:"id"`
	Name     string         `json:"name"`
	Input    jsontext.Value `json:"input"`
}

func (h *hearer) anthropic(kind string, data []byte, whole bool) {
	var e struct {
		Index   int `json:"index"`
		Message struct {
			Usage *heardUsage `json:"usage"`
		} `json:"message"`
		Block heardBlock `json:"content_block"`
		Delta struct {
			Type       string `json:"type"`
			Text       string `json:"text"`
			Thinking   string `json:"thinking"`
			JSON       string `json:"partial_json"`
			StopReason string `json:"stop_reason"`
		} `json:"delta"`
		Usage      *heardUsage  `json:"usage"`
		Error      heardError   `json:"error"`
		Content    []heardBlock `json:"content"`
		StopReason string       `json:"stop_reason"`
	}
	if decode(data, &e) != nil {
		return
	}
	if whole {
		for _, b := range e.Content {
			h.text(b.Text)
			h.think(b.Thinking)
			if b.Type == "tool_use" {
				h.say(fakes.ToolCall{ID: b.ID, Name: b.Name, Input: string(b.Input)})
			}
		}
		h.spent(e.Usage)
		h.stop = stopped(e.StopReason)
		return
	}
	switch kind {
	case "message_start":
		h.spent(e.Message.Usage)
	case "content_block_start":
		if e.Block.Type == "tool_use" {
			h.part(e.Index, e.Block.ID, e.Block.Name, "")
		}
		h.text(e.Block.Text)
	case "content_block_delta":
		h.text(e.Delta.Text)
		h.think(e.Delta.Thinking)
		if e.Delta.Type == "input_json_delta" {
			h.part(e.Index, "", "", e.Delta.JSON)
		}
	case "content_block_stop":
		h.called()
	case "message_delta":
		h.spent(e.Usage)
		h.stop = stopped(e.Delta.StopReason)
	case "error":
		h.fail(e.Error.Type, e.Error.Message)
	case "ping", "message_stop":
	default:
		h.native(kind, data)
	}
}

type heardMessage struct {
	Content   string `json:"content"`
	Reasoning string `json:"reasoning_content"`
	Calls     []struct {
		Index    *int   `json:"index"`
		ID       string `json:"id"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

func (h *hearer) chat(kind string, data []byte, _ bool) {
	var e struct {
		Choices []struct {
			Delta   heardMessage `json:"delta"`
			Message heardMessage `json:"message"`
			Finish  string       `json:"finish_reason"`
		} `json:"choices"`
		Usage *heardUsage `json:"usage"`
		Error *heardError `json:"error"`
	}
	if decode(data, &e) != nil {
		return
	}
	if e.Error != nil {
		h.fail(or(e.Error.Code, e.Error.Type), e.Error.Message)
		return
	}
	if e.Choices == nil && e.Usage == nil && kind != "" {
		h.native(kind, data)
		return
	}
	h.spent(e.Usage)
	for _, c := range e.Choices[:min(1, len(e.Choices))] {
		for _, m := range []heardMessage{c.Delta, c.Message} {
			h.think(m.Reasoning)
			h.text(m.Content)
			for i, call := range m.Calls {
				if call.Index != nil {
					i = *call.Index
				}
				h.part(i, call.ID, call.Function.Name, call.Function.Arguments)
			}
		}
		if c.Finish != "" {
			h.called()
			h.stop = stopped(c.Finish)
		}
	}
}

type heardItem struct {
	Type      string `json:"type"`
	CallID    string `json:"call_id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
	Input     string `json:"input"`
	Content   []struct {
		Text string `json:"text"`
	} `json:"content"`
	Summary []struct {
		Text string `json:"text"`
	} `json:"summary"`
}

// item says an item of the output; texts only where no pieces told them.
func (h *hearer) item(i heardItem, texts bool) {
	switch i.Type {
	case "function_call":
		h.say(fakes.ToolCall{ID: i.CallID, Name: i.Name, Input: or(i.Arguments, "{}")})
	case "custom_tool_call":
		h.say(fakes.ToolCall{ID: i.CallID, Name: i.Name, Input: string(jsonText(i.Input))})
	}
	for _, c := range i.Content {
		if texts {
			h.text(c.Text)
		}
	}
	for _, s := range i.Summary {
		if texts {
			h.think(s.Text)
		}
	}
}

type heardResponse struct {
	Status     string      `json:"status"`
	Output     []heardItem `json:"output"`
	Usage      *heardUsage `json:"usage"`
	Error      *heardError `json:"error"`
	Incomplete *struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
}

func (h *hearer) finished(r heardResponse) {
	h.spent(r.Usage)
	switch {
	case r.Error != nil:
		h.fail(r.Error.Code, r.Error.Message)
	case r.Incomplete != nil:
		h.stop = stopped(r.Incomplete.Reason)
	default:
		h.stop = fakes.EndOK
	}
}

func (h *hearer) responses(kind string, data []byte, whole bool) {
	if whole {
		var r heardResponse
		if decode(data, &r) != nil {
			return
		}
		for _, i := range r.Output {
			h.item(i, true)
		}
		h.finished(r)
		return
	}
	var e struct {
		Delta    string        `json:"delta"`
		Item     heardItem     `json:"item"`
		Response heardResponse `json:"response"`
		Code     string        `json:"code"`
		Message  string        `json:"message"`
	}
	if decode(data, &e) != nil {
		return
	}
	switch kind {
	case "response.output_text.delta":
		h.text(e.Delta)
	case "response.reasoning_summary_text.delta":
		h.think(e.Delta)
	case "response.output_item.done":
		h.item(e.Item, false)
	case "response.completed", "response.incomplete", "response.failed":
		h.finished(e.Response)
	case "error":
		h.fail(e.Code, e.Message)
	case "response.created", "response.in_progress", "response.output_item.added", "response.content_part.added", "response.content_part.done",
		"response.output_text.done", "response.reasoning_summary_part.added", "response.reasoning_summary_part.done", "response.reasoning_summary_text.done",
		"response.function_call_arguments.delta", "response.function_call_arguments.done", "response.custom_tool_call_input.delta", "response.custom_tool_call_input.done":
	default:
		h.native(kind, data)
	}
}

// refused reads an answer with an error's status.
func refused(d Dialect, status int, contentType string, body []byte) *Refusal {
	var e struct {
		Error struct {
			Type    string  `json:"type"`
			Message string  `json:"message"`
			Param   *string `json:"param"`
			Code    *string `json:"code"`
		} `json:"error"`
	}
	if decode(body, &e) != nil || e.Error.Message == "" {
		return &Refusal{Status: status, ContentType: contentType, Body: string(body)}
	}
	r := &Refusal{Status: status, Type: e.Error.Type, Message: e.Error.Message}
	if d.openAI() {
		if e.Error.Param != nil {
			r.Param = *e.Error.Param
		}
		if e.Error.Code != nil {
			r.Code = *e.Error.Code
		}
	}
	return r
}
