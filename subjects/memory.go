package subjects

import (
	"context"
	"slices"
	"time"

	"github.com/adaptercheck/adaptercheck/adapters/memory"
	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/fakes"
	fake "github.com/adaptercheck/adaptercheck/fakes/memory"
)

// grace is what in-tree adapters give a runtime that was told to stop: short, so
// that a check for a silent runtime is quick.
const grace = 100 * time.Millisecond

// Memory is the smallest right executor adapter over the runtime in this process.
func Memory() check.Subject {
	return check.Subject{
		Name: "memory",
		Offers: slices.DeleteFunc(fake.New().Features(), func(f check.Feature) bool {
			return f == fakes.Connected || f == fakes.Reconnect
		}),
		Declares: check.Declarations{SecondStart: check.Refuses, Queue: check.Drop, Blocklist: check.Delivered},
		Executor: func(context.Context, fakes.Endpoint) (*check.ExecutorInstance, error) {
			runtime := fake.New()
			return &check.ExecutorInstance{
				Adapter: memory.New(runtime, memory.Options{Grace: grace, Approval: grace}),
				Runtime: runtime,
			}, nil
		},
	}
}

// MemoryConnected is the smallest right adapter of a connected substrate, over the same
// runtime. It is here for the suite's own tests and for who writes checks; [All] does not
// list it.
func MemoryConnected() check.Subject {
	s := Memory()
	s.Name = "memory-connected"
	s.Offers = fake.New().Features()
	s.Executor = func(context.Context, fakes.Endpoint) (*check.ExecutorInstance, error) {
		runtime := fake.New()
		a := memory.New(runtime, memory.Options{Grace: grace, Approval: grace, Connected: true, Reconnect: 3 * grace, Request: 10 * grace})
		return &check.ExecutorInstance{Adapter: a, Runtime: runtime}, nil
	}
	return s
}
