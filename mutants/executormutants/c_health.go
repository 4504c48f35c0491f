package executormutants

import (
	"context"
	"errors"
	"sync"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

func healthMutants() []Mutant {
	const answers, down, clean = "executor.health.answers", "executor.health.down", "executor.health.message-clean"
	health := func(f func(ctx context.Context, r *right) (executor.Health, error)) twist {
		return func(r *right) hooks {
			return hooks{health: func(ctx context.Context) (executor.Health, error) { return f(ctx, r) }}
		}
	}
	errRefused := errors.New("connection refused")
	return []Mutant{
		mutant("C01", answers, "health-not-ok", "is never well", health(func(context.Context, *right) (executor.Health, error) {
			return executor.Health{Message: "not implemented"}, nil
		})),
		mutant("C02", down, "health-ok-when-down", "is always well, without a look at the runtime", health(func(context.Context, *right) (executor.Health, error) {
			return executor.Health{OK: true}, nil
		})),
		mutant("C04", answers, "health-late", "thinks longer than the caller waits", health(func(ctx context.Context, _ *right) (executor.Health, error) {
			<-ctx.Done()
			return executor.Health{}, ctx.Err()
		})),
		mutant("x-health-late-down", down, "health-late", "waits for a runtime that is down", health(func(ctx context.Context, r *right) (executor.Health, error) {
			h, err := r.adapter.Health(ctx)
			if !h.OK {
				<-ctx.Done()
				return h, ctx.Err()
			}
			return h, err
		})),
		mutant("x-health-rejects", answers, "health-rejected", "fails instead of an answer", health(func(context.Context, *right) (executor.Health, error) {
			return executor.Health{OK: true}, errRefused
		})),
		mutant("x-health-rejects-down", down, "health-rejected", "fails when the runtime is down", health(func(ctx context.Context, r *right) (executor.Health, error) {
			h, err := r.adapter.Health(ctx)
			if !h.OK {
				return h, errRefused
			}
			return h, err
		})),
		mutant("C08", clean, "health-message-leaks", "tells the last prompt in its message", func(r *right) hooks {
			var mu sync.Mutex
			var last string
			return hooks{
				start: func(ctx context.Context, o executor.StartOpts) (*executor.Run, error) {
					mu.Lock()
					last = o.Message
					mu.Unlock()
					return r.adapter.Start(ctx, executor.TaskHandle{}, o)
				},
				health: func(ctx context.Context) (executor.Health, error) {
					h, err := r.adapter.Health(ctx)
					mu.Lock()
					defer mu.Unlock()
					if !h.OK {
						h.Message = "failed while running: " + last
					}
					return h, err
				},
			}
		}),
	}
}
