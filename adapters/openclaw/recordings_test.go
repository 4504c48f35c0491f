package openclaw

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/sebdah/goldie/v2"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/contract/executor/verify"
	"github.com/adaptercheck/adaptercheck/fixtures"
)

const recordedVersion = "openclaw-2026.9.6"

// recording reads the frames both ways of a recording of the real gateway.
func recording(t *testing.T, name string) []fixtures.Passed {
	t.Helper()
	lines, err := fixtures.LoadExchange(recordedVersion, name)
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

// told is what a recording says of one run, read by somebody who knows nothing of the
// mapper.
type told struct {
	id      string
	session string
	frames  []frame
	text    string // of the last chat event that had any
	reason  executor.Reason
	calls   []string
	aborted bool     // by the client that was recorded
	rows    []row    // from the history, if it was read after the end
	asks    []string // questions
}

// runsOf lists the runs that a recording tells of, in order of appearance.
func runsOf(t *testing.T, lines []fixtures.Passed) []*told {
	t.Helper()
	var runs []*told
	find := func(id string) *told {
		for _, r := range runs {
			if r.id == id {
				return r
			}
		}
		r := &told{id: id}
		runs = append(runs, r)
		return r
	}
	for _, l := range lines {
		var f struct {
			Event, Method string
			Params        struct{ RunID, SessionKey, Key, IdempotencyKey string }
			Payload       struct {
				RunID, SessionKey, State, Stream string
				Message                          struct{ Content json.RawMessage }
				Data                             struct{ Phase, ToolCallID, Name string }
				ID                               string
				Request                          struct{ RunID string }
				Messages                         []json.RawMessage
			}
		}
		_ = json.Unmarshal(l.Frame, &f) // fields of other frames may have other types
		var own frame
		if l.Dir == fixtures.FromServer && !read(l.Frame, &own) {
			continue
		}
		switch {
		case l.Dir == fixtures.FromClient && f.Method == "chat.abort":
			find(f.Params.RunID).aborted = true
		case l.Dir == fixtures.FromClient && f.Method == "chat.send" && f.Params.IdempotencyKey != "":
			find(f.Params.IdempotencyKey).session = f.Params.SessionKey
		case l.Dir == fixtures.FromClient && f.Method == "sessions.abort":
			for _, r := range runs {
				r.aborted = r.aborted || r.session == f.Params.Key && r.reason == ""
			}
		case len(f.Payload.Messages) > 0:
			var h history
			read(own.Payload, &h)
			for _, r := range runs {
				if rows, whole := rowsOf(&h, r.id); whole && r.reason != "" {
					r.rows = rows
				}
			}
		case f.Event == "exec.approval.requested":
			r := find(f.Payload.Request.RunID)
			r.frames, r.asks = append(r.frames, own), append(r.asks, f.Payload.ID)
		case f.Event == "agent" && f.Payload.RunID != "":
			r := find(f.Payload.RunID)
			r.frames = append(r.frames, own)
			if f.Payload.Stream == "tool" && f.Payload.Data.Phase == "start" || f.Payload.Stream == "command_output" && f.Payload.Data.Phase == "end" {
				if !slices.Contains(r.calls, f.Payload.Data.ToolCallID) {
					r.calls = append(r.calls, f.Payload.Data.ToolCallID)
				}
			}
		case f.Event == "chat" && f.Payload.RunID != "":
			r := find(f.Payload.RunID)
			r.frames = append(r.frames, own)
			if r.reason != "" {
				continue
			}
			var blocks []struct{ Text string }
			if json.Unmarshal(f.Payload.Message.Content, &blocks) == nil && len(blocks) == 1 && blocks[0].Text != "" {
				r.text = blocks[0].Text
			}
			r.reason = map[string]executor.Reason{"final": executor.ReasonSuccess, "aborted": executor.ReasonAborted, "error": executor.ReasonError}[f.Payload.State]
			if r.reason == executor.ReasonSuccess && len(blocks) == 0 {
				r.reason = executor.ReasonError // swallowed
			}
		}
	}
	return runs
}

// play maps the frames of a run, and ends it as the adapter would.
func (w *told) play() []executor.Event {
	m := newMapper(func(s string) string { return s })
	var events []executor.Event
	for i := range w.frames {
		f := &w.frames[i]
		switch f.Event {
		case "chat":
			var e chatEvent
			read(f.Payload, &e)
			events = append(events, m.chat(&e)...)
		case "agent":
			var e agentEvent
			read(f.Payload, &e)
			events = append(events, m.agent(&e)...)
		default:
			var e approvalEvent
			read(f.Payload, &e)
			events = append(events, m.asks(string(e.ID))...)
		}
	}
	m.end.settle()
	if !m.end.over() {
		m.end.verdict = failure(executor.CodeStreamTruncated, "the recording ends")
	}
	return enveloped(append(events, m.finish(w.rows, w.aborted)...))
}

func enveloped(events []executor.Event) []executor.Event {
	for i, e := range events {
		events[i] = e.WithHead(executor.Envelope{RunID: "r", Seq: int64(i + 1), TS: 1})
	}
	return events
}

// TestRecordings maps what the real gateway sent. testdata/recordings.golden says for
// each run of each recording what came of it.
func TestRecordings(t *testing.T) {
	names := fixtures.Names(recordedVersion)
	if len(names) == 0 {
		t.Skip("no recordings of " + recordedVersion + " in fixtures")
	}
	var golden strings.Builder
	for _, name := range names {
		lines := recording(t, name)
		runs := runsOf(t, lines)
		if len(runs) == 0 {
			continue
		}
		fmt.Fprintf(&golden, "%s\n", name)
		for _, w := range runs {
			if len(w.frames) == 0 {
				continue
			}
			t.Run(name+"/"+w.id, func(t *testing.T) {
				events := w.play()
				judge(t, events)
				w.judge(t, events)
				fmt.Fprintf(&golden, "  run %s\n%s", w.id, summarize(events))
			})
		}
		golden.WriteString("\n")
	}
	goldie.New(t).Assert(t, "recordings", []byte(golden.String()))
}

// judge holds the events against the rules of the contract.
func judge(t *testing.T, events []executor.Event) {
	t.Helper()
	for name, rule := range map[string]func([]executor.Event) []verify.Finding{
		"whole": verify.Whole, "announced": verify.Announced, "input text": verify.InputText,
	} {
		if found := rule(events); len(found) > 0 {
			t.Errorf("%s: %v", name, found)
		}
	}
	if done := events[len(events)-1].(executor.Done); done.Summary == "" && verify.Words(events, "", executor.Assistant) != "" {
		t.Error("text and no summary")
	}
}

// judge holds the events against what was told.
func (w *told) judge(t *testing.T, events []executor.Event) {
	t.Helper()
	done := events[len(events)-1].(executor.Done)
	want := w.reason
	switch {
	case w.aborted:
		want = executor.ReasonAborted
	case want == "":
		want = executor.ReasonError
	}
	if done.Reason != want {
		t.Errorf("reason %s, want %s", done.Reason, want)
	}
	// What an observer believes in is what follows the last restart.
	restart := 0
	var calls, asks []string
	for i, e := range events {
		switch e := e.(type) {
		case executor.Status:
			if e.Detail == executor.DetailTextRestarted {
				restart = i
			}
			if id, is := strings.CutPrefix(e.Detail, executor.DetailApproval+":"); is {
				asks = append(asks, id)
			}
		case executor.ToolCall:
			calls = append(calls, e.ID)
		}
	}
	if d := cmp.Diff(w.text, verify.Text(events[restart:], "", executor.Assistant)); d != "" {
		t.Errorf("text (-want +got):\n%s", d)
	}
	if d := cmp.Diff(w.calls, calls); d != "" {
		t.Errorf("calls (-want +got):\n%s", d)
	}
	if d := cmp.Diff(w.asks, asks); d != "" {
		t.Errorf("questions (-want +got):\n%s", d)
	}
}

// summarize is a run in a few lines: the kinds of its events, its cost and its end.
func summarize(events []executor.Event) string {
	var kinds []string
	for _, e := range events {
		word := string(e.Kind())
		switch e := e.(type) {
		case executor.Status:
			word = strings.Join(strings.Fields(string(e.Phase)+" "+e.Model+" "+e.Detail), " ")
		case executor.TextDelta:
			word = "text"
			if e.OnReasoning() {
				word = "reasoning"
			}
		case executor.ToolCall:
			word = "call " + e.Name + " " + string(e.Input)
		case executor.ToolResult:
			word = "result " + fmt.Sprintf("%q", short(e.Output, 40))
			if e.IsError {
				word = "failed " + word
			}
		case executor.Cost:
			word = "cost " + spend(&e.Usage, e.CostUSD)
			if e.Estimated {
				word += " estimated"
			}
			if e.Model != nil {
				word += " " + *e.Model
			}
		case executor.Error:
			word = fmt.Sprintf("error %s fatal=%t %q", *e.Code, e.Fatal, short(e.Message, 60))
		case executor.Done:
			word = fmt.Sprintf("done %s %q", e.Reason, short(e.Summary, 60))
			if usd, known := e.CostUSD.Get(); e.Usage != nil {
				word += " " + spend(e.Usage, &usd)
				_ = known
			}
		}
		if n := len(kinds); n > 0 && word == "text" && strings.HasPrefix(kinds[n-1], "text") {
			count := 1
			_, _ = fmt.Sscanf(kinds[n-1], "text x%d", &count)
			kinds[n-1] = fmt.Sprintf("text x%d", count+1)
			continue
		}
		kinds = append(kinds, word)
	}
	return "    " + strings.Join(kinds, "\n    ") + "\n"
}

func spend(u *executor.Usage, usd *float64) string {
	price := "unknown"
	if usd != nil {
		price = fmt.Sprintf("%.6f", *usd)
	}
	cached := int64(0)
	if u.CachedInputTokens != nil {
		cached = *u.CachedInputTokens
	}
	return fmt.Sprintf("%s in=%d cached=%d out=%d", price, u.InputTokens, cached, u.OutputTokens)
}

func short(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}
