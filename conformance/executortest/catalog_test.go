package executortest_test

import (
	"slices"
	"testing"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/executortest"
	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/subjects"
)

func TestCatalogueIsWellFormed(t *testing.T) {
	if err := check.Validate(executortest.Checks()); err != nil {
		t.Fatal(err)
	}
	if n := len(executortest.Checks()); n < 140 {
		t.Errorf("%d checks, want at least 140", n)
	}
}

// Everything that the memory runtime can play is observed and kept; what it has no
// form for is unobserved, and nothing else is.
func TestMemoryKeepsTheContract(t *testing.T) {
	keeps(t, subjects.Memory(), "executor.abort.pending") // it refuses a second start
}

// So it is with a connected adapter, whose streams go on.
func TestConnectedMemoryKeepsTheContract(t *testing.T) {
	keeps(t, subjects.MemoryConnected(), "executor.abort.pending", "executor.stream.ends")
}

func keeps(t *testing.T, s check.Subject, unobserved ...string) {
	r := &check.Runner{Subject: s, Seed: 1}
	for _, ch := range executortest.Checks() {
		t.Run(ch.ID, func(t *testing.T) {
			t.Parallel()
			want := report.Passed
			if slices.Contains(unobserved, ch.ID) {
				want = report.Unobserved
			}
			for _, need := range ch.Needs {
				if !s.Shows(need) {
					want = report.Unobserved
				}
			}
			o := r.Execute(t.Context(), ch)
			if o.State != want {
				t.Errorf("%s %v %v, want %s\n%v", o.State, o.Codes, o.Missing, want, o.Details)
			}
		})
	}
}
