package golden_test

import (
	"testing"

	"github.com/sebdah/goldie/v2"

	"github.com/adaptercheck/adaptercheck/golden"
)

// TestCompat fails when something that others depend on has changed. What was added
// on purpose is published by: go test ./golden -update
func TestCompat(t *testing.T) {
	got, err := golden.Marshal(golden.Compat())
	if err != nil {
		t.Fatal(err)
	}
	goldie.New(t, goldie.WithFixtureDir("."), goldie.WithNameSuffix(".json")).Assert(t, "compat-v1", got)
}
