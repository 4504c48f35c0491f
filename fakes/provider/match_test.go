package provider_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/provider"
)

// A conversation in each dialect, at its third answer, with two results.
var talk = map[provider.Dialect]string{
	provider.Anthropic: `{"model":"claude-sonnet-5","max_tokens":9,"stream":true,"system":[{"type":"text","text":"be kind"}],"tools":[{"name":"read","input_schema":{}}],"messages":[
		{"role":"user","content":"first question"},
		{"role":"assistant","content":[{"type":"text","text":"hm"}]},
		{"role":"user","content":[{"type":"text","text":"now the"},{"type":"text","text":"wea\u0074her"}]},
		{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"read","input":{}},{"type":"tool_use","id":"t2","name":"read","input":{}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"A"},{"type":"tool_result","tool_use_id":"t2","content":[{"type":"text","text":"weather of B"}]}]}]}`,
	provider.Chat: `{"model":"claude-sonnet-5","stream":true,"tools":[{"type":"function","function":{"name":"read"}}],"messages":[
		{"role":"system","content":"be kind"},
		{"role":"user","content":"first question"},
		{"role":"assistant","content":"hm"},
		{"role":"user","content":[{"type":"text","text":"now the"},{"type":"text","text":"wea\u0074her"}]},
		{"role":"assistant","content":null,"tool_calls":[{"id":"t1","type":"function","function":{"name":"read","arguments":"{}"}},{"id":"t2","type":"function","function":{"name":"read","arguments":"{}"}}]},
		{"role":"tool","tool_call_id":"t1","content":"A"},
		{"role":"tool","tool_call_id":"t2","content":"B"}]}`,
	provider.Responses: `{"model":"claude-sonnet-5","stream":true,"instructions":"be kind","tools":[{"type":"function","name":"read","parameters":{}}],"input":[
		{"type":"message","role":"user","content":[{"type":"input_text","text":"first question"}]},
		{"type":"message","role":"assistant","content":[{"type":"output_text","text":"hm"}]},
		{"type":"message","role":"user","content":[{"type":"input_text","text":"now the"},{"type":"input_text","text":"wea\u0074her"}]},
		{"type":"reasoning","id":"rs_1","summary":[]},
		{"type":"function_call","call_id":"t1","name":"read","arguments":"{}"},
		{"type":"function_call","call_id":"t2","name":"read","arguments":"{}"},
		{"type":"function_call_output","call_id":"t1","output":"A"},
		{"type":"function_call_output","call_id":"t2","output":"B"}]}`,
}

func TestWhen(t *testing.T) {
	s := start(t, provider.Options{})
	each(t, func(t *testing.T, d provider.Dialect) {
		other := provider.Chat
		if d == other {
			other = provider.Anthropic
		}
		for i, test := range []struct {
			when provider.When
			want string // in what is said of a rule that is not kept; empty is kept
		}{
			{provider.When{}, ""},
			{provider.When{Dialect: d}, ""},
			{provider.When{Dialect: other}, "dialect is " + string(d) + ", want " + string(other)},
			{provider.When{Model: "claude-sonnet-5"}, ""},
			{provider.When{Model: "claude-*"}, ""},
			{provider.When{Model: "claude-sonet-5"}, `model is \"claude-sonnet-5\", want \"claude-sonet-5\" (nearly the same)`},
			{provider.When{Model: "gpt-*"}, `want \"gpt-*\"`},
			{provider.When{Turn: 3}, ""},
			{provider.When{Turn: 2}, "turn is 3, want 2"},
			{provider.When{Request: 1}, ""},
			{provider.When{Request: 2}, "request is 1, want 2"},
			{provider.When{Text: "the\nweather"}, ""},
			{provider.When{Text: "first"}, `text is \"now the\\nweather\", want \"first\" in it`},
			{provider.When{Text: "w"}, ""},
			{provider.When{System: "kind"}, ""},
			{provider.When{System: "cruel"}, `system prompt has no \"cruel\"`},
			{provider.When{Result: "t2"}, ""},
			{provider.When{Result: "t3"}, `\"t2\"`},
			{provider.When{Results: new(true)}, ""},
			{provider.When{Results: new(false)}, "results is true, want false"},
			{provider.When{Tools: new(true)}, ""},
			{provider.When{Tools: new(false)}, "tools is true, want false"},
			{provider.When{Stream: new(true)}, ""},
			{provider.When{Stream: new(false)}, "stream is true, want false"},
			{provider.When{Model: "claude-*", Turn: 3, Text: "weather", Result: "t1", System: "be", Dialect: d, Request: 1, Tools: new(true)}, ""},
			{provider.When{Model: "claude-*", Turn: 3, Text: "weather", Result: "t1", System: "be", Dialect: d, Request: 1, Tools: new(false)}, "tools is true"},
		} {
			space := s.Isolated(fmt.Sprint(d, i))
			must(t, space.Add(provider.Rule{When: test.when, Name: "the one", Frames: deltas("yes")}))
			got := post(t, space.URL()+d.Path(), talk[d])
			x := space.Journal()[0]
			if test.want == "" {
				if got.status != 200 || x.Rule != "the one" || x.Unmatched != "" {
					t.Errorf("%+v: status %d, %s", test.when, got.status, got.body)
				}
				continue
			}
			if got.status != 400 || !strings.Contains(got.body, test.want) || !strings.Contains(got.body, "nearest is rule 1 (the one)") ||
				x.Unmatched == "" || got.header.Get("X-Adaptercheck-Unmatched") != "1" {
				t.Errorf("%+v: status %d, %s, want %s", test.when, got.status, got.body, test.want)
			}
		}
	})
}

// The rule that is named is the one that differs least.
func TestNearest(t *testing.T) {
	s := start(t, provider.Options{})
	if got := ask(t, s.Space, provider.Chat, false, "hi"); !strings.Contains(got.body, "matches no rule: there are none") {
		t.Error(got.body)
	}
	must(t, s.Add(
		provider.Rule{Name: "far", When: provider.When{Dialect: provider.Anthropic, Turn: 4, Text: "other"}, Frames: deltas("a")},
		provider.Rule{Name: "near", When: provider.When{Dialect: provider.Chat, Turn: 1, Text: "ho"}, Frames: deltas("b")},
		provider.Rule{Name: "used", When: provider.When{Text: "once"}, Times: 1, Frames: deltas("c")}))
	if got := ask(t, s.Space, provider.Chat, false, "hi"); !strings.Contains(got.body, `nearest is rule 2 (near): text is \"hi\", want \"ho\" in it`) {
		t.Error(got.body)
	}
	ask(t, s.Space, provider.Chat, false, "once")
	if got := ask(t, s.Space, provider.Chat, false, "once"); !strings.Contains(got.body, "nearest is rule 3 (used): it is used up, after 1") {
		t.Error(got.body)
	}
}

// The first rule wins, used up ones are passed over, and a sequence is rules that answer
// once.
func TestOrder(t *testing.T) {
	s := start(t, provider.Options{})
	for _, text := range []string{"1", "2"} {
		must(t, s.Add(provider.Rule{When: provider.When{Text: "question"}, Times: 1, Frames: deltas(text)}))
	}
	must(t, s.Answer(provider.When{}, deltas("rest")...))
	must(t, s.Answer(provider.When{Text: "question"}, deltas("never")...))
	for _, want := range []string{"1", "2", "rest", "rest"} {
		if got := ask(t, s.Space, provider.Chat, false, "a question"); !strings.Contains(got.body, `"content":"`+want+`"`) {
			t.Errorf("want %s: %s", want, got.body)
		}
	}
}

// Each of a thousand requests at once takes one of a thousand answers.
func TestTakenOnce(t *testing.T) {
	s := start(t, provider.Options{})
	const n = 200
	for i := range n {
		must(t, s.Add(provider.Rule{Times: 1, Frames: deltas(fmt.Sprintf("answer %d.", i))}))
	}
	var mu sync.Mutex
	seen := map[string]int{}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range n / 8 {
				got := ask(t, s.Space, provider.Chat, false, "x")
				mu.Lock()
				seen[got.body[strings.Index(got.body, `"answer`):][:15]]++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if len(seen) != n {
		t.Errorf("%d different answers, want %d", len(seen), n)
	}
}

// The index finds what trying each rule in order finds.
func TestIndex(t *testing.T) {
	s := start(t, provider.Options{})
	whens := []provider.When{}
	for i := range 40 {
		whens = append(whens, provider.When{Text: fmt.Sprintf("question %d!", i)}, provider.When{Model: fmt.Sprintf("model-%d", i), Turn: 1 + i%2})
	}
	whens = append(whens, provider.When{Text: "ab"}, provider.When{Model: "model-*"}, provider.When{Request: 3}, provider.When{Text: "uestion 7"})
	for i, w := range whens {
		must(t, s.Add(provider.Rule{Name: fmt.Sprint("r", i), When: w, Frames: []fakes.Frame{fakes.Delta{Text: "x"}}}))
	}
	for i, test := range []struct{ text, model, want string }{
		{"question 17! and question 4!", "m", "r8"},
		{"question 39!", "model-2", "r5"},
		{"nothing", "m", "r82"}, // the third request
		{"question 7 is another", "m", "r83"},
		{"cab", "m", "r80"},
		{"nothing", "model-99", "r81"},
		{"question 12!", "model-3", "r24"}, // model-3 is for the second answer
	} {
		got := post(t, s.URL()+"/v1/chat/completions", fmt.Sprintf(`{"model":%q,"messages":[{"role":"user","content":%q}]}`, test.model, test.text))
		if rule := s.Journal()[i].Rule; rule != test.want {
			t.Errorf("%q of %s: rule %q, want %s: %s", test.text, test.model, rule, test.want, got.body)
		}
	}
}

func TestBadRules(t *testing.T) {
	s := start(t, provider.Options{})
	for name, r := range map[string]provider.Rule{
		"nothing":        {},
		"two answers":    {Frames: deltas("a"), Live: true},
		"dialect":        {When: provider.When{Dialect: "x"}, Frames: deltas("a")},
		"model":          {When: provider.When{Model: "a*b"}, Frames: deltas("a")},
		"turn":           {When: provider.When{Turn: -1}, Frames: deltas("a")},
		"pace":           {Frames: deltas("a"), Pace: provider.Pace{Every: -1}},
		"hold":           {Frames: deltas("a"), Holds: []provider.Hold{{}}},
		"after the end":  {Frames: []fakes.Frame{fakes.End{Reason: fakes.EndOK}, fakes.Delta{Text: "a"}}},
		"of a process":   {Frames: []fakes.Frame{fakes.Exit{Code: 1}}},
		"of the client":  {Frames: []fakes.Frame{fakes.Result{ID: "t", Out: "x"}}},
		"input":          {Frames: []fakes.Frame{fakes.ToolCall{Name: "x", Input: "{"}}},
		"running totals": {Frames: []fakes.Frame{fakes.Usage{Kind: fakes.UsageTotal}}},
	} {
		t.Run(name, func(t *testing.T) {
			if err := s.Add(r); err == nil {
				t.Error("it was taken")
			}
		})
	}
	if got := ask(t, s.Space, provider.Chat, false, "x"); got.status != 400 {
		t.Errorf("a rule that was refused answers: %s", got.body)
	}
}
