package provider

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"github.com/adaptercheck/adaptercheck/adapters/native/message"
	"github.com/adaptercheck/adaptercheck/adapters/native/tool"
)

// requestHeader names a request in the logs of a provider.
const requestHeader = "X-Client-Request-Id"

// messages speaks Anthropic Messages.
type messages struct{ service anthropic.MessageService }

func newMessages(base, key string, client *http.Client) messages {
	// A service of its own, and not a client, takes nothing from the environment.
	return messages{anthropic.NewMessageService(
		option.WithBaseURL(base), option.WithAPIKey(key), option.WithHTTPClient(client), option.WithMaxRetries(0), option.WithoutOpenTelemetry(),
	)}
}

// block is a part of an answer that is being told.
type block struct {
	kind, id, name string
	input          strings.Builder
}

func (m messages) turn(ctx context.Context, model string, r Request, l listener) (Answer, error) {
	var res *http.Response
	opts := []option.RequestOption{option.WithResponseInto(&res)}
	if r.ID != "" {
		opts = append(opts, option.WithHeader(requestHeader, r.ID))
	}
	stream := m.service.NewStreaming(ctx, messageParams(model, r), opts...)
	defer stream.Close()
	if err := stream.Err(); err != nil {
		return Answer{}, err
	}
	if err := isStream(res); err != nil {
		return Answer{}, err
	}
	var text strings.Builder
	a := Answer{}
	blocks := map[int64]*block{}
	var usage Usage
	stop, ended := "", false
	say := func(piece string, reasoning bool) {
		if piece == "" {
			return
		}
		if !reasoning {
			text.WriteString(piece)
		}
		l.say(Piece{Text: piece, Reasoning: reasoning})
	}
	for !ended && stream.Next() {
		l.heard()
		switch e := stream.Current(); e.Type {
		case "message_start":
			u := e.Message.Usage
			usage = Usage{In: u.InputTokens, CacheRead: u.CacheReadInputTokens, CacheWrite: u.CacheCreationInputTokens, Out: u.OutputTokens}
			a.Usage = &usage
		case "content_block_start":
			b := e.ContentBlock
			blocks[e.Index] = &block{kind: b.Type, id: b.ID, name: b.Name}
			say(b.Text, false)
			say(b.Thinking, true)
		case "content_block_delta":
			switch e.Delta.Type {
			case "text_delta":
				say(e.Delta.Text, false)
			case "thinking_delta":
				say(e.Delta.Thinking, true)
			case "input_json_delta":
				if b := blocks[e.Index]; b != nil {
					b.input.WriteString(e.Delta.PartialJSON)
				}
			}
		case "content_block_stop":
			if b := blocks[e.Index]; b != nil && b.kind == "tool_use" {
				l.called()
				a.Calls = append(a.Calls, Call{ID: b.id, Name: b.name, Input: input(b.input.String())})
			}
			delete(blocks, e.Index)
		case "message_delta":
			u := e.Usage // cumulative; a proxy may leave out what it knows no more of
			usage.In, usage.Out = max(usage.In, u.InputTokens), max(usage.Out, u.OutputTokens)
			usage.CacheRead, usage.CacheWrite = max(usage.CacheRead, u.CacheReadInputTokens), max(usage.CacheWrite, u.CacheCreationInputTokens)
			a.Usage = &usage
			if e.Delta.StopReason != "" {
				stop = string(e.Delta.StopReason)
			}
		case "message_stop":
			ended = true
		}
	}
	a.Text = text.String()
	if err := stream.Err(); err != nil {
		return a, err
	}
	if !ended {
		return a, errUnended
	}
	a.Stop = map[string]Stop{"tool_use": StopTools, "max_tokens": StopLength, "model_context_window_exceeded": StopLength, "refusal": StopRefusal}[stop]
	if a.Stop == "" {
		a.Stop = StopEnd
	}
	return a, nil
}

func messageParams(model string, r Request) anthropic.MessageNewParams {
	p := anthropic.MessageNewParams{
		Model: anthropic.Model(model), MaxTokens: r.MaxTokens,
		// The provider caches up to the end of the conversation by itself; nothing in the
		// messages moves from turn to turn.
		CacheControl: anthropic.NewCacheControlEphemeralParam(),
	}
	if r.System != "" {
		p.System = []anthropic.TextBlockParam{{Text: r.System}}
	}
	for _, d := range r.Tools {
		p.Tools = append(p.Tools, anthropic.ToolUnionParam{OfTool: toolParam(d)})
	}
	for _, m := range r.Messages {
		var content []anthropic.ContentBlockParamUnion
		for _, part := range m.Content {
			switch part.Kind {
			case message.KindText:
				if strings.TrimSpace(part.Text) != "" { // the provider takes no blank text
					content = append(content, anthropic.NewTextBlock(part.Text))
				}
			case message.KindCall:
				content = append(content, anthropic.NewToolUseBlock(callID(part.ID), json.RawMessage(part.Input), part.Name))
			case message.KindResult:
				content = append(content, resultBlock(part))
			}
		}
		if len(content) == 0 {
			continue
		}
		role := anthropic.MessageParamRoleUser
		if m.Role == message.Assistant {
			role = anthropic.MessageParamRoleAssistant
		}
		p.Messages = append(p.Messages, anthropic.MessageParam{Role: role, Content: content})
	}
	return p
}

func toolParam(d tool.Definition) *anthropic.ToolParam {
	t := &anthropic.ToolParam{Name: d.Name, InputSchema: param.Override[anthropic.ToolInputSchemaParam](schema(d))}
	if d.Description != "" {
		t.Description = anthropic.String(d.Description)
	}
	return t
}

// schema is what a definition says of its input.
func schema(d tool.Definition) json.RawMessage {
	if len(d.Schema) == 0 {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return slices.Clone(d.Schema)
}

// resultBlock answers a call. Text that is blank is left out: the provider takes none.
func resultBlock(part message.Part) anthropic.ContentBlockParamUnion {
	r := anthropic.ToolResultBlockParam{ToolUseID: callID(part.ID)}
	if strings.TrimSpace(part.Output) != "" {
		r.Content = []anthropic.ToolResultBlockParamContentUnion{{OfText: &anthropic.TextBlockParam{Text: part.Output}}}
	}
	if part.IsError {
		r.IsError = anthropic.Bool(true)
	}
	return anthropic.ContentBlockParamUnion{OfToolResult: &r}
}

// callID is an id as this provider takes it, which another one may have given.
func callID(id string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, id)
}
