package puppet

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/provider"
)

// late renders what is on the wire behind the end of an answer, which no provider says: an
// end, a failure, text, a call. Anything else is a comment.
func late(d provider.Dialect, f fakes.Frame) fakes.Frame {
	text := lateChat(f)
	if d == provider.Anthropic {
		text = lateAnthropic(f)
	}
	if text == "" {
		text = ": " + f.Word() + "\n\n"
	}
	return fakes.Raw{Line: text, EOL: fakes.EOLNone}
}

// quoted is a JSON string.
func quoted(s string) string {
	text, _ := jsontext.AppendQuote(nil, s) // what is no UTF-8 is mended
	return string(text)
}

func lateAnthropic(f fakes.Frame) string {
	event := func(name, fields string) string {
		return fmt.Sprintf("event: %s\ndata: {\"type\":%q%s}\n\n", name, name, fields)
	}
	const index = `,"index":99`
	switch f := f.(type) {
	case fakes.End:
		return event("message_delta", `,"delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":0}`) + event("message_stop", "")
	case fakes.Failure:
		return event("error", `,"error":{"type":"api_error","message":`+quoted(f.Message)+`}`)
	case fakes.Delta:
		return event("content_block_start", index+`,"content_block":{"type":"text","text":""}`) +
			event("content_block_delta", index+`,"delta":{"type":"text_delta","text":`+quoted(f.Text)+`}`) + event("content_block_stop", index)
	case fakes.ToolCall:
		return event("content_block_start", index+`,"content_block":{"type":"tool_use","id":`+quoted(f.ID)+`,"name":`+quoted(f.Name)+`,"input":{}}`) +
			event("content_block_stop", index)
	}
	return ""
}

func lateChat(f fakes.Frame) string {
	chunk := func(delta, finish string) string {
		return `data: {"id":"late","object":"chat.completion.chunk","created":0,"model":"late","choices":[{"index":0,"delta":{` + delta + `},"finish_reason":` + finish + "}]}\n\n"
	}
	switch f := f.(type) {
	case fakes.End:
		return chunk("", `"stop"`) + strings.Replace(chunk("", "null"), `"choices":[{"index":0,"delta":{},"finish_reason":null}]`, `"choices":[],"usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}`, 1) + "data: [DONE]\n\n"
	case fakes.Failure:
		return `data: {"error":{"type":"server_error","message":` + quoted(f.Message) + "}}\n\n"
	case fakes.Delta:
		return chunk(`"content":`+quoted(f.Text), "null")
	case fakes.ToolCall:
		return chunk(`"tool_calls":[{"index":9,"id":`+quoted(f.ID)+`,"type":"function","function":{"name":`+quoted(f.Name)+`,"arguments":"{}"}}]`, "null")
	}
	return ""
}
