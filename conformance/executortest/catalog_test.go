package executortest_test

import (
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
	if n := len(executortest.Checks()); n < 30 {
		t.Errorf("%d checks, want at least 30", n)
	}
}

func TestMemoryKeepsTheContract(t *testing.T) {
	r := &check.Runner{Subject: subjects.Memory(), Seed: 1}
	for _, ch := range executortest.Checks() {
		t.Run(ch.ID, func(t *testing.T) {
			t.Parallel()
			o := r.Execute(t.Context(), ch)
			if o.State != report.Passed {
				t.Errorf("%s %v %v\n%v", o.State, o.Codes, o.Missing, o.Details)
			}
		})
	}
}
