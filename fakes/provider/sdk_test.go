package provider_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/option"
	"github.com/google/go-cmp/cmp"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/provider"
)

// The official SDKs are the judges here: what they make of a stream is what counts.

func anthropicClient(s *provider.Space) *anthropic.Client {
	return new(anthropic.NewClient(anthropicoption.WithBaseURL(s.URL()), anthropicoption.WithAPIKey(testKey), anthropicoption.WithMaxRetries(0)))
}

func openaiClient(s *provider.Space) *openai.Client {
	return new(openai.NewClient(option.WithBaseURL(s.URL()+"/v1"), option.WithAPIKey(testKey), option.WithMaxRetries(0)))
}

// said is what an SDK understood.
type said struct {
	ID, Model, Text, Think string
	Calls                  []string // id name input
	Stop                   string
	In, Out, Cached        int64
}

func understood(stop string) said {
	return said{Text: "I will look: ü \"q\" \u2028 \\ é.", Think: "The directory first.",
		Calls: []string{`t1 read {"deep":{"n":[1,2]},"path":"a"}`, `t2 list {"dir":"."}`}, Stop: stop, In: 120, Out: 34, Cached: 20}
}

// compact brings a tool's input into one form.
func compact(t *testing.T, input string) string {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(input), &v); err != nil {
		t.Fatalf("tool input %q: %v", input, err)
	}
	out, err := json.Marshal(v)
	must(t, err)
	return string(out)
}

func compare(t *testing.T, want, got said, id, model string) {
	t.Helper()
	if !strings.HasPrefix(got.ID, id) || len(got.ID) < len(id)+8 {
		t.Errorf("id %q, want %s…", got.ID, id)
	}
	if got.Model != model {
		t.Errorf("model %q, want %q", got.Model, model)
	}
	got.ID, got.Model = "", ""
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("understood (-want +got):\n%s", d)
	}
}

func anthropicParams() anthropic.MessageNewParams {
	return anthropic.MessageNewParams{Model: "claude-sonnet-5", MaxTokens: 1000,
		Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("look"))}}
}

func ofAnthropic(t *testing.T, m *anthropic.Message) said {
	t.Helper()
	out := said{ID: m.ID, Model: string(m.Model), Stop: string(m.StopReason), In: m.Usage.InputTokens, Out: m.Usage.OutputTokens, Cached: m.Usage.CacheReadInputTokens}
	for _, b := range m.Content {
		switch b := b.AsAny().(type) {
		case anthropic.TextBlock:
			out.Text += b.Text
		case anthropic.ThinkingBlock:
			if b.Signature == "" {
				t.Error("reasoning without a signature")
			}
			out.Think += b.Thinking
		case anthropic.ToolUseBlock:
			out.Calls = append(out.Calls, b.ID+" "+b.Name+" "+compact(t, string(b.Input)))
		}
	}
	return out
}

func TestAnthropicSDK(t *testing.T) {
	s := start(t, provider.Options{Keys: []string{testKey}})
	must(t, s.Answer(provider.When{}, told()...))
	client := anthropicClient(s.Space)
	t.Run("stream", func(t *testing.T) {
		stream := client.Messages.NewStreaming(t.Context(), anthropicParams())
		var m anthropic.Message
		for stream.Next() {
			must(t, m.Accumulate(stream.Current()))
		}
		must(t, stream.Err())
		compare(t, understood("tool_use"), ofAnthropic(t, &m), "msg_", "claude-sonnet-5")
	})
	t.Run("plain", func(t *testing.T) {
		m, err := client.Messages.New(t.Context(), anthropicParams())
		must(t, err)
		compare(t, understood("tool_use"), ofAnthropic(t, m), "msg_", "claude-sonnet-5")
	})
}

func chatParams() openai.ChatCompletionNewParams {
	return openai.ChatCompletionNewParams{Model: "gpt-4o-mini", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("look")},
		StreamOptions: openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)}}
}

func ofChat(t *testing.T, c openai.ChatCompletion) said {
	t.Helper()
	choice := c.Choices[0]
	out := said{ID: c.ID, Model: c.Model, Stop: choice.FinishReason, Text: choice.Message.Content, In: c.Usage.PromptTokens, Out: c.Usage.CompletionTokens,
		Cached: c.Usage.PromptTokensDetails.CachedTokens}
	for _, call := range choice.Message.ToolCalls {
		out.Calls = append(out.Calls, call.ID+" "+call.Function.Name+" "+compact(t, call.Function.Arguments))
	}
	return out
}

func TestChatSDK(t *testing.T) {
	s := start(t, provider.Options{Keys: []string{testKey}})
	must(t, s.Answer(provider.When{}, told()...))
	client := openaiClient(s.Space)
	want := understood("tool_calls")
	want.Think = "" // the SDK has no field for what other providers add
	t.Run("stream", func(t *testing.T) {
		stream := client.Chat.Completions.NewStreaming(t.Context(), chatParams())
		acc := openai.ChatCompletionAccumulator{}
		for stream.Next() {
			if !acc.AddChunk(stream.Current()) {
				t.Fatal("a chunk does not fit those before")
			}
		}
		must(t, stream.Err())
		compare(t, want, ofChat(t, acc.ChatCompletion), "chatcmpl-", "gpt-4o-mini")
	})
	t.Run("plain", func(t *testing.T) {
		params := chatParams()
		params.StreamOptions = openai.ChatCompletionStreamOptionsParam{}
		c, err := client.Chat.Completions.New(t.Context(), params)
		must(t, err)
		compare(t, want, ofChat(t, *c), "chatcmpl-", "gpt-4o-mini")
	})
}

func responsesParams() responses.ResponseNewParams {
	return responses.ResponseNewParams{Model: shared.ResponsesModel("gpt-5.4"), Input: responses.ResponseNewParamsInputUnion{OfString: openai.String("look")}}
}

func ofResponses(t *testing.T, r responses.Response) said {
	t.Helper()
	stop := string(r.Status)
	if r.IncompleteDetails.Reason != "" {
		stop += " " + r.IncompleteDetails.Reason
	}
	out := said{ID: r.ID, Model: r.Model, Text: r.OutputText(), Stop: stop, In: r.Usage.InputTokens, Out: r.Usage.OutputTokens, Cached: r.Usage.InputTokensDetails.CachedTokens}
	for _, item := range r.Output {
		switch item := item.AsAny().(type) {
		case responses.ResponseReasoningItem:
			for _, part := range item.Summary {
				out.Think += part.Text
			}
		case responses.ResponseFunctionToolCall:
			out.Calls = append(out.Calls, item.CallID+" "+item.Name+" "+compact(t, item.Arguments))
		}
	}
	return out
}

func TestResponsesSDK(t *testing.T) {
	s := start(t, provider.Options{Keys: []string{testKey}})
	must(t, s.Answer(provider.When{}, told()...))
	client := openaiClient(s.Space)
	t.Run("stream", func(t *testing.T) {
		stream := client.Responses.NewStreaming(t.Context(), responsesParams())
		var last responses.Response
		var text string
		var calls []string
		sequence := int64(-1)
		for stream.Next() {
			e := stream.Current()
			if e.SequenceNumber != sequence+1 {
				t.Errorf("event %s has the number %d after %d", e.Type, e.SequenceNumber, sequence)
			}
			sequence = e.SequenceNumber
			switch e := e.AsAny().(type) {
			case responses.ResponseTextDeltaEvent:
				text += e.Delta
			case responses.ResponseOutputItemDoneEvent:
				if e.Item.Type == "function_call" {
					calls = append(calls, e.Item.CallID)
				}
			case responses.ResponseCompletedEvent:
				last = e.Response
			}
		}
		must(t, stream.Err())
		compare(t, understood("completed"), ofResponses(t, last), "resp_", "gpt-5.4")
		if want := understood("").Text; text != want {
			t.Errorf("deltas say %q, want %q", text, want)
		}
		if d := cmp.Diff([]string{"t1", "t2"}, calls); d != "" {
			t.Errorf("items (-want +got):\n%s", d)
		}
	})
	t.Run("plain", func(t *testing.T) {
		r, err := client.Responses.New(t.Context(), responsesParams())
		must(t, err)
		compare(t, understood("completed"), ofResponses(t, *r), "resp_", "gpt-5.4")
	})
}

// How an answer stopped, as the SDKs see it.
func TestStopReasons(t *testing.T) {
	s := start(t, provider.Options{})
	for _, test := range []struct {
		reason                     fakes.EndReason
		anthropic, chat, responses string
	}{
		{fakes.EndOK, "end_turn", "stop", "completed"},
		{fakes.EndLength, "max_tokens", "length", "incomplete max_output_tokens"},
		{fakes.EndToolUse, "tool_use", "tool_calls", "completed"},
		{fakes.EndRefusal, "refusal", "content_filter", "incomplete content_filter"},
	} {
		t.Run(string(test.reason), func(t *testing.T) {
			space := s.Isolated(string(test.reason))
			must(t, space.Answer(provider.When{}, fakes.Delta{Text: "x"}, fakes.End{Reason: test.reason}))
			m, err := anthropicClient(space).Messages.New(t.Context(), anthropicParams())
			must(t, err)
			c, err := openaiClient(space).Chat.Completions.New(t.Context(), openai.ChatCompletionNewParams{Model: "m", Messages: chatParams().Messages})
			must(t, err)
			r, err := openaiClient(space).Responses.New(t.Context(), responsesParams())
			must(t, err)
			got := []string{ofAnthropic(t, m).Stop, ofChat(t, *c).Stop, ofResponses(t, *r).Stop}
			if d := cmp.Diff([]string{test.anthropic, test.chat, test.responses}, got); d != "" {
				t.Errorf("stop reasons (-want +got):\n%s", d)
			}
		})
	}
}

// The SDKs know the provider's errors for what they are.
func TestErrorsInSDKs(t *testing.T) {
	s := start(t, provider.Options{Keys: []string{testKey}, Models: []string{"claude-sonnet-5", "gpt-4o-mini", "gpt-5.4"}})
	must(t, s.Add(provider.Rule{When: provider.When{Text: "look"}, Refuse: &provider.Refusal{Status: 529}}))
	t.Run("anthropic", func(t *testing.T) {
		var e *anthropic.Error
		_, err := anthropicClient(s.Space).Messages.New(t.Context(), anthropicParams())
		if !errors.As(err, &e) || e.StatusCode != 529 || e.RequestID == "" || !strings.Contains(err.Error(), "overloaded_error") {
			t.Errorf("error %v", err)
		}
		client := anthropic.NewClient(anthropicoption.WithBaseURL(s.URL()), anthropicoption.WithAPIKey("wrong"), anthropicoption.WithMaxRetries(0))
		if _, err = client.Messages.New(t.Context(), anthropicParams()); !errors.As(err, &e) || e.StatusCode != 401 || !strings.Contains(err.Error(), "invalid x-api-key") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("openai", func(t *testing.T) {
		var e *openai.Error
		client := openai.NewClient(option.WithBaseURL(s.URL()+"/v1"), option.WithAPIKey("wrong"), option.WithMaxRetries(0))
		_, err := client.Chat.Completions.New(t.Context(), openai.ChatCompletionNewParams{Model: "gpt-4o-mini", Messages: chatParams().Messages})
		if !errors.As(err, &e) || e.StatusCode != 401 || e.Code != "invalid_api_key" {
			t.Errorf("error %v", err)
		}
		_, err = openaiClient(s.Space).Chat.Completions.New(t.Context(), openai.ChatCompletionNewParams{Model: "gpt-nope", Messages: chatParams().Messages})
		if !errors.As(err, &e) || e.StatusCode != 404 || e.Code != "model_not_found" {
			t.Errorf("error %v", err)
		}
	})
}

// An error in the middle of a stream.
func TestErrorsInStreams(t *testing.T) {
	s := start(t, provider.Options{})
	must(t, s.Answer(provider.When{}, fakes.Delta{Text: "so far"}, fakes.Failure{Code: "overloaded_error", Message: "too much"}))
	t.Run("anthropic", func(t *testing.T) {
		stream := anthropicClient(s.Space).Messages.NewStreaming(t.Context(), anthropicParams())
		n := 0
		for stream.Next() {
			n++
		}
		if err := stream.Err(); n == 0 || err == nil || !strings.Contains(err.Error(), "too much") {
			t.Errorf("%d events, error %v", n, err)
		}
	})
	t.Run("chat", func(t *testing.T) {
		stream := openaiClient(s.Space).Chat.Completions.NewStreaming(t.Context(), chatParams())
		n := 0
		for stream.Next() {
			n++
		}
		if err := stream.Err(); n == 0 || err == nil || !strings.Contains(err.Error(), "too much") {
			t.Errorf("%d events, error %v", n, err)
		}
	})
	t.Run("responses", func(t *testing.T) {
		stream := openaiClient(s.Space).Responses.NewStreaming(t.Context(), responsesParams())
		var failed responses.Response
		for stream.Next() {
			if e, is := stream.Current().AsAny().(responses.ResponseFailedEvent); is {
				failed = e.Response
			}
		}
		must(t, stream.Err())
		if failed.Error.Message != "too much" || failed.Status != "failed" {
			t.Errorf("failed as %+v", failed.Error)
		}
	})
}

// A conversation of two turns with a tool between, as an agent has it.
func TestToolLoop(t *testing.T) {
	s := start(t, provider.Options{})
	must(t, s.Answer(provider.When{Turn: 1, Results: new(false)}, fakes.ToolCall{ID: "t1", Name: "read", Input: `{}`}))
	must(t, s.Answer(provider.When{Turn: 2, Result: "t1"}, fakes.Delta{Text: "done"}))
	t.Run("anthropic", func(t *testing.T) {
		client, params := anthropicClient(s.Space), anthropicParams()
		m, err := client.Messages.New(t.Context(), params)
		must(t, err)
		params.Messages = append(params.Messages, m.ToParam(), anthropic.NewUserMessage(anthropic.NewToolResultBlock("t1", "A", false)))
		m, err = client.Messages.New(t.Context(), params)
		must(t, err)
		if got := ofAnthropic(t, m).Text; got != "done" {
			t.Errorf("said %q", got)
		}
	})
	t.Run("chat", func(t *testing.T) {
		client, params := openaiClient(s.Space), openai.ChatCompletionNewParams{Model: "m", Messages: chatParams().Messages}
		c, err := client.Chat.Completions.New(t.Context(), params)
		must(t, err)
		params.Messages = append(params.Messages, c.Choices[0].Message.ToParam(), openai.ToolMessage("A", "t1"))
		c, err = client.Chat.Completions.New(t.Context(), params)
		must(t, err)
		if got := c.Choices[0].Message.Content; got != "done" {
			t.Errorf("said %q", got)
		}
	})
	t.Run("responses", func(t *testing.T) {
		client, params := openaiClient(s.Space), responsesParams()
		_, err := client.Responses.New(t.Context(), params)
		must(t, err)
		output := responses.ResponseInputItemParamOfFunctionCallOutput("A")
		output.OfFunctionCallOutput.CallID = openai.String("t1")
		params.Input = responses.ResponseNewParamsInputUnion{OfInputItemList: responses.ResponseInputParam{
			responses.ResponseInputItemParamOfMessage("look", responses.EasyInputMessageRoleUser),
			responses.ResponseInputItemParamOfFunctionCall("{}", "t1", "read"),
			output,
		}}
		r, err := client.Responses.New(t.Context(), params)
		must(t, err)
		if got := r.OutputText(); got != "done" {
			t.Errorf("said %q", got)
		}
	})
	for _, x := range s.Journal() {
		if x.Turn != 1+(x.Number-1)%2 {
			t.Errorf("exchange %d is turn %d", x.Number, x.Turn)
		}
	}
}

func TestModelsInSDKs(t *testing.T) {
	s := start(t, provider.Options{Models: []string{"claude-sonnet-5", "gpt-4o-mini"}})
	page, err := anthropicClient(s.Space).Models.List(t.Context(), anthropic.ModelListParams{})
	must(t, err)
	list, err := openaiClient(s.Space).Models.List(t.Context())
	must(t, err)
	one, err := openaiClient(s.Space).Models.Get(t.Context(), "gpt-4o-mini")
	must(t, err)
	if len(page.Data) != 2 || page.Data[0].ID != "claude-sonnet-5" || len(list.Data) != 2 || one.ID != "gpt-4o-mini" {
		t.Errorf("models %v %v %v", page.Data, list.Data, one)
	}
}
