package subjects_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/historytest"
	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/subjects"
)

// Every check of the history contract passes on Pi, but for those that look at a
// local KV port, which Pi does not have.
func TestPiConforms(t *testing.T) {
	unobserved := map[string][]check.Feature{
		"history.capabilities.local-kv-counters": {fakes.Ports},
		"history.lifecycle.port-released":        {fakes.Ports},
		"history.lifecycle.port-failure":         {fakes.Ports},
	}
	for _, seed := range []uint64{1, 2} {
		runner := &check.Runner{Subject: subjects.Pi(), Seed: seed}
		checks := historytest.Checks()
		var outcomes []check.Outcome
		for _, ch := range checks {
			outcomes = append(outcomes, runner.Execute(t.Context(), ch))
		}
		lacking := map[string][]check.Feature{}
		for _, o := range outcomes {
			switch o.State {
			case report.Passed:
			case report.Unobserved:
				lacking[o.ID] = o.Missing
			default:
				t.Errorf("seed %d: %s: %s %v %v %v", seed, o.ID, o.State, o.Codes, o.Fault, o.Details)
			}
		}
		if diff := cmp.Diff(unobserved, lacking); diff != "" {
			t.Errorf("seed %d: what was not observed (-want +got):\n%s", seed, diff)
		}
		if run := check.Judge(report.History, subjects.Pi(), checks, outcomes, nil); run.Verdict != report.Conforms || run.Partial {
			t.Errorf("seed %d: %s, partial %t", seed, run.Verdict, run.Partial)
		}
	}
}
