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
	at     int   // bytes of the stream so far
	pieces []int // what at was at each piece of the answer
}

// heardCall is a call of which pieces have come.
type heardCall struct {
	id, name, input string
}

// frozen reads an answer of a dialect into frames. Pieces are the places in a stream, in
// bytes, at which pieces of the answer had come.
func frozen(d Dialect, contentType string, body []byte) (frames []fakes.Frame, pieces []int) {
	h := &hearer{calls: map[int]*heardCall{}}
	hear := map[Dialect]func(kind string, data []byte, whole bool){Anthropic: h.anthropic, Chat: h.chat, Responses: h.responses}[d]
	if !strings.HasPrefix(contentType, "text/event-stream") {
		hear("", body, true)
		return h.end(), []int{1}
	}
	text := bytes.ReplaceAll(body, []byte("\r\n"), []byte("\n"))
	perLine := 0
	if len(text) < len(body) {
		perLine = 1
	}
	for block := range bytes.SplitSeq(text, []byte("\n\n")) {
		h.at += len(block) + 2 + perLine*(bytes.Count(block, []byte("\n"))+2)
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
	return h.end(), h.pieces
}

// decode reads what others wrote: they may repeat names.
func decode(data []byte, to any) error {
	return json.Unmarshal(data, to, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

func (h *hearer) say(f fakes.Frame) { h.frames = append(h.frames, f) }

// piece notes that a piece of the answer has come.
func (h *hearer) piece() { h.pieces = append(h.pieces, h.at) }

func (h *hearer) text(text string) {
	if text != "" {
		h.piece()
		h.say(fakes.Delta{Text: text})
	}
}

func (h *hearer) think(text string) {
	if text != "" {
		h.piece()
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
	if input != "" {
		h.piece()
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
