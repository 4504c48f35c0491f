package historytest

import (
	"context"

	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// locals are providers that run on this machine. Which of them an adapter knows is
// its own affair.
var locals = []string{"ollama", "llama-cpp", "lmstudio"}

// localProviders lists those that the adapter takes for local; without any, what the
// check looks for cannot be seen.
func (t *T) localProviders(ctx context.Context) []string {
	known := []string{}
	for _, name := range locals {
		r, err := t.tryEnforceFor(ctx, name, t.dialogue())
		t.NoError(err)
		if r.Destination == history.Local {
			known = append(known, name)
		}
	}
	if len(known) == 0 {
		t.Unobserved(fakes.Ports)
	}
	return known
}

// dialogue is a payload whose beginning the next request of the conversation has
// too. Every call gives other words.
func (t *T) dialogue() map[string]any {
	said := func(role, text string) any { return map[string]any{"role": role, "content": text} }
	return map[string]any{
		"messages": []any{
			said("system", "You know everything about "+t.word()+", and you say it in a few words."),
			said("user", "What is "+t.word()+" good for?"),
			said("assistant", "It is good for "+t.word()+"."),
			said("user", "And what is "+t.word()+" good for?"),
		},
	}
}

// tryOn completes a payload at a provider; a panic is an error.
func (t *T) tryOn(ctx context.Context, provider string, payload any) (history.CompletionResult, error) {
	return try(ctx, t, tame(func(ctx context.Context) (history.CompletionResult, error) {
		return t.Adapter.Complete(ctx, history.CompletionRequest{Provider: provider, Model: t.Fixture.Model.ID, Payload: payload})
	}))
}

// on completes a payload at a provider and must be answered.
func (t *T) on(ctx context.Context, provider string, payload any) history.CompletionResult {
	r, err := t.tryOn(ctx, provider, payload)
	t.NoError(err)
	return r
}

// reusing ends the check unless plain requests go through the port of the subject.
// It returns a provider of such requests and leaves the port without a plan.
func (t *T) reusing(ctx context.Context) (provider string) {
	t.alive(ctx)
	if !t.supports(ctx, history.LocalKVReuse) {
		t.Unobserved(fakes.Ports)
	}
	for _, provider := range t.localProviders(ctx) {
		t.on(ctx, provider, t.dialogue())
		if t.port().calls() > 0 {
			t.port().plan(nil, nil)
			return provider
		}
	}
	t.Unobserved(fakes.Ports)
	return ""
}
