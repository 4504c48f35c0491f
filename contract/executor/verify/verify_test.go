package verify_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/contract/executor/verify"
)

// stream numbers events of run r from 1, at a valid time.
func stream(events ...executor.Event) []executor.Event {
	for i, e := range events {
		h := e.Head()
		if h.RunID == "" {
			h.RunID = "r"
		}
		h.Seq, h.TS = int64(i+1), 1
		events[i] = e.WithHead(h)
	}
	return events
}

func of(run string) executor.Envelope { return executor.Envelope{RunID: run} }

func in(session string) executor.Envelope {
	return executor.Envelope{RunID: "r", SessionID: &session}
}

func money(f float64) *float64 { return &f }

var (
	hello = executor.TextDelta{Text: "hello"}
	call  = executor.ToolCall{ID: "t", Name: "read", Input: "{}"}
	piece = executor.ToolCall{ID: "t", Name: "read", Input: `"{"`, Partial: true}
	reply = executor.ToolResult{ID: "t", Name: "read"}
	done  = executor.Done{Reason: executor.ReasonSuccess}
	wrong = executor.Done{Reason: executor.ReasonError}
	fatal = executor.Error{Message: "m", Fatal: true}
	mild  = executor.Error{Message: "m"}
)

func TestWhole(t *testing.T) {
	at := func(e executor.Event, seq, ts int64) executor.Event {
		h := e.Head()
		h.RunID, h.Seq, h.TS = "r", seq, ts
		return e.WithHead(h)
	}
	for _, c := range []struct {
		name   string
		events []executor.Event
		want   []verify.Code
	}{
		{"nothing", nil, nil},
		{"a right run", stream(executor.Status{Phase: executor.PhaseInit}, hello, call, reply, executor.Cost{}, done), nil},
		{"a right failure", stream(hello, mild, fatal, wrong), nil},
		{"zero-based seq with gaps", []executor.Event{at(hello, 0, 1), at(hello, 7, 1), at(done, 8, 1)}, nil},
		{"streamed call", stream(piece, call, reply, done), nil},
		{"two runs in turn", stream(executor.TextDelta{Envelope: of("a"), Text: "x"}, executor.Done{Envelope: of("a"), Reason: executor.ReasonSuccess}, executor.Done{Envelope: of("b"), Reason: executor.ReasonSuccess}), nil},
		{"session becomes known", stream(hello, executor.TextDelta{Envelope: in("s"), Text: "x"}, executor.Done{Envelope: in("s"), Reason: executor.ReasonSuccess}), nil},
		{"time falls", []executor.Event{at(hello, 1, 9), at(done, 2, 5)}, nil},

		{"seq negative", []executor.Event{at(done, -1, 1)}, []verify.Code{verify.SeqNegative}},
		{"seq constant", []executor.Event{at(hello, 1, 1), at(done, 1, 1)}, []verify.Code{verify.SeqNotIncreasing}},
		{"seq restarts for a run", []executor.Event{at(hello, 5, 1), at(done, 1, 1)}, []verify.Code{verify.SeqNotIncreasing}},
		{"no run id", []executor.Event{executor.Done{Envelope: executor.Envelope{TS: 1}, Reason: executor.ReasonSuccess}}, []verify.Code{verify.RunIDEmpty}},
		{"ids take turns", stream(executor.TextDelta{Envelope: of("a"), Text: "x"}, executor.TextDelta{Envelope: of("b"), Text: "x"}, executor.TextDelta{Envelope: of("a"), Text: "x"}, executor.Done{Envelope: of("a"), Reason: executor.ReasonSuccess}, executor.Done{Envelope: of("b"), Reason: executor.ReasonSuccess}), []verify.Code{verify.RunIDInterleaved}},
		{"session changes", stream(executor.TextDelta{Envelope: in("s"), Text: "x"}, executor.Done{Envelope: in("q"), Reason: executor.ReasonSuccess}), []verify.Code{verify.SessionChanged}},
		{"session forgotten", stream(executor.TextDelta{Envelope: in("s"), Text: "x"}, done), []verify.Code{verify.SessionChanged}},
		{"session empty", stream(executor.Done{Envelope: in(""), Reason: executor.ReasonSuccess}), []verify.Code{verify.SessionEmpty}},
		{"no time", []executor.Event{at(done, 1, 0)}, []verify.Code{verify.TimeInvalid}},

		{"no done", stream(hello), []verify.Code{verify.DoneMissing}},
		{"two dones", stream(done, done), []verify.Code{verify.DoneRepeated}},
		{"late text", stream(done, hello), []verify.Code{verify.EventAfterDone}},
		{"fatal and nothing", stream(fatal), []verify.Code{verify.FatalWithoutDone}},
		{"fatal and success", stream(fatal, done), []verify.Code{verify.FatalNotDoneError}},
		{"two fatals", stream(fatal, fatal, wrong), []verify.Code{verify.FatalRepeated}},
		{"text after fatal", stream(fatal, hello, wrong), []verify.Code{verify.OutputAfterFatal}},

		{"call without id", stream(executor.ToolCall{Name: "n", Input: "{}"}, executor.ToolResult{}, done), []verify.Code{verify.CallIDEmpty}},
		{"call without name", stream(executor.ToolCall{ID: "t"}, reply, done), []verify.Code{verify.CallNameEmpty}},
		{"call twice", stream(call, call, reply, done), []verify.Code{verify.CallIDRepeated}},
		{"input no JSON", stream(executor.ToolCall{ID: "t", Name: "n", Input: "{"}, reply, done), []verify.Code{verify.CallInputInvalid}},
		{"piece after whole", stream(call, piece, reply, done), []verify.Code{verify.PartialAfterWhole}},
		{"result of nothing", stream(reply, done), []verify.Code{verify.ResultUnknown}},
		{"result before its call", stream(reply, call, done), []verify.Code{verify.ResultUnknown, verify.CallOpenAtDone}},
		{"result twice", stream(call, reply, reply, done), []verify.Code{verify.ResultRepeated}},
		{"result of a piece", stream(piece, reply, wrong), []verify.Code{verify.ResultNotCallable}},
		{"open call", stream(call, done), []verify.Code{verify.CallOpenAtDone}},
		{"unsettled piece", stream(piece, done), []verify.Code{verify.PartialNotSettled}},
		{"unsettled piece of a failure", stream(piece, fatal, wrong), nil},

		{"money NaN", stream(executor.Cost{CostUSD: money(math.NaN())}, done), []verify.Code{verify.MoneyInvalid}},
		{"money negative", stream(executor.Cost{CostUSD: money(-1)}, done), []verify.Code{verify.MoneyInvalid}},
		{"money infinite in done", stream(executor.Done{Reason: executor.ReasonSuccess, CostUSD: executor.Value(math.Inf(1))}), []verify.Code{verify.MoneyInvalid}},
		{"tokens negative", stream(executor.Cost{Usage: executor.Usage{OutputTokens: -1}}, done), []verify.Code{verify.UsageInvalid}},

		{"empty text", stream(executor.TextDelta{}, done), []verify.Code{verify.TextEmpty}},
		{"channel", stream(executor.TextDelta{Text: "x", Channel: "user"}, done), []verify.Code{verify.ChannelUnknown}},
		{"phase", stream(executor.Status{Phase: "asleep"}, done), []verify.Code{verify.PhaseUnknown}},
		{"reason", stream(executor.Done{Reason: "finished"}), []verify.Code{verify.ReasonUnknown}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []verify.Code
			for _, f := range verify.Whole(c.events) {
				got = append(got, f.Code)
				if f.Index < 0 || f.Index > len(c.events) {
					t.Errorf("%s at %d of %d events", f.Code, f.Index, len(c.events))
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestAnnounced(t *testing.T) {
	if got := verify.Announced(stream(fatal, wrong)); got != nil {
		t.Errorf("a fatal error before done(error): %v", got)
	}
	want := []verify.Finding{{Code: verify.DoneErrorUnprefaced, Index: 1}}
	if diff := cmp.Diff(want, verify.Announced(stream(mild, wrong))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestInputText(t *testing.T) {
	for input, bad := range map[executor.JSON]bool{
		`{"p":"a"}`:        false,
		`"plain text"`:     false,
		`"{not an object"`: false,
		`"[1]"`:            false,
		`"{\"p\":\"a\"}"`:  true,
	} {
		got := verify.InputText(stream(executor.ToolCall{ID: "t", Name: "n", Input: input}))
		if (len(got) > 0) != bad {
			t.Errorf("input %s: got %v", input, got)
		}
	}
}

func TestTextAndSpend(t *testing.T) {
	three := int64(3)
	events := stream(
		executor.TextDelta{Text: "a "},
		executor.TextDelta{Text: "thought", Channel: executor.Reasoning},
		executor.TextDelta{Text: "b", Channel: executor.Assistant},
		executor.TextDelta{Envelope: of("other"), Text: "c"},
		executor.Cost{CostUSD: money(0.5), Usage: executor.Usage{InputTokens: 1, OutputTokens: 2}},
		executor.Cost{CostUSD: money(0.25), Usage: executor.Usage{InputTokens: 1, CachedInputTokens: &three}},
		done,
	)
	if got := verify.Text(events, "r", executor.Assistant); got != "a b" {
		t.Errorf("assistant text %q", got)
	}
	if got := verify.Text(events, "", executor.Assistant); got != "a bc" {
		t.Errorf("assistant text of all runs %q", got)
	}
	if got := verify.Text(events, "r", executor.Reasoning); got != "thought" {
		t.Errorf("reasoning %q", got)
	}
	usage, usd := verify.Spend(events, "r")
	want := executor.Usage{InputTokens: 2, OutputTokens: 2, CachedInputTokens: &three}
	if diff := cmp.Diff(want, usage); diff != "" {
		t.Errorf("usage (-want +got):\n%s", diff)
	}
	if usd == nil || *usd != 0.75 {
		t.Errorf("spend %v, want 0.75", usd)
	}
	if _, usd := verify.Spend(stream(executor.Cost{CostUSD: money(1)}, executor.Cost{}), ""); usd != nil {
		t.Errorf("one unknown amount makes the sum unknown, got %v", *usd)
	}
}
