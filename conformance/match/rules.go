package match

import (
	"fmt"
	"strings"

	"github.com/onsi/gomega/types"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/contract/executor/verify"
)

// IncreasingSeq matches a stream whose numbers are 0 or more and rise strictly.
func IncreasingSeq() types.GomegaMatcher {
	return Rule("numbers that rise strictly from 0 up", verify.Seq)
}

// OneRun matches a stream in which every event names its run and no run goes on
// after another one began.
func OneRun() types.GomegaMatcher { return Rule("one run id per run", verify.RunIDs) }

// OneSession matches a stream in which the session of a run, once known, stays.
func OneSession() types.GomegaMatcher { return Rule("one session id per run", verify.Sessions) }

// WellFormed matches a stream whose closed fields hold words of their sets, whose
// times come after the epoch, whose amounts are amounts.
func WellFormed() types.GomegaMatcher {
	return Rule("events that keep to the contract's words and numbers", verify.Times, verify.Values, verify.Costs)
}

// PairedTools matches a stream in which every tool call has an id of its own and
// one result after it, none is open at the end of a run that ended, and no result
// comes out of nowhere.
func PairedTools() types.GomegaMatcher {
	return Rule("tool calls paired with their results", verify.Tools, verify.OpenCalls)
}

// Whole matches a stream that breaks no rule and in which every run has ended.
func Whole() types.GomegaMatcher { return Rule("a whole stream that breaks no rule", verify.Whole) }

// Unbroken matches a stream that breaks no rule so far; it may have been cut
// anywhere.
func Unbroken() types.GomegaMatcher { return Rule("a stream that breaks no rule", verify.Stream) }

// Rule matches a stream in which the rules find nothing. what says what is wanted,
// as the end of "Expected …".
func Rule(what string, rules ...verify.Rule) types.GomegaMatcher {
	return &rule{what: what, rules: rules}
}

type rule struct {
	what   string
	rules  []verify.Rule
	events []executor.Event
	found  []verify.Finding
}

// Match applies the rules.
func (m *rule) Match(actual any) (bool, error) {
	var err error
	if m.events, err = eventsOf(actual); err != nil {
		return false, err
	}
	m.found = nil
	for _, r := range m.rules {
		m.found = append(m.found, r(m.events)...)
	}
	return len(m.found) == 0, nil
}

// FailureMessage shows what was found and where.
func (m *rule) FailureMessage(any) string {
	return fmt.Sprintf("Expected %s.\n%s", m.what, show(m.events, m.found))
}

// NegatedFailureMessage shows the stream in which nothing was found.
func (m *rule) NegatedFailureMessage(any) string {
	return fmt.Sprintf("Expected something else than %s.\n%s", m.what, show(m.events, nil))
}

// eventsOf takes the value that a matcher is given.
func eventsOf(actual any) ([]executor.Event, error) {
	events, ok := actual.([]executor.Event)
	if !ok {
		return nil, fmt.Errorf("a matcher over events wants []executor.Event, not %T", actual)
	}
	for i, e := range events {
		if e == nil {
			return nil, fmt.Errorf("event %d is nil", i)
		}
	}
	return events, nil
}

// around is how many events are shown before and after a finding.
const around = 3

// show writes the stream down, one event a line, with each finding under its event.
// Events far from any finding are left out, and said to be.
func show(events []executor.Event, found []verify.Finding) string {
	at := map[int][]verify.Code{}
	near := make([]bool, len(events)+1)
	for _, f := range found {
		at[f.Index] = append(at[f.Index], f.Code)
		for i := max(0, f.Index-around); i <= min(len(events), f.Index+around); i++ {
			near[i] = true
		}
	}
	var b strings.Builder
	left := 0
	for i := range len(events) + 1 {
		if i < len(events) {
			if len(found) > 0 && !near[i] {
				left++
				continue
			}
			if left > 0 {
				fmt.Fprintf(&b, "      … %d more\n", left)
				left = 0
			}
			fmt.Fprintf(&b, "%4d  %s\n", i, line(events[i]))
		} else if len(at[i]) > 0 {
			fmt.Fprintf(&b, "%4d  end of the stream\n", i)
		}
		for _, code := range at[i] {
			fmt.Fprintf(&b, "      ^ %s\n", code)
		}
	}
	if left > 0 {
		fmt.Fprintf(&b, "      … %d more\n", left)
	}
	return strings.TrimRight(b.String(), "\n")
}

// line is the event's wire form, or what stands in the way of it.
func line(e executor.Event) string {
	b, err := executor.MarshalEvent(e)
	if err != nil {
		return fmt.Sprintf("%s that JSON cannot carry: %v", e.Kind(), err)
	}
	return string(b)
}
