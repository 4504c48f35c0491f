package supervise

import (
	"errors"
	"fmt"
	"slices"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/remote"
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
	lost     *lostSubject
	breaches breaches
	process  bool // the subject is a process of its own
	finished bool
}

func newLedger(selected []check.Check, process bool) *ledger {
	l := &ledger{selected: make(map[string]check.Check, len(selected)), done: map[string]bool{}, process: process}
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
	case m.Lost != nil:
		return l.lose(m.Lost)
	case m.Breaches != nil:
		return l.breach(m.Breaches)
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

func (l *ledger) lose(s *lostSubject) error {
	reasons := []report.CutReason{report.CutWorkerDied}
	if len(l.outcomes) == 0 {
		reasons = append(reasons, report.CutNotStarted)
	}
	if !l.process || l.running != "" || l.lost != nil || !slices.Contains(reasons, s.Reason) {
		return errors.New("a lost subject out of place")
	}
	l.lost = s
	if l.cut == "" { // else the run was over before the subject was
		l.cut = s.Reason
	}
	return nil
}

func (l *ledger) breach(counts breaches) error {
	if !l.process || l.running != "" || l.breaches != nil {
		return errors.New("breaches out of place")
	}
	for code, n := range counts {
		if !slices.Contains(remote.Breaches(), code) || n < 1 {
			return errors.New("a breach that is none")
		}
	}
	l.breaches = counts
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
		return l.outcomes, &report.Cut{Reason: l.cut, During: l.during()}
	case l.finished:
		return l.outcomes, nil
	case l.running == "":
		return l.outcomes, &report.Cut{Reason: reason}
	}
	lost := check.Outcome{ID: l.running, State: report.InconclusiveCheck}
	return append(l.outcomes, lost), &report.Cut{Reason: reason, During: report.Name(l.running)}
}

// during is the check that the subject's process did not survive.
func (l *ledger) during() report.Name {
	if l.lost == nil || len(l.outcomes) == 0 {
		return ""
	}
	last := l.outcomes[len(l.outcomes)-1]
	if last.State != report.InconclusiveCheck {
		return ""
	}
	return report.Name(last.ID)
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
