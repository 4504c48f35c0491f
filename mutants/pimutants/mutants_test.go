package pimutants_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/historytest"
	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/mutants/pimutants"
)

// budgets are long: no adapter here hangs, and a busy machine must not make one do so.
func budgets() check.Budgets { return check.DefaultBudgets(false).Scale(20) }

// Each mutant is caught by the check that it names, with the code that it names.
func TestMutantsAreKilled(t *testing.T) {
	checks := map[string]check.Check{}
	for _, ch := range historytest.Checks() {
		checks[ch.ID] = ch
	}
	for i, m := range pimutants.All() {
		t.Run(m.ID, func(t *testing.T) {
			t.Parallel()
			ch, ok := checks[m.Check]
			if !ok {
				t.Fatalf("there is no check %s", m.Check)
			}
			r := check.Runner{Subject: m.Subject(), Budgets: budgets(), Seed: uint64(i)}
			o := r.Execute(t.Context(), ch)
			if o.State != report.Failed || !slices.Contains(o.Codes, m.Code) {
				t.Errorf("%s (%s): %s says %s %v, want failed with %s\n%s", m.ID, m.Note, m.Check, o.State, o.Codes, m.Code, strings.Join(o.Details, "\n"))
			}
		})
	}
}

func TestIDs(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range pimutants.All() {
		if seen[m.ID] || !strings.HasPrefix(m.ID, "pi-") || m.Note == "" {
			t.Errorf("mutant %q: the id is taken or malformed, or there is no note", m.ID)
		}
		seen[m.ID] = true
	}
	for _, v := range pimutants.Right() {
		if seen[v.ID] || !strings.HasPrefix(v.ID, "pi-right-") || v.Note == "" {
			t.Errorf("variant %q: the id is taken or malformed, or there is no note", v.ID)
		}
		seen[v.ID] = true
	}
}

// No check has anything against a right adapter, SHOULD included.
func TestRightVariantsPass(t *testing.T) {
	for i, v := range pimutants.Right() {
		t.Run(v.ID, func(t *testing.T) {
			t.Parallel()
			r := check.Runner{Subject: v.Subject(), Budgets: budgets(), Seed: uint64(i)}
			passed := 0
			for _, ch := range historytest.Checks() {
				switch o := r.Execute(t.Context(), ch); o.State {
				case report.Passed:
					passed++
				case report.Unobserved:
				default:
					t.Errorf("%s: %s %v %v\n%s", ch.ID, o.State, o.Codes, o.Fault, strings.Join(o.Details, "\n"))
				}
			}
			if passed < 100 {
				t.Errorf("only %d checks passed", passed)
			}
		})
	}
}
