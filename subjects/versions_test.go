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
	"github.com/adaptercheck/adaptercheck/fakes/codex"
	"github.com/adaptercheck/adaptercheck/fakes/hermes"
	"github.com/adaptercheck/adaptercheck/fakes/pi"
	"github.com/adaptercheck/adaptercheck/subjects"
)

// The adapter keeps the contract with every version of the runtime that is played,
// where they differ: in how text is taken back, what totals count, and how runs end.
func TestClaudeCodeVersions(t *testing.T) {
	testVersions(t, subjects.ClaudeCode(), claudecode.Versions(), 30, "text", "cost", "codec", "terminal", "abort")
}

// Versions of Codex differ in what they do with threads that they do not know, in the
// order of calls, and in how they end.
func TestCodexVersions(t *testing.T) {
	testVersions(t, subjects.Codex(), codex.Versions(), 30, "tools", "cost", "codec", "terminal", "abort")
}

// Versions of Hermes differ in what they print beside the answer, and in how they end.
func TestHermesVersions(t *testing.T) {
	testVersions(t, subjects.Hermes(), hermes.Versions(), 20, "text", "cost", "codec", "terminal", "abort")
}

// Versions of Pi differ in how they say that the agent is done for good, and in what they
// repeat with each piece of an answer.
func TestPiVersions(t *testing.T) {
	testVersions(t, subjects.Pi(), pi.Versions(), 30, "text", "tools", "cost", "codec", "terminal", "abort", "approval")
}

func testVersions(t *testing.T, s check.Subject, versions []string, least int, topics ...string) {
	t.Helper()
	runtime := s.Runtime
	for _, version := range versions[1:] { // the first is everybody's
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
			if passed < least {
				t.Errorf("only %d checks passed", passed)
			}
		})
	}
}
