package hosttest

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/onsi/gomega"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// entry is one line of the list.
type entry map[string]any

func (r entry) state() string { s, _ := r["connectionState"].(string); return s }

// healthy reports whether the entry says health.ok.
func (r entry) healthy() bool {
	h, _ := r["health"].(map[string]any)
	return h["ok"] == true
}

func runtimeChecks() []check.Check {
	return []check.Check{
		{
			ID: "host.runtimes.native", Case: "runtimes", Clause: "host#runtimes",
			Level: check.Must, Provenance: check.Stated, Codes: codes("native-missing", "native-twice", "native-not-installed"),
			Title: "lists the native runtime, once and installed",
			Run: with(func(ctx context.Context, t *T) {
				var found []entry
				for _, r := range t.runtimes(ctx) {
					if r["id"] == "clawboo-native" {
						found = append(found, r)
					}
				}
				t.demand(len(found) > 0, "native-missing", "%v", found)
				t.demand(len(found) == 1, "native-twice", "%v", found)
				t.demand(found[0]["installed"] == true, "native-not-installed", "%v", found)
			}),
		},
		{
			ID: "host.runtimes.entries", Case: "runtimes", Clause: "host#runtimes",
			Level: check.Must, Provenance: check.Stated, Codes: codes("entry-form", "entry-state"),
			Title: "says of each runtime whether it is installed, connected and healthy",
			Run: with(func(ctx context.Context, t *T) {
				list := t.runtimes(ctx)
				t.Expect(list).NotTo(gomega.BeEmpty())
				for _, r := range list {
					id, _ := r["id"].(string)
					_, installed := r["installed"].(bool)
					path := r["binPath"] // of a program; other runtimes have none
					_, isText := path.(string)
					health, _ := r["health"].(map[string]any)
					_, ok := health["ok"].(bool)
					t.demand(id != "" && installed && (path == nil || isText) && ok, "entry-form", "%v", r)
					t.demand(slices.Contains(states(), r.state()), "entry-state", "%v", r)
				}
			}),
		},
		// A page shows by it what is left to be done.
		{
			ID: "host.runtimes.follows", Case: "runtimes", Clause: "host#runtimes-health",
			Level: check.Must, Provenance: check.Stated, Codes: codes("healthy-without-key", "unhealthy-with-key", "state-wrong"),
			Title: "calls the native runtime healthy as long as it has a key",
			Run: with(func(ctx context.Context, t *T) {
				n := t.native(ctx)
				t.demand(!n.healthy(), "healthy-without-key", "%v", n)
				t.demand(n.state() != "ready", "state-wrong", "%v", n)
				for _, provider := range keyed() {
					t.connected(ctx, provider, t.key())
					n = t.native(ctx)
					t.demand(n.healthy(), "unhealthy-with-key", "%s: %v", provider, n)
					t.demand(n.state() == "ready", "state-wrong", "%s: %v", provider, n)
					t.forget(ctx)
					n = t.native(ctx)
					t.demand(!n.healthy(), "healthy-without-key", "after disconnecting: %v", n)
				}
			}),
		},
		// The list is asked for every few seconds.
		{
			ID: "host.runtimes.offline", Case: "runtimes", Clause: "host#runtimes-offline", Needs: []check.Feature{fakes.Outbound},
			Level: check.Must, Provenance: check.Stated, Codes: codes("list-calls-out"),
			Title: "calls no provider to list its runtimes",
			Run: with(func(ctx context.Context, t *T) {
				for _, provider := range keyed() {
					t.connected(ctx, provider, t.key())
				}
				t.Provider.taken()
				for range 3 {
					t.native(ctx)
				}
				t.offline(ctx, "list-calls-out")
			}),
		},
	}
}

// offline ends the check with the code if a provider was called. A call that the host
// makes behind its answer has the quiet budget to arrive.
func (t *T) offline(ctx context.Context, code check.Code) {
	t.settle(ctx)
	calls := t.Provider.taken()
	t.demand(len(calls) == 0, code, "%d calls", len(calls))
}

// runtimes reads the list: an array, or the member runtimes of an object.
func (t *T) runtimes(ctx context.Context) []entry {
	a := t.get(ctx, "/api/runtimes")
	t.Expect(a.status).To(beOK(), "list the runtimes: %s", a)
	list, err := readRuntimes(a.body)
	t.NoError(err)
	return list
}

func readRuntimes(body []byte) ([]entry, error) {
	var list []entry
	if json.Unmarshal(body, &list) == nil {
		return list, nil
	}
	var within struct {
		Runtimes []entry `json:"runtimes"`
	}
	if err := json.Unmarshal(body, &within); err != nil {
		return nil, fmt.Errorf("the list of runtimes is neither an array nor an object with one: %w", err)
	}
	return within.Runtimes, nil
}

// Runtime is one that a host lists, in a word.
type Runtime struct{ ID, State string }

// Runtimes asks the host at a URL for the runtimes that it has.
func Runtimes(ctx context.Context, url string) ([]Runtime, error) {
	t := &T{Host: &check.HostInstance{URL: url}, client: newClient()}
	defer t.client.CloseIdleConnections()
	a, err := t.send(ctx, http.MethodGet, "/api/runtimes", "", nil)
	if err != nil {
		return nil, err
	}
	list, err := readRuntimes(a.body)
	all := []Runtime{}
	for _, e := range list {
		id, _ := e["id"].(string)
		all = append(all, Runtime{id, e.state()})
	}
	return all, err
}

// native is the entry of the native runtime, empty if there is none.
func (t *T) native(ctx context.Context) entry {
	for _, r := range t.runtimes(ctx) {
		if r["id"] == "clawboo-native" {
			return r
		}
	}
	return entry{}
}
