package historytest

import (
	"context"
	"math"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/adaptercheck/adaptercheck/fakes"
)

func embeddingChecks() []check.Check {
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
	}
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
