package historytest

import (
	"context"
	"strings"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/adaptercheck/adaptercheck/fakes"
)

func kvUseChecks() []check.Check {
	return []check.Check{
		// A port that is declared and enabled is there to be used.
		{
			ID: "history.local-kv.used", Case: "capabilities", Clause: "history#local-kv-used",
			Level: check.Should, Provenance: check.Implied, Needs: []check.Feature{fakes.Ports},
			Codes: codes("port-unused"),
			Title: "uses the local KV port that it was given to use",
			Run: with(func(ctx context.Context, t *T) {
				t.alive(ctx)
				if !t.supports(ctx, history.LocalKVReuse) {
					t.Unobserved(fakes.Ports)
				}
				for _, provider := range t.localProviders(ctx) {
					t.on(ctx, provider, t.dialogue())
				}
				t.demand(t.port().calls() > 0, "port-unused", "never asked")
			}, withKV),
		},
		// Configuration and capability are needed both. Without one of them the port is
		// not asked, and completions are as if there were none.
		{
			ID: "history.local-kv.not-enabled", Case: "capabilities", Clause: "history#local-kv-enabled",
			Level: check.Must, Provenance: check.Stated, Needs: []check.Feature{fakes.Ports},
			Codes: codes("idle-port-asked", "disabled-port-asked", "idle-not-sent"),
			Title: "leaves a local KV port alone that is not enabled",
			Run: with(func(ctx context.Context, t *T) {
				t.alive(ctx)
				idle := t.Another(ctx, withIdleKV)
				isIdle, isDisabled := idle.supports(ctx, history.LocalKVReuse), !t.supports(ctx, history.LocalKVReuse)
				if !isIdle && !isDisabled {
					t.Unobserved(fakes.Ports)
				}
				if isIdle {
					idle.bypassed(ctx, idle.idlePort(), "idle-port-asked")
				}
				if isDisabled {
					t.bypassed(ctx, t.port(), "disabled-port-asked")
				}
			}, withKV),
		},
		// What is for a remote provider goes there and nowhere else.
		{
			ID: "history.local-kv.remote", Case: "privacy", Clause: "history#local-kv-remote",
			Level: check.Must, Provenance: check.Stated, Needs: []check.Feature{fakes.Ports},
			Codes: codes("remote-reached-port", "remote-not-sent"),
			Title: "keeps requests for remote providers from its local KV port",
			Run: with(func(ctx context.Context, t *T) {
				local := t.reusing(ctx)
				for _, provider := range []string{t.Fixture.Model.Provider, local + "-cloud-" + t.word(), local + "/" + t.word(), t.word() + "." + local} {
					before := t.Transport.Count()
					r := t.on(ctx, provider, t.dialogue())
					t.demand(t.port().calls() == 0, "remote-reached-port", "%q", provider)
					t.demand(r.Status == history.Completed && t.Transport.Count() == before+1, "remote-not-sent", "%q: %d calls", provider, t.Transport.Count()-before)
				}
			}, withKV),
		},
		// Provider and model identify a prefix to the letter. A name that another program
		// may fold, trim or cut identifies nothing.
		{
			ID: "history.local-kv.identifiers", Case: "capabilities", Clause: "history#local-kv-identifiers",
			Level: check.Must, Provenance: check.Stated, Needs: []check.Feature{fakes.Ports},
			Codes: codes("invalid-provider-reused", "invalid-model-reused"),
			Title: "reuses nothing under a name that is no identifier",
			Run: with(func(ctx context.Context, t *T) {
				local, model := t.reusing(ctx), t.Fixture.Model.ID
				for _, provider := range []string{" " + local, local + " ", local + "\t", "\uFEFF" + local} {
					t.on(ctx, provider, t.dialogue())
					t.demand(t.port().calls() == 0, "invalid-provider-reused", "%q", provider)
				}
				for _, name := range []string{" " + model, model + "\n", model + "\x00", "a\x7Fb", "\u00A0" + model, strings.Repeat("m", 257), strings.Repeat("\U0001F99C", 129)} {
					t.Fixture.Model.ID = name
					t.on(ctx, local, t.dialogue())
					t.demand(t.port().calls() == 0, "invalid-model-reused", "%q", name)
				}
			}, withKV),
		},
	}
}

// bypassed completes requests of every provider on this machine and reports a code
// if a port is asked.
func (t *T) bypassed(ctx context.Context, port *kvPort, code check.Code) {
	for _, provider := range t.localProviders(ctx) {
		before := t.Transport.Count()
		r := t.on(ctx, provider, t.dialogue())
		t.demand(port.calls() == 0, code, "%s", provider)
		t.expect(r.Status == history.Completed && t.Transport.Count() == before+1, "idle-not-sent", "%d calls", t.Transport.Count()-before)
	}
}
