package check_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/report"
)

// suite is one MUST check per case of the executor profile, and one SHOULD.
func suite() []check.Check {
	var all []check.Check
	for _, c := range check.Cases(report.Executor) {
		all = append(all, check.Check{ID: "executor." + c + ".must", Case: c, Level: check.Must, Provenance: check.Stated})
	}
	return append(all, check.Check{ID: "executor.abort.should", Case: "abort", Level: check.Should, Provenance: check.Decided})
}

// outcomes gives every check a state, with exceptions by id.
func outcomes(state report.State, except map[string]report.State) []check.Outcome {
	var all []check.Outcome
	for _, ch := range suite() {
		o := check.Outcome{ID: ch.ID, State: state}
		if s, ok := except[ch.ID]; ok {
			o.State = s
		}
		if o.State == report.Failed {
			o.Codes = []check.Code{"bad"}
		}
		if o.State != report.NotRun {
			all = append(all, o)
		}
	}
	return all
}

func TestVerdict(t *testing.T) {
	type states map[string]report.State
	for _, c := range []struct {
		name    string
		rest    report.State
		except  states
		cut     *report.Cut
		verdict report.Verdict
		partial bool
	}{
		{"all passed", report.Passed, nil, nil, report.Conforms, false},
		{"a SHOULD failed", report.Passed, states{"executor.abort.should": report.Failed}, nil, report.Conforms, false},
		{"a MUST failed", report.Passed, states{"executor.abort.must": report.Failed}, nil, report.Fails, false},
		{"a MUST failed before the cut", report.Passed, states{"executor.abort.must": report.Failed}, &report.Cut{Reason: report.CutInterrupted}, report.Fails, true},
		{"a seed case unobserved", report.Passed, states{"executor.health.must": report.Unobserved}, nil, report.Inconclusive, false},
		{"a SHOULD of an observed case unobserved", report.Passed, states{"executor.abort.should": report.Unobserved}, nil, report.Conforms, false},
		{"all unobserved", report.Unobserved, nil, nil, report.Inconclusive, false},
		{"nothing ran", report.NotRun, nil, nil, report.Inconclusive, true},
		{"the rest filtered away", report.NotRun, states{"executor.abort.must": report.Passed}, nil, report.Conforms, true},
		{"the worker died", report.Passed, states{"executor.abort.must": report.InconclusiveCheck}, &report.Cut{Reason: report.CutWorkerDied}, report.Inconclusive, true},
		{"known failure", report.Passed, states{"executor.abort.must": report.Known}, nil, report.Conforms, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := check.Judge(report.Executor, check.Subject{Name: "s"}, suite(), outcomes(c.rest, c.except), c.cut)
			if run.Verdict != c.verdict || run.Partial != c.partial {
				t.Errorf("%s, partial %t; want %s, %t", run.Verdict, run.Partial, c.verdict, c.partial)
			}
			r := report.Report{Schema: report.Schema, Tool: report.Tool{Name: "adaptercheck", Version: "0"}, Runs: []report.Run{run}}
			if err := r.Validate(); err != nil {
				t.Error(err)
			}
			code := map[report.Verdict]int{report.Conforms: 0, report.Fails: 1, report.Inconclusive: 3}[c.verdict]
			if got := r.ExitCode(); got != code {
				t.Errorf("exit %d, want %d", got, code)
			}
		})
	}
}

func TestSeedCaseFailureCodes(t *testing.T) {
	found := outcomes(report.Passed, map[string]report.State{"executor.abort.must": report.Failed, "executor.health.must": report.Failed})
	for i := range found {
		if found[i].ID == "executor.health.must" {
			found[i].Codes = []check.Code{"health-threw"}
		}
	}
	run := check.Judge(report.Executor, check.Subject{Name: "s"}, suite(), found, nil)
	got := map[report.Name]report.Name{}
	for _, c := range run.Cases {
		if c.State == report.Failed {
			got[c.ID] = c.FailureCode
		}
	}
	want := map[report.Name]report.Name{"abort": "abort-assertion-failed", "health": "health-threw"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
