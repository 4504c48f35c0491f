package historymutants

import (
	"context"
	"errors"
	"os"
	"slices"
	"sync/atomic"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
)

// closes makes a subject that shuts down in its own way; n counts the calls.
func closes(shut func(ctx context.Context, b built, n int, in history.Adapter) error) func() check.Subject {
	return hooked(func(b built) hooks {
		var n atomic.Int32
		return hooks{shutdown: func(ctx context.Context, in history.Adapter) error { return shut(ctx, b, int(n.Add(1)), in) }}
	})
}

// afterwards makes a subject whose hooks know whether it was closed. Its history
// and its completions are closed as they should be, unless a hook says otherwise.
func afterwards(make func(b built, closed *atomic.Bool) hooks) func() check.Subject {
	return hooked(func(b built) hooks {
		var closed atomic.Bool
		h := make(b, &closed)
		shut := h.shutdown
		h.shutdown = func(ctx context.Context, in history.Adapter) error {
			closed.Store(true)
			if shut != nil {
				return shut(ctx, in)
			}
			return in.Shutdown(ctx)
		}
		return h
	})
}

// noShutdown leaves the adapter beneath open.
func noShutdown(context.Context, history.Adapter) error { return nil }

func lifecycleMutants() []Mutant {
	const twice, diagnosed, intact, flight = "history.lifecycle.shutdown-twice", "history.lifecycle.closed-diagnosed", "history.lifecycle.source-intact", "history.lifecycle.in-flight"
	const reads, falls, rest, remains = "history.lifecycle.reads-refused", "history.lifecycle.completions-fall-back", "history.lifecycle.rest-refused", "history.lifecycle.metadata-remains"
	type request = history.CompletionRequest
	type result = history.CompletionResult
	note := history.Diagnostic{Code: history.CodeAdapterClosed, Severity: history.Info, Message: "closed"}
	// noted makes a subject with n(closed calls) records of being closed.
	noted := func(records func(n int32) int) func() check.Subject {
		return hooked(func(built) hooks {
			var n atomic.Int32
			return hooks{
				shutdown: func(ctx context.Context, in history.Adapter) error { n.Add(1); return in.Shutdown(ctx) },
				diagnostics: func(in history.Adapter) []history.Diagnostic {
					d := slices.DeleteFunc(in.Diagnostics(), func(d history.Diagnostic) bool { return d.Code == note.Code })
					return append(d, slices.Repeat([]history.Diagnostic{note}, records(n.Load()))...)
				},
			}
		})
	}
	// closedResult changes what a completion gives after shutdown.
	closedResult := func(change func(r *result) error) func() check.Subject {
		return results(func(_ request, r *result) error {
			if r.Code == history.FallbackClosed {
				return change(r)
			}
			return nil
		})
	}
	return []Mutant{
		{"history-L01", "fails at the second shutdown", twice, "second-shutdown-failed",
			closes(func(ctx context.Context, _ built, n int, in history.Adapter) error {
				if n > 1 {
					return errors.New("already closed")
				}
				return in.Shutdown(ctx)
			})},
		{"history-shutdown-panics", "panics at the second shutdown", twice, "second-shutdown-failed",
			closes(func(ctx context.Context, _ built, n int, in history.Adapter) error {
				if n > 1 {
					panic("close of closed channel")
				}
				return in.Shutdown(ctx)
			})},
		{"history-shutdown-fails", "fails to shut down", twice, "shutdown-failed",
			closes(func(context.Context, built, int, history.Adapter) error { return errors.New("not connected") })},
		{"history-L08", "never finishes to shut down", twice, "lifecycle-hung",
			closes(func(ctx context.Context, _ built, _ int, _ history.Adapter) error { <-ctx.Done(); return ctx.Err() })},
		{"history-shutdown-race", "fails when it is closed from two places", "history.lifecycle.shutdown-concurrent", "concurrent-shutdown-failed",
			closes(func(ctx context.Context, _ built, n int, in history.Adapter) error {
				if n == 2 {
					return errors.New("closing")
				}
				return in.Shutdown(ctx)
			})},
		{"history-shutdown-notes", "records every caller that closes it", "history.lifecycle.shutdown-concurrent", "closed-diagnostic-repeated",
			noted(func(n int32) int { return int(n) })},
		{"history-L05", "keeps no record of being closed", diagnosed, "closed-diagnostic-missing", without(note.Code)},
		{"history-L07", "records every shutdown", diagnosed, "closed-diagnostic-repeated", noted(func(n int32) int { return int(n) })},
		{"history-closed-early", "is on record as closed from the start", diagnosed, "closed-diagnostic-early", noted(func(int32) int { return 1 })},
		{"history-L02", "completes after shutdown", falls, "transport-after-close",
			afterwards(func(built, *atomic.Bool) hooks { return hooks{shutdown: noShutdown} })},
		{"history-closed-answers", "answers from memory after shutdown", falls, "completion-after-close",
			closedResult(func(r *result) error { *r = result{Status: history.Completed, Output: "answer"}; return nil })},
		{"history-closed-code", "takes being closed for a failed transport", falls, "closed-code-wrong",
			closedResult(func(r *result) error { r.Code = history.FallbackTransport; return nil })},
		{"history-closed-retryable", "asks to try again after shutdown", falls, "closed-retryable",
			closedResult(func(r *result) error { r.Retryable = true; return nil })},
		{"history-closed-rejects", "rejects completions after shutdown", falls, "completion-rejected",
			closedResult(func(*result) error { return errors.New("closed") })},
		{"history-L10", "sends the payload after shutdown and says that it is closed", falls, "transport-after-close",
			completes(func(b built) completing {
				return func(ctx context.Context, in history.Adapter, req request) (result, error) {
					r, err := in.Complete(ctx, req)
					if r.Code == history.FallbackClosed {
						_, _ = raw(ctx, b, req)
					}
					return r, err
				}
			})},
		{"history-closed-snapshot", "reads the history after shutdown", reads, "snapshot-after-close",
			afterwards(func(built, *atomic.Bool) hooks { return hooks{shutdown: noShutdown} })},
		{"history-L04", "rebuilds and does everything else but read after shutdown", reads, "rebuild-after-close", stillOpen()},
		{"history-closed-model", "still has a model after shutdown", rest, "model-after-close", stillOpen()},
		{"history-closed-root", "still trusts a root after shutdown", rest, "root-after-close", stillOpen()},
		{"history-closed-privacy", "still screens payloads after shutdown", rest, "privacy-after-close", stillOpen()},
		{"history-closed-declarations", "forgets after shutdown what it declared", remains, "declarations-after-close-changed",
			afterwards(func(_ built, closed *atomic.Bool) hooks {
				return hooks{
					declarations: func(in history.Adapter) []history.Declaration {
						if closed.Load() {
							return nil
						}
						return in.CapabilityDeclarations()
					},
					negotiate: func(in history.Adapter, r []history.Request) history.Negotiation { return in.NegotiateCapabilities(r) },
				}
			})},
		{"history-closed-negotiation", "lacks everything for another reason after shutdown", remains, "negotiation-after-close-changed",
			afterwards(func(_ built, closed *atomic.Bool) hooks {
				return hooks{negotiate: func(in history.Adapter, r []history.Request) history.Negotiation {
					if closed.Load() {
						return history.Negotiate(nil, r)
					}
					return in.NegotiateCapabilities(r)
				}}
			})},
		{"history-closed-diagnostics", "drops its diagnostics when it is closed", remains, "diagnostics-after-close-lost",
			afterwards(func(_ built, closed *atomic.Bool) hooks {
				return hooks{diagnostics: func(in history.Adapter) []history.Diagnostic {
					if closed.Load() {
						return []history.Diagnostic{}
					}
					return in.Diagnostics()
				}}
			})},
		{"history-L11", "deletes the canonical file when it is closed", intact, "source-deleted",
			closes(func(ctx context.Context, b built, _ int, in history.Adapter) error {
				_ = os.Remove(b.path())
				return in.Shutdown(ctx)
			})},
		{"history-shutdown-compacts", "shortens the canonical file when it is closed", intact, "source-changed",
			closes(func(ctx context.Context, b built, _ int, in history.Adapter) error {
				return errors.Join(os.Truncate(b.path(), 100), in.Shutdown(ctx))
			})},
		{"history-in-flight-stuck", "forgets whoever waits when it is closed", flight, "in-flight-stuck",
			afterwards(func(_ built, closed *atomic.Bool) hooks {
				return hooks{complete: func(ctx context.Context, in history.Adapter, req request) (result, error) {
					r, err := in.Complete(ctx, req)
					if closed.Load() {
						<-ctx.Done()
					}
					return r, err
				}}
			})},
		{"history-in-flight-rejected", "rejects whoever waits when it is closed", flight, "in-flight-rejected",
			afterwards(func(_ built, closed *atomic.Bool) hooks {
				return hooks{complete: func(ctx context.Context, in history.Adapter, req request) (result, error) {
					r, err := in.Complete(ctx, req)
					if closed.Load() {
						return result{}, errors.New("closed")
					}
					return r, err
				}}
			})},
	}
}

// stillOpen closes its history and its completions and nothing else.
func stillOpen() func() check.Subject {
	return afterwards(func(_ built, closed *atomic.Bool) hooks {
		return hooks{
			shutdown: noShutdown,
			snapshot: func(ctx context.Context, in history.Adapter) (history.Snapshot, error) {
				if closed.Load() {
					return history.Snapshot{}, errClosed
				}
				return in.SnapshotHistory(ctx)
			},
		}
	})
}
