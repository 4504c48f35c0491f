package subjects_test

import (
	"context"
	"slices"
	"testing"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/executortest"
	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/claudecode"
	"github.com/adaptercheck/adaptercheck/subjects"
)

// The adapter keeps the contract with every version of the runtime that is played,
// where they differ: in how text is taken back, what totals count, and how runs end.
func TestClaudeCodeVersions(t *testing.T) {
	topics := []string{"text", "cost", "codec", "terminal", "abort"}
	for _, version := range claudecode.Versions()[1:] { // the first is everybody's
		s := subjects.ClaudeCode()
		runtime := s.Runtime
		s.Runtime = func(ctx context.Context, o check.RuntimeOptions) (fakes.Runtime, error) {
			o.Version = version
			return runtime(ctx, o)
		}
		r := &check.Runner{Subject: s, Budgets: check.DefaultBudgets(true), Seed: 1}
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			passed := 0
			for _, ch := range executortest.Checks() {
				if !slices.Contains(topics, ch.Topic()) {
					continue
				}
				switch o := r.Execute(t.Context(), ch); o.State {
				case report.Passed:
					passed++
				case report.Unobserved:
				default:
					t.Errorf("%s: %s %v\n%q", ch.ID, o.State, o.Codes, o.Details)
				}
			}
			if passed < 30 {
				t.Errorf("only %d checks passed", passed)
			}
		})
	}
}
