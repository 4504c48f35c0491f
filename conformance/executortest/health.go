package executortest

import (
	"context"
	"errors"
	"strings"
	"time"

	. "github.com/onsi/gomega"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// ask runs a health check on the suite's own clock.
func (t *T) ask(ctx context.Context) executor.Health {
	begun := time.Now()
	h, err := check.Await(ctx, t.C, t.Budgets.Call, t.Adapter.Health)
	if errors.Is(err, check.ErrHung) || time.Since(begun) > t.Budgets.Call {
		t.Fail("health-late", "no answer within the call budget")
	}
	if err != nil {
		t.Fail("health-rejected", "health must not fail: %v", err)
	}
	return h
}

func health() []check.Check {
	return []check.Check{
		// A health check answers within two seconds and never fails; a runtime that can
		// be reached is healthy.
		{
			ID: "executor.health.answers", Case: "health", Clause: "executor#health-in-time",
			Level: check.Must, Provenance: check.Stated,
			Codes: []check.Code{"health-late", "health-rejected", "health-not-ok"},
			Title: "answers a health check in time, and says that a reachable runtime is well",
			Run: with(func(ctx context.Context, t *T) {
				t.Code("health-not-ok").Expect(t.ask(ctx).OK).To(BeTrue())
			}),
		},
		// A runtime that cannot be reached is not healthy; the check says so instead of
		// failing.
		{
			ID: "executor.health.down", Case: "health", Clause: "executor#health-never-rejects",
			Level: check.Must, Provenance: check.Implied, Needs: []check.Feature{fakes.HealthDown},
			Codes: []check.Code{"health-late", "health-rejected", "health-not-ok", "health-ok-when-down"},
			Title: "says that a runtime which is down is not well",
			Run: with(func(ctx context.Context, t *T) {
				// It is well before, else the answer below says nothing.
				t.Code("health-not-ok").Expect(t.ask(ctx).OK).To(BeTrue())
				t.Fault(ctx, fakes.FaultDown)
				t.Code("health-ok-when-down").Expect(t.ask(ctx).OK).To(BeFalse())
			}),
		},
		// The message of a health check holds nothing of what was said to the runtime.
		{
			ID: "executor.health.message-clean", Case: "health", Clause: "executor#health-message",
			Level: check.Must, Provenance: check.Decided, Needs: []check.Feature{fakes.HealthDown},
			Codes: []check.Code{"health-late", "health-rejected", "health-message-leaks"},
			Title: "keeps prompts and context out of health messages",
			Run: with(func(ctx context.Context, t *T) {
				secret := t.Word()
				o := t.Opts("s")
				o.Message, o.Context = "use "+secret, "token="+secret
				live := t.Start(ctx, o)
				seen := t.Observe(ctx, live.Handle)
				live.Say(ctx, append(live.Hello(), live.Text("the token is "+secret), live.Ok())...)
				seen.Done(ctx)
				live.Shown(seen)
				clean := func() {
					t.Code("health-message-leaks").Expect(strings.Contains(t.ask(ctx).Message, secret)).To(BeFalse())
				}
				clean()
				t.Fault(ctx, fakes.FaultDown)
				clean()
			}),
		},
	}
}
