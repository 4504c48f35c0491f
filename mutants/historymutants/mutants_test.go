package historymutants_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/historytest"
	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/adaptercheck/adaptercheck/mutants/historymutants"
)

// hurried are the budgets of subjects in this process. A subject that hangs heeds
// its context, so nothing but hangs is waited for.
func hurried() check.Budgets { return check.DefaultBudgets(false).Scale(1.0 / 20) }

func catalogue() map[string]check.Check {
	out := map[string]check.Check{}
	for _, ch := range historytest.Checks() {
		out[ch.ID] = ch
	}
	return out
}

// Each mutant is caught by the check that it names, with the code that it names.
func TestMutantsAreKilled(t *testing.T) {
	checks := catalogue()
	for _, m := range historymutants.All() {
		t.Run(m.ID, func(t *testing.T) {
			t.Parallel()
			ch, ok := checks[m.Check]
			if !ok {
				t.Fatalf("there is no check %s", m.Check)
			}
			r := check.Runner{Subject: m.Subject(), Budgets: hurried(), Seed: 7}
			o := r.Execute(t.Context(), ch)
			if o.State != report.Failed || !slices.Contains(o.Codes, m.Code) {
				t.Errorf("%s (%s): %s says %s %v, want failed with %s\n%s", m.ID, m.Note, m.Check, o.State, o.Codes, m.Code, strings.Join(o.Details, "\n"))
			}
		})
	}
}

// Every check has a mutant, every mutant an id of its own, and every code of the
// catalogue names something that some mutant does.
func TestMutantsCoverTheCatalogue(t *testing.T) {
	ids, exercised := map[string]bool{}, map[string]map[check.Code]bool{}
	for _, m := range historymutants.All() {
		if ids[m.ID] || !strings.HasPrefix(m.ID, "history-") || m.Note == "" {
			t.Errorf("mutant %q: the id is taken or malformed, or there is no note", m.ID)
		}
		ids[m.ID] = true
		if exercised[m.Check] == nil {
			exercised[m.Check] = map[check.Code]bool{}
		}
		exercised[m.Check][m.Code] = true
	}
	for id := range catalogue() {
		if len(exercised[id]) == 0 {
			t.Errorf("no mutant exercises %s", id)
		}
	}
}

// No check accuses a right adapter at MUST, whatever the seed.
func TestRightVariantsAreNotAccused(t *testing.T) {
	seeds := []uint64{1, 2, 3}
	if testing.Short() {
		seeds = seeds[:1]
	}
	for _, v := range historymutants.Right() {
		t.Run(v.ID, func(t *testing.T) {
			t.Parallel()
			for _, seed := range seeds {
				r := check.Runner{Subject: v.Subject(), Seed: seed}
				for _, ch := range historytest.Checks() {
					o := r.Execute(t.Context(), ch)
					if o.State == report.InconclusiveCheck || (o.State == report.Failed && ch.Level == check.Must) {
						t.Errorf("seed %d: %s accuses %s: %s %v %v\n%s", seed, ch.ID, v.Note, o.State, o.Codes, o.Fault, strings.Join(o.Details, "\n"))
					}
				}
			}
		})
	}
}

// The reference runtime passes everything, SHOULD included.
func TestReferencePassesEverything(t *testing.T) {
	s := historymutants.Reference()
	r := check.Runner{Subject: s, Seed: 42}
	var outcomes []check.Outcome
	for _, ch := range historytest.Checks() {
		o := r.Execute(t.Context(), ch)
		outcomes = append(outcomes, o)
		if o.State != report.Passed && o.State != report.Unobserved {
			t.Errorf("%s: %s %v %v\n%s", ch.ID, o.State, o.Codes, o.Fault, strings.Join(o.Details, "\n"))
		}
	}
	if got := check.Judge(report.History, s, historytest.Checks(), outcomes, nil); got.Verdict != report.Conforms {
		t.Errorf("verdict %s", got.Verdict)
	}
}

// An adapter that answers everything with nothing passes nothing, and neither does
// one that refuses everything.
func TestIdleSubjectsPassNothing(t *testing.T) {
	for name, a := range map[string]history.Adapter{"null": null{}, "refuser": refuser{}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := historymutants.Reference()
			right := s.History
			s.Name = name
			s.History = func(ctx context.Context, f check.Fixture) (*check.HistoryInstance, error) {
				in, err := right(ctx, f)
				if err == nil {
					in.Adapter = a
				}
				return in, err
			}
			r := check.Runner{Subject: s, Seed: 3}
			for _, ch := range historytest.Checks() {
				if o := r.Execute(t.Context(), ch); o.State == report.Passed {
					t.Errorf("%s is passed", ch.ID)
				}
			}
		})
	}
}
