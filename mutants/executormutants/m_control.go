package executormutants

import (
	"context"
	"errors"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

func controlMutants() []Mutant {
	const model, write, jailed = "executor.set-model.reaches", "executor.write-context.reaches", "executor.write-context.key-jailed"
	errControl := errors.New("not supported")
	sets := func(f func(ctx context.Context, r *right, run *executor.Run, model string) error) twist {
		return func(r *right) hooks {
			return hooks{setModel: func(ctx context.Context, run *executor.Run, model string) error { return f(ctx, r, run, model) }}
		}
	}
	writes := func(f func(ctx context.Context, r *right, run *executor.Run, key, value string) error) twist {
		return func(r *right) hooks {
			return hooks{writeContext: func(ctx context.Context, run *executor.Run, key, value string) error {
				return f(ctx, r, run, key, value)
			}}
		}
	}
	latest := func(r *right) string {
		runs := r.runs()
		return runs[len(runs)-1].SessionKey()
	}
	return []Mutant{
		mutant("M01", model, "model-on-wrong-session", "sets the model of the session that was started last", sets(func(ctx context.Context, r *right, _ *executor.Run, m string) error {
			return r.runtime.SetModel(ctx, latest(r), m)
		})),
		mutant("x-model-everywhere", model, "model-on-wrong-session", "sets the model of every session", sets(func(ctx context.Context, r *right, _ *executor.Run, m string) error {
			var all error
			for _, run := range r.runs() {
				all = errors.Join(all, r.adapter.SetModel(ctx, run, m))
			}
			return all
		})),
		mutant("M02", model, "model-lost", "notes the model and never asks for it", sets(func(context.Context, *right, *executor.Run, string) error { return nil })),
		mutant("x-model-failed", model, "set-model-failed", "cannot set a model", sets(func(context.Context, *right, *executor.Run, string) error { return errControl })),
		mutant("x-model-hung", model, "set-model-hung", "setting a model never returns", sets(func(ctx context.Context, _ *right, _ *executor.Run, _ string) error {
			<-ctx.Done()
			return ctx.Err()
		})),
		mutant("M05", write, "context-key-lost", "puts every piece of context under one key", writes(func(ctx context.Context, r *right, run *executor.Run, _, value string) error {
			return r.adapter.WriteContext(ctx, run, "context.md", value)
		})),
		mutant("M07", write, "context-lost", "writes no context", writes(func(context.Context, *right, *executor.Run, string, string) error { return nil })),
		mutant("M08", write, "context-on-wrong-session", "writes context where every session reads it", writes(func(ctx context.Context, r *right, _ *executor.Run, key, value string) error {
			var all error
			for _, run := range r.runs() {
				all = errors.Join(all, r.adapter.WriteContext(ctx, run, key, value))
			}
			return all
		})),
		mutant("x-context-first-session", write, "context-on-wrong-session", "writes context to the session that was started first", writes(func(ctx context.Context, r *right, _ *executor.Run, key, value string) error {
			return r.adapter.WriteContext(ctx, r.runs()[0], key, value)
		})),
		mutant("x-context-failed", write, "write-context-failed", "cannot write context", writes(func(context.Context, *right, *executor.Run, string, string) error { return errControl })),
		mutant("x-context-hung", write, "write-context-hung", "writing context never returns", writes(func(ctx context.Context, _ *right, _ *executor.Run, _, _ string) error {
			<-ctx.Done()
			return ctx.Err()
		})),
		mutant("x-key-escapes", jailed, "context-key-escapes", "writes to wherever the key leads", writes(func(ctx context.Context, r *right, run *executor.Run, key, value string) error {
			return r.runtime.WriteContext(ctx, run.SessionKey(), key, value)
		})),
		mutant("x-key-fine-refused", jailed, "write-context-failed", "refuses every key", writes(func(context.Context, *right, *executor.Run, string, string) error { return errControl })),
	}
}
