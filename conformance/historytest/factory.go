package historytest

import (
	"context"
	"reflect"

	"github.com/adaptercheck/adaptercheck/conformance/check"
)

func factoryChecks() []check.Check {
	return []check.Check{
		// The fixture says what the runtime has. A factory that edits it builds another
		// runtime than the one that is asked for.
		{
			ID: "history.lifecycle.fixture", Case: "lifecycle", Clause: "history#fixture",
			Level: check.Should, Provenance: check.Decided, Codes: codes("fixture-edited"),
			Title: "leaves the fixture as it was given",
			Run: with(func(ctx context.Context, t *T) {
				t.alive(ctx)
				t.demand(reflect.DeepEqual(t.given.Messages, t.Fixture.Messages) && reflect.DeepEqual(t.given.Model, t.Fixture.Model), "fixture-edited", "by the constructor")
			}, generated),
		},
	}
}
