package provider_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/fakes/provider"
)

// What the providers refuse, and in which words. The bodies are whole, ids apart.
func TestManners(t *testing.T) {
	s := start(t, provider.Options{Keys: []string{testKey}})
	must(t, s.Answer(provider.When{}, deltas("fine")...))
	anthropic := func(kind, message string) string {
		return `{"type":"error","error":{"type":"` + kind + `","message":"` + message + `"},"request_id":"ID"}`
	}
	openai := func(kind, param, code, message string) string {
		return `{"error":{"message":"` + message + `","type":"` + kind + `","param":` + param + `,"code":` + code + `}}`
	}
	header := func(name, value string) func(*http.Request) {
		return func(r *http.Request) {
			r.Header.Del(name)
			if name == "X-Api-Key" {
				r.Header.Del("Authorization")
			}
			if value != "" {
				r.Header.Set(name, value)
			}
		}
	}
	const a, c, r = "/v1/messages", "/v1/chat/completions", "/v1/responses"
	for _, test := range []struct {
		name   string
		path   string
		change func(*http.Request)
		body   string
		status int
		want   string
	}{
		{"no version", a, header("Anthropic-Version", ""), `{}`, 400, anthropic("invalid_request_error", "anthropic-version: header is required")},
		{"no key", a, header("X-Api-Key", ""), `{}`, 401, anthropic("authentication_error", "x-api-key header is required")},
		{"wrong key", a, header("X-Api-Key", "sk-wrong"), `{}`, 401, anthropic("authentication_error", "invalid x-api-key")},
		{"no model", a, nil, `{}`, 400, anthropic("invalid_request_error", "model: Field required")},
		{"no max_tokens", a, nil, `{"model":"m","messages":[]}`, 400, anthropic("invalid_request_error", "max_tokens: Field required")},
		{"no messages", a, nil, `{"model":"m","max_tokens":1}`, 400, anthropic("invalid_request_error", "messages: Field required")},
		{"empty messages", a, nil, `{"model":"m","max_tokens":1,"messages":[]}`, 400, anthropic("invalid_request_error", "messages: at least one message is required")},
		{"messages of a wrong type", a, nil, `{"model":"m","max_tokens":1,"messages":"hi"}`, 400, anthropic("invalid_request_error", "messages: Input should be a valid list")},
		{"max_tokens of a wrong type", a, nil, `{"model":"m","max_tokens":"1","messages":[]}`, 400, anthropic("invalid_request_error", "max_tokens: Input should be a valid integer")},
		{"role", a, nil, `{"model":"m","max_tokens":1,"messages":[{"role":"boss","content":"x"}]}`, 400, anthropic("invalid_request_error", "messages.0.role: Input should be 'user' or 'assistant'")},
		{"assistant first", a, nil, `{"model":"m","max_tokens":1,"messages":[{"role":"assistant","content":"x"}]}`, 400, anthropic("invalid_request_error", `messages: first message must use the \"user\" role`)},
		{"empty text", a, nil, `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":[{"type":"text","text":""}]}]}`, 400, anthropic("invalid_request_error", "messages: text content blocks must be non-empty")},
		{"white text", a, nil, `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":" \n"}]}`, 400, anthropic("invalid_request_error", "messages: text content blocks must contain non-whitespace text")},
		{"orphan result", a, nil, `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t9","content":"x"}]}]}`, 400,
			anthropic("invalid_request_error", "messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: t9. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.")},
		{"missing result", a, nil, `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"n","input":{}}]},{"role":"user","content":"y"}]}`, 400,
			anthropic("invalid_request_error", "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: t1. Each `tool_use` block must have a corresponding `tool_result` block in the next message.")},
		{"unknown version", a, header("Anthropic-Version", "2020-01-01"), `{}`, 400, anthropic("invalid_request_error", `anthropic-version: \"2020-01-01\" is not a valid version`)},
		{"sampling, of late", a, header("Anthropic-Version", "2026-10-21"), `{"model":"m","max_tokens":1,"temperature":1,"messages":[{"role":"user","content":"x"}]}`, 400, anthropic("invalid_request_error", "temperature: Extra inputs are not permitted")},
		{"document, of late", a, header("Anthropic-Version", "2026-10-21"), `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"document","citations":{"enabled":true}}]},{"role":"user","content":"y"}]}`, 400,
			anthropic("invalid_request_error", "messages.1.content: `document` blocks are not permitted in `assistant` messages")},
		{"citations, of late", a, header("Anthropic-Version", "2026-10-21"), `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":[{"type":"text","text":"x","citations":[{}]}]}]}`, 400,
			anthropic("invalid_request_error", "messages.0.content: `citations` are not permitted in `user` messages")},
		{"too long", a, nil, "", 413, anthropic("request_too_large", "Request exceeds the maximum size")},
		{"nowhere", "/v1/nowhere", nil, `{}`, 404, anthropic("not_found_error", "Not Found")},

		{"chat: no key", c, header("Authorization", ""), `{}`, 401, ""},
		{"chat: wrong key", c, func(r *http.Request) {
			r.Header.Del("X-Api-Key")
			r.Header.Set("Authorization", "Bearer sk-0123456789abcdefgh")
		}, `{}`, 401,
			openai("invalid_request_error", "null", `"invalid_api_key"`, "Incorrect API key provided: sk-0********efgh. You can find your API key at https://platform.openai.com/account/api-keys.")},
		{"chat: no model", c, nil, `{}`, 400, openai("invalid_request_error", "null", "null", "you must provide a model parameter")},
		{"chat: no messages", c, nil, `{"model":"m"}`, 400, openai("invalid_request_error", `"messages"`, `"missing_required_parameter"`, "Missing required parameter: 'messages'.")},
		{"chat: empty messages", c, nil, `{"model":"m","messages":[]}`, 400, openai("invalid_request_error", `"messages"`, `"empty_array"`, "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.")},
		{"chat: type", c, nil, `{"model":"m","messages":{}}`, 400, openai("invalid_request_error", `"messages"`, `"invalid_type"`, "Invalid type for 'messages': expected an array.")},
		{"chat: role", c, nil, `{"model":"m","messages":[{"role":"boss","content":"x"}]}`, 400, openai("invalid_request_error", `"messages[0].role"`, `"invalid_value"`, "Invalid value: 'boss'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.")},
		{"chat: null", c, nil, `{"model":"m","messages":[{"role":"user","content":null}]}`, 400, openai("invalid_request_error", `"messages.[0].content"`, "null", "Invalid value for 'content': expected a string, got null.")},
		{"chat: old limit", c, nil, `{"model":"gpt-5.4","max_tokens":3,"messages":[{"role":"user","content":"x"}]}`, 400, openai("invalid_request_error", `"max_tokens"`, `"unsupported_parameter"`, "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.")},
		{"chat: orphan result", c, nil, `{"model":"m","messages":[{"role":"user","content":"x"},{"role":"tool","tool_call_id":"t","content":"x"}]}`, 400,
			openai("invalid_request_error", `"messages.[1].role"`, "null", "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.")},
		{"chat: missing result", c, nil, `{"model":"m","messages":[{"role":"assistant","tool_calls":[{"id":"t1"},{"id":"t2"}]},{"role":"tool","tool_call_id":"t1","content":"x"},{"role":"user","content":"x"}]}`, 400,
			openai("invalid_request_error", `"messages.[2].role"`, "null", "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: t2")},
		{"chat: no JSON", c, nil, `{"model":`, 400, ""},
		{"responses: no input", r, nil, `{"model":"m"}`, 400, openai("invalid_request_error", `"input"`, `"missing_required_parameter"`, "Missing required parameter: 'input'.")},
		{"responses: orphan result", r, nil, `{"model":"m","input":[{"type":"function_call_output","call_id":"t","output":"x"}]}`, 400, openai("invalid_request_error", `"input"`, "null", "No tool call found for function call output with call_id t.")},
		{"responses: missing result", r, nil, `{"model":"m","input":[{"type":"function_call","call_id":"t","name":"n","arguments":"{}"}]}`, 400, openai("invalid_request_error", `"input"`, "null", "No tool output found for function call t.")},
		{"openai nowhere", "/v1/nowhere", func(r *http.Request) { r.Header.Del("Anthropic-Version"); r.Header.Del("X-Api-Key") }, `{}`, 404, openai("invalid_request_error", "null", "null", "Invalid URL (POST /v1/nowhere)")},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.name == "too long" {
				test.body = `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"` + strings.Repeat("x", 33<<20) + `"}]}`
			}
			req := request(t, s.URL()+test.path, test.body)
			if test.change != nil {
				test.change(req)
			}
			got := send(t, req)
			if id := got.header.Get("Request-Id"); id != "" {
				got.body = strings.ReplaceAll(got.body, id, "ID")
			} else if got.header.Get("X-Request-Id") == "" {
				t.Error("an answer without a request id")
			}
			if got.status != test.status {
				t.Errorf("status %d, want %d", got.status, test.status)
			}
			if d := cmp.Diff(test.want, got.body); test.want != "" && d != "" {
				t.Errorf("body (-want +got):\n%s", d)
			}
			if got.header.Get("Content-Type") != "application/json" {
				t.Errorf("content type %q", got.header.Get("Content-Type"))
			}
		})
	}
	for _, x := range s.Journal() {
		if x.Rule != "" {
			t.Errorf("exchange %d was answered by a rule", x.Number)
		}
	}
}

// What the providers take.
func TestGoodManners(t *testing.T) {
	s := start(t, provider.Options{Keys: []string{testKey}})
	must(t, s.Answer(provider.When{}, deltas("fine")...))
	for _, test := range []struct{ name, path, body string }{
		{"a query", "/v1/messages?beta=true", body(provider.Anthropic, true, "x")},
		{"below another address", "/api/v1/chat/completions", body(provider.Chat, true, "x")},
		{"sampling, as it was", "/v1/messages", `{"model":"m","max_tokens":1,"temperature":1,"messages":[{"role":"user","content":[{"type":"text","text":"x","citations":[{}]}]},{"role":"assistant","content":[{"type":"document"}]},{"role":"user","content":"x"}]}`},
		{"a system message", "/v1/messages", `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"x"},{"role":"system","content":[{"type":"text","text":"s"}]}]}`},
		{"a result and a system message", "/v1/messages", `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"n","input":{}}]},{"role":"system","content":"s"},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1"}]}]}`},
		{"a picture alone", "/v1/messages", `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":[{"type":"image","source":{}}]},{"role":"user","content":"x"}]}`},
		{"the beginning of the answer", "/v1/messages", `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"x"},{"role":"assistant","content":"{"}]}`},
		{"a name twice", "/v1/messages", `{"model":"m","model":"m","max_tokens":1,"messages":[{"role":"user","content":"x"}]}`},
		{"a picture in chat", "/v1/chat/completions", `{"model":"m","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:"}}]}]}`},
		{"nulls in chat", "/v1/chat/completions", `{"model":"m","stream":null,"stream_options":null,"tools":[],"messages":[{"role":"user","content":"x"},{"role":"assistant","content":null,"tool_calls":null},{"role":"user","content":"x"}]}`},
		{"max_tokens of an older model", "/v1/chat/completions", `{"model":"gpt-4o","max_tokens":3,"messages":[{"role":"user","content":"x"}]}`},
		{"results of a conversation elsewhere", "/v1/responses", `{"model":"m","previous_response_id":"resp_1","input":[{"type":"function_call_output","call_id":"t","output":"x"}]}`},
		{"roles of messages without a type", "/v1/responses", `{"model":"m","input":[{"role":"developer","content":"s"},{"role":"user","content":"x"}]}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := post(t, s.URL()+test.path, test.body); got.status != 200 || !strings.Contains(got.body, "fine") {
				t.Errorf("status %d: %s", got.status, got.body)
			}
		})
	}
}

// Long requests are read whole, whatever their framing.
func TestLongRequests(t *testing.T) {
	s := start(t, provider.Options{})
	must(t, s.Answer(provider.When{Text: "the end"}, deltas("fine")...))
	for _, n := range []int{100 << 10, 10 << 20} {
		text := body(provider.Anthropic, false, strings.Repeat(`lorem \"ipsum\" `, n/16)+"the end")
		if got := post(t, s.URL()+"/v1/messages", text); got.status != 200 {
			t.Errorf("%d bytes: status %d", n, got.status)
		}
		chunked := request(t, s.URL()+"/v1/messages", text)
		chunked.ContentLength = -1
		if got := send(t, chunked); got.status != 200 {
			t.Errorf("%d bytes in chunks: status %d", n, got.status)
		}
	}
}

// Beside answers a provider has a few other addresses.
func TestOtherAddresses(t *testing.T) {
	s := start(t, provider.Options{Models: []string{"llama3.2"}})
	get := func(method, path string, names ...string) answer {
		r, err := http.NewRequestWithContext(t.Context(), method, s.URL()+path, nil)
		must(t, err)
		for _, name := range names {
			r.Header.Set(name, testKey)
		}
		return send(t, r)
	}
	for _, test := range []struct {
		got    answer
		status int
		want   string
	}{
		{get("HEAD", "/"), 200, ""},
		{get("GET", "/api/hello"), 200, ""},
		{get("GET", "/api/tags"), 200, `{"models":[{"name":"llama3.2:latest"`},
		{get("GET", "/v1/models"), 401, "You didn't provide an API key"},
		{get("GET", "/v1/models", "X-Api-Key"), 400, "anthropic-version: header is required"},
		{get("GET", "/v1/messages", "X-Api-Key"), 405, "Not allowed to GET"},
		{post(t, s.URL()+"/v1/models", "{}"), 405, "Not allowed to POST"},
		{post(t, s.URL()+"/v1/messages/count_tokens", `{"model":"llama3.2","messages":[{"role":"user","content":"x"}]}`), 200, `{"input_tokens":`},
		{post(t, s.URL()+"/v1/messages", `{"model":"other","max_tokens":1,"messages":[{"role":"user","content":"x"}]}`), 404, `"message":"model: other"`},
	} {
		if test.got.status != test.status || !strings.Contains(test.got.body, test.want) {
			t.Errorf("status %d, %q, want %d and %s", test.got.status, test.got.body, test.status, test.want)
		}
	}
}
