package host_test

import (
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/hosttest"
	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/subjects"
)

// The surface keeps its contract, SHOULD included, and leaves nothing behind.
func TestSurface(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	s := subjects.NativeHost()
	r := check.Runner{Subject: s, Seed: 42}
	var outcomes []check.Outcome
	for _, ch := range hosttest.Checks() {
		o := r.Execute(t.Context(), ch)
		outcomes = append(outcomes, o)
		if o.State != report.Passed {
			t.Errorf("%s: %s %v %v\n%s", ch.ID, o.State, o.Codes, o.Fault, strings.Join(o.Details, "\n"))
		}
	}
	if got := check.Judge(report.Host, s, hosttest.Checks(), outcomes, nil); got.Verdict != report.Conforms || got.Partial {
		t.Errorf("verdict %s", got.Verdict)
	}
}
