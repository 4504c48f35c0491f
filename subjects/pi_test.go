package subjects_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/historytest"
	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/subjects"
)

// Every check of the history contract passes on Pi, but for those that look at how a
// local KV port is used, which Pi does not do.
func TestPiConforms(t *testing.T) {
	unobserved := map[string][]check.Feature{}
	for _, ch := range historytest.Checks() {
		if slices.Contains(ch.Needs, fakes.Ports) {
			unobserved[ch.ID] = []check.Feature{fakes.Ports}
		}
	}
	// That it asks no port for what it does not support can be seen.
	delete(unobserved, "history.local-kv.not-enabled")
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
