package executortest

import (
	"context"
	"errors"

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
	}
}
