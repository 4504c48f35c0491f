package executormutants

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/adapters/memory"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	fake "github.com/adaptercheck/adaptercheck/fakes/memory"
)

// unsupportedCodec says that the instance has no codec after all.
func unsupportedCodec(*right) hooks {
	return hooks{
		serialize: func(context.Context, *executor.Run) (string, error) { return "", errors.ErrUnsupported },
		restore:   func(context.Context, string) (*executor.Run, error) { return nil, errors.ErrUnsupported },
	}
}

func codecMutants() []Mutant {
	const resumes, corrupt, clean = "executor.codec.resumes", "executor.codec.corrupt", "executor.codec.clean"
	errBlob := errors.New("blob is not base64")
	serializes := func(f func(ctx context.Context, r *right, run *executor.Run) (string, error)) twist {
		return func(r *right) hooks {
			return hooks{serialize: func(ctx context.Context, run *executor.Run) (string, error) { return f(ctx, r, run) }}
		}
	}
	restores := func(f func(ctx context.Context, r *right, blob string) (*executor.Run, error)) twist {
		return func(r *right) hooks {
			return hooks{restore: func(ctx context.Context, blob string) (*executor.Run, error) { return f(ctx, r, blob) }}
		}
	}
	return []Mutant{
		mutant("N01", resumes, "restore-failed", "writes down a session as it cannot read it", serializes(func(_ context.Context, _ *right, run *executor.Run) (string, error) {
			return "session of " + run.SessionKey(), nil
		})),
		mutant("N02", resumes, "restored-handle-wrong", "restores a handle of another adapter and session", restores(func(ctx context.Context, r *right, blob string) (*executor.Run, error) {
			if _, err := r.adapter.Restore(ctx, blob); err != nil {
				return nil, err
			}
			return executor.NewRun("codex", "restored"), nil
		})),
		mutant("x-restore-nothing", resumes, "session-not-resumed", "restores a handle and nothing behind it", restores(func(ctx context.Context, _ *right, blob string) (*executor.Run, error) {
			in, err := memory.New(fake.New(), memory.Options{}).Restore(ctx, blob)
			if err != nil {
				return nil, err
			}
			return executor.NewRun(in.AdapterID(), in.SessionKey()), nil
		})),
		mutant("x-serialize-fails", resumes, "serialize-failed", "cannot write a session down", serializes(func(context.Context, *right, *executor.Run) (string, error) {
			return "", errBlob
		})),
		mutant("x-blob-empty", corrupt, "serialize-failed", "writes down nothing", serializes(func(context.Context, *right, *executor.Run) (string, error) { return "", nil })),
		mutant("x-blob-anything", corrupt, "corrupt-blob-accepted", "restores a session from anything", restores(func(ctx context.Context, r *right, blob string) (*executor.Run, error) {
			if run, err := r.adapter.Restore(ctx, blob); err == nil {
				return run, nil
			}
			return executor.NewRun(memory.ID, "s"), nil
		})),
		mutant("x-blob-cut", corrupt, "corrupt-blob-accepted", "restores a session from half of its blob", restores(func(ctx context.Context, r *right, blob string) (*executor.Run, error) {
			run, err := r.adapter.Restore(ctx, blob)
			if err != nil && strings.HasPrefix(blob, `{"`) {
				return executor.NewRun(memory.ID, "s"), nil
			}
			return run, err
		})),
		mutant("x-blob-leaks", clean, "blob-leaks", "writes down the prompt with the session", func(r *right) hooks {
			var mu sync.Mutex
			prompts := map[string]string{}
			return hooks{
				start: func(ctx context.Context, o executor.StartOpts) (*executor.Run, error) {
					mu.Lock()
					prompts[o.SessionKey] = o.Message
					mu.Unlock()
					return r.adapter.Start(ctx, executor.TaskHandle{}, o)
				},
				serialize: func(ctx context.Context, run *executor.Run) (string, error) {
					blob, err := r.adapter.Serialize(ctx, run)
					mu.Lock()
					defer mu.Unlock()
					prompt, quoting := jsontext.AppendQuote(nil, prompts[run.SessionKey()])
					return strings.TrimSuffix(blob, "}") + `,"prompt":` + string(prompt) + "}", errors.Join(err, quoting)
				},
			}
		}),
	}
}

func disposeMutants() []Mutant {
	const releases = "executor.dispose.releases"
	errDispose := errors.New("dispose: not running")
	disposes := func(f func(ctx context.Context, r *right) error) twist {
		return func(r *right) hooks { return hooks{dispose: func(ctx context.Context) error { return f(ctx, r) }} }
	}
	return []Mutant{
		mutant("N04", releases, "dispose-failed", "releases everything and fails", disposes(func(ctx context.Context, r *right) error {
			return errors.Join(errDispose, r.adapter.Dispose(ctx))
		})),
		mutant("x-dispose-nothing", releases, "run-open-after-dispose", "dispose does nothing", disposes(func(context.Context, *right) error { return nil })),
		mutant("x-dispose-hangs", releases, "dispose-hung", "dispose never returns", disposes(func(ctx context.Context, _ *right) error {
			<-ctx.Done()
			return ctx.Err()
		})),
		mutant("x-dispose-leaks", "executor.residue.dispose", "residue-after-dispose", "keeps a connection of its own", func(r *right) hooks {
			var mu sync.Mutex
			var conns []*fake.Conn
			return hooks{
				start: func(ctx context.Context, o executor.StartOpts) (*executor.Run, error) {
					run, err := r.adapter.Start(ctx, executor.TaskHandle{}, o)
					if err != nil {
						return nil, err
					}
					conn, err := r.runtime.Open(ctx, fake.Request{Session: "watch-" + o.SessionKey})
					if err != nil {
						return nil, err
					}
					mu.Lock()
					defer mu.Unlock()
					conns = append(conns, conn)
					return run, nil
				},
				close: func(context.Context) error {
					mu.Lock()
					defer mu.Unlock()
					var all error
					for _, c := range conns {
						all = errors.Join(all, c.Close())
					}
					return all
				},
			}
		}),
		mutant("x-dispose-restarts", releases, "start-after-dispose", "starts runs after it was disposed of", disposes(func(ctx context.Context, r *right) error {
			var all error
			for _, run := range r.runs() {
				all = errors.Join(all, r.adapter.Abort(ctx, run))
			}
			return all
		})),
	}
}
