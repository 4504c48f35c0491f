package remote_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/conformance"
	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/remote"
	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/subjects"
)

// A subject of this tree is judged alike in this process and in another one: brought
// with its own fake, over a history, and with a fake of the suite's.
func TestSameVerdict(t *testing.T) {
	// A flood of twenty thousand frames is one of time here, and of nothing else.
	flood := func(i int, ch check.Check) bool {
		return strings.HasPrefix(ch.ID, "executor.queues.") && !strings.HasSuffix(ch.ID, "burst")
	}
	for _, test := range []struct {
		name    string
		profile report.Profile
		without func(i int, ch check.Check) bool
	}{
		{"memory", report.Executor, flood},
		{"jsonl-reference", report.History, func(int, check.Check) bool { return false }},
		// Two processes for each run: some of the checks.
		{"codex", report.Executor, func(i int, ch check.Check) bool { return flood(i, ch) || i%5 != 0 }},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			here, ok := subjects.Find(test.name)
			if !ok {
				t.Fatal("no such subject")
			}
			o := self(test.name)
			o.Fake = here.Runtime
			there, p, err := remote.Subject(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := p.Close(context.WithoutCancel(t.Context())); err != nil {
					t.Error(err)
				}
			})
			if d := cmp.Diff(sorted(here.Offers), sorted(there.Offers)); there.Name != here.Name || d != "" {
				t.Errorf("%s offers (-here +there):\n%s", there.Name, d)
			}
			if d := cmp.Diff(here.Declares, there.Declares); d != "" {
				t.Errorf("declares (-here +there):\n%s", d)
			}
			var checks []check.Check
			for i, ch := range conformance.Checks(test.profile) {
				if !test.without(i, ch) {
					checks = append(checks, ch)
				}
			}
			want := judge(t, test.profile, here, checks)
			got := judge(t, test.profile, there, checks)
			if got.Verdict != report.Conforms || got.Partial {
				t.Errorf("verdict %s, partial %t", got.Verdict, got.Partial)
			}
			if d := cmp.Diff(states(want), states(got)); d != "" {
				t.Errorf("states (-here +there):\n%s", d)
			}
			if b := p.Breaches(); len(b) > 0 {
				t.Errorf("breaches: %v", b)
			}
		})
	}
}

func sorted(f []check.Feature) []check.Feature {
	f = slices.Clone(f)
	slices.Sort(f)
	return f
}

// judge executes the checks and says of each that did not pass why.
func judge(t *testing.T, p report.Profile, s check.Subject, checks []check.Check) report.Run {
	t.Helper()
	// Generous: a machine with much to do is no finding.
	budgets := check.DefaultBudgets(true).Scale(4)
	budgets.Quiet = check.DefaultBudgets(true).Quiet
	runner := check.Runner{Subject: s, Seed: 1, Budgets: budgets}
	var outcomes []check.Outcome
	for _, ch := range checks {
		o := runner.Execute(t.Context(), ch)
		if o.State != report.Passed && o.State != report.Unobserved {
			t.Logf("%s: %s %v %v: %v", o.ID, o.State, o.Codes, o.Fault, o.Details)
		}
		outcomes = append(outcomes, o)
	}
	return check.Judge(p, s, checks, outcomes, nil)
}

func states(r report.Run) map[report.Name]report.State {
	m := map[report.Name]report.State{}
	for _, c := range r.Checks {
		m[c.ID] = c.State
	}
	return m
}
