package historytest

import (
	"context"
	"errors"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/adaptercheck/adaptercheck/fakes"
)

func kvLifecycleChecks() []check.Check {
	return []check.Check{
		// Closing the adapter releases what was given to it, once.
		{
			ID: "history.lifecycle.port-released", Case: "lifecycle", Clause: "history#port-release",
			Level: check.Must, Provenance: check.Stated, Needs: []check.Feature{fakes.Ports},
			Codes: codes("port-not-released", "port-released-again"),
			Title: "releases its local KV port when it closes, once",
			Run: with(func(ctx context.Context, t *T) {
				t.alive(ctx)
				if !t.supports(ctx, history.LocalKVReuse) {
					t.Unobserved(fakes.Ports)
				}
				t.releases(ctx, t.port())
				idle := t.Another(ctx, withIdleKV)
				if idle.supports(ctx, history.LocalKVReuse) {
					idle.releases(ctx, idle.idlePort())
				}
			}, withKV),
		},
		// A port that cannot be released does not keep the adapter from closing.
		{
			ID: "history.lifecycle.port-failure", Case: "lifecycle", Clause: "history#port-failure",
			Level: check.Should, Provenance: check.Implied, Needs: []check.Feature{fakes.Ports},
			Codes: codes("port-failure-escaped", "port-failure-left-open"),
			Title: "closes even if its local KV port does not",
			Run: with(func(ctx context.Context, t *T) {
				t.alive(ctx)
				if !t.supports(ctx, history.LocalKVReuse) {
					t.Unobserved(fakes.Ports)
				}
				for _, failure := range portFailures {
					broken := t.Another(ctx, withKV)
					broken.port().shut = failure
					broken.alive(ctx)
					err := broken.closeTamed(ctx)
					t.demand(err == nil, "port-failure-escaped", "%v", err)
					_, err = broken.trySnapshot(ctx)
					t.demand(err != nil, "port-failure-left-open", "the history can still be read")
				}
			}, withKV),
		},
		// Nor does one that never answers.
		{
			ID: "history.lifecycle.port-hang", Case: "lifecycle", Clause: "history#port-hang",
			Level: check.Must, Provenance: check.Decided, Needs: []check.Feature{fakes.Ports},
			Codes: codes("port-release-hung"),
			Title: "closes even if its local KV port hangs",
			Run: with(func(ctx context.Context, t *T) {
				t.alive(ctx)
				if !t.supports(ctx, history.LocalKVReuse) {
					t.Unobserved(fakes.Ports)
				}
				over := make(chan struct{})
				t.Cleanup(func(context.Context) error { close(over); return nil })
				t.port().shut = func() error { <-over; return nil }
				check.Do(ctx, t.C, "port-release-hung", t.Budgets.Call, t.Adapter.Shutdown)
			}, withKV),
		},
		// A closed adapter asks its port nothing any more, and still knows what it asked.
		{
			ID: "history.lifecycle.port-closed", Case: "lifecycle", Clause: "history#shutdown",
			Level: check.Must, Provenance: check.Stated, Needs: []check.Feature{fakes.Ports},
			Codes: codes("closed-port-asked", "closed-port-completed"),
			Title: "asks its local KV port nothing after it was closed",
			Run: with(func(ctx context.Context, t *T) {
				local := t.reusing(ctx)
				t.shutdown(ctx)
				r := t.on(ctx, local, t.dialogue())
				t.expect(t.port().calls() == 0, "closed-port-asked", "%d requests", t.port().calls())
				t.expect(r.Status == history.Fallback && r.Code == history.FallbackClosed, "closed-port-completed", "status %q, code %q", r.Status, r.Code)
			}, withKV),
		},
	}
}

// releases closes the adapter twice and looks whether a port was released once.
func (t *T) releases(ctx context.Context, port *kvPort) {
	t.shutdown(ctx)
	t.shutdown(ctx)
	n := port.releases()
	t.expect(n > 0, "port-not-released", "never")
	t.expect(n < 2, "port-released-again", "%d times", n)
}

// portFailures are the ways in which a port fails to close.
var portFailures = []func() error{
	func() error { return errors.New("the port does not close") },
	func() error { panic("the port does not close") },
}
