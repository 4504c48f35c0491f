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
	"github.com/adaptercheck/adaptercheck/subjects"
)

// budgets are a twentieth for a mutant that hangs, since its whole budget is waited
// for. Any other answers at once, and on a busy machine a short budget would
// only make a hang of it.
func budgets(m historymutants.Mutant) check.Budgets {
	b := check.DefaultBudgets(false)
	if strings.HasSuffix(string(m.Code), "-hung") || m.Code == "in-flight-stuck" || m.Code == "cancel-ignored" {
		return b.Scale(1.0 / 20)
	}
	return b
}

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
			r := check.Runner{Subject: m.Subject(), Budgets: budgets(m), Seed: 7}
			o := r.Execute(t.Context(), ch)
			if o.State != report.Failed || !slices.Contains(o.Codes, m.Code) {
				t.Errorf("%s (%s): %s says %s %v, want failed with %s\n%s", m.ID, m.Note, m.Check, o.State, o.Codes, m.Code, strings.Join(o.Details, "\n"))
			}
		})
	}
}

// Every check has a mutant, every mutant an id of its own, and every code of the
// catalogue is what some mutant is caught by.
func TestMutantsCoverTheCatalogue(t *testing.T) {
	ids, checks, codes := map[string]bool{}, map[string]bool{}, map[check.Code]bool{}
	for _, m := range historymutants.All() {
		if ids[m.ID] || !strings.HasPrefix(m.ID, "history-") || m.Note == "" {
			t.Errorf("mutant %q: the id is taken or malformed, or there is no note", m.ID)
		}
		ids[m.ID], checks[m.Check], codes[m.Code] = true, true, true
	}
	for _, ch := range historytest.Checks() {
		if !checks[ch.ID] {
			t.Errorf("no mutant exercises %s", ch.ID)
		}
		for _, code := range ch.Codes {
			if !codes[code] {
				t.Errorf("no mutant is caught by %s, which %s can report", code, ch.ID)
			}
		}
	}
}

// No check accuses a right adapter at MUST, whatever the seed.
func TestRightVariantsAreNotAccused(t *testing.T) {
	for i, v := range historymutants.Right() {
		// The first two are whole programs; the others differ from them in a little.
		seeds := []uint64{uint64(i)}
		if i < 2 && !testing.Short() {
			seeds = []uint64{100, 101, 102}
		}
		t.Run(v.ID, func(t *testing.T) {
			t.Parallel()
			for n, seed := range seeds {
				r := check.Runner{Subject: v.Subject(), Seed: seed}
				for _, ch := range historytest.Checks() {
					if ch.Flood && (i >= 2 || n > 0) {
						continue // whole programs try them once
					}
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
	s := subjects.JSONLReference()
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
			s := subjects.JSONLReference()
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
