package match

import (
	"fmt"

	"github.com/google/go-cmp/cmp"
	"github.com/onsi/gomega/types"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/contract/executor/verify"
)

// OneTerminal matches a stream in which every run ends once, nothing of a run comes
// after its end, and the last one ended for the reason.
func OneTerminal(reason executor.Reason) types.GomegaMatcher { return &terminal{reason: reason} }

type terminal struct {
	reason executor.Reason
	events []executor.Event
	found  []verify.Finding
	got    executor.Reason // empty: no done
}

// Match applies the rules about ends and compares the reason.
func (m *terminal) Match(actual any) (bool, error) {
	var err error
	if m.events, err = eventsOf(actual); err != nil {
		return false, err
	}
	m.found = append(verify.Order(m.events), verify.Terminals(m.events)...)
	m.got = ""
	for _, e := range m.events {
		if d, ok := e.(executor.Done); ok {
			m.got = d.Reason
		}
	}
	if m.got == "" && len(m.found) == 0 {
		m.found = []verify.Finding{{Code: verify.DoneMissing, Index: len(m.events)}}
	}
	return len(m.found) == 0 && m.got == m.reason, nil
}

// FailureMessage shows what was found, or the reason that came instead.
func (m *terminal) FailureMessage(any) string {
	if len(m.found) > 0 {
		return fmt.Sprintf("Expected every run to end once, the last one in done(%s).\n%s", m.reason, show(m.events, m.found))
	}
	return fmt.Sprintf("Expected the run to end in done(%s), not in done(%s).\n%s", m.reason, m.got, show(m.events, nil))
}

// NegatedFailureMessage shows the stream.
func (m *terminal) NegatedFailureMessage(any) string {
	return fmt.Sprintf("Expected the run not to end in done(%s).\n%s", m.reason, show(m.events, nil))
}

// Text matches a stream whose assistant deltas, joined, are the text.
func Text(want string) types.GomegaMatcher { return &text{want: want, channel: executor.Assistant} }

// Reasoning matches a stream whose reasoning deltas, joined, are the text.
func Reasoning(want string) types.GomegaMatcher {
	return &text{want: want, channel: executor.Reasoning}
}

type text struct {
	want    string
	channel executor.Channel
	got     string
}

// Match joins the deltas and compares.
func (m *text) Match(actual any) (bool, error) {
	events, err := eventsOf(actual)
	if err != nil {
		return false, err
	}
	m.got = verify.Text(events, "", m.channel)
	return m.got == m.want, nil
}

// FailureMessage shows want and got.
func (m *text) FailureMessage(any) string {
	return fmt.Sprintf("Expected other text on the %s channel (-want +got):\n%s", m.channel, cmp.Diff(m.want, m.got))
}

// NegatedFailureMessage shows the text.
func (m *text) NegatedFailureMessage(any) string {
	return fmt.Sprintf("Expected other text on the %s channel than %q.", m.channel, m.got)
}

// Events matches a stream that holds exactly these events, seq and time apart: both
// depend on when and by whom a stream was read.
func Events(want ...executor.Event) types.GomegaMatcher { return &exactly{want: want} }

type exactly struct{ want, got []executor.Event }

// Match compares the events without seq and time.
func (m *exactly) Match(actual any) (bool, error) {
	events, err := eventsOf(actual)
	if err != nil {
		return false, err
	}
	m.got = timeless(events)
	m.want = timeless(m.want)
	return cmp.Equal(m.want, m.got), nil
}

func timeless(events []executor.Event) []executor.Event {
	out := make([]executor.Event, len(events))
	for i, e := range events {
		h := e.Head()
		h.Seq, h.TS = 0, 0
		out[i] = e.WithHead(h)
	}
	return out
}

// FailureMessage shows want and got side by side.
func (m *exactly) FailureMessage(any) string {
	return "Expected other events (-want +got):\n" + cmp.Diff(m.want, m.got)
}

// NegatedFailureMessage shows the stream.
func (m *exactly) NegatedFailureMessage(any) string {
	return "Expected other events than\n" + show(m.got, nil)
}
