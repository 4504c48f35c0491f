package subjects_test

import (
	"testing"

	"github.com/adaptercheck/adaptercheck/property"
	"github.com/adaptercheck/adaptercheck/subjects"
)

// Whatever a runtime says, and whatever a host does with the runs of an adapter, each run
// tells its own story. The seed is fixed, as a change must not fail by chance; others are
// tried by adaptercheck property.
func TestLaws(t *testing.T) {
	o := property.Options{Seed: 1, Should: true, Budgets: budgets, Cases: cases}
	for _, s := range subjects.All() {
		if s.Executor == nil {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			property.Executor(t, s, o)
			property.Conversations(t, s, o)
		})
	}
}
