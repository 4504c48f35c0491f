package provider_test

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/adaptercheck/adaptercheck/fakes/provider"
)

const conversation = `schema: adaptercheck-script-v1
steps:
  - http: {attempt: 1, status: 529, error: overloaded}
  - http: {attempt: 2}
  - delta: "I will "
  - delta: "look."
  - call: {id: t1, name: read, input: {path: a}}
  - usage: {in: 100, out: 30}
  - result: {id: t1, out: "A"}
  - final: "An A."
  - end: ok
  - error: {code: "429", msg: "slow down"}
expect:
  - done: success
`

// A script that every fake plays is the answers of a conversation.
func TestConversation(t *testing.T) {
	o, err := provider.Parse("talk.yaml", []byte(conversation))
	must(t, err)
	s := start(t, o)
	first := body(provider.Anthropic, false, "x")
	second := `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"read","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"A"}]}]}`
	for i, test := range []struct {
		body   string
		status int
		has    string
	}{
		{first, 529, `"type":"overloaded_error"`},
		{first, 200, `"text":"I will look."`},
		{first, 400, "nearest is rule 3 (answer 3) at talk.yaml:10: results are of calls [], want one of \\\"t1\\\"; results is false, want true"},
		{second, 200, `"text":"An A."`},
		{second, 429, `"message":"slow down"`},
		{second, 400, "it is used up"},
	} {
		if got := post(t, s.URL()+"/v1/messages", test.body); got.status != test.status || !strings.Contains(got.body, test.has) {
			t.Errorf("request %d: status %d, %s, want %s", i+1, got.status, got.body, test.has)
		}
	}
}

const rules = `schema: adaptercheck-provider-v1
keys: [sk-one]
models: [m, gpt-x]
limit: {requests: 100, per: 1m}
rules:
  - name: first
    when: {dialect: chat, model: gpt-*, turn: 1, text: weather, results: false, tools: false, stream: true}
    times: 1
    pace: {first: 1ms, every: 1ms, jitter: 1ms}
    holds: [{event: 2, gate: go}]
    faults: [{kind: noise, event: 1, n: 2, text: hi}]
    answer:
      - delta: "sunny"
      - end: ok
  - when: {request: 2}
    refuse: {status: 429, type: tokens, code: c, param: p, message: m, retryAfter: 3s}
  - when: {request: 3}
    refuse: {html: true}
  - answer: [final: rest]
`

func TestRules(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rules.yaml")
	must(t, os.WriteFile(path, []byte(rules), 0o600))
	o, err := provider.Open(path)
	must(t, err)
	s := start(t, o)
	s.Gate("go").Open()
	ask := func() answer {
		r := request(t, s.URL()+"/v1/chat/completions", `{"model":"gpt-x","stream":true,"messages":[{"role":"user","content":"the weather?"}]}`)
		r.Header.Set("Authorization", "Bearer sk-one")
		return send(t, r)
	}
	for i, want := range []struct {
		status int
		has    string
	}{{200, ": hi\n: hi\ndata:"}, {429, `{"error":{"message":"m","type":"tokens","param":"p","code":"c"}}`}, {502, "nginx"}, {200, `"content":"rest"`}} {
		if got := ask(); got.status != want.status || !strings.Contains(got.body, want.has) {
			t.Errorf("request %d: status %d, %s", i+1, got.status, got.body)
		}
	}
	if got := s.Journal()[0]; got.Rule != "first" || len(got.Strikes) != 1 {
		t.Errorf("exchange %+v", got)
	}
	if got := post(t, s.URL()+"/v1/messages", `{}`); got.status != 401 {
		t.Errorf("another key gets %d", got.status)
	}
}

// Mistakes are told with their place and with what was meant.
func TestBadFiles(t *testing.T) {
	const head = "schema: adaptercheck-provider-v1\nrules:\n"
	for _, test := range []struct{ text, want string }{
		{"", "f.yaml:1:1: empty file"},
		{"schema: adaptercheck-provider-v2\n", `f.yaml:1:9: unknown schema "adaptercheck-provider-v2"`},
		{"schema: adaptercheck-provider-v1\n", "f.yaml:1:1: missing rules"},
		{head + "  - when: {modl: x}\n    answer: [final: x]\n", `f.yaml:3:12: when: unknown key "modl", did you mean "model"?`},
		{head + "  - when: {turn: one}\n    answer: [final: x]\n", "f.yaml:3:18: turn: found text one, want a whole number from 0"},
		{head + "  - when: {dialect: chatt}\n    answer: [final: x]\n", `f.yaml:3:21: dialect: unknown word "chatt", did you mean "chat"?`},
		{head + "  - answer: [finl: x]\n", `f.yaml:3:14: unknown step "finl", did you mean "final"?`},
		{head + "  - answer:\n      - final: x\n      - exit: 0\n", "f.yaml:5:9: exit: provider: a process: unplayable"},
		{head + "  - name: x\n", "f.yaml:3:5: want one of frames, a refusal and live"},
		{head + "  - answer: [final: x]\n    pace: {every: 20}\n", "f.yaml:4:19: every: found a number 20, want a duration, as 20ms"},
		{head + "  - answer: [final: x]\n    faults: [{kind: rest}]\n", `f.yaml:4:21: kind: unknown word "rest", did you mean "reset"?`},
		{head + "  - answer: [final: x]\n    faults: [{kind: drop, byte: 2}]\n", "f.yaml:3:5: fault 0: drop: it strikes at an event, not at byte 2 of it"},
		{"schema: adaptercheck-script-v1\nsteps:\n  - final: x\n  - child\n", "f.yaml:4:5: child: provider: a process"},
		{"schema: adaptercheck-script-v1\nsteps:\n  - host: {start: a}\n", "is for cases"},
		{"schema: adaptercheck-script-v1\nsteps: []\n", "no answer in the script"},
	} {
		if _, err := provider.Parse("f.yaml", []byte(test.text)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %s", test.text, err, test.want)
		}
	}
	if _, err := provider.Open("there-is-no-such-file.yaml"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

// A test in any language steers a space over HTTP.
func TestControl(t *testing.T) {
	s := start(t, provider.Options{})
	do := func(method, url, body string) answer {
		r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
		must(t, err)
		return send(t, r)
	}
	made := do("POST", s.URL()+"/adaptercheck/spaces/my%20test", "")
	at := strings.TrimSuffix(strings.TrimPrefix(made.body, `{"url":"`), "\"}\n")
	if at != s.URL()+"/spaces/my%20test" {
		t.Fatalf("a space at %q", made.body)
	}
	if got := do("POST", at+"/adaptercheck/rules", strings.ReplaceAll(strings.ReplaceAll(rules, "keys: [sk-one]\n", ""), "models: [m, gpt-x]\n", "")); got.body != "{\"rules\":4}\n" {
		t.Fatal(got.body)
	}
	done := make(chan answer)
	go func() {
		done <- post(t, at+"/v1/chat/completions", `{"model":"gpt-x","stream":true,"messages":[{"role":"user","content":"weather"}]}`)
	}()
	if got := do("GET", at+"/adaptercheck/gates/go", ""); got.status != 200 {
		t.Errorf("status %d", got.status)
	}
	if got := do("POST", at+"/adaptercheck/gates/go", ""); got.status != 200 {
		t.Errorf("status %d", got.status)
	}
	if got := <-done; !strings.Contains(got.body, "sunny") {
		t.Error(got.body)
	}
	if got := do("GET", at+"/adaptercheck/journal/1", ""); !strings.Contains(got.body, `"rule":"first"`) || !strings.Contains(got.body, `"outcome":"done"`) {
		t.Error(got.body)
	}
	if got := do("GET", at+"/adaptercheck/journal", ""); !strings.HasPrefix(got.body, `[{"number":1,`) {
		t.Error(got.body)
	}
	for _, bad := range []answer{do("POST", at+"/adaptercheck/rules", "x"), do("POST", at+"/adaptercheck/rules", rules), do("GET", at+"/adaptercheck/journal/x", ""), do("PUT", at+"/adaptercheck/nothing", "")} {
		if bad.status < 400 || !strings.Contains(bad.body, `"error":`) {
			t.Errorf("status %d: %s", bad.status, bad.body)
		}
	}
	if n := len(s.Journal()); n != 0 {
		t.Errorf("steering is in the journal, %d times", n)
	}
}
