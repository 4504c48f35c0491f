package supervise

import (
	"errors"
	"fmt"
	"slices"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/report"
)

// ledger is the parent's book of one worker: what was said, in the only order in
// which it makes sense. A subject shares its process with the worker and may write
// what it likes, so nothing is taken that the suite itself could not have said.
type ledger struct {
	selected map[string]check.Check
	running  string // id of the check that began and did not end
	outcomes []check.Outcome
	done     map[string]bool
	cut      report.CutReason
	finished bool
}

func newLedger(selected []check.Check) *ledger {
	l := &ledger{selected: make(map[string]check.Check, len(selected)), done: map[string]bool{}}
	for _, ch := range selected {
		l.selected[ch.ID] = ch
	}
	return l
}

// take books a message. After an error nothing more should be taken.
func (l *ledger) take(m message) error {
	switch {
	case m.Started != "":
		return l.start(m.Started)
	case m.Outcome != nil:
		return l.end(*m.Outcome)
	case m.Cut != "":
		if m.Cut != report.CutBudget || l.running != "" {
			return errors.New("a cut out of place")
		}
		l.cut = m.Cut
	case m.Finished:
		return l.finish()
	}
	return nil
}

func (l *ledger) start(id string) error {
	_, known := l.selected[id]
	switch {
	case !known:
		return errors.New("the start of a check that was not selected")
	case l.done[id]:
		return fmt.Errorf("a second start of %s", id)
	case l.running != "":
		return fmt.Errorf("the start of %s during %s", id, l.running)
	case l.cut != "":
		return fmt.Errorf("the start of %s after the cut", id)
	}
	l.running = id
	return nil
}

func (l *ledger) end(o outcome) error {
	if o.ID == "" || o.ID != l.running {
		return errors.New("an outcome of a check that is not running")
	}
	if problem := problem(l.selected[o.ID], o); problem != "" {
		return fmt.Errorf("an outcome of %s with %s", o.ID, problem)
	}
	l.running = ""
	l.done[o.ID] = true
	l.outcomes = append(l.outcomes, o.unpack())
	return nil
}

func (l *ledger) finish() error {
	if l.running != "" {
		return fmt.Errorf("the end of the run during %s", l.running)
	}
	if left := len(l.selected) - len(l.done); left > 0 && l.cut == "" {
		return fmt.Errorf("the end of the run with no word about %d checks", left)
	}
	l.finished = true
	return nil
}

// close settles the book: a run that was not finished was cut, for the reason
// given, and the check that was running has no judgement.
func (l *ledger) close(reason report.CutReason) ([]check.Outcome, *report.Cut) {
	switch {
	case l.finished && l.cut != "":
		return l.outcomes, &report.Cut{Reason: l.cut}
	case l.finished:
		return l.outcomes, nil
	case l.running == "":
		return l.outcomes, &report.Cut{Reason: reason}
	}
	lost := check.Outcome{ID: l.running, State: report.InconclusiveCheck}
	return append(l.outcomes, lost), &report.Cut{Reason: reason, During: report.Name(l.running)}
}

// outcomeStates are what the kernel can come to.
var outcomeStates = []report.State{report.Passed, report.Failed, report.Unobserved, report.InconclusiveCheck}

// problem says why the suite could not have said this; empty if it could.
func problem(ch check.Check, o outcome) string {
	switch {
	case !slices.Contains(outcomeStates, o.State):
		return "no state"
	case (o.State == report.Failed) != (len(o.Codes) > 0):
		return "codes that do not fit its state"
	case o.State == report.Unobserved && len(o.Missing) == 0:
		return "nothing missing"
	case o.Took < 0:
		return "a duration below zero"
	}
	codes := ch.AllCodes()
	for _, code := range o.Codes {
		if !slices.Contains(codes, code) {
			return "a code that the check does not declare"
		}
	}
	for _, f := range o.Missing {
		if !report.Name(f).Valid() {
			return "no feature's name"
		}
	}
	for name, n := range o.Counts {
		if !report.Name(name).Valid() || n < 0 {
			return "a count that is none"
		}
	}
	return ""
}
