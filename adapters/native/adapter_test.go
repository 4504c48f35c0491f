package native_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/sebdah/goldie/v2"

	"github.com/adaptercheck/adaptercheck/adapters/native"
	"github.com/adaptercheck/adaptercheck/adapters/native/provider"
	"github.com/adaptercheck/adaptercheck/adapters/native/state"
	"github.com/adaptercheck/adaptercheck/adapters/native/tool"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/contract/executor/verify"
	"github.com/adaptercheck/adaptercheck/fakes"
	fake "github.com/adaptercheck/adaptercheck/fakes/provider"
)

// A host routes by these: each change is one of its contract.
func TestCapabilities(t *testing.T) {
	goldie.New(t).AssertJson(t, "capabilities", native.New(native.Options{}).Capabilities())
}

// strict fails every request.
type strict struct{ t *testing.T }

func (s strict) RoundTrip(*http.Request) (*http.Response, error) {
	s.t.Error("something was asked")
	return nil, errors.New("nothing may be asked")
}

// Making an adapter, health, and a run that has no tools yet ask nobody.
func TestAsksNobodyFirst(t *testing.T) {
	opening := make(chan struct{})
	a := agent(t, "http://127.0.0.1:1", func(o *native.Options) {
		o.HTTPClient = &http.Client{Transport: strict{t}}
		o.Tools = func(ctx context.Context, _ native.RunInfo) (native.Toolbox, error) {
			close(opening)
			<-ctx.Done()
			return native.Toolbox{}, ctx.Err()
		}
	})
	a.Capabilities()
	if h, err := a.Health(t.Context()); err != nil || !h.OK {
		t.Errorf("health %+v, %v", h, err)
	}
	run := begin(t, a, executor.StartOpts{})
	<-opening
	if err := a.Abort(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	if _, done := all(t, a, run); done.Reason != executor.ReasonAborted {
		t.Errorf("done %s", done.Reason)
	}
}

func TestHealth(t *testing.T) {
	for env, ok := range map[string]bool{"": false, "MOONSHOT_API_KEY": true, "OLLAMA_BASE_URL": true, "MY_KEY": true, "OTHER_KEY": false} {
		a := native.New(native.Options{Agent: state.AgentConfig{EnvVar: "MY_KEY"}, Keys: func(asked string) string {
			if asked == env {
				return "x"
			}
			return ""
		}})
		if h, err := a.Health(t.Context()); err != nil || h.OK != ok {
			t.Errorf("with %q: %+v, %v", env, h, err)
		}
	}
}

func TestStartRefuses(t *testing.T) {
	for name, change := range map[string]func(*native.Options){
		"an unknown provider": func(o *native.Options) { o.Agent.PrimaryProvider = "anthropics" },
		"an unknown fallback": func(o *native.Options) { o.Agent.Fallbacks = []state.Fallback{{Provider: "azure", Model: "m"}} },
		"a broken agent":      func(o *native.Options) { o.Agent.PrimaryModel = "" },
		"a configuration error": func(o *native.Options) {
			o.Config = func(context.Context, string) (state.AgentConfig, error) { return state.AgentConfig{}, errors.New("no") }
		},
	} {
		a := agent(t, "http://127.0.0.1:1", change)
		if _, err := a.Start(t.Context(), executor.TaskHandle{}, executor.StartOpts{SessionKey: "s", AgentID: "coder", Message: "go"}); err == nil {
			t.Errorf("%s was started", name)
		}
	}
	if _, err := agent(t, "http://127.0.0.1:1", nil).Start(t.Context(), executor.TaskHandle{}, executor.StartOpts{Message: "go"}); err == nil {
		t.Error("a run without a session was started")
	}
}

// R58: an abort and a steer that come before the conversation has begun are not lost.
func TestBeforeTheConversation(t *testing.T) {
	s := serve(t, says(fakes.Delta{Text: "fine"}))
	opening, open := make(chan struct{}), make(chan struct{})
	a := agent(t, s.URL(), func(o *native.Options) {
		o.Tools = func(context.Context, native.RunInfo) (native.Toolbox, error) {
			close(opening)
			<-open
			return native.Toolbox{}, nil
		}
	})
	run := begin(t, a, executor.StartOpts{})
	<-opening
	if err := a.WriteContext(t.Context(), run, "NOTES.md", "mind the gap"); err != nil {
		t.Fatal(err)
	}
	close(open)
	if _, done := all(t, a, run); done.Reason != executor.ReasonSuccess {
		t.Errorf("done %s", done.Reason)
	}
	if x := s.Journal()[0]; x.Text != "go\nNOTES.md:\nmind the gap" {
		t.Errorf("the model was told %q", x.Text)
	}

	opening, open = make(chan struct{}), make(chan struct{})
	run = begin(t, a, executor.StartOpts{SessionKey: "s2"})
	<-opening
	if err := a.Abort(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	close(open)
	if _, done := all(t, a, run); done.Reason != executor.ReasonAborted || len(s.Journal()) != 1 {
		t.Errorf("done %s, %d requests", done.Reason, len(s.Journal()))
	}
}

// Written context reaches the live run at its next turn, without a change before it.
func TestSteers(t *testing.T) {
	gate := fake.NewGate()
	s := serve(t,
		fake.Rule{When: fake.When{Request: 1}, Frames: []fakes.Frame{fakes.Delta{Text: "one"}, fakes.Delta{Text: " two"}}, Holds: []fake.Hold{{Event: 4, Gate: gate}}},
		says(fakes.Delta{Text: "well"}))
	a := agent(t, s.URL(), nil)
	run := begin(t, a, executor.StartOpts{})
	stream := a.Events(run)
	for {
		e, err := stream.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind() == executor.KindTextDelta {
			break
		}
	}
	for _, k := range []string{"A.md", ".clawboo/signal"} {
		if err := a.WriteContext(t.Context(), run, k, "value of "+k); err != nil {
			t.Fatal(err)
		}
	}
	gate.Open()
	for e, err := range executor.All(t.Context(), stream) {
		if err != nil {
			t.Fatal(err)
		}
		if done, is := e.(executor.Done); is && (done.Reason != executor.ReasonSuccess || done.Summary != "well") {
			t.Errorf("done %+v", done)
		}
	}
	j := s.Journal()
	if len(j) != 2 || j[1].Text != "A.md:\nvalue of A.md\nvalue of .clawboo/signal" {
		t.Fatalf("%d requests, the last says %q", len(j), j[len(j)-1].Text)
	}
	sameFront(t, j)
	for _, key := range []string{"", "../x", "/x", `a\b`, "a/../../x", "a\nb"} {
		if err := a.WriteContext(t.Context(), run, key, "x"); err == nil {
			t.Errorf("key %q was taken", key)
		}
	}
}

// members are the members of a request, as they are on the wire.
func members(t *testing.T, x fake.Exchange) map[string]jsontext.Value {
	t.Helper()
	m := map[string]json.RawMessage{}
	if err := json.Unmarshal([]byte(x.Body), &m); err != nil {
		t.Fatal(err)
	}
	out := map[string]jsontext.Value{}
	for name, v := range m {
		out[name] = jsontext.Value(v)
	}
	return out
}

// sameFront checks that every request is the one before, byte for byte, with more messages.
func sameFront(t *testing.T, j []fake.Exchange) {
	t.Helper()
	for i := 1; i < len(j); i++ {
		before, now := members(t, j[i-1]), members(t, j[i])
		if len(before) != len(now) {
			t.Fatalf("request %d has other members than the one before", i+1)
		}
		for name, v := range now {
			want := string(before[name])
			if name == "messages" {
				if front := strings.TrimSuffix(want, "]"); !strings.HasPrefix(string(v), front+",") {
					t.Fatalf("request %d does not begin like the one before:\n%s\n%s", i+1, want, v)
				}
				continue
			}
			if string(v) != want {
				t.Fatalf("request %d: member %s was %s, is %s", i+1, name, want, v)
			}
		}
	}
}

// The prefix of a conversation is the same over a hundred turns, in both dialects.
func TestPrefix(t *testing.T) {
	const turns = 100
	for _, id := range []provider.ID{provider.Anthropic, provider.Groq} {
		s := serve(t, fake.Rule{Times: turns - 1, Frames: []fakes.Frame{fakes.Delta{Text: "next"}, fakes.ToolCall{Name: "b", Input: `{"z":1,"a":2}`}}}, says(fakes.Delta{Text: "done"}))
		day := time.Date(2026, 12, 31, 23, 59, 59, 0, time.UTC)
		a := agent(t, s.URL(), func(o *native.Options) {
			o.Agent.PrimaryProvider, o.Agent.MaxTurns = id, turns
			o.Now = func() time.Time { day = day.Add(time.Second); return day } // another day comes at once
			o.Tools = box(does{name: "c"}, does{name: "b"}, does{name: "a"})
			o.Agent.EnvVar = "GROQ_API_KEY"
		})
		_, done := all(t, a, begin(t, a, executor.StartOpts{Context: "background", Message: "go"}))
		if done.Reason != executor.ReasonSuccess {
			t.Fatalf("done %+v", done)
		}
		j := s.Journal()
		if len(j) != turns {
			t.Fatalf("%d requests", len(j))
		}
		sameFront(t, j)
		m := members(t, j[0])
		system := string(m["system"]) + string(m["messages"])
		if strings.Contains(string(m["system"]), "background") {
			t.Errorf("the context of the run is in the system prompt: %s", m["system"])
		}
		if !strings.Contains(system, `You are tested.\n\nToday: 20`) || strings.Count(system, "Today") != 1 {
			t.Errorf("the system prompt is in %s", system)
		}
		if at := []int{strings.Index(j[0].Body, `"name":"a"`), strings.Index(j[0].Body, `"name":"b"`), strings.Index(j[0].Body, `"name":"c"`)}; !slices.IsSorted(at) || at[0] < 0 {
			t.Errorf("the tools are at %v", at)
		}
	}
}

// What is no answer ends the run in one done(error), and the conversation is kept.
func TestGarbage(t *testing.T) {
	for _, c := range []struct {
		name string
		rule fake.Rule
		code string
	}{
		{"a status", fake.Rule{Refuse: &fake.Refusal{Status: 500}}, "overloaded!"},
		{"a page", fake.Rule{Refuse: &fake.Refusal{Status: 200, Body: "<html></html>", ContentType: "text/html"}}, "malformed-answer!"},
		{"cut", says(fakes.Delta{Text: "half"}, fakes.Cut{}), "stream-truncated!"},
		{"no JSON", says(fakes.Delta{Text: "half"}, fakes.Raw{Line: "event: content_block_delta\ndata: {{{\n"}), "malformed-answer!"},
		{"a limit", says(fakes.Delta{Text: "half"}, fakes.End{Reason: fakes.EndLength}), "token-limit!"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, c.rule)
			home := t.TempDir()
			a := agent(t, s.URL(), func(o *native.Options) { o.Home = home })
			run := begin(t, a, executor.StartOpts{Message: "remember me"})
			events, done := all(t, a, run)
			if diff := cmp.Diff([]string{c.code}, errorsIn(events)); done.Reason != executor.ReasonError || diff != "" {
				t.Errorf("done %s, errors (-want +got):\n%s", done.Reason, diff)
			}
			for _, f := range files(t, home) {
				text, err := os.ReadFile(filepath.Join(home, f))
				if err != nil || strings.Contains(string(text), key) || strings.HasSuffix(f, ".json") && !strings.Contains(string(text), "remember me") {
					t.Errorf("%s, %v:\n%s", f, err, text)
				}
			}
			if n := len(files(t, home)); n != 2 {
				t.Errorf("%d files: %v", n, files(t, home))
			}
			for _, e := range events {
				if text, err := executor.MarshalEvent(e); err != nil || strings.Contains(string(text), key) {
					t.Errorf("%s, %v", text, err)
				}
			}
		})
	}
}

// A session goes on in a fresh instance, from its transcript.
func TestResume(t *testing.T) {
	s := serve(t,
		fake.Rule{When: fake.When{Turn: 1, Text: "first"}, Frames: []fakes.Frame{fakes.Delta{Text: "yes"}, fakes.ToolCall{ID: "t1", Name: "look", Input: `{}`}}},
		fake.Rule{When: fake.When{Turn: 2}, Frames: []fakes.Frame{fakes.Delta{Text: "seen"}}},
		says(fakes.Delta{Text: "again"}))
	home := t.TempDir()
	change := func(o *native.Options) { o.Home, o.Tools = home, box(does{name: "look"}) }
	a := agent(t, s.URL(), change)
	run := begin(t, a, executor.StartOpts{Message: "first"})
	if _, done := all(t, a, run); done.Reason != executor.ReasonSuccess {
		t.Fatalf("done %+v", done)
	}
	blob, err := a.Serialize(t.Context(), run)
	if err != nil || strings.Contains(blob, "first") {
		t.Fatalf("blob %s, %v", blob, err)
	}
	fresh := agent(t, s.URL(), change)
	if _, err := fresh.Restore(t.Context(), blob); err != nil {
		t.Fatal(err)
	}
	again := begin(t, fresh, executor.StartOpts{Message: "second"})
	if _, done := all(t, fresh, again); done.Summary != "again" {
		t.Errorf("done %+v", done)
	}
	j := s.Journal()
	sameFront(t, j)
	if j[2].Turn != 3 || j[2].Text != "second" {
		t.Errorf("turn %d, text %q", j[2].Turn, j[2].Text)
	}
	var transcripts int
	for _, f := range files(t, home) {
		if strings.HasPrefix(f, "runtimes/clawboo-native/coder/sessions/native-") {
			transcripts++
		}
	}
	if transcripts != 2 {
		t.Errorf("files %v", files(t, home))
	}

	// A transcript that is gone is told, and the session begins anew.
	if err := os.RemoveAll(filepath.Join(home, "runtimes")); err != nil {
		t.Fatal(err)
	}
	events, done := all(t, fresh, begin(t, fresh, executor.StartOpts{Message: "third"}))
	if diff := cmp.Diff([]string{"transcript-lost"}, errorsIn(events)); done.Reason != executor.ReasonSuccess || diff != "" {
		t.Errorf("done %s, errors (-want +got):\n%s", done.Reason, diff)
	}
	if x := s.Journal()[3]; x.Turn != 1 {
		t.Errorf("turn %d", x.Turn)
	}
}

// Without a home a session goes on in this process, and there is no file.
func TestNoHome(t *testing.T) {
	t.Chdir(t.TempDir())
	s := serve(t, says(fakes.Delta{Text: "yes"}))
	a := agent(t, s.URL(), nil)
	for range 2 {
		all(t, a, begin(t, a, executor.StartOpts{}))
	}
	all(t, a, begin(t, a, executor.StartOpts{SessionKey: "other"}))
	all(t, a, begin(t, a, executor.StartOpts{AgentID: "another"}))
	var turns []int
	for _, x := range s.Journal() {
		turns = append(turns, x.Turn)
	}
	// Another session, and another agent in the same one, begin anew.
	if diff := cmp.Diff([]int{1, 2, 1, 1}, turns); diff != "" {
		t.Errorf("turns (-want +got):\n%s", diff)
	}
	if f := files(t, "."); len(f) > 0 {
		t.Errorf("files %v", f)
	}
}

// R60: an aborted run leaves a transcript that a provider takes.
func TestAbortInATool(t *testing.T) {
	s := serve(t, fake.Rule{When: fake.When{Text: "first"}, Frames: []fakes.Frame{fakes.ToolCall{ID: "t1", Name: "wait", Input: `{}`}, fakes.ToolCall{ID: "t2", Name: "wait", Input: `{}`}}}, says(fakes.Delta{Text: "ok"}))
	calling := make(chan struct{}, 2)
	a := agent(t, s.URL(), func(o *native.Options) {
		o.Home = t.TempDir()
		o.Tools = box(does{"wait", func(ctx context.Context, _ json.RawMessage) tool.Result {
			calling <- struct{}{}
			<-ctx.Done()
			return tool.Error("given up")
		}})
	})
	run := begin(t, a, executor.StartOpts{Message: "first"})
	<-calling
	if err := a.Abort(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	events, done := all(t, a, run)
	if done.Reason != executor.ReasonAborted || len(verify.OpenCalls(events)) > 0 {
		t.Errorf("done %s, %v", done.Reason, verify.OpenCalls(events))
	}
	if _, done := all(t, a, begin(t, a, executor.StartOpts{Message: "second"})); done.Reason != executor.ReasonSuccess {
		t.Errorf("the next run: %+v, refused %q", done, s.Journal()[1].Refused)
	}
}

// The model that serves is the one that is named and billed.
func TestFallbackIsBilled(t *testing.T) {
	in, out := int64(100_000), int64(1000)
	s := serve(t, fake.Rule{When: fake.When{Dialect: fake.Anthropic}, Refuse: &fake.Refusal{Status: 529}}, says(fakes.Delta{Text: "ok"}, fakes.Usage{In: &in, Out: &out}))
	a := agent(t, s.URL(), func(o *native.Options) {
		o.Agent.Fallbacks = []state.Fallback{{Provider: provider.Groq, Model: "gpt-4o-mini"}}
	})
	events, done := all(t, a, begin(t, a, executor.StartOpts{}))
	for _, e := range events {
		switch e := e.(type) {
		case executor.Status:
			if e.Model != "gpt-4o-mini" {
				t.Errorf("status %+v", e)
			}
		case executor.Cost:
			if *e.Model != "gpt-4o-mini" || *e.CostUSD != 0.0156 {
				t.Errorf("cost %+v, %v", e, *e.CostUSD)
			}
		}
	}
	if usd, known := done.CostUSD.Get(); !known || usd != 0.0156 {
		t.Errorf("done %+v", done)
	}
	if len(s.Journal()) != 2 {
		t.Errorf("%d requests", len(s.Journal()))
	}
}

func TestSoul(t *testing.T) {
	s := serve(t, says(fakes.Delta{Text: "ok"}))
	home := t.TempDir()
	dir := state.Home{Dir: home, Agent: "coder"}.Path()
	if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, "SOUL.md"), []byte("I have a soul."), 0o600)); err != nil {
		t.Fatal(err)
	}
	for i, prompt := range []string{"", "I have none."} {
		a := agent(t, s.URL(), func(o *native.Options) { o.Home, o.Agent.SystemPrompt = home, prompt })
		all(t, a, begin(t, a, executor.StartOpts{}))
		if has := strings.Contains(s.Journal()[i].Body, "I have a soul."); has != (prompt == "") {
			t.Errorf("with the prompt %q: the soul is told: %t", prompt, has)
		}
	}
}

func TestToolsThatDoNotOpen(t *testing.T) {
	s := serve(t, says(fakes.Delta{Text: "ok"}))
	closed := false
	a := agent(t, s.URL(), func(o *native.Options) {
		o.Tools = func(_ context.Context, of native.RunInfo) (native.Toolbox, error) {
			if of.AgentID != "coder" || of.SessionKey != "s" || of.TaskID != "task-1" || of.TeamID != "team-1" || of.Config.ID != "coder" || of.RunID == "" || of.SessionID == "" {
				t.Errorf("run %+v", of)
			}
			return native.Toolbox{Close: func() error { closed = true; return nil }}, errors.New("secret path")
		}
	})
	events, done := all(t, a, begin(t, a, executor.StartOpts{}))
	if diff := cmp.Diff([]string{"tools!"}, errorsIn(events)); done.Reason != executor.ReasonError || diff != "" || !closed {
		t.Errorf("done %s, closed %t, errors (-want +got):\n%s", done.Reason, closed, diff)
	}
}

// A blocklist keeps a tool from the model, and from being called.
func TestBlocklist(t *testing.T) {
	s := serve(t, fake.Rule{When: fake.When{Turn: 1}, Frames: []fakes.Frame{fakes.ToolCall{ID: "t1", Name: "send", Input: `{}`}}}, says(fakes.Delta{Text: "ok"}))
	a := agent(t, s.URL(), func(o *native.Options) {
		o.Tools = box(does{name: "look"}, does{"send", func(context.Context, json.RawMessage) tool.Result {
			t.Error("it was called")
			return tool.Result{}
		}})
	})
	events, _ := all(t, a, begin(t, a, executor.StartOpts{ChildToolBlocklist: []string{"send"}}))
	if strings.Contains(s.Journal()[0].Body, `"send"`) {
		t.Errorf("the model is told of it: %s", s.Journal()[0].Body)
	}
	i := slices.IndexFunc(events, func(e executor.Event) bool { return e.Kind() == executor.KindToolResult })
	if r := events[i].(executor.ToolResult); !r.IsError || r.Output != "unknown tool: send" {
		t.Errorf("result %+v", r)
	}
}
