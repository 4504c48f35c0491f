package loop_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/adapters/native/loop"
	"github.com/adaptercheck/adaptercheck/adapters/native/message"
	"github.com/adaptercheck/adaptercheck/adapters/native/provider"
	"github.com/adaptercheck/adaptercheck/adapters/native/tool"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/contract/executor/verify"
)

// scripted is a model whose answers are known. An answer that is missing is a failure.
type scripted struct {
	answers  []provider.Answer
	errs     map[int]error // by turn, from 0
	during   func(turn int)
	requests []provider.Request
}

func (s *scripted) Turn(ctx context.Context, r provider.Request, say func(provider.Piece)) (provider.Answer, error) {
	turn := len(s.requests)
	r.Messages = slices.Clone(r.Messages)
	s.requests = append(s.requests, r)
	if turn >= len(s.answers) {
		return provider.Answer{}, errors.New("nothing is scripted")
	}
	a := s.answers[turn]
	if a.Model == "" {
		a.Model = "m"
	}
	if a.Text != "" {
		say(provider.Piece{Text: a.Text, Model: a.Model})
	}
	if s.during != nil {
		s.during(turn)
	}
	if err := ctx.Err(); err != nil {
		return a, err
	}
	return a, s.errs[turn]
}

func says(text string) provider.Answer {
	return provider.Answer{Text: text, Stop: provider.StopEnd, Usage: &provider.Usage{In: 10, Out: 1}}
}

func uses(names ...string) provider.Answer {
	a := provider.Answer{Stop: provider.StopTools, Usage: &provider.Usage{In: 10, Out: 1}}
	for i, name := range names {
		a.Calls = append(a.Calls, provider.Call{ID: fmt.Sprintf("t%d", i), Name: name, Input: jsontext.Value(`{}`)})
	}
	return a
}

// does is a tool made of a function.
type does struct {
	name string
	call func(ctx context.Context, input json.RawMessage) tool.Result
}

func (d does) Definition() tool.Definition { return tool.Definition{Name: d.name} }
func (d does) Call(ctx context.Context, input json.RawMessage) tool.Result {
	if d.call == nil {
		return tool.Result{Output: "did " + d.name}
	}
	return d.call(ctx, input)
}

// hold runs a conversation, and returns its outcome and its events.
func hold(ctx context.Context, m *scripted, o loop.Options) (loop.Outcome, []executor.Event) {
	var events []executor.Event
	o.Model, o.Grace = m, time.Second
	if o.Prompt == "" {
		o.Prompt = "go"
	}
	if o.MaxTurns == 0 {
		o.MaxTurns = 10
	}
	o.Emit = func(e ...executor.Event) { events = append(events, e...) }
	return loop.Run(ctx, o), events
}

// kinds are the events in short.
func kinds(events []executor.Event) []string {
	var out []string
	for _, e := range events {
		switch e := e.(type) {
		case executor.TextDelta:
			out = append(out, "text "+e.Text)
		case executor.ToolCall:
			out = append(out, "call "+e.ID+" "+e.Name)
		case executor.ToolResult:
			out = append(out, fmt.Sprintf("result %s %s %t", e.ID, e.Output, e.IsError))
		case executor.Error:
			out = append(out, fmt.Sprintf("error %s %t", *e.Code, e.Fatal))
		case executor.Status:
			out = append(out, "status "+string(e.Phase)+" "+e.Model)
		default:
			out = append(out, string(e.Kind()))
		}
	}
	return out
}

func TestConversation(t *testing.T) {
	m := &scripted{answers: []provider.Answer{uses("b", "a"), says("done")}}
	m.answers[0].Text = "I will."
	out, events := hold(t.Context(), m, loop.Options{
		System: "be", Tools: []tool.Tool{does{name: "b"}, does{name: "a"}, does{name: "\uFF5E"}, does{name: "😀"}, does{name: "a", call: nil}},
		RequestID: func(turn int) string { return fmt.Sprint("r", turn) },
	})
	want := []string{"status init m", "text I will.", "cost", "call t0 b", "result t0 did b false", "call t1 a", "result t1 did a false", "text done", "cost"}
	if diff := cmp.Diff(want, kinds(events)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if out.Reason != executor.ReasonSuccess || out.Summary != "done" || out.Turns != 2 || out.Model != "m" {
		t.Errorf("outcome %+v", out)
	}
	if len(out.Messages) != 4 || m.requests[1].ID != "r2" {
		t.Errorf("%d messages, request %q", len(out.Messages), m.requests[1].ID)
	}
	var names []string
	for _, d := range m.requests[0].Tools {
		names = append(names, d.Name)
	}
	// By UTF-16 code unit: the emoji's first is a surrogate.
	if diff := cmp.Diff([]string{"a", "b", "😀", "\uFF5E"}, names); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
	first, second := m.requests[0], m.requests[1]
	if first.System != second.System || !cmp.Equal(first.Tools, second.Tools) || !cmp.Equal(first.Messages, second.Messages[:len(first.Messages)]) {
		t.Error("the second request does not begin like the first")
	}
}

// R59: a tool that is forbidden is not told of, and not called if it is named all the same.
func TestBlocklist(t *testing.T) {
	called := false
	m := &scripted{answers: []provider.Answer{uses("secret", "nothing"), says("ok")}}
	_, events := hold(t.Context(), m, loop.Options{Blocklist: []string{"secret"}, Tools: []tool.Tool{does{name: "fine"}, does{name: "secret", call: func(context.Context, json.RawMessage) tool.Result {
		called = true
		return tool.Result{}
	}}}})
	if called || len(m.requests[0].Tools) != 1 {
		t.Errorf("called %t, told of %v", called, m.requests[0].Tools)
	}
	want := []string{"result t0 unknown tool: secret true", "result t1 unknown tool: nothing true"}
	for _, w := range want {
		if !slices.Contains(kinds(events), w) {
			t.Errorf("no %q in %v", w, kinds(events))
		}
	}
}

// R60: whatever an abort cuts, every call that was announced has a result, and the
// conversation that is kept can go on.
func TestAbort(t *testing.T) {
	for _, when := range []string{"before the run", "in a turn", "in a tool", "between tools", "in a tool that is deaf"} {
		t.Run(when, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				m := &scripted{answers: []provider.Answer{uses("one", "two"), says("never")}}
				m.answers[0].Text = "I will."
				release := make(chan struct{})
				defer close(release)
				one := func(ctx context.Context, _ json.RawMessage) tool.Result {
					switch when {
					case "in a tool":
						cancel()
						<-ctx.Done()
						return tool.Error("given up")
					case "between tools":
						cancel()
					case "in a tool that is deaf":
						cancel()
						<-release
					}
					return tool.Result{Output: "did one"}
				}
				switch when {
				case "before the run":
					cancel()
				case "in a turn":
					m.during = func(int) { cancel() }
				}
				begun := time.Now()
				out, events := hold(ctx, m, loop.Options{Tools: []tool.Tool{does{"one", one}, does{name: "two"}}})
				if out.Reason != executor.ReasonAborted || len(m.requests) > 1 {
					t.Errorf("outcome %s after %d requests", out.Reason, len(m.requests))
				}
				if took := time.Since(begun); took > time.Second {
					t.Errorf("it took %v", took)
				}
				if found := verify.OpenCalls(events); len(found) > 0 {
					t.Errorf("open calls %v in %v", found, kinds(events))
				}
				if diff := cmp.Diff(message.Closed(out.Messages), out.Messages); diff != "" {
					t.Errorf("the conversation is not closed (-closed +kept):\n%s", diff)
				}
				if slices.Contains(kinds(events), "call t1 two") {
					t.Errorf("a call was announced after the abort: %v", kinds(events))
				}
				if when == "in a turn" && out.Summary != "I will." {
					t.Errorf("summary %q", out.Summary)
				}
			})
		})
	}
}

func TestMaxTurns(t *testing.T) {
	m := &scripted{answers: []provider.Answer{uses("a"), uses("a"), says("never")}}
	m.answers[0].Text = "step"
	out, _ := hold(t.Context(), m, loop.Options{MaxTurns: 2, Tools: []tool.Tool{does{name: "a"}}})
	if out.Reason != executor.ReasonMaxTurns || out.Turns != 2 || out.Summary != "step" {
		t.Errorf("outcome %+v", out)
	}
	if m.requests[1].Messages[1].Content[1].ID == m.requests[1].Messages[1].Content[0].ID {
		t.Error("an id came twice")
	}
}

// What is told while a run goes on reaches the model with its next turn; a run that would
// have ended takes one more for it.
func TestInputs(t *testing.T) {
	m := &scripted{answers: []provider.Answer{uses("a"), says("done"), says("well")}}
	var inputs []string
	m.during = func(turn int) {
		if turn < 2 {
			inputs = append(inputs, fmt.Sprint("note ", turn))
		}
	}
	out, _ := hold(t.Context(), m, loop.Options{
		Tools:  []tool.Tool{does{name: "a"}},
		Inputs: func() []string { taken := inputs; inputs = nil; return taken },
	})
	if out.Summary != "well" || out.Turns != 3 {
		t.Errorf("outcome %+v", out)
	}
	for turn, note := range map[int]string{1: "note 0", 2: "note 1"} {
		last := m.requests[turn].Messages
		if got := last[len(last)-1]; got.Role != message.User || got.Content[0].Text != note {
			t.Errorf("turn %d ends with %+v", turn, got)
		}
	}
}

func TestInbox(t *testing.T) {
	m := &scripted{answers: []provider.Answer{uses("a"), says("done")}}
	asked := 0
	out, events := hold(t.Context(), m, loop.Options{Tools: []tool.Tool{does{name: "a"}}, Inbox: func(context.Context) ([]string, error) {
		asked++
		if asked == 1 {
			return nil, errors.New("secret path")
		}
		if asked == 2 {
			return []string{"[Task Update] done"}, nil
		}
		return nil, nil
	}})
	if out.Reason != executor.ReasonSuccess || kinds(events)[0] != "error inbox false" {
		t.Errorf("outcome %+v, events %v", out, kinds(events))
	}
	last := m.requests[1].Messages
	if last[len(last)-1].Content[0].Text != "[Task Update] done" {
		t.Errorf("the second turn ends with %+v", last[len(last)-1])
	}
}

func TestResults(t *testing.T) {
	m := &scripted{answers: []provider.Answer{uses("denied", "broken", "long", "open"), says("ok")}}
	var seen tool.CallInfo
	_, events := hold(t.Context(), m, loop.Options{
		Tools: []tool.Tool{
			does{"denied", func(context.Context, json.RawMessage) tool.Result {
				return tool.Result{Output: "denied: no", IsError: true, Denied: true}
			}},
			does{"broken", func(context.Context, json.RawMessage) tool.Result { panic("boom") }},
			does{"long", func(ctx context.Context, _ json.RawMessage) tool.Result {
				seen, _ = tool.CallOf(ctx)
				return tool.Result{Output: strings.Repeat("漢", 40_000)}
			}},
			does{name: "open"},
		},
		Approve: func(_ context.Context, call tool.CallInfo, d tool.Definition) bool {
			return call.ID != "t3" || d.Name != "open"
		},
	})
	got := kinds(events)
	for _, want := range []string{"result t0 denied: no true", "error policy_denied false", "result t1 the tool failed true", "result t3 the call was not approved true"} {
		if !slices.Contains(got, want) {
			t.Errorf("no %q", want)
		}
	}
	if seen != (tool.CallInfo{ID: "t2", Name: "long"}) {
		t.Errorf("the tool saw the call %+v", seen)
	}
	for _, p := range m.requests[1].Messages[2].Content {
		if p.ID == "t2" && (len(p.Output) > loop.MaxOutput+100 || !strings.HasSuffix(p.Output, "truncated at 65536 bytes]") || strings.Contains(p.Output, "\uFFFD")) {
			t.Errorf("the model reads %d bytes that end %q", len(p.Output), p.Output[len(p.Output)-40:])
		}
	}
	for _, e := range events {
		if r, is := e.(executor.ToolResult); is && r.ID == "t2" && len(r.Output) != 120_000 {
			t.Errorf("the event has %d bytes", len(r.Output))
		}
	}
}

// The ids of calls are unique in a conversation; a call that an answer has twice is one.
func TestCallIDs(t *testing.T) {
	a := uses("a", "a", "a")
	a.Calls[1].ID = "t0"                                      // the same again
	a.Calls[2].ID, a.Calls[2].Input = "t0", []byte(`{"x":1}`) // another under its id
	b := uses("a", "a")
	b.Calls[1].ID = ""
	m := &scripted{answers: []provider.Answer{a, b, says("ok")}}
	history := []message.Message{message.FromUser("x"), {Role: message.Assistant, Content: []message.Part{message.Call("call", "a", jsontext.Value(`{}`))}}}
	_, events := hold(t.Context(), m, loop.Options{History: history, Tools: []tool.Tool{does{name: "a"}}})
	var ids []string
	for _, e := range events {
		if c, is := e.(executor.ToolCall); is {
			ids = append(ids, c.ID)
		}
	}
	if diff := cmp.Diff([]string{"t0", "t0-2", "t0-3", "call-2"}, ids); diff != "" {
		t.Errorf("ids (-want +got):\n%s", diff)
	}
}

func TestFailures(t *testing.T) {
	failed := func(code provider.Code) error { return &provider.Error{Code: code, Provider: "groq"} }
	for _, c := range []struct {
		name   string
		answer provider.Answer
		err    error
		code   string
	}{
		{"limit", provider.Answer{Text: "half", Stop: provider.StopLength}, nil, executor.CodeTokenLimit},
		{"refusal", provider.Answer{Text: "half", Stop: provider.StopRefusal}, nil, loop.CodeRefusal},
		{"auth", provider.Answer{}, failed(provider.CodeAuth), "auth"},
		{"cut", provider.Answer{Text: "half"}, failed(provider.CodeTruncated), "stream-truncated"},
		{"overflow", provider.Answer{}, failed(provider.CodeContextOverflow), "context_overflow"},
		{"something", provider.Answer{}, errors.New("secret"), "unknown"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.answer.Usage = &provider.Usage{In: 7}
			m := &scripted{answers: []provider.Answer{c.answer}, errs: map[int]error{0: c.err}}
			out, events := hold(t.Context(), m, loop.Options{})
			if out.Reason != executor.ReasonError || out.Failure.Code == nil || *out.Failure.Code != c.code || !out.Failure.Fatal || strings.Contains(out.Failure.Message, "secret") {
				t.Errorf("outcome %s, failure %+v", out.Reason, out.Failure)
			}
			if out.Summary != c.answer.Text || len(out.Messages) != 1+len(c.answer.Text)/4 {
				t.Errorf("summary %q, %d messages", out.Summary, len(out.Messages))
			}
			if used, _ := verify.Spend(events, ""); used.InputTokens != 7 {
				t.Errorf("what the failed turn used is not billed: %+v", used)
			}
		})
	}
}

func TestCost(t *testing.T) {
	told := 0.125
	priced := uses("a")
	priced.Model, priced.Usage = "gpt-4o-mini-20240718", &provider.Usage{In: 100_000, CacheRead: 100_000, Out: 10_000}
	given := uses("a")
	given.Model, given.Usage = "anything", &provider.Usage{In: 5, CacheWrite: 3, Out: 1, CostUSD: &told}
	unpriced := says("ok")
	unpriced.Model = "anything"
	untold := says("ok")
	untold.Usage = nil
	for _, c := range []struct {
		name  string
		last  provider.Answer
		total executor.Nullable[float64]
	}{
		{"all known", priced, executor.Value(0.0285*2 + told)},
		{"one unknown", unpriced, executor.Null[float64]()},
		{"one untold", untold, executor.Null[float64]()},
	} {
		t.Run(c.name, func(t *testing.T) {
			last := c.last
			last.Calls, last.Stop, last.Text = nil, provider.StopEnd, "ok"
			out, events := hold(t.Context(), &scripted{answers: []provider.Answer{priced, given, last}}, loop.Options{Tools: []tool.Tool{does{name: "a"}}})
			if out.Cost != c.total {
				t.Errorf("total %+v, want %+v", out.Cost, c.total)
			}
			var costs []executor.Cost
			for _, e := range events {
				if cost, is := e.(executor.Cost); is {
					costs = append(costs, cost)
				}
			}
			first, second := costs[0], costs[1]
			if *first.CostUSD != 0.0285 || !first.Estimated || *first.Model != priced.Model || first.Usage.InputTokens != 100_000 || *first.Usage.CachedInputTokens != 100_000 {
				t.Errorf("a price of the table: %+v", first)
			}
			if *second.CostUSD != told || second.Estimated || second.Usage.InputTokens != 8 {
				t.Errorf("a price that was told: %+v", second)
			}
		})
	}
}
