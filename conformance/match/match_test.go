package match_test

import (
	"math"
	"strings"
	"testing"

	"github.com/onsi/gomega"
	"github.com/onsi/gomega/types"

	"github.com/adaptercheck/adaptercheck/conformance/match"
	"github.com/adaptercheck/adaptercheck/contract/executor"
)

func stream(events ...executor.Event) []executor.Event {
	for i, e := range events {
		h := e.Head()
		h.RunID, h.Seq, h.TS = "r", int64(i), 1
		events[i] = e.WithHead(h)
	}
	return events
}

func right() []executor.Event {
	return stream(
		executor.TextDelta{Text: "Hello "}, executor.TextDelta{Text: "hm", Channel: executor.Reasoning}, executor.TextDelta{Text: "world"},
		executor.ToolCall{ID: "t", Name: "read", Input: "{}"}, executor.ToolResult{ID: "t", Name: "read"},
		executor.Done{Reason: executor.ReasonSuccess, Summary: "Hello world"},
	)
}

func TestMatchers(t *testing.T) {
	nan := math.NaN()
	backwards := right()
	backwards[2] = backwards[2].WithHead(executor.Envelope{RunID: "r", Seq: 0, TS: 1})
	session := "s"
	for _, c := range []struct {
		name    string
		matcher types.GomegaMatcher
		wrong   []executor.Event
		says    []string // in the failure message
	}{
		{"IncreasingSeq", match.IncreasingSeq(), backwards, []string{"rise strictly", "   2  {", "^ seq-not-increasing"}},
		{"OneRun", match.OneRun(), []executor.Event{executor.Done{}}, []string{"^ run-id-empty"}},
		{"OneSession", match.OneSession(), stream(executor.TextDelta{Envelope: executor.Envelope{SessionID: &session}, Text: "x"}, executor.TextDelta{Text: "y"}), []string{"^ session-id-changed"}},
		{"WellFormed", match.WellFormed(), stream(executor.Cost{CostUSD: &nan}), []string{"cost that JSON cannot carry", "^ cost-usd-invalid"}},
		{"PairedTools", match.PairedTools(), stream(executor.ToolCall{ID: "t", Name: "n", Input: "{}"}, executor.Done{Reason: executor.ReasonSuccess}), []string{"^ tool-call-open"}},
		{"Whole", match.Whole(), right()[:5], []string{"end of the stream", "^ done-missing"}},
		{"Unbroken", match.Unbroken(), stream(executor.TextDelta{}), []string{"^ text-empty"}},
		{"OneTerminal, other reason", match.OneTerminal(executor.ReasonSuccess), stream(executor.Done{Reason: executor.ReasonAborted}), []string{"done(success), not in done(aborted)"}},
		{"OneTerminal, twice", match.OneTerminal(executor.ReasonSuccess), stream(executor.Done{Reason: executor.ReasonSuccess}, executor.Done{Reason: executor.ReasonSuccess}), []string{"^ done-repeated"}},
		{"OneTerminal, nothing", match.OneTerminal(executor.ReasonSuccess), nil, []string{"^ done-missing"}},
		{"Text", match.Text("Hello world"), stream(executor.TextDelta{Text: "Hello Hello world"}), []string{"-want +got", "assistant"}},
		{"Reasoning", match.Reasoning("hm"), stream(executor.TextDelta{Text: "hm"}), []string{"reasoning"}},
		{"Events", match.Events(right()...), right()[1:], []string{"-want +got", `Text:`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := gomega.NewWithT(t)
			g.Expect(right()).To(c.matcher)
			ok, err := c.matcher.Match(c.wrong)
			if ok || err != nil {
				t.Fatalf("matched %t, %v; want a mismatch", ok, err)
			}
			message := c.matcher.FailureMessage(c.wrong)
			for _, want := range c.says {
				if !strings.Contains(message, want) {
					t.Errorf("the failure does not say %q:\n%s", want, message)
				}
			}
			if ok, err := c.matcher.Match("no events"); ok || err == nil {
				t.Error("a value that is no stream is not refused")
			}
			if _, err := c.matcher.Match([]executor.Event{nil}); err == nil {
				t.Error("a nil event is not refused")
			}
		})
	}
}

// A long stream is shown around its faults only.
func TestLongStreamsAreShort(t *testing.T) {
	var events []executor.Event
	for range 500 {
		events = append(events, executor.TextDelta{Text: "x"})
	}
	events = stream(append(events, executor.TextDelta{}, executor.TextDelta{Text: "x"})...)
	m := match.Unbroken()
	_, _ = m.Match(events)
	if message := m.FailureMessage(nil); strings.Count(message, "\n") > 12 || !strings.Contains(message, "… 497 more") {
		t.Errorf("not short:\n%s", message)
	}
}
