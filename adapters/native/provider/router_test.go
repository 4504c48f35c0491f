package provider_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/adapters/native/message"
	"github.com/adaptercheck/adaptercheck/adapters/native/provider"
	"github.com/adaptercheck/adaptercheck/adapters/native/tool"
	"github.com/adaptercheck/adaptercheck/fakes"
	fake "github.com/adaptercheck/adaptercheck/fakes/provider"
)

const key = "sk-canary-6d1f0c2e"

// asked is a turn with everything that a conversation has.
var asked = provider.Request{
	System: "You are tested.", MaxTokens: 100, ID: "native-1/run-1/2",
	Tools: []tool.Definition{{Name: "list"}, {Name: "read", Description: "reads", Schema: []byte(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`)}},
	Messages: []message.Message{
		message.FromUser("look"),
		{Role: message.Assistant, Content: []message.Part{message.Text("I will."), message.Call("t0", "list", jsontext.Value(`{}`))}},
		{Role: message.User, Content: []message.Part{message.Result("t0", "a.txt", false), message.Text("go on")}},
	},
}

func keys(string) string { return key }

// serve starts a fake provider with the rules.
func serve(t *testing.T, rules ...fake.Rule) *fake.Server {
	t.Helper()
	s, err := fake.New(t.Context(), fake.Options{Rules: rules, Keys: []string{key}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// router has candidates at addresses of their own; an address without a path is one of
// Anthropic.
func router(t *testing.T, o provider.Options) *provider.Router {
	t.Helper()
	if o.Keys == nil {
		o.Keys = keys
	}
	r, err := provider.NewRouter(o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func number(n int64) *int64 { return &n }

// Both dialects carry the same conversation, and tell the same answer.
func TestTurn(t *testing.T) {
	usd := 0.5
	for _, c := range []struct {
		id   provider.ID
		path string
		cost *float64
	}{{provider.Anthropic, "", nil}, {provider.OpenRouter, "/v1", &usd}} {
		t.Run(string(c.id), func(t *testing.T) {
			s := serve(t, fake.Rule{Frames: []fakes.Frame{
				fakes.Think{Text: "The directory "}, fakes.Think{Text: "first."}, fakes.Delta{Text: "I look: "}, fakes.Delta{Text: "ü🦜\u2028"},
				fakes.ToolCall{ID: "t1", Name: "read", Input: `{"path": "a"}`}, fakes.ToolCall{ID: "t2", Name: "list", Input: `{}`},
				fakes.Usage{In: number(120), Out: number(34), CacheRead: number(20), CostUSD: &usd},
			}})
			r := router(t, provider.Options{Candidates: []provider.Candidate{{Provider: c.id, Model: "model-1"}}, BaseURLs: map[provider.ID]string{c.id: s.URL() + c.path}})
			var text, thought strings.Builder
			a, err := r.Turn(t.Context(), asked, func(p provider.Piece) {
				if p.Model != "model-1" {
					t.Errorf("%q says it", p.Model)
				}
				if p.Reasoning {
					thought.WriteString(p.Text)
				} else {
					text.WriteString(p.Text)
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			in := int64(120)
			if c.id != provider.Anthropic {
				in = 100 // what was cached is counted in it on the wire
			}
			want := provider.Answer{
				Provider: c.id, Model: "model-1", Text: "I look: ü🦜\u2028", Stop: provider.StopTools,
				Calls: []provider.Call{{ID: "t1", Name: "read", Input: jsontext.Value(`{"path": "a"}`)}, {ID: "t2", Name: "list", Input: jsontext.Value(`{}`)}},
				Usage: &provider.Usage{In: in, CacheRead: 20, Out: 34, CostUSD: c.cost},
			}
			if diff := cmp.Diff(want, a); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
			if text.String() != want.Text || thought.String() != "The directory first." {
				t.Errorf("said %q, thought %q", &text, &thought)
			}
			x := s.Journal()[0]
			if x.Header.Get("X-Client-Request-Id") != asked.ID || len(x.Breaches) > 0 || x.Refused != "" {
				t.Errorf("header %q, breaches %v, refused %q", x.Header.Get("X-Client-Request-Id"), x.Breaches, x.Refused)
			}
			for _, word := range []string{`"You are tested."`, `"required":["path"]`, `"reads"`, `"a.txt"`, `"go on"`, `"t0"`, `"I will."`, `"stream":true`} {
				if !strings.Contains(x.Body, word) {
					t.Errorf("%s is not in the request:\n%s", word, x.Body)
				}
			}
		})
	}
}

func TestStops(t *testing.T) {
	for _, c := range []struct {
		reason fakes.EndReason
		want   provider.Stop
	}{{fakes.EndOK, provider.StopEnd}, {fakes.EndLength, provider.StopLength}, {fakes.EndRefusal, provider.StopRefusal}} {
		for id, path := range map[provider.ID]string{provider.Anthropic: "", provider.Groq: "/v1"} {
			s := serve(t, fake.Rule{Frames: []fakes.Frame{fakes.Delta{Text: "a"}, fakes.End{Reason: c.reason}}})
			r := router(t, provider.Options{Candidates: []provider.Candidate{{Provider: id, Model: "m"}}, BaseURLs: map[provider.ID]string{id: s.URL() + path}})
			if a, err := r.Turn(t.Context(), asked, func(provider.Piece) {}); err != nil || a.Stop != c.want {
				t.Errorf("%s %s: %s, %v", id, c.reason, a.Stop, err)
			}
		}
	}
}

// The limit of an answer has the name that the provider takes.
func TestLimit(t *testing.T) {
	for id, name := range map[provider.ID]string{provider.OpenAI: `"max_completion_tokens":100`, provider.Mistral: `"max_tokens":100`, provider.Anthropic: `"max_tokens":100`} {
		s := serve(t, fake.Rule{Frames: []fakes.Frame{fakes.Delta{Text: "a"}}})
		base := s.URL() + "/v1"
		if id == provider.Anthropic {
			base = s.URL()
		}
		r := router(t, provider.Options{Candidates: []provider.Candidate{{Provider: id, Model: "m"}}, BaseURLs: map[provider.ID]string{id: base}})
		if _, err := r.Turn(t.Context(), asked, func(provider.Piece) {}); err != nil {
			t.Fatal(err)
		}
		if body := s.Journal()[0].Body; !strings.Contains(body, name) {
			t.Errorf("%s: no %s in %s", id, name, body)
		}
	}
}

// Pieces of calls that are told at once, at one place, or without an id belong together.
func TestChatCalls(t *testing.T) {
	chunk := func(calls string) string {
		return `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[` + calls + `]},"finish_reason":null}]}` + "\n\n"
	}
	end := `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}` + "\n\ndata: [DONE]\n\n"
	for _, c := range []struct {
		name, chunks string
		want         []provider.Call
	}{
		{"interleaved", chunk(`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":"}},{"index":1,"id":"b","function":{"name":"g","arguments":"{\"y\""}}`) +
			chunk(`{"index":0,"function":{"arguments":"1}"}}`) + chunk(`{"index":1,"function":{"arguments":":2}"}}`),
			[]provider.Call{{ID: "a", Name: "f", Input: jsontext.Value(`{"x":1}`)}, {ID: "b", Name: "g", Input: jsontext.Value(`{"y":2}`)}}},
		{"at one place", chunk(`{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}`) + chunk(`{"index":0,"id":"b","function":{"name":"g","arguments":"{\"y\":"}}`) +
			chunk(`{"index":0,"function":{"arguments":"2}"}}`),
			[]provider.Call{{ID: "a", Name: "f", Input: jsontext.Value(`{}`)}, {ID: "b", Name: "g", Input: jsontext.Value(`{"y":2}`)}}},
		{"no input, no id", chunk(`{"index":0,"function":{"name":"f","arguments":""}}`), []provider.Call{{Name: "f", Input: jsontext.Value(`{}`)}}},
		{"input that is no object", chunk(`{"index":0,"id":"a","function":{"name":"f","arguments":"[1"}}`), []provider.Call{{ID: "a", Name: "f", Input: jsontext.Value(`{"_raw":"[1"}`)}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			at := answering(t, "text/event-stream", c.chunks+end)
			r := router(t, provider.Options{Candidates: []provider.Candidate{{Provider: provider.XAI, Model: "m"}}, BaseURLs: map[provider.ID]string{provider.XAI: at}})
			a, err := r.Turn(t.Context(), asked, func(provider.Piece) {})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, a.Calls); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
			if a.Usage != nil {
				t.Errorf("usage that nobody told: %+v", a.Usage)
			}
		})
	}
}

// answering is a server with one answer.
func answering(t *testing.T, contentType, body string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", contentType)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

const sse = "text/event-stream"

// begin is how an answer of Anthropic begins.
const begin = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"m\",\"content\":[],\"usage\":{\"input_tokens\":5,\"output_tokens\":1}}}\n\n"

// What is no answer of the dialect is a typed failure, and never one of the first kind for
// which others would be asked.
func TestGarbage(t *testing.T) {
	text := "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n" +
		"event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"hi\"}}\n\n"
	chunk := `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"hi"},"finish_reason":null}]}` + "\n\n"
	long := strings.Repeat("x", 40<<20)
	for _, c := range []struct {
		name, kind, body string
		of               provider.ID
		code             provider.Code
		yielded          bool
	}{
		{"a page", "text/html; charset=utf-8", "<html>gateway</html>", provider.Anthropic, provider.CodeMalformed, false},
		{"a page", "text/html", "<html>gateway</html>", provider.OpenAI, provider.CodeMalformed, false},
		{"an error that says 200", "application/json", `{"type":"error","error":{"type":"api_error","message":"no"}}`, provider.Anthropic, provider.CodeMalformed, false},
		{"an error that says 200", "application/json", `{"error":{"type":"server_error","message":"no"}}`, provider.OpenAI, provider.CodeMalformed, false},
		{"nothing", sse, "", provider.Anthropic, provider.CodeTruncated, false},
		{"nothing", sse, "", provider.OpenAI, provider.CodeTruncated, false},
		{"no events", sse, "hello\nworld\n\n", provider.Anthropic, provider.CodeTruncated, false},
		{"half an event", sse, begin + text + "event: content_block_delta\ndata: {\"type\":\"content_blo", provider.Anthropic, provider.CodeTruncated, true},
		{"half an event", sse, chunk + "data: {\"id\":\"c\",\"choi", provider.OpenAI, provider.CodeTruncated, true},
		{"no JSON", sse, begin + "event: content_block_delta\ndata: {{{\n\n", provider.Anthropic, provider.CodeMalformed, false},
		{"no JSON", sse, chunk + "data: {{{\n\n", provider.OpenAI, provider.CodeMalformed, true},
		{"no end", sse, begin + text, provider.Anthropic, provider.CodeTruncated, true},
		{"no end", sse, chunk + "data: [DONE]\n\n", provider.OpenAI, provider.CodeTruncated, true},
		{"an event without end", sse, begin + "event: ping\ndata: " + long + "\n\n", provider.Anthropic, provider.CodeMalformed, false},
		{"an error on the way", sse, begin + text + "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"busy " + key + "\"}}\n\n", provider.Anthropic, provider.CodeOverloaded, true},
		{"an error on the way", sse, chunk + `data: {"error":{"type":"server_error","message":"busy"}}` + "\n\n", provider.OpenAI, provider.CodeOverloaded, true},
		{"an error first", sse, "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"rate_limit_error\",\"message\":\"slow\"}}\n\n", provider.Anthropic, provider.CodeRateLimit, false},
		{"an error of another shape", sse, "event: error\ndata: \"" + key + "\"\n\n", provider.Anthropic, provider.CodeUnknown, false},
	} {
		t.Run(string(c.of)+" "+c.name, func(t *testing.T) {
			at := answering(t, c.kind, c.body)
			r := router(t, provider.Options{Candidates: []provider.Candidate{{Provider: c.of, Model: "m"}}, BaseURLs: map[provider.ID]string{c.of: at}})
			said := ""
			a, err := r.Turn(t.Context(), asked, func(p provider.Piece) { said += p.Text })
			var failed *provider.Error
			if !errors.As(err, &failed) || failed.Code != c.code || failed.Yielded != c.yielded || failed.Provider != c.of {
				t.Fatalf("error %+v (%v), want %s, yielded %t", failed, err, c.code, c.yielded)
			}
			if strings.Contains(err.Error(), key) || strings.Contains(err.Error(), "127.0.0.1") || strings.Contains(err.Error(), "<html>") {
				t.Errorf("the error tells too much: %v", err)
			}
			if c.yielded && (said != "hi" || a.Text != "hi") {
				t.Errorf("what came before: %q, %q", said, a.Text)
			}
		})
	}
}

// An event of ten megabytes is one like any other.
func TestLongEvent(t *testing.T) {
	text := strings.Repeat("x", 10<<20) + "漢"
	for id, body := range map[provider.ID]string{
		provider.Anthropic: begin + "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"" + text + "\"}}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
		provider.OpenAI:    `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"` + text + `"},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n",
	} {
		r := router(t, provider.Options{Candidates: []provider.Candidate{{Provider: id, Model: "m"}}, BaseURLs: map[provider.ID]string{id: answering(t, sse, body)}})
		if a, err := r.Turn(t.Context(), asked, func(provider.Piece) {}); err != nil || a.Text != text {
			t.Errorf("%s: %d bytes of %d, %v", id, len(a.Text), len(text), err)
		}
	}
}

// A failure before the first piece leads to the next provider exactly if it is one of
// reach, load, or right to ask; each is asked once.
func TestFallback(t *testing.T) {
	for _, c := range []struct {
		status int
		code   provider.Code
		falls  bool
	}{
		{400, provider.CodeBadRequest, false}, {401, provider.CodeAuth, true}, {402, provider.CodeAuth, true}, {403, provider.CodeAuth, true},
		{404, provider.CodeBadRequest, false}, {408, provider.CodeNetwork, true}, {409, provider.CodeOverloaded, true}, {413, provider.CodeBadRequest, false},
		{418, provider.CodeUnknown, false}, {422, provider.CodeBadRequest, false}, {429, provider.CodeRateLimit, true},
		{500, provider.CodeOverloaded, true}, {503, provider.CodeOverloaded, true}, {529, provider.CodeOverloaded, true},
	} {
		t.Run(fmt.Sprint(c.status), func(t *testing.T) {
			var requests atomic.Int64
			bad := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				requests.Add(1)
				w.Header().Set("Content-Type", "application/json")
				w.Header().Set("Retry-After", "0")
				w.WriteHeader(c.status)
				_ = json.MarshalWrite(w, map[string]any{"error": map[string]string{"type": "x", "message": "no, " + key}})
			}))
			defer bad.Close()
			good := serve(t, fake.Rule{Frames: []fakes.Frame{fakes.Delta{Text: "fine"}}})
			for _, first := range []provider.ID{provider.Anthropic, provider.OpenAI} {
				requests.Store(0)
				var told []provider.Code
				r := router(t, provider.Options{
					Candidates: []provider.Candidate{{Provider: first, Model: "m1"}, {Provider: provider.Groq, Model: "m2"}},
					BaseURLs:   map[provider.ID]string{first: bad.URL, provider.Groq: good.URL() + "/v1"},
					FellBack:   func(e *provider.Error) { told = append(told, e.Code) },
				})
				a, err := r.Turn(t.Context(), asked, func(provider.Piece) {})
				if requests.Load() != 1 {
					t.Errorf("%s: the first was asked %d times", first, requests.Load())
				}
				if c.falls {
					if err != nil || a.Provider != provider.Groq || a.Model != "m2" || !cmp.Equal(told, []provider.Code{c.code}) {
						t.Errorf("%s: %+v, told %v, %v", first, a, told, err)
					}
					continue
				}
				var failed *provider.Error
				if !errors.As(err, &failed) || failed.Code != c.code || failed.Status != c.status || strings.Contains(err.Error(), key) {
					t.Errorf("%s: %v, want %s", first, err, c.code)
				}
			}
		})
	}
}

// One that refuses connections cannot be reached.
func TestRefused(t *testing.T) {
	good := serve(t, fake.Rule{Frames: []fakes.Frame{fakes.Delta{Text: "fine"}}})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := "http://" + l.Addr().String()
	_ = l.Close()
	for _, first := range []provider.ID{provider.Anthropic, provider.OpenAI} {
		var told []provider.Code
		r := router(t, provider.Options{
			Candidates: []provider.Candidate{{Provider: first, Model: "m1"}, {Provider: provider.Groq, Model: "m2"}},
			BaseURLs:   map[provider.ID]string{first: at, provider.Groq: good.URL() + "/v1"}, FellBack: func(e *provider.Error) { told = append(told, e.Code) },
		})
		a, err := r.Turn(t.Context(), asked, func(provider.Piece) {})
		if err != nil || a.Provider != provider.Groq || !cmp.Equal(told, []provider.Code{provider.CodeNetwork}) {
			t.Errorf("%s: %+v, told %v, %v", first, a, told, err)
		}
	}
}

// Neither can one that says nothing, before its answer or in it.
func TestStalls(t *testing.T) {
	for _, c := range []struct {
		name   string
		frames []fakes.Frame
		said   string
	}{{"first", []fakes.Frame{fakes.Silent{}}, ""}, {"later", []fakes.Frame{fakes.Delta{Text: "a"}, fakes.Silent{}}, "a"}} {
		for id, path := range map[provider.ID]string{provider.Anthropic: "", provider.OpenAI: "/v1"} {
			s := serve(t, fake.Rule{Frames: c.frames})
			r := router(t, provider.Options{
				Candidates: []provider.Candidate{{Provider: id, Model: "m1"}}, Stall: 500 * time.Millisecond, BaseURLs: map[provider.ID]string{id: s.URL() + path},
			})
			_, err := r.Turn(t.Context(), asked, func(provider.Piece) {})
			var failed *provider.Error
			// On a machine that is slow enough it stalls before its first piece.
			if !errors.As(err, &failed) || failed.Code != provider.CodeNetwork || failed.Yielded && c.said == "" {
				t.Errorf("%s, %s: %v", c.name, id, err)
			}
		}
	}
}

// After a piece no other provider is asked: it would say the beginning again.
func TestNoFallbackAfterAPiece(t *testing.T) {
	bad := serve(t, fake.Rule{Frames: []fakes.Frame{fakes.Delta{Text: "half"}, fakes.Cut{}}})
	good := serve(t, fake.Rule{Frames: []fakes.Frame{fakes.Delta{Text: "fine"}}})
	r := router(t, provider.Options{
		Candidates: []provider.Candidate{{Provider: provider.Anthropic, Model: "m1"}, {Provider: provider.Groq, Model: "m2"}},
		BaseURLs:   map[provider.ID]string{provider.Anthropic: bad.URL(), provider.Groq: good.URL() + "/v1"},
	})
	a, err := r.Turn(t.Context(), asked, func(provider.Piece) {})
	var failed *provider.Error
	if !errors.As(err, &failed) || failed.Code != provider.CodeTruncated || a.Text != "half" || len(good.Journal()) != 0 {
		t.Errorf("%+v, %v, the other was asked %d times", a, err, len(good.Journal()))
	}
}

// The one that served is asked first the next time, and one that failed before may serve
// again.
func TestSticky(t *testing.T) {
	fails, well := fake.Rule{Times: 1, Refuse: &fake.Refusal{Status: 503}}, fake.Rule{Frames: []fakes.Frame{fakes.Delta{Text: "a"}}}
	first := serve(t, fails, well)
	second := serve(t, fake.Rule{Times: 2, Frames: well.Frames}, fake.Rule{Refuse: &fake.Refusal{Status: 503}})
	r := router(t, provider.Options{
		Candidates: []provider.Candidate{{Provider: provider.Anthropic, Model: "m1"}, {Provider: provider.Groq, Model: "m2"}},
		BaseURLs:   map[provider.ID]string{provider.Anthropic: first.URL(), provider.Groq: second.URL() + "/v1"},
	})
	turn := func() string {
		a, err := r.Turn(t.Context(), asked, func(provider.Piece) {})
		if err != nil {
			t.Fatal(err)
		}
		return a.Model
	}
	var served []string
	for range 4 {
		served = append(served, turn())
	}
	if diff := cmp.Diff([]string{"m2", "m2", "m1", "m1"}, served); diff != "" {
		t.Errorf("served (-want +got):\n%s", diff)
	}
	// Another model is one of the primary's provider, which is asked again for it.
	r.SetModel("m9")
	if got := turn(); got != "m9" {
		t.Errorf("after a change of the model %s served", got)
	}
	if body := first.Journal()[3].Model; body != "m9" {
		t.Errorf("the provider was asked for %s", body)
	}
}

func TestCandidates(t *testing.T) {
	for _, unknown := range [][]provider.Candidate{{{Provider: "anthropics", Model: "m"}}, {{Provider: provider.OpenAI, Model: "m"}, {Provider: "azure", Model: "m"}}} {
		if _, err := provider.NewRouter(provider.Options{Candidates: unknown, Keys: keys}); err == nil || !strings.Contains(err.Error(), "unknown provider") {
			t.Errorf("%v: %v", unknown, err)
		}
	}
	good := serve(t, fake.Rule{Frames: []fakes.Frame{fakes.Delta{Text: "a"}}})
	candidates := []provider.Candidate{{Provider: provider.Anthropic, Model: "m1", KeyEnv: "MY_KEY"}, {Provider: provider.OpenAI, Model: "m2"}, {Provider: provider.Groq, Model: "m3"}}
	r := router(t, provider.Options{
		Candidates: candidates, BaseURLs: map[provider.ID]string{provider.Groq: good.URL() + "/v1"},
		Keys: func(env string) string { return map[string]string{"GROQ_API_KEY": " " + key + "\n"}[env] },
	})
	if a, err := r.Turn(t.Context(), asked, func(provider.Piece) {}); err != nil || a.Model != "m3" {
		t.Errorf("the one with a key: %+v, %v", a, err)
	}
	r = router(t, provider.Options{Candidates: candidates, Keys: func(string) string { return "" }})
	_, err := r.Turn(t.Context(), asked, func(provider.Piece) {})
	var failed *provider.Error
	if !errors.As(err, &failed) || failed.Code != provider.CodeAuth || !strings.Contains(err.Error(), "MY_KEY, OPENAI_API_KEY, GROQ_API_KEY") {
		t.Errorf("no key: %v", err)
	}
}

func TestOverflow(t *testing.T) {
	for _, said := range []string{"prompt is too long: 210000 tokens > 200000 maximum", "This model's maximum context length is 8192 tokens", "Please reduce the length of the messages"} {
		s := serve(t, fake.Rule{Refuse: &fake.Refusal{Status: 400, Message: said}})
		r := router(t, provider.Options{Candidates: []provider.Candidate{{Provider: provider.Anthropic, Model: "m"}}, BaseURLs: map[provider.ID]string{provider.Anthropic: s.URL()}})
		_, err := r.Turn(t.Context(), asked, func(provider.Piece) {})
		var failed *provider.Error
		if !errors.As(err, &failed) || failed.Code != provider.CodeContextOverflow {
			t.Errorf("%q: %v", said, err)
		}
	}
}

func TestAbort(t *testing.T) {
	s := serve(t, fake.Rule{Frames: []fakes.Frame{fakes.Delta{Text: "a"}, fakes.Silent{}}})
	r := router(t, provider.Options{Candidates: []provider.Candidate{{Provider: provider.Anthropic, Model: "m"}}, BaseURLs: map[provider.ID]string{provider.Anthropic: s.URL()}})
	ctx, cancel := context.WithCancel(t.Context())
	a, err := r.Turn(ctx, asked, func(provider.Piece) { cancel() })
	if !errors.Is(err, context.Canceled) || a.Text != "a" {
		t.Errorf("%+v, %v", a, err)
	}
}
