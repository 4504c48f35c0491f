package provider

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/packages/respjson"
	"github.com/openai/openai-go/v3/shared"

	"github.com/adaptercheck/adaptercheck/adapters/native/message"
	"github.com/adaptercheck/adaptercheck/adapters/native/tool"
)

// chat speaks OpenAI Chat Completions, as all providers but one do.
type chat struct {
	service openai.ChatCompletionService
	// newLimit: the limit of an answer has the name that OpenAI gave it later.
	newLimit bool
}

func newChat(id ID, base, key string, client *http.Client) chat {
	// A service of its own, and not a client, takes nothing from the environment.
	return chat{
		service: openai.NewChatCompletionService(
			option.WithBaseURL(base), option.WithAPIKey(key), option.WithHTTPClient(client), option.WithMaxRetries(0),
		),
		newLimit: id == OpenAI,
	}
}

func (c chat) turn(ctx context.Context, model string, r Request, l listener) (Answer, error) {
	var res *http.Response
	opts := []option.RequestOption{option.WithResponseInto(&res)}
	if r.ID != "" {
		opts = append(opts, option.WithHeader(requestHeader, r.ID))
	}
	stream := c.service.NewStreaming(ctx, c.params(model, r), opts...)
	defer stream.Close()
	if err := stream.Err(); err != nil {
		return Answer{}, err
	}
	if err := isStream(res); err != nil {
		return Answer{}, err
	}
	var text strings.Builder
	say := func(piece string, reasoning bool) {
		if piece == "" {
			return
		}
		if !reasoning {
			text.WriteString(piece)
		}
		l.say(Piece{Text: piece, Reasoning: reasoning})
	}
	var a Answer
	calls := map[int64]*block{}
	var order []*block
	finish, refused := "", false
	for (finish == "" || a.Usage == nil) && stream.Next() { // what follows them is the last line, if that comes
		l.heard()
		chunk := stream.Current()
		if chunk.JSON.Usage.Valid() {
			a.Usage = chatUsage(chunk.Usage)
		}
		for _, choice := range chunk.Choices {
			d := choice.Delta
			say(reasoning(d.JSON.ExtraFields), true)
			say(d.Content, false)
			say(d.Refusal, false)
			refused = refused || d.Refusal != ""
			for _, piece := range d.ToolCalls {
				b := calls[piece.Index]
				// Some put all calls at one place: another id there is another call.
				if b == nil || piece.ID != "" && b.id != "" && piece.ID != b.id {
					b = &block{}
					calls[piece.Index] = b
					order = append(order, b)
				}
				if piece.ID != "" {
					b.id = piece.ID
				}
				if piece.Function.Name != "" {
					b.name = piece.Function.Name
				}
				b.input.WriteString(piece.Function.Arguments)
			}
			if choice.FinishReason != "" {
				finish = choice.FinishReason
			}
		}
	}
	a.Text = text.String()
	if err := stream.Err(); err != nil {
		return a, err
	}
	if finish == "" {
		return a, errUnended
	}
	switch {
	case refused, finish == "content_filter":
		a.Stop = StopRefusal
	case finish == "length":
		a.Stop = StopLength
	case finish == "error": // what routers say
		return a, errUnended
	case len(order) > 0:
		a.Stop = StopTools
	default:
		a.Stop = StopEnd
	}
	for _, b := range order {
		l.called()
		a.Calls = append(a.Calls, Call{ID: b.id, Name: b.name, Input: input(b.input.String())})
	}
	return a, nil
}

// chatUsage takes what was read from a cache out of the prompt, and the price that routers
// tell.
func chatUsage(u openai.CompletionUsage) *Usage {
	out := &Usage{Out: u.CompletionTokens, CacheRead: u.PromptTokensDetails.CachedTokens}
	out.In = max(0, u.PromptTokens-out.CacheRead)
	if cost, has := u.JSON.ExtraFields["cost"]; has {
		if usd, err := strconv.ParseFloat(cost.Raw(), 64); err == nil && usd >= 0 {
			out.CostUSD = &usd
		}
	}
	return out
}

// reasoning is what led to the answer, for which the dialect has no field of its own.
func reasoning(extra map[string]respjson.Field) string {
	for _, name := range []string{"reasoning_content", "reasoning"} {
		if f, has := extra[name]; has {
			var s string
			if json.Unmarshal([]byte(f.Raw()), &s) == nil && s != "" {
				return s
			}
		}
	}
	return ""
}

func (c chat) params(model string, r Request) openai.ChatCompletionNewParams {
	p := openai.ChatCompletionNewParams{Model: model, StreamOptions: openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)}}
	if c.newLimit {
		p.MaxCompletionTokens = openai.Int(r.MaxTokens)
	} else {
		p.MaxTokens = openai.Int(r.MaxTokens)
	}
	if r.System != "" {
		p.Messages = append(p.Messages, openai.SystemMessage(r.System))
	}
	for _, d := range r.Tools {
		p.Tools = append(p.Tools, chatTool(d))
	}
	for _, m := range r.Messages {
		if m.Role == message.Assistant {
			if spoken, any := spoken(m); any {
				p.Messages = append(p.Messages, spoken)
			}
			continue
		}
		var texts []string
		for _, part := range m.Content { // results come first, right behind their calls
			switch part.Kind {
			case message.KindText:
				texts = append(texts, part.Text)
			case message.KindResult:
				p.Messages = append(p.Messages, openai.ToolMessage(part.Output, part.ID))
			}
		}
		if len(texts) > 0 {
			p.Messages = append(p.Messages, openai.UserMessage(strings.Join(texts, "\n\n")))
		}
	}
	return p
}

func chatTool(d tool.Definition) openai.ChatCompletionToolUnionParam {
	f := param.Override[shared.FunctionDefinitionParam](functionDefinition{d.Name, d.Description, schema(d)})
	return openai.ChatCompletionFunctionTool(f)
}

// functionDefinition keeps the bytes of a schema, for which the SDK has a map.
type functionDefinition struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
}

// spoken is what the assistant said, and false if it said nothing.
func spoken(m message.Message) (openai.ChatCompletionMessageParamUnion, bool) {
	var out openai.ChatCompletionAssistantMessageParam
	var texts []string
	for _, part := range m.Content {
		switch part.Kind {
		case message.KindText:
			texts = append(texts, part.Text)
		case message.KindCall:
			out.ToolCalls = append(out.ToolCalls, openai.ChatCompletionMessageToolCallUnionParam{OfFunction: &openai.ChatCompletionMessageFunctionToolCallParam{
				ID: part.ID, Function: openai.ChatCompletionMessageFunctionToolCallFunctionParam{Name: part.Name, Arguments: string(part.Input)},
			}})
		}
	}
	if slices.ContainsFunc(texts, func(s string) bool { return s != "" }) {
		out.Content.OfString = openai.String(strings.Join(texts, ""))
	}
	return openai.ChatCompletionMessageParamUnion{OfAssistant: &out}, len(texts)+len(out.ToolCalls) > 0
}
