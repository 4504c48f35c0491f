package executortest

import (
	"context"
	"errors"
	"fmt"

	. "github.com/onsi/gomega"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// dispose disposes of the adapter. One that cannot be disposed of is not judged.
func (t *T) dispose(ctx context.Context) error {
	d, ok := t.Adapter.(executor.Disposer)
	if !ok {
		t.Unobserved(fakes.Process)
	}
	_, err := check.Await(ctx, t.C, t.Budgets.Abort, func(ctx context.Context) (any, error) { return nil, d.Dispose(ctx) })
	if errors.Is(err, errors.ErrUnsupported) {
		t.Unobserved(fakes.Process)
	}
	return err
}

func dispose() []check.Check {
	return []check.Check{
		// Dispose ends what is live, and may be called again; after it start is refused.
		{
			ID: "executor.dispose.releases", Case: "abort", Clause: "executor#dispose",
			Level: check.Must, Provenance: check.Implied,
			Codes: []check.Code{"dispose-hung", "dispose-failed", "run-open-after-dispose", "start-after-dispose"},
			Title: "ends everything when it is disposed of",
			Run: with(func(ctx context.Context, t *T) {
				_, o := t.speaking(ctx, "s")
				for range 2 {
					err := t.dispose(ctx)
					t.Code("dispose-hung").Expect(errors.Is(err, check.ErrHung)).To(BeFalse())
					t.Code("dispose-failed").Expect(err).NotTo(HaveOccurred())
				}
				t.Code("run-open-after-dispose").Expect(o.Done(ctx)).To(BeTrue())
				_, err := check.Await(ctx, t.C, t.Budgets.Call, func(ctx context.Context) (*executor.Run, error) {
					return t.Adapter.Start(ctx, executor.TaskHandle{}, t.Opts("late"))
				})
				t.Code("start-after-dispose").Expect(err).To(HaveOccurred())
			}),
		},
		// Dispose and a start that is still under way both return; a run that was begun all
		// the same ends.
		{
			ID: "executor.dispose.during-start", Case: "start", Clause: "executor#dispose",
			Level: check.Must, Provenance: check.Implied,
			Codes: []check.Code{"dispose-hung", "start-hung", "run-open-after-dispose"},
			Title: "returns from a start that it is disposed of under",
			Run: with(func(ctx context.Context, t *T) {
				t.sees(ctx) // or an adapter that starts nothing would pass
				fresh := t.another(ctx)
				type started struct {
					handle *executor.Run
					err    error
				}
				start := make(chan started, 1)
				begin, cancel := context.WithCancel(ctx)
				defer cancel()
				opts := t.Opts("fresh")
				go func() {
					var s started
					defer func() {
						if p := recover(); p != nil {
							s.err = fmt.Errorf("panic: %v", p)
						}
						start <- s
					}()
					s.handle, s.err = fresh.Adapter.Start(begin, executor.TaskHandle{}, opts)
				}()
				err := fresh.dispose(ctx)
				t.Code("dispose-hung").Expect(errors.Is(err, check.ErrHung)).To(BeFalse())
				got, err := check.Await(ctx, t.C, t.Budgets.Abort, func(ctx context.Context) (started, error) {
					select {
					case s := <-start:
						return s, nil
					case <-ctx.Done():
						return started{}, ctx.Err()
					}
				})
				t.Code("start-hung").Expect(err).NotTo(HaveOccurred())
				if got.err != nil || got.handle == nil {
					return // it came too late, or was given up
				}
				o := fresh.Observe(ctx, got.handle)
				o.until(ctx, t.Budgets.Abort, isDone)
				_, over := First[executor.Done](o)
				t.Code("run-open-after-dispose").Expect(over || o.Ended).To(BeTrue())
			}),
		},
	}
}
