// Package example is the test that the author of an adapter in Go writes. It
// stands in the README; a test there holds the two together.
package example

import (
	"context"
	"testing"

	"github.com/adaptercheck/adaptercheck/adapters/memory"
	"github.com/adaptercheck/adaptercheck/conformance"
	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/fakes"
	fake "github.com/adaptercheck/adaptercheck/fakes/memory"
)

func TestMyAdapter(t *testing.T) {
	conformance.Test(t, check.Subject{
		Name: "my-adapter",
		// What the suite can see your adapter do. What is not here is unobserved.
		Offers: fakes.Features{fakes.Deltas, fakes.LiveText, fakes.Tools, fakes.TerminalFrame, fakes.Sessions},
		// A fresh adapter for each check, and the fake runtime that the check plays.
		Executor: func(context.Context, fakes.Endpoint) (*check.ExecutorInstance, error) {
			runtime := fake.New()
			return &check.ExecutorInstance{
				Adapter: memory.New(runtime, memory.Options{}), // yours
				Runtime: runtime,
			}, nil
		},
	}, conformance.Options{})
}
