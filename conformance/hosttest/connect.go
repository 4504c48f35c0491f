package hosttest

import (
	"context"
	"net/http"
	"slices"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/onsi/gomega"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// states is the closed set of connection states.
func states() []string {
	return []string{"not-installed", "needs-auth", "needs-login", "ready", "unknown"}
}

func connectChecks() []check.Check {
	return []check.Check{
		{
			ID: "host.connect.stores", Case: "connect", Clause: "host#connect",
			Level: check.Must, Provenance: check.Stated, Codes: codes("connect-refused", "connect-state", "key-not-stored"),
			Title: "keeps a key that it is given and says that it is connected",
			Run: with(func(ctx context.Context, t *T) {
				a := t.connect(ctx, anthropic, t.key())
				t.demand(a.status == http.StatusOK && a.ok(), "connect-refused", "%s", a)
				t.demand(slices.Contains(states(), a.text("connectionState")), "connect-state", "%s", a)
				t.demand(t.holdsKey(ctx, anthropic), "key-not-stored", "the key is not there")
				n := t.native(ctx)
				t.demand(n.healthy(), "key-not-stored", "the runtime is not healthy: %v", n)
			}),
		},
		{
			ID: "host.connect.key-required", Case: "connect", Clause: "host#connect-key",
			Level: check.Must, Provenance: check.Stated, Codes: codes("no-key-connected", "refusal-shape"),
			Title: "asks for a key where it has none",
			Run: with(func(ctx context.Context, t *T) {
				for _, o := range []object{{}, {"apiKey": ""}, {"provider": openrouter}, {"provider": openrouter, "apiKey": ""}} {
					a := t.post(ctx, nativePath+"/connect", o)
					t.demand(a.status == http.StatusBadRequest, "no-key-connected", "%v: %s", o, a)
					t.demand(a.refused(), "refusal-shape", "%v: %s", o, a)
				}
				t.demand(!t.native(ctx).healthy(), "no-key-connected", "the runtime is healthy")
			}),
		},
		// Connecting again without a key is how a page asks for what is there; it must not
		// cost the key.
		{
			ID: "host.connect.again", Case: "connect", Clause: "host#connect-key", Needs: []check.Feature{fakes.Outbound},
			Level: check.Must, Provenance: check.Stated, Codes: codes("key-not-replaced", "key-lost"),
			Title: "replaces a key by a new one, and keeps it where none is given",
			Run: with(func(ctx context.Context, t *T) {
				t.connected(ctx, openrouter, t.key())
				second := t.key()
				t.connected(ctx, openrouter, second)
				t.healthcheck(ctx, openrouter, "")
				t.demand(t.asked(second), "key-not-replaced", "the first key is used")
				t.connect(ctx, openrouter, "")
				t.healthcheck(ctx, openrouter, "")
				t.demand(t.asked(second), "key-lost", "connecting without a key took it away")
			}),
		},
		// Pages connect several providers at once.
		{
			ID: "host.connect.together", Case: "connect", Clause: "host#connect-together",
			Level: check.Must, Provenance: check.Decided, Codes: codes("key-lost"),
			Title: "keeps all keys that come at the same time",
			Run: with(func(ctx context.Context, t *T) {
				t.works(ctx)
				var all sync.WaitGroup
				for _, provider := range keyed() {
					body := t.body(provider, t.key())
					all.Go(func() {
						data, err := json.Marshal(body)
						if err == nil {
							_, _ = t.send(ctx, http.MethodPost, nativePath+"/connect", "application/json", data)
						}
					})
				}
				check.Do(ctx, t.C, "", 2*t.Budgets.Call, func(context.Context) error { all.Wait(); return nil })
				for _, provider := range keyed() {
					t.demand(t.holdsKey(ctx, provider), "key-lost", "%s", provider)
				}
			}),
		},
		// A key is given once, and not with each start of the host.
		{
			ID: "host.connect.lasts", Case: "connect", Clause: "host#keys-last", Needs: []check.Feature{fakes.Restart},
			Level: check.Must, Provenance: check.Implied, Codes: codes("key-lost", "disconnect-lost"),
			Title: "has its keys again when it is started again",
			Run: with(func(ctx context.Context, t *T) {
				t.connected(ctx, openrouter, t.key())
				t.restart(ctx)
				t.demand(t.holdsKey(ctx, openrouter), "key-lost", "after a restart")
				t.forget(ctx)
				t.restart(ctx)
				t.demand(!t.holdsKey(ctx, openrouter), "disconnect-lost", "after a restart")
			}),
		},
	}
}

// restart ends the host and starts it again.
func (t *T) restart(ctx context.Context) {
	t.client.CloseIdleConnections()
	url, err := check.Await(ctx, t.C, t.Budgets.Check/2, t.Host.Restart)
	if err != nil {
		t.Cannot(err)
	}
	t.Host.URL = url
}

// slotChecks are about where a key is kept.
func slotChecks() []check.Check {
	return []check.Check{
		// A request without a provider is one of the time when there was only one.
		{
			ID: "host.connect.default-slot", Case: "connect", Clause: "host#slots",
			Level: check.Must, Provenance: check.Stated, Codes: codes("default-slot-wrong", "connect-refused"),
			Title: "keeps a key without a provider as Anthropic's",
			Run:   with(func(ctx context.Context, t *T) { t.slot(ctx, "", anthropic, "default-slot-wrong") }),
		},
		{
			ID: "host.connect.unknown-slot", Case: "connect", Clause: "host#slots",
			Level: check.Must, Provenance: check.Stated, Codes: codes("unknown-slot-wrong", "connect-refused"),
			Title: "keeps a key of a provider that it does not know as Anthropic's",
			Run:   with(func(ctx context.Context, t *T) { t.slot(ctx, "nobody", anthropic, "unknown-slot-wrong") }),
		},
		{
			ID: "host.connect.provider-slot", Case: "connect", Clause: "host#slots",
			Level: check.Must, Provenance: check.Stated, Codes: codes("provider-slot-wrong", "connect-refused"),
			Title: "keeps the key of each provider apart",
			Run: with(func(ctx context.Context, t *T) {
				for _, provider := range keyed() {
					t.demand(!t.holdsKey(ctx, provider), "provider-slot-wrong", "%s has the key of another", provider)
					a := t.connect(ctx, provider, t.key())
					t.demand(a.status == http.StatusOK && a.ok(), "connect-refused", "%s: %s", provider, a)
					t.demand(t.holdsKey(ctx, provider), "provider-slot-wrong", "no key of %s", provider)
				}
			}),
		},
		// Ollama has no key, so there is nothing to keep.
		{
			ID: "host.connect.ollama", Case: "connect", Clause: "host#ollama",
			Level: check.Must, Provenance: check.Stated, Codes: codes("ollama-refused", "ollama-stored"),
			Title: "connects Ollama without a key, and keeps none",
			Run: with(func(ctx context.Context, t *T) {
				for _, key := range []string{"", t.key()} {
					a := t.connect(ctx, ollama, key)
					t.demand(a.status == http.StatusOK && a.ok(), "ollama-refused", "%s", a)
				}
				t.demand(len(t.slots(ctx)) == 0, "ollama-stored", "%v has a key now", t.slots(ctx))
			}),
		},
	}
}

// slot looks where the key of a provider ends up.
func (t *T) slot(ctx context.Context, provider, want string, code check.Code) {
	a := t.connect(ctx, provider, t.key())
	t.demand(a.status == http.StatusOK && a.ok(), "connect-refused", "%q: %s", provider, a)
	got := t.slots(ctx)
	t.demand(slices.Equal(got, []string{want}), code, "a key of %q is in %v", provider, got)
}

// slots lists the providers that the host has a key of.
func (t *T) slots(ctx context.Context) []string {
	var held []string
	for _, p := range keyed() {
		if t.holdsKey(ctx, p) {
			held = append(held, p)
		}
	}
	return held
}

func disconnectChecks() []check.Check {
	return []check.Check{
		{
			ID: "host.disconnect.forgets", Case: "disconnect", Clause: "host#disconnect",
			Level: check.Must, Provenance: check.Stated, Codes: codes("disconnect-refused", "disconnect-state", "key-kept"),
			Title: "forgets every key",
			Run: with(func(ctx context.Context, t *T) {
				for _, provider := range keyed() {
					t.connected(ctx, provider, t.key())
				}
				a := t.post(ctx, nativePath+"/disconnect", object{})
				t.demand(a.status == http.StatusOK && a.ok(), "disconnect-refused", "%s", a)
				state := a.text("connectionState")
				t.demand(slices.Contains(states(), state) && state != "ready", "disconnect-state", "%s", a)
				held := t.slots(ctx)
				t.demand(len(held) == 0, "key-kept", "of %v", held)
			}),
		},
		// Whoever disconnects does not know what is there.
		{
			ID: "host.disconnect.twice", Case: "disconnect", Clause: "host#disconnect",
			Level: check.Must, Provenance: check.Stated, Codes: codes("disconnect-refused", "connect-refused"),
			Title: "can be disconnected without a key, with and without a body, and connected again",
			Run: with(func(ctx context.Context, t *T) {
				for range 2 {
					a := t.post(ctx, nativePath+"/disconnect", object{})
					t.demand(a.status == http.StatusOK && a.ok(), "disconnect-refused", "%s", a)
					a = t.within(ctx, t.Budgets.Call, http.MethodPost, nativePath+"/disconnect", nil)
					t.demand(a.status == http.StatusOK && a.ok(), "disconnect-refused", "without a body: %s", a)
				}
				t.Expect(t.holdsKey(ctx, openrouter)).To(gomega.BeFalse(), "a key before there is one")
				a := t.connect(ctx, openrouter, t.key())
				t.demand(a.status == http.StatusOK && t.holdsKey(ctx, openrouter), "connect-refused", "%s", a)
			}),
		},
	}
}
