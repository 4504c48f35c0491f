package check

import (
	"context"
	"errors"
	"fmt"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// BuildExecutor makes a fresh adapter and the runtime behind it, both released when
// the check ends. A subject that cannot be built leaves the check without a
// judgement. The instance's Runtime is never nil.
func (c *C) BuildExecutor(ctx context.Context) *ExecutorInstance {
	if c.Subject.Runtime == nil {
		return c.BuildExecutorOver(ctx, nil)
	}
	runtime, err := c.Subject.Runtime(ctx, RuntimeOptions{Seed: c.Seed})
	if err != nil {
		c.Cannot(fmt.Errorf("start the fake runtime: %w", err))
	}
	c.Cleanup(func(context.Context) error { return runtime.Close() })
	return c.BuildExecutorOver(ctx, runtime)
}

// BuildExecutorOver is BuildExecutor over a runtime that is there already, or over
// the subject's own where that is nil.
func (c *C) BuildExecutorOver(ctx context.Context, runtime fakes.Runtime) *ExecutorInstance {
	var at fakes.Endpoint
	if runtime != nil {
		at = runtime.Endpoint()
	}
	made, err := Await(ctx, c, c.Budgets.Call, func(ctx context.Context) (*ExecutorInstance, error) {
		return c.Subject.Executor(ctx, at)
	})
	if err == nil && (made == nil || made.Adapter == nil) {
		err = errors.New("the constructor returned no adapter")
	}
	if err != nil {
		c.Cannot(fmt.Errorf("build the subject: %w", err))
	}
	inst := *made
	switch {
	case inst.Runtime != nil:
		own := inst.Runtime
		c.Cleanup(func(context.Context) error { return own.Close() })
	case runtime != nil:
		inst.Runtime = runtime
	default:
		c.Cannot(errors.New("the subject has no runtime: neither the suite's nor its own"))
	}
	if inst.Close != nil {
		c.Cleanup(inst.Close)
	}
	if d, ok := inst.Adapter.(executor.Disposer); ok {
		c.Cleanup(d.Dispose)
	}
	return &inst
}
