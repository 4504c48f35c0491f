package compare_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/conformance/report/compare"
)

// of is a report of one run with a check in each of the states.
func of(verdict report.Verdict, states ...report.State) report.Report {
	r := report.Run{
		Subject: report.Subject{Name: "mine"}, Profile: report.Executor, Verdict: verdict,
		Suite: report.Suite{Version: "1", Digest: "0123456789abcdef"},
	}
	for i, s := range states {
		c := report.Check{ID: report.Name("executor.x.c" + string(rune('0'+i))), Level: report.Must, State: s}
		if s == report.Failed {
			c.Codes = []report.Name{"done-missing"}
		}
		r.Checks = append(r.Checks, c)
	}
	return report.Report{Runs: []report.Run{r}}
}

func TestReports(t *testing.T) {
	for _, c := range []struct {
		old, now report.State
		want     compare.Kind // empty is none
	}{
		{report.Passed, report.Passed, ""},
		{report.Passed, report.Failed, compare.Regression},
		{report.Passed, report.Unobserved, compare.Coverage},
		{report.Passed, report.NotRun, compare.Coverage},
		{report.Passed, report.InconclusiveCheck, compare.Inconclusive},
		{report.Passed, report.Known, compare.Regression},
		{report.Failed, report.Passed, compare.Fixed},
		{report.Failed, report.Failed, compare.StillFailing},
		{report.Failed, report.Known, compare.StillFailing},
		{report.Failed, report.Unobserved, compare.Coverage},
		{report.Known, report.Failed, compare.StillFailing},
		{report.Known, report.Passed, compare.Fixed},
		{report.Unobserved, report.Failed, compare.Regression},
		{report.NotRun, report.Failed, compare.Regression},
		{report.Unobserved, report.Passed, compare.Coverage},
		{report.Unobserved, report.NotRun, ""},
		{report.Unobserved, report.InconclusiveCheck, compare.Inconclusive},
		{report.InconclusiveCheck, report.Passed, compare.Inconclusive},
		{report.InconclusiveCheck, report.Failed, compare.Inconclusive},
		{report.InconclusiveCheck, report.Unobserved, compare.Coverage},
	} {
		d, err := compare.Reports(of(report.Conforms, c.old), of(report.Fails, c.now))
		if err != nil {
			t.Fatal(err)
		}
		var got compare.Kind
		for _, change := range d.Runs[0].Changes {
			got = change.Kind
		}
		if got != c.want {
			t.Errorf("%s, now %s: %q, want %q", c.old, c.now, got, c.want)
		}
		if d.Has(compare.Kinds()...) != (c.want != "") {
			t.Errorf("%s, now %s: Has is wrong", c.old, c.now)
		}
	}
}

func TestReportsRefuses(t *testing.T) {
	other := of(report.Conforms, report.Passed)
	other.Runs[0].Subject.Name = "another"
	suite := of(report.Conforms, report.Passed)
	suite.Runs[0].Suite.Digest = "fedcba9876543210"
	more := of(report.Conforms, report.Passed)
	more.Runs = append(more.Runs, other.Runs...)
	for _, c := range []struct {
		now  report.Report
		want string
	}{
		{other, "mine executor is in the old report alone"},
		{more, "another executor is in the new report alone"},
		{suite, "suite 1 01234567, and now by 1 fedcba98"},
	} {
		if _, err := compare.Reports(of(report.Conforms, report.Passed), c.now); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

func TestWriters(t *testing.T) {
	d, err := compare.Reports(
		of(report.Fails, report.Passed, report.Failed, report.Failed, report.Passed),
		of(report.Fails, report.Failed, report.Passed, report.Failed, report.Unobserved))
	if err != nil {
		t.Fatal(err)
	}
	var text, markdown, asJSON, again strings.Builder
	for _, err := range []error{compare.Text(&text, d), compare.Markdown(&markdown, d), compare.JSON(&asJSON, d), compare.JSON(&again, d)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(`mine executor: fails
  regression        MUST   executor.x.c0  passed, now failed done-missing
  still-failing     MUST   executor.x.c2  failed done-missing
  fixed             MUST   executor.x.c1  failed done-missing, now passed
  coverage-changed  MUST   executor.x.c3  passed, now unobserved
1 regression, 1 still-failing, 1 fixed, 1 coverage-changed
`, text.String()); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
	for _, want := range []string{"**1 regression, 1 still-failing, 1 fixed, 1 coverage-changed**", "| mine | executor | fails |", "| regression | mine | MUST | `executor.x.c0` | passed, now failed done-missing |"} {
		if !strings.Contains(markdown.String(), want) {
			t.Errorf("no %q in\n%s", want, markdown.String())
		}
	}
	if asJSON.String() != again.String() || !strings.Contains(asJSON.String(), `"schema": "adaptercheck-diff-v1"`) {
		t.Errorf("json:\n%s", asJSON.String())
	}
}
