package subjects

import (
	"context"
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
		Name:     "memory",
		Offers:   fake.New().Features(),
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
