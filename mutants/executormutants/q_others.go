package executormutants

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
)

func secretMutants() []Mutant {
	const events, calls = "executor.secrets.events", "executor.secrets.calls"
	// told keeps what the host said for the events of its run.
	told := func(change func(said string, e executor.Event) executor.Event) twist {
		return func(r *right) hooks {
			said := newShelf()
			return hooks{
				start: func(ctx context.Context, o executor.StartOpts) (*executor.Run, error) {
					said.set(o.SessionKey, o.Context)
					return r.adapter.Start(ctx, executor.TaskHandle{}, o)
				},
				rewrite: func(run *executor.Run) func(executor.Event) []executor.Event {
					return func(e executor.Event) []executor.Event { return one(change(said.get(run.SessionKey()), e)) }
				},
			}
		}
	}
	quoting := func(err error, what string) error {
		if err == nil {
			return nil
		}
		return fmt.Errorf("%w: %q", err, what)
	}
	return []Mutant{
		mutant("x-error-quotes-context", events, "error-message-leaks", "quotes the context in its errors", told(func(said string, e executor.Event) executor.Event {
			if err, ok := e.(executor.Error); ok {
				err.Message += " while running: " + said
				return err
			}
			return e
		})),
		mutant("x-error-quotes-input", events, "error-message-leaks", "quotes the input of the tool that was running in its errors", rewriting(func() func(executor.Event) []executor.Event {
			input := ""
			return func(e executor.Event) []executor.Event {
				switch e := e.(type) {
				case executor.ToolCall:
					input = string(e.Input)
				case executor.Error:
					e.Message += " in " + input
					return one(e)
				}
				return one(e)
			}
		})),
		mutant("x-status-quotes-context", events, "status-leaks", "quotes the context in its status", told(func(said string, e executor.Event) executor.Event {
			if s, ok := e.(executor.Status); ok {
				s.Detail = "started:" + said
				return s
			}
			return e
		})),
		mutant("x-secret-run-undone", events, "done-missing", "does not end a run that failed", drop(every[executor.Done])),
		mutant("x-start-error-quotes", calls, "start-error-leaks", "quotes the request in the error of a start", func(r *right) hooks {
			return hooks{start: func(ctx context.Context, o executor.StartOpts) (*executor.Run, error) {
				run, err := r.adapter.Start(ctx, executor.TaskHandle{}, o)
				return run, quoting(err, o.Context)
			}}
		}),
		mutant("x-context-error-quotes", calls, "write-context-error-leaks", "quotes the value in the error of written context", func(r *right) hooks {
			return hooks{writeContext: func(ctx context.Context, run *executor.Run, key, value string) error {
				return quoting(r.adapter.WriteContext(ctx, run, key, value), value)
			}}
		}),
		mutant("x-restore-error-quotes", calls, "restore-error-leaks", "quotes the blob in the error of a restore", func(r *right) hooks {
			return hooks{restore: func(ctx context.Context, blob string) (*executor.Run, error) {
				run, err := r.adapter.Restore(ctx, blob)
				return run, quoting(err, blob)
			}}
		}),
	}
}

func rotationMutants() []Mutant {
	const turns, mark = "executor.rotation.max-turns", "executor.rotation.watermark"
	errStart := errors.New("start: one session at a time")
	// successor is a twist of the start of the second session.
	successor := func(f func(ctx context.Context, r *right, o executor.StartOpts) (*executor.Run, error)) twist {
		return func(r *right) hooks {
			return hooks{start: func(ctx context.Context, o executor.StartOpts) (*executor.Run, error) {
				if strings.HasSuffix(o.SessionKey, "-2") {
					return f(ctx, r, o)
				}
				return r.adapter.Start(ctx, executor.TaskHandle{}, o)
			}}
		}
	}
	refused := successor(func(context.Context, *right, executor.StartOpts) (*executor.Run, error) { return nil, errStart })
	forgotten := successor(func(_ context.Context, r *right, o executor.StartOpts) (*executor.Run, error) {
		return executor.NewRun(r.adapter.ID(), o.SessionKey), nil
	})
	unnoted := successor(func(ctx context.Context, r *right, o executor.StartOpts) (*executor.Run, error) {
		o.Context = ""
		return r.adapter.Start(ctx, executor.TaskHandle{}, o)
	})
	unserialized := func(r *right) hooks {
		return hooks{serialize: func(context.Context, *executor.Run) (string, error) { return "", errStart }}
	}
	// resumed has the successor continue the runtime's session.
	resumed := func(*right) hooks {
		return hooks{begun: func(c fakes.Call) fakes.Call {
			if strings.HasSuffix(c.Session, "-2") {
				c.Resume = "0199a2ac-0000-7000-8000-000000000001"
			}
			return c
		}}
	}
	var all []Mutant
	for _, at := range []struct{ id, check string }{{"x-turns-", turns}, {"x-mark-", mark}} {
		all = append(all,
			mutant(at.id+"successor-refused", at.check, "rotation-failed", "starts no successor", refused),
			mutant(at.id+"successor-forgotten", at.check, "successor-lost", "accepts a successor and forgets it", forgotten),
			mutant(at.id+"note-lost", at.check, "handoff-lost", "starts the successor without the note", unnoted),
			mutant(at.id+"session-unserialized", at.check, "predecessor-unserialized", "cannot write the old session down", unserialized),
			mutant(at.id+"session-resumed", at.check, "successor-resumes", "continues the full session in the successor", resumed),
		)
	}
	return append(all,
		mutant("R40", turns, "rotation-unasked", "calls a run failed that came to its turn limit", ends(func(e executor.Done) []executor.Event {
			if e.Reason == executor.ReasonMaxTurns {
				e.Reason = executor.ReasonError
			}
			return one(e)
		})),
		mutant("x-mark-of-sums", mark, "watermark-early", "tells the run's sum with each call", func(*right) hooks {
			var spent atomic.Int64
			return bills(func(e *executor.Cost) { e.Usage.InputTokens = spent.Add(e.Usage.InputTokens) })(nil)
		}),
		mutant("x-mark-missed", mark, "watermark-missed", "tells tokens in thousands", bills(func(e *executor.Cost) { e.Usage.InputTokens /= 1000 })),
	)
}

func honestyMutants() []Mutant {
	const topic = "executor.capabilities."
	buffered := rewriting(func() func(executor.Event) []executor.Event {
		var held []executor.Event
		return func(e executor.Event) []executor.Event {
			switch e.Kind() {
			case executor.KindTextDelta:
				held = append(held, e)
				return nil
			case executor.KindDone:
				return append(held, e)
			default:
				return one(e)
			}
		}
	})
	unasked := asked(func(executor.Status) []executor.Event { return nil })
	return []Mutant{
		mutant("R74", topic+"streaming-honest", "streaming-untrue", "claims to stream and gives text block by block", buffered),
		mutant("x-streaming-unclaimed", topic+"streaming-claimed", "streaming-unclaimed", "streams and does not say so", claims(func(c *executor.Capabilities) { c.Streaming = false })),
		mutant("B10", topic+"approval-honest", "approval-untrue", "claims tool approval, worktrees and servers, and has none", func(r *right) hooks {
			h := unasked(r)
			h.capabilities = func(c executor.Capabilities) executor.Capabilities {
				c.MCP, c.Worktrees, c.ToolApproval = true, true, true
				return c
			}
			return h
		}),
		mutant("x-approver-missing", topic+"approval-honest", "approval-without-approver", "claims tool approval and takes no answer", approves(func(context.Context, *right, *executor.Run, string, bool) error {
			return errors.ErrUnsupported
		})),
		mutant("x-window-in-thousands", topic+"window-plausible", "context-window-implausible", "tells its window in thousands of tokens", claims(func(c *executor.Capabilities) { c.ContextWindowTokens = 200 })),
	}
}
