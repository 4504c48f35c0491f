package historytest

import (
	"context"
	"maps"
	"reflect"
	"slices"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/adaptercheck/adaptercheck/fakes"
)

func modelChecks() []check.Check {
	return []check.Check{
		// The descriptor is the runtime's own: provider, id and window.
		{
			ID: "history.identity.model", Case: "identity", Clause: "history#model",
			Level: check.Must, Provenance: check.Stated,
			Codes: codes("model-missing", "model-provider-wrong", "model-id-wrong", "model-window-wrong"),
			Title: "describes the selected model as the runtime knows it",
			Run: with(func(ctx context.Context, t *T) {
				got, want := t.selected(ctx), t.Fixture.Model
				t.expect(got.Provider == want.Provider, "model-provider-wrong", "got %q", got.Provider)
				t.expect(got.ID == want.ID, "model-id-wrong", "got %q", got.ID)
				t.expect(got.ContextWindow == want.ContextWindow, "model-window-wrong", "got %v, want %v", got.ContextWindow, want.ContextWindow)
			}),
		},
		// What else the descriptor says of the model is true too: limits that are not
		// the runtime's give requests that fail, prices that are not give wrong bills.
		{
			ID: "history.identity.model-faithful", Case: "identity", Clause: "history#model-faithful",
			Level: check.Must, Provenance: check.Implied,
			Codes: codes("model-missing", "model-max-tokens-wrong", "model-reasoning-wrong", "model-modalities-wrong", "model-cost-wrong"),
			Title: "says nothing untrue of the selected model",
			Run: with(func(ctx context.Context, t *T) {
				got, want := t.selected(ctx), t.Fixture.Model
				t.require(got.ID == want.ID, "another model is described")
				t.expect(!got.MaxTokens.Present() || same(got.MaxTokens, want.MaxTokens), "model-max-tokens-wrong", "got %s, want %s", got.MaxTokens.Text(), want.MaxTokens.Text())
				t.expect(!got.Reasoning.Present() || same(got.Reasoning, want.Reasoning), "model-reasoning-wrong", "got %s", got.Reasoning.Text())
				t.expect(got.Input == nil || sameSet(got.Input, want.Input), "model-modalities-wrong", "got %v, want %v", got.Input, want.Input)
				t.expect(got.Cost == nil || *got.Cost == *want.Cost, "model-cost-wrong", "got %v", got.Cost)
			}),
		},
		// What the runtime knows of the model is passed on.
		{
			ID: "history.identity.model-whole", Case: "identity", Clause: "history#model-whole",
			Level: check.Should, Provenance: check.Implied, Codes: codes("model-missing", "model-field-dropped"),
			Title: "passes on everything that the runtime knows of the model",
			Run: with(func(ctx context.Context, t *T) {
				got := t.selected(ctx)
				t.demand(got.MaxTokens.Present() && got.Reasoning.Present() && got.Input != nil && got.Cost != nil,
					"model-field-dropped", "got %+v", got)
			}),
		},
		// Without a selected model there is none, rather than a guess.
		{
			ID: "history.identity.no-model", Case: "identity", Clause: "history#model",
			Level: check.Must, Provenance: check.Stated, Codes: codes("model-invented"),
			Title: "has no model when none is selected",
			Run: with(func(ctx context.Context, t *T) {
				t.alive(ctx)
				got := t.model(ctx)
				t.demand(got == nil, "model-invented", "got %+v", got)
			}, modelless),
		},
		// What a method returns belongs to the caller.
		{
			ID: "history.identity.model-owned", Case: "identity", Clause: "history#ownership",
			Level: check.Should, Provenance: check.Decided, Needs: []check.Feature{fakes.InProcess}, Codes: codes("model-missing", "model-shared"),
			Title: "gives the model's description away with each answer",
			Run: with(func(ctx context.Context, t *T) {
				mine := t.selected(ctx)
				was := mine.Clone()
				mine.ContextWindow, mine.ID = 1, "changed"
				if len(mine.Input) > 0 {
					mine.Input[0] = "changed"
				}
				if mine.Cost != nil {
					mine.Cost.Input = -1
				}
				t.demand(reflect.DeepEqual(t.selected(ctx), was), "model-shared", "a change by the caller came back")
			}),
		},
	}
}

// selected is the current model, which must be there.
func (t *T) selected(ctx context.Context) *history.Model {
	m := t.model(ctx)
	if m == nil {
		t.Fail("model-missing", "a model is selected, but the adapter has none")
	}
	return m
}

// sameSet compares two lists without their order.
func sameSet[E comparable](a, b []E) bool {
	count := map[E]int{}
	for _, x := range a {
		count[x]++
	}
	for _, x := range b {
		count[x]--
	}
	return !slices.ContainsFunc(slices.Collect(maps.Values(count)), func(n int) bool { return n != 0 })
}
