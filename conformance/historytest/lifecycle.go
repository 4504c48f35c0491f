package historytest

import (
	"context"
	"errors"
	"time"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/adaptercheck/adaptercheck/fakes"
)

func lifecycleChecks() []check.Check {
	return []check.Check{
		// Closing twice is closing once.
		{
			ID: "history.lifecycle.shutdown-twice", Case: "lifecycle", Clause: "history#shutdown",
			Level: check.Must, Provenance: check.Stated, Codes: codes("shutdown-failed", "second-shutdown-failed"),
			Title: "can be closed more than once",
			Run: with(func(ctx context.Context, t *T) {
				t.alive(ctx)
				err := t.closeTamed(ctx)
				t.demand(err == nil, "shutdown-failed", "%v", err)
				for range 2 {
					err = t.closeTamed(ctx)
					t.demand(err == nil, "second-shutdown-failed", "%v", err)
				}
			}),
		},
		// Closing from several places at once is closing once too.
		{
			ID: "history.lifecycle.shutdown-concurrent", Case: "lifecycle", Clause: "history#shutdown",
			Level: check.Must, Provenance: check.Stated, Codes: codes("concurrent-shutdown-failed", "closed-diagnostic-repeated"),
			Title: "can be closed from several places at once",
			Run: with(func(ctx context.Context, t *T) {
				t.alive(ctx)
				errs := gather(ctx, t, 6, func(ctx context.Context, _ int) (error, error) {
					_, err := tame(func(ctx context.Context) (struct{}, error) { return struct{}{}, t.Adapter.Shutdown(ctx) })(ctx)
					return err, nil
				})
				t.demand(errors.Join(errs...) == nil, "concurrent-shutdown-failed", "%v", errors.Join(errs...))
				n := len(t.diagnosed(ctx, history.CodeAdapterClosed))
				t.demand(n < 2, "closed-diagnostic-repeated", "%d diagnostics", n)
			}),
		},
		// That it was closed is on record, once.
		{
			ID: "history.lifecycle.closed-diagnosed", Case: "lifecycle", Clause: "history#closed-diagnosed",
			Level: check.Must, Provenance: check.Stated, Codes: codes("closed-diagnostic-missing", "closed-diagnostic-repeated", "closed-diagnostic-early"),
			Title: "keeps one record of being closed",
			Run: with(func(ctx context.Context, t *T) {
				t.alive(ctx)
				t.demand(len(t.diagnosed(ctx, history.CodeAdapterClosed)) == 0, "closed-diagnostic-early", "before shutdown")
				t.shutdown(ctx)
				n := len(t.diagnosed(ctx, history.CodeAdapterClosed))
				t.demand(n > 0, "closed-diagnostic-missing", "after shutdown")
				_, _ = t.tryShutdown(ctx), t.complete(ctx, t.harmless().Payload)
				n = len(t.diagnosed(ctx, history.CodeAdapterClosed))
				t.demand(n == 1, "closed-diagnostic-repeated", "%d diagnostics", n)
			}),
		},
		// Closing an adapter does not close the history: the runtime goes on with it.
		{
			ID: "history.lifecycle.source-intact", Case: "lifecycle", Clause: "history#shutdown-preserves",
			Level: check.Must, Provenance: check.Implied, Needs: []check.Feature{fakes.Source}, Codes: untouchedCodes,
			Title: "leaves the canonical file alone when it closes",
			Run: with(func(ctx context.Context, t *T) {
				s := t.stamp()
				t.alive(ctx)
				t.talks(ctx)
				t.shutdown(ctx)
				t.shutdown(ctx)
				t.untouched(s, "shutdown")
			}),
		},
		// What the subject made for the check is released without complaint.
		{
			ID: "history.lifecycle.cleanup", Case: "lifecycle", Clause: "history#cleanup",
			Level: check.Must, Provenance: check.Implied, Codes: codes("cleanup-failed"),
			Title: "cleans up behind itself",
			Run: with(func(ctx context.Context, t *T) {
				t.alive(ctx)
				t.shutdown(ctx)
				_, err := try(ctx, t, tame(func(ctx context.Context) (struct{}, error) { return struct{}{}, t.close(ctx) }))
				t.demand(err == nil, "cleanup-failed", "%v", err)
			}),
		},
		// A completion that is under way when the adapter closes ends: nobody waits for
		// it for ever, and closing does not wait for a provider that never answers.
		{
			ID: "history.lifecycle.in-flight", Case: "lifecycle", Clause: "history#in-flight",
			Level: check.Must, Provenance: check.Decided, Codes: codes("in-flight-stuck", "in-flight-rejected", "transport-not-called"),
			Title: "ends completions that are under way when it closes",
			Run: with(func(ctx context.Context, t *T) {
				entered, release := make(chan struct{}), make(chan struct{})
				t.Transport.Then(func(ctx context.Context, _ history.TransportRequest) (any, error) {
					close(entered)
					select {
					case <-release:
						return t.Transport.Output, nil
					case <-ctx.Done():
						return nil, ctx.Err()
					}
				})
				payload := t.harmless().Payload
				type answer struct {
					result history.CompletionResult
					err    error
				}
				answered, shut := make(chan answer, 1), make(chan error, 1)
				inner, cancel := context.WithTimeout(ctx, t.Budgets.Check/2)
				defer cancel()
				go func() {
					r, err := tame(func(ctx context.Context) (history.CompletionResult, error) {
						return t.Adapter.Complete(ctx, t.request(payload))
					})(inner)
					answered <- answer{r, err}
				}()
				_, err := try(ctx, t, func(ctx context.Context) (struct{}, error) { return struct{}{}, await(ctx, entered) })
				t.demand(err == nil, "transport-not-called", "%v", err)
				go func() {
					_, err := tame(func(ctx context.Context) (struct{}, error) { return struct{}{}, t.Adapter.Shutdown(ctx) })(inner)
					shut <- err
				}()
				// Whether shutdown waits for the completion is left open: it gets a moment in
				// which to return or to begin to wait. That both end once the provider has
				// answered is not open.
				var closed error
				early := false
				select {
				case closed = <-shut:
					early = true
				case <-time.After(t.Budgets.Quiet):
				}
				close(release)
				a, err := check.Await(ctx, t.C, t.Budgets.Call, func(ctx context.Context) (answer, error) { return receive(ctx, answered) })
				t.demand(err == nil, "in-flight-stuck", "the completion")
				t.expect(a.err == nil, "in-flight-rejected", "%v", a.err)
				t.expect(a.result.Status == history.Completed || a.result.Status == history.Fallback, "in-flight-rejected", "status %q", a.result.Status)
				if !early {
					closed, err = check.Await(ctx, t.C, t.Budgets.Call, func(ctx context.Context) (error, error) { return receive(ctx, shut) })
					t.demand(err == nil, "in-flight-stuck", "the shutdown")
				}
				t.NoError(closed)
			}),
		},
	}
}

// closeTamed shuts down and takes a panic for an error.
func (t *T) closeTamed(ctx context.Context) error {
	_, err := try(ctx, t, tame(func(ctx context.Context) (struct{}, error) { return struct{}{}, t.Adapter.Shutdown(ctx) }))
	return err
}

func await(ctx context.Context, c <-chan struct{}) error {
	select {
	case <-c:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func receive[V any](ctx context.Context, c <-chan V) (v V, err error) {
	select {
	case v = <-c:
		return v, nil
	case <-ctx.Done():
		return v, ctx.Err()
	}
}
