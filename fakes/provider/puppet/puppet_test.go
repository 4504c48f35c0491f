package puppet_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/provider"
	"github.com/adaptercheck/adaptercheck/fakes/provider/puppet"
)

// host is a runtime that does what each test tells it.
type host struct {
	t       *testing.T
	dialect provider.Dialect
	rt      *puppet.Runtime
	at      fakes.Endpoint
	env     map[string]string
}

func start(t *testing.T, d provider.Dialect) *host {
	t.Helper()
	rt, err := puppet.New(t.Context(), puppet.Options{Dialect: d, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	h := &host{t: t, dialect: d, rt: rt, at: rt.Endpoint(), env: map[string]string{}}
	for _, e := range h.at.Env {
		name, value, _ := strings.Cut(e, "=")
		h.env[name] = value
	}
	t.Cleanup(func() {
		if err := rt.Close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(h.at.Dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the home is still there: %v", err)
		}
	})
	return h
}

// message is one of a conversation; with a result it answers a call.
func message(role, content string) string {
	return fmt.Sprintf(`{"role":%q,"content":%q}`, role, content)
}

// ask posts a conversation and returns the answer's body when all of it has come.
func (h *host) ask(ctx context.Context, id string, messages ...string) <-chan string {
	h.t.Helper()
	body := `{"model":"m","max_tokens":9,"stream":true,"messages":[` + strings.Join(messages, ",") + `]}`
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, h.at.URL+h.dialect.Path(), strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	q.Header.Set("X-Client-Request-Id", id)
	q.Header.Set("X-Api-Key", h.env[puppet.EnvKey])
	q.Header.Set("Authorization", "Bearer "+h.env[puppet.EnvKey])
	q.Header.Set("Anthropic-Version", "2023-06-01")
	answer := make(chan string, 1)
	go func() {
		res, err := http.DefaultClient.Do(q)
		if err != nil {
			answer <- "error: " + err.Error()
			return
		}
		defer res.Body.Close()
		text, _ := io.ReadAll(res.Body) // what came of one that breaks off
		answer <- fmt.Sprintf("%d %s", res.StatusCode, text)
	}()
	return answer
}

// call asks what a tool returns.
func (h *host) call(session, id string) (puppet.Answer, int) {
	h.t.Helper()
	body, err := json.Marshal(puppet.Question{Session: session, ID: id})
	if err != nil {
		h.t.Fatal(err)
	}
	res, err := http.Post(h.env[puppet.EnvTools], "application/json", bytes.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	defer res.Body.Close()
	var a puppet.Answer
	_ = json.NewDecoder(res.Body).Decode(&a) // an error has none
	return a, res.StatusCode
}

func (h *host) next() fakes.Run {
	h.t.Helper()
	run, err := h.rt.Next(h.t.Context())
	if err != nil {
		h.t.Fatal(err)
	}
	return run
}

func say(t *testing.T, run fakes.Run, frames ...fakes.Frame) {
	t.Helper()
	if err := emit(t, run, frames...); err != nil {
		t.Fatal(err)
	}
}

// emit lets a run say frames, for which some request may never come.
func emit(t *testing.T, run fakes.Run, frames ...fakes.Frame) error {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_, err := run.Emit(ctx, frames...)
	return err
}

// toolUse is the assistant's message with a call, and the result that follows it.
func (h *host) toolUse(id, out string) []string {
	if h.dialect == provider.Anthropic {
		return []string{
			fmt.Sprintf(`{"role":"assistant","content":[{"type":"tool_use","id":%q,"name":"shell","input":{}}]}`, id),
			fmt.Sprintf(`{"role":"user","content":[{"type":"tool_result","tool_use_id":%q,"content":%q}]}`, id, out),
		}
	}
	return []string{
		fmt.Sprintf(`{"role":"assistant","content":null,"tool_calls":[{"id":%q,"type":"function","function":{"name":"shell","arguments":"{}"}}]}`, id),
		fmt.Sprintf(`{"role":"tool","tool_call_id":%q,"content":%q}`, id, out),
	}
}

func TestRun(t *testing.T) {
	for _, d := range []provider.Dialect{provider.Anthropic, provider.Chat} {
		t.Run(string(d), func(t *testing.T) {
			h := start(t, d)
			first := h.ask(t.Context(), "run-1/1", message("user", "hello"))
			run := h.next()
			want := fakes.Call{Method: fakes.MethodStart, Session: "run-1", Message: "hello", Model: "m"}
			if diff := cmp.Diff(want, run.Begun()); diff != "" {
				t.Errorf("begun (-want +got):\n%s", diff)
			}
			// The call ends the answer; its result comes from the tool, and what is said then
			// is in the next answer.
			say(t, run, fakes.Delta{Text: "I look."}, fakes.ToolCall{ID: "t1", Name: "shell", Input: `{}`})
			if got := <-first; !strings.Contains(got, "I look.") || !strings.Contains(got, `"t1"`) || !strings.Contains(got, "tool_") {
				t.Errorf("first answer:\n%s", got)
			}
			say(t, run, fakes.Result{ID: "t1", Out: "a.txt", Error: true})
			if a, status := h.call("run-1", "t1"); a != (puppet.Answer{Output: "a.txt", IsError: true}) || status != 200 {
				t.Errorf("tool: %+v, %d", a, status)
			}
			talk := append([]string{message("user", "hello")}, h.toolUse("t1", "a.txt")...)
			second := h.ask(t.Context(), "run-1/2", talk...)
			say(t, run, fakes.Delta{Text: "A file."}, fakes.End{Reason: fakes.EndOK})
			if got := <-second; !strings.Contains(got, "A file.") || strings.Contains(got, "I look.") {
				t.Errorf("second answer:\n%s", got)
			}
			if err := run.Gone(t.Context()); err != nil {
				t.Error(err)
			}
			if _, err := run.Emit(t.Context(), fakes.Delta{Text: "more"}); !errors.Is(err, fakes.ErrGone) {
				t.Errorf("after the end: %v", err)
			}
			if diff := cmp.Diff([]fakes.Call{{Method: fakes.MethodTool, Session: "run-1", Value: "t1"}}, run.Calls()); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
			// A run that begins with the whole conversation goes on with it, under another
			// name; one that does not is of its own.
			h.ask(t.Context(), "run-2/1", append(talk, message("assistant", "A file."), message("user", "and now"))...)
			again := h.next()
			if b := again.Begun(); b.Resume != "run-1" || b.Session != "run-1" || b.Message != "hello\n\nand now" {
				t.Errorf("begun %+v", b)
			}
			h.ask(t.Context(), "run-3/1", message("user", "hello "))
			if b := h.next().Begun(); b.Resume != "" || b.Session != "run-3" {
				t.Errorf("begun %+v", b)
			}
			if r := h.rt.Residue(); r.Subscribers != 2 || r.Connections < 2 {
				t.Errorf("residue %+v", r)
			}
		})
	}
}

// A call without a result fails when the run goes on, and a run that was told more after
// its end is told nothing more.
func TestUnanswered(t *testing.T) {
	h := start(t, provider.Anthropic)
	first := h.ask(t.Context(), "run-1/1", message("user", "hello"))
	run := h.next()
	say(t, run, fakes.ToolCall{ID: "t1", Name: "shell", Input: `{}`})
	<-first
	ended := make(chan error, 1)
	go func() { _, err := run.Emit(t.Context(), fakes.End{Reason: fakes.EndOK}); ended <- err }()
	if a, _ := h.call("run-1", "t1"); !a.IsError {
		t.Errorf("tool: %+v", a)
	}
	talk := append([]string{message("user", "hello")}, h.toolUse("t1", "-")...)
	<-h.ask(t.Context(), "run-1/2", talk...)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if got := <-h.ask(t.Context(), "run-1/3", append(talk, message("user", "more"))...); !strings.Contains(got, "end_turn") {
		t.Errorf("after the end:\n%s", got)
	}
	want := []fakes.Call{{Method: fakes.MethodTool, Session: "run-1", Value: "t1"}, {Method: fakes.MethodInput, Session: "run-1", Value: "more"}}
	if diff := cmp.Diff(want, run.Calls()); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	if _, status := h.call("run-1", "t9"); status != http.StatusNotFound {
		t.Errorf("a call that nobody made: %d", status)
	}
}

func TestAbort(t *testing.T) {
	h := start(t, provider.Chat)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	answer := h.ask(ctx, "run-1/1", message("user", "hello"))
	run := h.next()
	say(t, run, fakes.Delta{Text: "half"})
	cancel()
	<-answer
	if err := run.Gone(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]fakes.Call{{Method: fakes.MethodCancel, Session: "run-1"}}, run.Calls()); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

func TestQuestion(t *testing.T) {
	for _, allow := range []bool{true, false} {
		h := start(t, provider.Anthropic)
		first := h.ask(t.Context(), "run-1/1", message("user", "hello"))
		run := h.next()
		say(t, run, fakes.Ask{ID: "q1", Tool: "shell"})
		if got := <-first; !strings.Contains(got, `"guarded"`) {
			t.Errorf("answer:\n%s", got)
		}
		if _, err := run.Emit(t.Context(), fakes.Ask{ID: "q2"}); !errors.Is(err, fakes.ErrUnplayable) {
			t.Errorf("a second question: %v", err)
		}
		if allow {
			h.call("run-1", "q1")
		}
		h.ask(t.Context(), "run-1/2", append([]string{message("user", "hello")}, h.toolUse("q1", "-")...)...)
		say(t, run, fakes.Delta{Text: "on"}) // in the answer to the second request
		want := []fakes.Call{{Method: fakes.MethodAnswer, Session: "run-1", Question: "q1", Allow: allow}}
		if allow {
			want = append([]fakes.Call{{Method: fakes.MethodTool, Session: "run-1", Value: "q1"}}, want...)
		}
		if diff := cmp.Diff(want, run.Calls()); diff != "" {
			t.Errorf("calls (-want +got):\n%s", diff)
		}
	}
}

// A second count of tokens has a turn of its own, and a total is what has been used by
// then.
func TestUsage(t *testing.T) {
	n := func(n int64) *int64 { return &n }
	h := start(t, provider.Anthropic)
	first := h.ask(t.Context(), "run-1/1", message("user", "hello"))
	run := h.next()
	done := make(chan error, 1)
	go func() {
		_, err := run.Emit(t.Context(), fakes.Delta{Text: "a"}, fakes.Usage{Kind: fakes.UsageTurn, In: n(10), Out: n(1)},
			fakes.Usage{Kind: fakes.UsageTurn, In: n(20), Out: n(2)}, fakes.Usage{Kind: fakes.UsageTotal, In: n(35), Out: n(4)}, fakes.End{Reason: fakes.EndOK})
		done <- err
	}()
	if got := <-first; !strings.Contains(got, `"input_tokens":10`) || !strings.Contains(got, `"tool_use"`) {
		t.Errorf("first answer:\n%s", got)
	}
	second := h.ask(t.Context(), "run-1/2", append([]string{message("user", "hello")}, h.toolUse("x", "-")...)...)
	if got := <-second; !strings.Contains(got, `"input_tokens":25`) || !strings.Contains(got, `"output_tokens":3`) {
		t.Errorf("second answer:\n%s", got)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// A turn limit is played by turns.
func TestMaxTurns(t *testing.T) {
	h := start(t, provider.Anthropic)
	talk := []string{message("user", "hello")}
	answer := h.ask(t.Context(), "run-1/1", talk...)
	run := h.next()
	done := make(chan error, 1)
	go func() { _, err := run.Emit(t.Context(), fakes.End{Reason: fakes.EndMaxTurns}); done <- err }()
	for turn := 2; turn <= puppet.MaxTurns; turn++ {
		<-answer
		talk = append(talk, h.toolUse(fmt.Sprint("t", turn), "-")...)
		answer = h.ask(t.Context(), fmt.Sprint("run-1/", turn), talk...)
	}
	if got := <-answer; !strings.Contains(got, "tool_use") {
		t.Errorf("last answer:\n%s", got)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// An error that does not end the run is a refusal, of the request that waits or, where its
// answer has begun, of the next.
func TestRefusal(t *testing.T) {
	h := start(t, provider.Anthropic)
	first := h.ask(t.Context(), "run-1/1", message("user", "hello"))
	run := h.next()
	done := make(chan error, 1)
	go func() {
		done <- emit(t, run, fakes.Failure{Code: "503", Message: "busy"}, fakes.Delta{Text: "half"}, fakes.Failure{Code: "429"}, fakes.Delta{Text: "fine"}, fakes.End{Reason: fakes.EndOK})
	}()
	if got := <-first; !strings.HasPrefix(got, "503 ") {
		t.Errorf("first request:\n%s", got)
	}
	if got := <-h.ask(t.Context(), "run-1/1", message("user", "hello")); !strings.Contains(got, "half") || !strings.Contains(got, "tool_use") {
		t.Errorf("asked again:\n%s", got)
	}
	talk := append([]string{message("user", "hello")}, h.toolUse("x", "-")...)
	if got := <-h.ask(t.Context(), "run-1/2", talk...); !strings.HasPrefix(got, "429 ") {
		t.Errorf("second turn:\n%s", got)
	}
	if got := <-h.ask(t.Context(), "run-1/2", talk...); !strings.Contains(got, "fine") {
		t.Errorf("asked again:\n%s", got)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// What comes behind an end is on the wire behind it.
func TestLate(t *testing.T) {
	for d, end := range map[provider.Dialect]string{provider.Anthropic: "message_stop", provider.Chat: "[DONE]"} {
		for _, f := range []fakes.Frame{fakes.End{Reason: fakes.EndOK}, fakes.Failure{Message: "broken", Fatal: true}} {
			h := start(t, d)
			answer := h.ask(t.Context(), "run-1/1", message("user", "hello"))
			run := h.next()
			say(t, run, fakes.Delta{Text: "in time"}, f, fakes.Delta{Text: "too late"}, fakes.ToolCall{ID: "t9", Name: "shell", Input: "{}"}, fakes.End{Reason: fakes.EndOK})
			got := <-answer
			mark := end
			if f.Word() == "error" {
				mark = "broken"
			}
			before, behind, found := strings.Cut(got, mark)
			if !found || !strings.Contains(before, "in time") || strings.Contains(before, "too late") || !strings.Contains(behind, "too late") || !strings.Contains(behind, "t9") || !strings.Contains(behind, end) {
				t.Errorf("%s, %s:\n%s", d, f.Word(), got)
			}
			for line := range strings.Lines(got) {
				data, is := strings.CutPrefix(strings.TrimSpace(line), "data: ")
				if is && data != "[DONE]" && !json.Valid([]byte(data)) {
					t.Errorf("%s: no JSON: %s", d, data)
				}
			}
		}
	}
}

func TestUnplayable(t *testing.T) {
	h := start(t, provider.Anthropic)
	answer := h.ask(t.Context(), "run-1/1", message("user", "hello"))
	run := h.next()
	for _, f := range []fakes.Frame{
		fakes.Init{}, fakes.Snapshot{}, fakes.Delta{Text: "a", Parent: "t1"}, fakes.Final{}, fakes.CallPart{}, fakes.Turn{State: "thinking"}, fakes.Failure{Code: "quota"},
		fakes.End{Reason: fakes.EndAborted}, fakes.Exit{}, fakes.Raw{Line: "x"}, fakes.ToolCall{ID: "t", Name: "shell", Input: "[1]"}, fakes.Stderr{}, fakes.Ignore{},
	} {
		var wrong *fakes.FrameError
		if err := emit(t, run, fakes.Delta{Text: "unsaid"}, f); !errors.Is(err, fakes.ErrUnplayable) || !errors.As(err, &wrong) || wrong.Index != 1 {
			t.Errorf("%s: %v", f.Word(), err)
		}
	}
	for _, k := range []fakes.FaultKind{fakes.FaultTorn, fakes.FaultHeld} {
		if err := run.Fault(t.Context(), fakes.Fault{Kind: k}); !errors.Is(err, fakes.ErrUnplayable) {
			t.Errorf("%s: %v", k, err)
		}
	}
	if err := h.rt.Fault(t.Context(), fakes.Fault{Kind: fakes.FaultDown}); !errors.Is(err, fakes.ErrUnplayable) {
		t.Errorf("down: %v", err)
	}
	if err := run.Fault(t.Context(), fakes.Fault{Kind: fakes.FaultCut}); err != nil {
		t.Error(err)
	}
	if got := <-answer; strings.Contains(got, "unsaid") || strings.Contains(got, "message_stop") {
		t.Errorf("answer:\n%s", got)
	}
}

func TestOptions(t *testing.T) {
	if rt, err := puppet.New(t.Context(), puppet.Options{Dialect: provider.Responses}); err == nil {
		_ = rt.Close()
		t.Error("a dialect without a form was taken")
	}
}
