package remote_test

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/conformance"
	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/remote"
	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/subjects"
)

// A subject of this tree is judged alike in this process and in another one: brought
// with its own fake, over a history, and with a fake of the suite's. What cannot be
// seen from afar is unobserved, for want of being in this process.
func TestSameVerdict(t *testing.T) {
	flood := func(_ int, ch check.Check) bool { return floods(ch) }
	for _, test := range []struct {
		name    string
		profile report.Profile
		without func(i int, ch check.Check) bool
		near    []report.Name // what is seen in this process alone
	}{
		{"memory", report.Executor, flood, []report.Name{
			"executor.capabilities.owned", "executor.residue.closed-stream", "executor.residue.descriptors",
			"executor.residue.dispose", "executor.residue.goroutines",
		}},
		{"jsonl-reference", report.History, flood, []report.Name{
			"history.canonical.snapshot-owned", "history.diagnostics.owned", "history.identity.model-owned",
			"history.privacy.payload-owned", "history.privacy.payload-untouched", "history.rebuild.owned",
		}},
		// Two processes for each run: some of the checks.
		{"codex", report.Executor, func(i int, ch check.Check) bool {
			return ch.Topic() != "residue" && ch.ID != "executor.process.environment" && (floods(ch) || i%5 != 0)
		}, []report.Name{"executor.process.environment", "executor.residue.descriptors", "executor.residue.goroutines"}},
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
			expected := states(want)
			for _, c := range got.Checks {
				if near(c) {
					if expected[c.ID] != report.Passed {
						t.Errorf("%s: %s in this process, yet seen nowhere else", c.ID, expected[c.ID])
					}
					expected[c.ID] = report.Unobserved
				}
			}
			if d := cmp.Diff(expected, states(got)); d != "" {
				t.Errorf("states (-here +there):\n%s", d)
			}
			if d := cmp.Diff(test.near, seenNear(got)); d != "" {
				t.Errorf("seen in this process alone (-want +got):\n%s", d)
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

// floods reports whether a check is left out here: from afar a flood is one of time, and
// of nothing else. One message of a megabyte is a long line as well.
func floods(ch check.Check) bool { return ch.Flood && ch.ID != "executor.text.long" }

// near reports whether a check was unobserved for no other reason than that the
// adapter is in another process.
func near(c report.Check) bool {
	return slices.Equal(c.Missing, []report.Name{report.Name(fakes.InProcess)})
}

// seenNear lists those checks.
func seenNear(r report.Run) []report.Name {
	var ids []report.Name
	for _, c := range r.Checks {
		if near(c) {
			ids = append(ids, c.ID)
		}
	}
	slices.Sort(ids)
	return ids
}

func states(r report.Run) map[report.Name]report.State {
	m := map[report.Name]report.State{}
	for _, c := range r.Checks {
		m[c.ID] = c.State
	}
	return m
}
