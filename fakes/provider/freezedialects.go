package provider

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes"
)

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
	case "function_call", "custom_tool_call":
		h.piece()
	}
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
