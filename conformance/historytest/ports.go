package historytest

import (
	"context"
	"errors"
	"math"
	"sync/atomic"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/adaptercheck/adaptercheck/fakes"
)

func portChecks() []check.Check {
	return []check.Check{
		// A vector has the length that the port names, is finite and not all zero:
		// anything else makes every comparison meaningless.
		{
			ID: "history.capabilities.embedding-vectors", Case: "capabilities", Clause: "history#embedding-vectors",
			Level: check.Must, Provenance: check.Stated,
			Codes: codes("embedding-port-missing", "embedding-identity-invalid", "embedding-count-wrong", "embedding-length-wrong", "embedding-not-finite", "embedding-zero"),
			Title: "gives usable vectors where it declares embeddings",
			Run: with(func(ctx context.Context, t *T) {
				t.alive(ctx)
				if !t.supports(ctx, history.Embeddings) {
					if !t.Subject.Offers.Has(fakes.Ports) {
						t.Unobserved(fakes.Ports)
					}
					t = t.Another(ctx, func(_ *T, f *check.Fixture) { f.Ports.Embedding = embedder{} })
					if !t.supports(ctx, history.Embeddings) {
						t.Unobserved(fakes.Ports)
					}
				}
				t.vectors(ctx)
			}),
		},
		// The counters of a local KV port are numbers under a known version.
		{
			ID: "history.capabilities.local-kv-counters", Case: "capabilities", Clause: "history#local-kv-counters",
			Level: check.Must, Provenance: check.Stated, Needs: []check.Feature{fakes.Ports},
			Codes: codes("local-kv-version-wrong", "local-kv-leaks", "local-kv-counter-invalid"),
			Title: "reports its local KV port in numbers alone",
			Run: with(func(ctx context.Context, t *T) {
				t.alive(ctx)
				counted, ok := t.Adapter.(history.LocalKVDiagnoser)
				if !ok || !t.supports(ctx, history.LocalKVReuse) {
					t.Unobserved(fakes.Ports)
				}
				p := t.private()
				t.complete(ctx, p.Payload)
				got := get(ctx, t, counted.LocalKVDiagnostics)
				t.expect(got.Version == history.LocalKVDiagnosticsVersion, "local-kv-version-wrong", "got %q", got.Version)
				if s, leak := found(texts(got), append(append(p.Private, p.Public...), t.contents()...)); leak {
					t.Notef("local-kv-leaks", "%q", s)
				}
				for _, n := range []int64{got.Requests, got.BypassedRequests, got.EligibleRequests, got.Hits, got.Misses, got.Rejected, got.Unavailable, got.FullReplays, got.TransportFailures, got.SavedPrefillTokens} {
					t.expect(n >= 0, "local-kv-counter-invalid", "%d", n)
				}
				t.expect(got.Requests == got.BypassedRequests+got.EligibleRequests, "local-kv-counter-invalid", "%+v", got)
			}, withKV),
		},
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
				t.shutdown(ctx)
				t.shutdown(ctx)
				n := t.Fixture.Ports.LocalKV.(*kvPort).released.Load()
				t.expect(n > 0, "port-not-released", "never")
				t.expect(n < 2, "port-released-again", "%d times", n)
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
					broken := t.Another(ctx, func(_ *T, f *check.Fixture) { f.Ports.LocalKV = &kvPort{fail: failure} })
					broken.alive(ctx)
					err := broken.closeTamed(ctx)
					t.demand(err == nil, "port-failure-escaped", "%v", err)
					_, err = broken.trySnapshot(ctx)
					t.demand(err != nil, "port-failure-left-open", "the history can still be read")
				}
			}, withKV),
		},
	}
}

// portFailures are the ways in which a port fails to close.
var portFailures = []func() error{
	func() error { return errors.New("the port does not close") },
	func() error { panic("the port does not close") },
}

// supports reports whether the adapter declares a capability.
func (t *T) supports(ctx context.Context, id history.Capability) bool {
	return t.statuses(t.negotiate(ctx, askAll(false)...))[id].Supported
}

// vectors judges the port behind a declared embeddings capability.
func (t *T) vectors(ctx context.Context) {
	porter, ok := t.Adapter.(history.EmbeddingPorter)
	t.demand(ok, "embedding-port-missing", "the adapter has no port")
	port := get(ctx, t, porter.EmbeddingPort)
	t.demand(port != nil, "embedding-port-missing", "the adapter's port is nil")
	id := get(ctx, t, port.Identity)
	t.demand(id.Dimensions > 0 && !blank(id.Provider) && !blank(id.Model) && (id.Destination == history.Local || id.Destination == history.Remote),
		"embedding-identity-invalid", "%+v", id)
	asked := []string{"The quick fox " + t.word(), t.word(), "another " + t.word()}
	got, err := try(ctx, t, func(ctx context.Context) ([][]float64, error) { return port.Embed(ctx, asked) })
	t.NoError(err)
	t.demand(len(got) == len(asked), "embedding-count-wrong", "%d vectors for %d texts", len(got), len(asked))
	for _, v := range got {
		t.expect(len(v) == id.Dimensions, "embedding-length-wrong", "%d of %d", len(v), id.Dimensions)
		zero := true
		for _, x := range v {
			t.expect(!math.IsNaN(x) && !math.IsInf(x, 0), "embedding-not-finite", "%v", x)
			zero = zero && x == 0
		}
		t.expect(!zero, "embedding-zero", "a vector is all zero")
	}
}

// embedder is a small port that keeps its contract.
type embedder struct{}

func (embedder) Identity() history.EmbeddingIdentity {
	return history.EmbeddingIdentity{Provider: "conformance-local", Model: "lengths", Dimensions: 3, Destination: history.Local}
}

func (embedder) Embed(_ context.Context, in []string) ([][]float64, error) {
	out := make([][]float64, len(in))
	for i, s := range in {
		out[i] = []float64{1, float64(len(s)), float64(i)}
	}
	return out, nil
}

// withKV gives the subject a local KV port.
func withKV(_ *T, f *check.Fixture) { f.Ports.LocalKV = &kvPort{} }

// kvPort is a port that holds nothing and counts how often it is released.
type kvPort struct {
	released atomic.Int32
	fail     func() error // how it closes; nil is well
}

func (*kvPort) TryReuse(context.Context, history.LocalKVRequest) (history.LocalKVReuseResult, error) {
	return history.LocalKVReuseResult{Status: history.LocalKVMiss}, nil
}

func (*kvPort) FullReplay(context.Context, history.LocalKVRequest) (history.LocalKVReplayResult, error) {
	return history.LocalKVReplayResult{}, nil
}

func (p *kvPort) Shutdown(context.Context) error {
	p.released.Add(1)
	if p.fail != nil {
		return p.fail()
	}
	return nil
}
