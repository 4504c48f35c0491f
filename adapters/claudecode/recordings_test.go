package claudecode

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/sebdah/goldie/v2"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/contract/executor/verify"
	"github.com/adaptercheck/adaptercheck/fixtures"
)

var runtimes = []string{"claude-code-2.1.332", "claude-code-2.1.197"}

// unasked says why the adapter never asks for the output of a recording; empty if it
// does.
func unasked(r fixtures.Recording) string {
	at := slices.Index(r.Args, "--output-format")
	switch {
	case at < 0:
		return "plain text"
	case r.Args[at+1] != "stream-json":
		return "format " + r.Args[at+1]
	}
	return ""
}

// TestRecordings replays what the real program printed. testdata/recordings.golden
// says for each recording how the process ended, and what came of it.
func TestRecordings(t *testing.T) {
	var golden strings.Builder
	for _, runtime := range runtimes {
		fmt.Fprintf(&golden, "# %s\n\n", runtime)
		for _, name := range fixtures.Names(runtime) {
			r := load(t, runtime, name)
			if why := unasked(r); why != "" {
				fmt.Fprintf(&golden, "%s\n  not replayed: the adapter asks for stream-json, this is %s\n\n", name, why)
				continue
			}
			t.Run(runtime+"/"+name, func(t *testing.T) {
				m := plain()
				events := feed(m, r.Stdout)
				settled := m.settled()
				events = enveloped(append(events, m.finish(ending(r))...))
				judge(t, events)
				told := tell(r)
				told.judge(t, events)
				if want := told.results > 0; settled != want {
					t.Errorf("settled=%v, want %v", settled, want)
				}
				fmt.Fprintf(&golden, "%s\n  %s\n%s\n", name, ending(r).How, summarize(events))
			})
		}
	}
	goldie.New(t).Assert(t, "recordings", []byte(golden.String()))
}

// summarize is a run in a few lines: the kinds of its events, its text, its cost and
// its end.
func summarize(events []executor.Event) string {
	var kinds []string
	for i, e := range events {
		word := string(e.Kind())
		switch e := e.(type) {
		case executor.Status:
			word = strings.Trim(string(e.Phase)+" "+e.Detail, " ")
			if rest, ok := strings.CutPrefix(e.Detail, executor.DetailApproval+":"); ok {
				word = "asks " + rest
			}
		case executor.TextDelta:
			word = "text"
			if e.OnReasoning() {
				word = "reasoning"
			}
		case executor.ToolCall:
			word = "call " + e.Name
		case executor.ToolResult:
			word = "result"
			if e.IsError {
				word = "failed result"
			}
		}
		if n := len(kinds); i > 0 && n > 0 && strings.HasPrefix(kinds[n-1], word) && (word == "text" || word == "reasoning") {
			count := 1
			_, _ = fmt.Sscanf(kinds[n-1], word+" x%d", &count)
			kinds[n-1] = fmt.Sprintf("%s x%d", word, count+1)
			continue
		}
		kinds = append(kinds, word)
	}
	var out strings.Builder
	fmt.Fprintf(&out, "  %s\n", strings.Join(kinds, ", "))
	used, price := verify.Spend(events, "")
	if used != (executor.Usage{}) {
		fmt.Fprintf(&out, "  cost %s %s\n", usd(price), tokens(&used))
	}
	for _, e := range events {
		if e, is := e.(executor.Error); is {
			fmt.Fprintf(&out, "  %s\n", short(show(e)))
		}
	}
	fmt.Fprintf(&out, "  %s\n", short(show(events[len(events)-1])))
	return out.String()
}

func short(s string) string {
	if r := []rune(s); len(r) > 140 {
		return string(r[:140]) + "…"
	}
	return s
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

// told is what a recording says, read by somebody who knows nothing of the mapper.
type told struct {
	reason  executor.Reason
	text    string // of the run's own messages
	calls   []string
	usd     float64
	tokens  int
	results int
}

// tell reads a recording line by line with another decoder and fewer rules: each
// block comes whole in its own line.
func tell(r fixtures.Recording) told {
	type block struct{ Type, Text, ID string }
	type line struct {
		Type, Subtype, Result string
		Parent                *string `json:"parent_tool_use_id"`
		Message               struct {
			Model   string
			Content json.RawMessage
		}
		IsError    bool    `json:"is_error"`
		StopReason *string `json:"stop_reason"`
		Terminal   string  `json:"terminal_reason"`
		USD        float64 `json:"total_cost_usd"`
		Models     map[string]struct {
			InputTokens, OutputTokens, CacheReadInputTokens, CacheCreationInputTokens int
		} `json:"modelUsage"`
	}
	out := told{reason: executor.ReasonError}
	var texts []string
	said := false
	for _, raw := range r.Lines() {
		var l line
		if json.Unmarshal(raw, &l) != nil {
			continue
		}
		switch {
		case l.Type == "assistant" && l.Parent == nil && l.Message.Model != "<synthetic>":
			var blocks []block
			_ = json.Unmarshal(l.Message.Content, &blocks)
			for _, b := range blocks {
				switch b.Type {
				case "text":
					texts, said = append(texts, b.Text), true
				case "tool_use":
					out.calls = append(out.calls, b.ID)
				}
			}
		case l.Type == "result":
			out.results++
			out.usd, out.tokens = l.USD, 0
			for _, m := range l.Models {
				out.tokens += m.InputTokens + m.OutputTokens + m.CacheReadInputTokens + m.CacheCreationInputTokens
			}
			switch {
			case l.Subtype == "error_max_turns":
				out.reason = executor.ReasonMaxTurns
			case strings.HasPrefix(l.Terminal, "aborted_"):
				out.reason = executor.ReasonAborted
			case l.IsError, l.Subtype != "success":
				out.reason = executor.ReasonError
			default:
				out.reason = executor.ReasonSuccess
				if !said {
					texts = append(texts, l.Result)
				}
			}
		}
	}
	out.text = strings.Join(strings.Fields(strings.Join(texts, " ")), " ")
	return out
}

// judge holds the events against what was told.
func (w told) judge(t *testing.T, events []executor.Event) {
	t.Helper()
	done := events[len(events)-1].(executor.Done)
	if done.Reason != w.reason {
		t.Errorf("reason %s, want %s", done.Reason, w.reason)
	}
	// What an observer believes in is what follows the last restart.
	restart := 0
	var calls []string
	for i, e := range events {
		switch e := e.(type) {
		case executor.Status:
			if e.Detail == executor.DetailTextRestarted {
				restart = i
			}
		case executor.ToolCall:
			calls = append(calls, e.ID)
		}
	}
	// A stream that was cut before its block's line leaves text that no line has.
	got := verify.Words(events[restart:], "", executor.Assistant)
	if got != w.text && (w.text != "" || done.Reason != executor.ReasonError) {
		t.Errorf("text %q, want %q", got, w.text)
	}
	if d := cmp.Diff(w.calls, calls); d != "" {
		t.Errorf("calls (-want +got):\n%s", d)
	}
	used, price := verify.Spend(events, "")
	if sum := int(used.InputTokens + used.OutputTokens + *orZero(used.CachedInputTokens)); sum != w.tokens {
		t.Errorf("%d tokens, want %d", sum, w.tokens)
	}
	restated, _ := done.CostUSD.Get()
	for _, got := range []float64{*orZero(price), restated} {
		if math.Abs(got-w.usd) > 1e-9 {
			t.Errorf("price %g, want %g", got, w.usd)
		}
	}
}

func orZero[N int64 | float64](n *N) *N {
	if n == nil {
		return new(N)
	}
	return n
}

// A session that is resumed is billed for each run once, whether the program counts
// by process or by session.
func TestCostsOfResumedRecordings(t *testing.T) {
	for runtime, each := range map[string]string{
		"claude-code-2.1.332": "cost 0.000746 in=120 cached=30 out=12 claude-opus-5-5",
		"claude-code-2.1.197": "cost 0.000940 in=120 cached=30 out=12 claude-opus-4-8",
	} {
		t.Run(runtime, func(t *testing.T) {
			var kept state
			for _, name := range []string{"resume-1-first", "resume-2-resume", "resume-3-continue", "resume-4-fork"} {
				m := newMapper(func(s string) string { return s }, kept)
				events := feed(m, load(t, runtime, name).Stdout)
				i := slices.IndexFunc(events, func(e executor.Event) bool { return e.Kind() == executor.KindCost })
				if got := strings.ReplaceAll(show(events[i]), "[1m]", ""); got != each {
					t.Errorf("%s: %s, want %s", name, got, each)
				}
				kept = state{Native: m.resume, Totals: m.spend.before}
			}
		})
	}
}
