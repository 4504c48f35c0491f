package conformance

import (
	"strings"
	"testing"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/report"
)

// Test checks the subject with one subtest per check, named by profile and id, and
// returns the judgement of each profile. A failed MUST fails its subtest; a failed
// SHOULD is logged; a check that the subject cannot be seen to keep is skipped
// with the features that it needs. A run that comes to no verdict fails t.
func Test(t *testing.T, s check.Subject, o Options) []report.Run {
	t.Helper()
	profiles := o.profiles(s)
	if len(profiles) == 0 {
		t.Errorf("%s implements no profile that was asked for", s.Name)
	}
	var runs []report.Run
	for _, p := range profiles {
		all := Checks(p)
		checks, err := o.Selection.Of(all)
		if err != nil {
			t.Errorf("%s: %v", p, err)
			continue
		}
		runner := o.runner(s)
		var outcomes []check.Outcome
		t.Run(string(p), func(t *testing.T) {
			for _, ch := range checks {
				t.Run(strings.TrimPrefix(ch.ID, string(p)+"."), func(t *testing.T) {
					if !o.begin(ch.ID) {
						t.Skip("not run")
					}
					out := runner.Execute(t.Context(), ch)
					o.ended(out)
					outcomes = append(outcomes, out)
					tell(t, o, ch, out)
				})
			}
		})
		run := check.Judge(p, s, all, outcomes, nil)
		if run.Verdict == report.Inconclusive && !run.Partial {
			t.Errorf("%s %s: inconclusive, a case of the contract was not observed at all", s.Name, p)
		}
		runs = append(runs, run)
	}
	return runs
}

func tell(t *testing.T, o Options, ch check.Check, out check.Outcome) {
	t.Helper()
	switch out.State {
	case report.Unobserved:
		t.Skipf("unobserved: needs %v", out.Missing)
	case report.InconclusiveCheck:
		t.Errorf("inconclusive: the subject could not be built%s", detail(o, out))
	case report.Failed:
		report := t.Errorf
		if ch.Level == check.Should {
			report = t.Logf
		}
		report("%s %v breaks %s (adaptercheck explain %s)%s", ch.Level, out.Codes, ch.Clause, ch.ID, detail(o, out))
	}
}
