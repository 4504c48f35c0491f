package memory

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/contract/executor/verify"
	"github.com/adaptercheck/adaptercheck/fakes"
)

func n(i int64) *int64       { return &i }
func s(t string) *string     { return &t }
func place(i int) *int       { return &i }
func usd(f float64) *float64 { return &f }
func seqd(e []executor.Event) []executor.Event {
	for i := range e {
		h := e[i].Head()
		h.Seq, h.TS = int64(i), 1
		e[i] = e[i].WithHead(h)
	}
	return e
}

// brief writes events down in one word each.
func brief(events []executor.Event) []string {
	var out []string
	for _, e := range events {
		switch e := e.(type) {
		case executor.TextDelta:
			if e.OnReasoning() {
				out = append(out, "think "+e.Text)
			} else {
				out = append(out, "text "+e.Text)
			}
		case executor.ToolCall:
			out = append(out, fmt.Sprintf("call %s %s partial=%t", e.ID, e.Input, e.Partial))
		case executor.ToolResult:
			out = append(out, fmt.Sprintf("result %s %s error=%t", e.ID, e.Name, e.IsError))
		case executor.Status:
			out = append(out, fmt.Sprintf("status %s %s%s", e.Phase, e.Model, e.Detail))
		case executor.Cost:
			money := "?"
			if e.CostUSD != nil {
				money = fmt.Sprint(*e.CostUSD)
			}
			out = append(out, fmt.Sprintf("cost %d/%d $%s", e.Usage.InputTokens, e.Usage.OutputTokens, money))
		case executor.Done:
			out = append(out, fmt.Sprintf("done %s %q", e.Reason, e.Summary))
		case executor.Error:
			code := "-"
			if e.Code != nil {
				code = *e.Code
			}
			out = append(out, fmt.Sprintf("error %s fatal=%t", code, e.Fatal))
		}
	}
	return out
}

func TestMapper(t *testing.T) {
	start := fakes.Init{Run: "R1", Session: "N1"}
	ok := fakes.End{Reason: fakes.EndOK}
	for _, c := range []struct {
		name   string
		frames []fakes.Frame
		lost   bool
		want   []string
	}{
		{"increments", []fakes.Frame{start, fakes.Delta{Text: "Two:"}, fakes.Delta{Text: "\n"}, fakes.Delta{}, fakes.Delta{Text: " 1"}, ok}, false,
			[]string{"status init ", "text Two:", "text \n", "text  1", `done success "Two:\n 1"`}},
		{"final restates", []fakes.Frame{start, fakes.Delta{Text: "PI", Msg: "m1"}, fakes.Delta{Text: "NG", Msg: "m1"}, fakes.Final{Text: s("PING"), Msg: "m1"}, fakes.Final{Text: s("PING"), Msg: "m2"}, ok}, false,
			[]string{"status init ", "text PI", "text NG", "text PING", `done success "PING"`}},
		{"cumulative and placed", []fakes.Frame{start, fakes.Snapshot{Part: "p", Text: "Hello "}, fakes.Snapshot{Part: "p", Text: "Hello world"}, fakes.Delta{Part: "p", At: place(6), Text: "world"}, fakes.Snapshot{Part: "p", Text: "Hello world"}, ok}, false,
			[]string{"status init ", "text Hello ", "text world", `done success "Hello world"`}},
		{"taken back", []fakes.Frame{start, fakes.Snapshot{Text: "I will"}, fakes.Snapshot{Text: "No, I"}, ok}, false,
			[]string{"status init ", "text I will", "status running text-restarted", "text No, I", `done success "No, I"`}},
		{"text before the id", []fakes.Frame{fakes.Delta{Text: "a"}, start, fakes.Delta{Text: "b"}, ok}, false,
			[]string{"text a", "status init ", "text b", `done success "ab"`}},
		{"no id at all", []fakes.Frame{fakes.Delta{Text: "a"}, ok}, false, []string{"text a", `done success "a"`}},
		{"said again after a reconnect", []fakes.Frame{start, fakes.Final{Text: s("PING"), Msg: "m1"}, fakes.Turn{State: "retry"}, fakes.Final{Text: s("PING"), Msg: "m1"}, fakes.Final{Text: s("PING"), Msg: "m2"}, ok}, false,
			[]string{"status init ", "text PING", "status running retry", "text PING", `done success "PING"`}},
		{"tools", []fakes.Frame{start, fakes.ToolCall{ID: "t", Name: "read", Input: `{}`}, fakes.ToolCall{ID: "t", Name: "read", Input: `{}`}, fakes.Result{ID: "t"}, fakes.Result{ID: "t"}, fakes.Result{ID: "x"}, ok}, false,
			[]string{"status init ", "call t {} partial=false", "result t read error=false", `done success ""`}},
		{"open call", []fakes.Frame{start, fakes.ToolCall{ID: "t", Name: "read"}, ok}, false,
			[]string{"status init ", "call t  partial=false", "result t read error=true", `done success ""`}},
		{"new id on a used index", []fakes.Frame{start, fakes.CallPart{ID: "t1", Name: "read", Fragment: `{"p":"a"}`}, fakes.CallPart{ID: "t2", Name: "read", Fragment: `{"p":"b"}`}, fakes.Result{ID: "t1"}, fakes.Result{ID: "t2"}, ok}, false,
			[]string{"status init ", `call t1 "{\"p\":\"a\"}" partial=true`, `call t1 {"p":"a"} partial=false`, `call t2 "{\"p\":\"b\"}" partial=true`,
				"result t1 read error=false", `call t2 {"p":"b"} partial=false`, "result t2 read error=false", `done success ""`}},
		{"input cut", []fakes.Frame{start, fakes.CallPart{ID: "t1", Name: "write", Fragment: `{"text":"half`}}, true,
			[]string{"status init ", `call t1 "{\"text\":\"half" partial=true`, "error stream-truncated fatal=true", `done error ""`}},
		{"totals become increments", []fakes.Frame{start, fakes.Usage{Kind: fakes.UsageTotal, In: n(100), Out: n(10), CostUSD: usd(0.5)}, fakes.Usage{Kind: fakes.UsageTotal, In: n(100), Out: n(10), CostUSD: usd(0.5)}, fakes.Usage{Kind: fakes.UsageTotal, In: n(150), Out: n(30), CostUSD: usd(0.75)}, ok}, false,
			[]string{"status init ", "cost 100/10 $0.5", "cost 50/20 $0.25", `done success ""`}},
		{"last call beside a total", []fakes.Frame{start, fakes.Usage{Kind: fakes.UsageLast, In: n(70), Out: n(7), TotalIn: n(70), TotalOut: n(7)}, fakes.Usage{Kind: fakes.UsageLast, In: n(70), Out: n(7), TotalIn: n(70), TotalOut: n(7)}, fakes.Usage{Kind: fakes.UsageLast, In: n(70), Out: n(7), TotalIn: n(140), TotalOut: n(14)}, ok}, false,
			[]string{"status init ", "cost 70/7 $?", "cost 70/7 $?", `done success ""`}},
		{"nothing known about usage", []fakes.Frame{start, fakes.Usage{}, ok}, false, []string{"status init ", `done success ""`}},
		{"mild error", []fakes.Frame{start, fakes.Failure{Code: "429", Message: "m"}, fakes.Delta{Text: "a"}, ok}, false,
			[]string{"status init ", "error 429 fatal=false", "text a", `done success "a"`}},
		{"fatal error, then ok", []fakes.Frame{start, fakes.Failure{Code: "x", Fatal: true}, ok}, false,
			[]string{"status init ", "error x fatal=true", `done error ""`}},
		{"error flag beats label", []fakes.Frame{start, fakes.End{Reason: fakes.EndOK, Error: true, Text: "quota"}}, false,
			[]string{"status init ", "error runtime-error fatal=true", `done error ""`}},
		{"length", []fakes.Frame{start, fakes.Delta{Text: "a"}, fakes.End{Reason: fakes.EndLength}}, false,
			[]string{"status init ", "text a", "error token-limit fatal=true", `done error "a"`}},
		{"refusal", []fakes.Frame{start, fakes.Delta{Text: "a"}, fakes.End{Reason: fakes.EndRefusal}}, false,
			[]string{"status init ", "text a", "error runtime-error fatal=true", `done error "a"`}},
		{"budget", []fakes.Frame{start, fakes.ToolCall{ID: "t", Name: "read"}, fakes.End{Reason: fakes.EndBudget}}, false,
			[]string{"status init ", "call t  partial=false", "result t read error=true", "error runtime-error fatal=true", `done error ""`}},
		{"nested agent", []fakes.Frame{start, fakes.ToolCall{ID: "t", Name: "agent"}, fakes.Think{Text: "x", Parent: "t"}, fakes.Delta{Text: "x", Parent: "t"}, fakes.Final{Text: s("x"), Parent: "t"},
			fakes.ToolCall{ID: "u", Name: "read", Parent: "t"}, fakes.Result{ID: "u", Parent: "t"}, fakes.Result{ID: "t"}, fakes.Final{Text: s("y")}, ok}, false,
			[]string{"status init ", "call t  partial=false", "result t agent error=false", "text y", `done success "y"`}},
		{"what a log says", []fakes.Frame{start, fakes.Log{Text: "x"}, fakes.Ack{}, fakes.Reject{}, fakes.Attempt{}, fakes.Final{Text: s("y")}, ok}, false,
			[]string{"status init ", "text y", `done success "y"`}},
		{"turns", []fakes.Frame{start, fakes.Delta{Text: "a"}, fakes.End{Reason: fakes.EndMaxTurns}}, false,
			[]string{"status init ", "text a", `done max_turns "a"`}},
		{"cut", []fakes.Frame{start, fakes.Delta{Text: "a"}}, true,
			[]string{"status init ", "text a", "error stream-truncated fatal=true", `done error "a"`}},
		{"another run's frames", []fakes.Frame{start, fakes.Delta{Run: "R0", Text: "late"}, fakes.End{Run: "R0", Reason: fakes.EndOK}, fakes.Delta{Text: "a"}, ok}, false,
			[]string{"status init ", "text a", `done success "a"`}},
		{"after the end", []fakes.Frame{start, ok, fakes.Delta{Text: "late"}, ok}, true, []string{"status init ", `done success ""`}},
		{"unknown frames", []fakes.Frame{start, fakes.Native{Type: "heartbeat"}, fakes.Final{Text: s("a")}, ok}, false,
			[]string{"status init ", "text a", `done success "a"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newMapper("made", totals{})
			var events []executor.Event
			for _, f := range c.frames {
				events = append(events, m.frame(f)...)
			}
			if c.lost {
				events = append(events, m.lost()...)
			}
			if diff := cmp.Diff(c.want, brief(events)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			for _, f := range verify.Whole(seqd(events)) {
				t.Errorf("event %d: %s", f.Index, f.Code)
			}
		})
	}
}

func TestAbortBeatsTheLabel(t *testing.T) {
	for name, end := range map[string]fakes.Frame{
		"ok": fakes.End{Reason: fakes.EndOK}, "failure": fakes.Failure{Fatal: true}, "aborted": fakes.End{Reason: fakes.EndAborted},
	} {
		m := newMapper("made", totals{})
		m.frame(fakes.Init{Run: "R1"})
		m.frame(fakes.Delta{Text: "work"})
		m.abort()
		want := []string{`done aborted "work"`}
		if diff := cmp.Diff(want, brief(m.frame(end))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	m := newMapper("made", totals{})
	if diff := cmp.Diff([]string{`done aborted ""`}, brief(m.forced())); diff != "" {
		t.Errorf("forced (-want +got):\n%s", diff)
	}
}
