package executor_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// wire holds one event per shape that the seed's wire knows, byte for byte.
var wire = []string{
	`{"runId":"r","sessionId":null,"ts":1,"seq":0,"kind":"text-delta","text":"a\nb"}`,
	`{"runId":"r","sessionId":"s","ts":1,"seq":1,"kind":"text-delta","text":"<&> é 🦜","channel":"assistant"}`,
	`{"runId":"r","sessionId":"s","ts":1,"seq":2,"kind":"text-delta","text":"t","channel":"reasoning"}`,
	`{"runId":"r","sessionId":"s","ts":1,"seq":3,"kind":"tool-call","toolCallId":"t1","name":"read","input":{"p":"a","n":1.50},"partial":false}`,
	`{"runId":"r","sessionId":"s","ts":1,"seq":4,"kind":"tool-call","toolCallId":"t1","name":"read","input":null,"partial":true}`,
	`{"runId":"r","sessionId":"s","ts":1,"seq":5,"kind":"tool-result","toolCallId":"t1","name":"read","output":"x","isError":true}`,
	`{"runId":"r","sessionId":"s","ts":1,"seq":6,"kind":"status","phase":"init","model":"m"}`,
	`{"runId":"r","sessionId":"s","ts":1,"seq":7,"kind":"status","phase":"thinking","detail":"retry"}`,
	`{"runId":"r","sessionId":"s","ts":1,"seq":8,"kind":"cost","costUsd":null,"usage":{"inputTokens":1,"outputTokens":2},"model":null,"estimated":true}`,
	`{"runId":"r","sessionId":"s","ts":1,"seq":9,"kind":"cost","costUsd":0.0007,"usage":{"inputTokens":1,"outputTokens":2,"cachedInputTokens":0},"model":"m"}`,
	`{"runId":"r","sessionId":"s","ts":1,"seq":10,"kind":"done","reason":"success","summary":""}`,
	`{"runId":"r","sessionId":"s","ts":1,"seq":11,"kind":"done","reason":"max_turns","summary":"x","usage":{"inputTokens":1,"outputTokens":2},"costUsd":null}`,
	`{"runId":"r","sessionId":"s","ts":1,"seq":12,"kind":"done","reason":"error","summary":"x","costUsd":0}`,
	`{"runId":"r","sessionId":"s","ts":1,"seq":13,"kind":"error","code":null,"message":"m","fatal":true}`,
	`{"runId":"r","sessionId":"s","ts":1,"seq":14,"kind":"error","code":"429","message":"m","fatal":false}`,
}

func TestEventRoundTrip(t *testing.T) {
	for _, line := range wire {
		event, err := executor.UnmarshalEvent([]byte(line))
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		got, err := executor.MarshalEvent(event)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(line, string(got)); diff != "" {
			t.Errorf("round trip (-want +got):\n%s", diff)
		}
	}
}

// Absent, null and a value are three states of done.costUsd.
func TestAbsentAndNullDiffer(t *testing.T) {
	for _, c := range []struct {
		line    string
		present bool
		known   bool
	}{
		{wire[10], false, false},
		{wire[11], true, false},
		{wire[12], true, true},
	} {
		event, err := executor.UnmarshalEvent([]byte(c.line))
		if err != nil {
			t.Fatal(err)
		}
		usd := event.(executor.Done).CostUSD
		if _, known := usd.Get(); usd.Present() != c.present || known != c.known {
			t.Errorf("%s: present %v, known %v", c.line, usd.Present(), known)
		}
	}
}

func TestUnmarshalEventRefuses(t *testing.T) {
	const head = `"runId":"r","sessionId":null,"ts":1,"seq":1,`
	for _, c := range []struct {
		name, line, field string
		problem           executor.Problem
	}{
		{"no object", `[1]`, "", executor.ProblemType},
		{"nothing", ``, "", executor.ProblemType},
		{"half", `{"runId":"r"`, "", executor.ProblemSyntax},
		{"duplicate name", `{"kind":"done","kind":"done"}`, "", executor.ProblemSyntax},
		{"no kind", `{` + head[:len(head)-1] + `}`, "kind", executor.ProblemMissing},
		{"unknown kind", `{` + head + `"kind":"telemetry"}`, "kind", executor.ProblemKind},
		{"kind a number", `{` + head + `"kind":1}`, "kind", executor.ProblemType},
		{"no run id", `{"sessionId":null,"ts":1,"seq":1,"kind":"done","reason":"success","summary":""}`, "runId", executor.ProblemMissing},
		{"session id absent", `{"runId":"r","ts":1,"seq":1,"kind":"done","reason":"success","summary":""}`, "sessionId", executor.ProblemMissing},
		{"session id a number", `{"runId":"r","sessionId":1,"ts":1,"seq":1,"kind":"done","reason":"success","summary":""}`, "sessionId", executor.ProblemType},
		{"ts a string", `{"runId":"r","sessionId":null,"ts":"1","seq":1,"kind":"done","reason":"success","summary":""}`, "ts", executor.ProblemType},
		{"seq fractional", `{"runId":"r","sessionId":null,"ts":1,"seq":1.5,"kind":"done","reason":"success","summary":""}`, "seq", executor.ProblemValue},
		{"seq unsafe", `{"runId":"r","sessionId":null,"ts":1,"seq":9007199254740993,"kind":"done","reason":"success","summary":""}`, "seq", executor.ProblemValue},
		{"text missing", `{` + head + `"kind":"text-delta"}`, "text", executor.ProblemMissing},
		{"channel unknown", `{` + head + `"kind":"text-delta","text":"","channel":"user"}`, "channel", executor.ProblemValue},
		{"channel null", `{` + head + `"kind":"text-delta","text":"","channel":null}`, "channel", executor.ProblemType},
		{"partial missing", `{` + head + `"kind":"tool-call","toolCallId":"t","name":"n","input":{}}`, "partial", executor.ProblemMissing},
		{"input missing", `{` + head + `"kind":"tool-call","toolCallId":"t","name":"n","partial":false}`, "input", executor.ProblemMissing},
		{"isError a string", `{` + head + `"kind":"tool-result","toolCallId":"t","name":"n","output":"","isError":"no"}`, "isError", executor.ProblemType},
		{"output null", `{` + head + `"kind":"tool-result","toolCallId":"t","name":"n","output":null,"isError":false}`, "output", executor.ProblemType},
		{"phase unknown", `{` + head + `"kind":"status","phase":"sleeping"}`, "phase", executor.ProblemValue},
		{"cost absent", `{` + head + `"kind":"cost","usage":{"inputTokens":1,"outputTokens":1},"model":null}`, "costUsd", executor.ProblemMissing},
		{"cost a string", `{` + head + `"kind":"cost","costUsd":"1","usage":{"inputTokens":1,"outputTokens":1},"model":null}`, "costUsd", executor.ProblemType},
		{"usage absent", `{` + head + `"kind":"cost","costUsd":null,"model":null}`, "usage", executor.ProblemMissing},
		{"usage half", `{` + head + `"kind":"cost","costUsd":null,"usage":{"inputTokens":1},"model":null}`, "usage.outputTokens", executor.ProblemMissing},
		{"reason unknown", `{` + head + `"kind":"done","reason":"finished","summary":""}`, "reason", executor.ProblemValue},
		{"summary absent", `{` + head + `"kind":"done","reason":"success"}`, "summary", executor.ProblemMissing},
		{"code absent", `{` + head + `"kind":"error","message":"m","fatal":true}`, "code", executor.ProblemMissing},
		{"fatal absent", `{` + head + `"kind":"error","code":null,"message":"m"}`, "fatal", executor.ProblemMissing},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := executor.UnmarshalEvent([]byte(c.line))
			var bad *executor.EventError
			if !errors.As(err, &bad) {
				t.Fatalf("got %v, want an EventError", err)
			}
			if bad.Field != c.field || bad.Problem != c.problem {
				t.Errorf("got field %q, problem %s; want %q, %s", bad.Field, bad.Problem, c.field, c.problem)
			}
			if bad.Want == "" || !strings.Contains(err.Error(), "want ") {
				t.Errorf("%q does not say what was expected", err)
			}
		})
	}
}

func TestUnknownFieldsAreIgnored(t *testing.T) {
	line := `{"extra":{"a":[1]},"runId":"r","sessionId":null,"ts":1e3,"seq":1,"kind":"text-delta","text":"x"}`
	event, err := executor.UnmarshalEvent([]byte(line))
	if err != nil {
		t.Fatal(err)
	}
	if event.Head().TS != 1000 {
		t.Errorf("ts = %d, want 1000", event.Head().TS)
	}
}

func TestMarshalRefusesWhatJSONCannotCarry(t *testing.T) {
	nan := math.NaN()
	for _, e := range []executor.Event{
		executor.Cost{CostUSD: &nan},
		executor.Done{CostUSD: executor.Value(math.Inf(1))},
		executor.ToolCall{Input: "{not json"},
	} {
		if b, err := executor.MarshalEvent(e); err == nil {
			t.Errorf("%s: got %s, want an error", e.Kind(), b)
		}
	}
}

func TestWithHeadKeepsTheRest(t *testing.T) {
	for _, line := range wire {
		event, err := executor.UnmarshalEvent([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		moved := event.WithHead(executor.Envelope{RunID: "other", Seq: 99})
		if moved.Head().RunID != "other" || moved.Kind() != event.Kind() {
			t.Errorf("%s: got %+v", line, moved)
		}
		if diff := cmp.Diff(event, moved.WithHead(event.Head())); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}
