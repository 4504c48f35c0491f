package remote

import (
	"context"
	"errors"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/contract/history"
)

// A history adapter has an optional part when it has its method, so that there is
// one type for each set of parts.

type withEmbedding struct{ *past }

func (a withEmbedding) EmbeddingPort() history.EmbeddingPort { return embedding{a.past} }

type withCounters struct{ *past }

func (a withCounters) LocalKVDiagnostics() history.LocalKVDiagnostics { return a.counters() }

type withBoth struct {
	*past
	withEmbedding
}

func (a withBoth) LocalKVDiagnostics() history.LocalKVDiagnostics { return a.past.counters() }

var (
	_ history.EmbeddingPorter  = withBoth{}
	_ history.LocalKVDiagnoser = withBoth{}
)

// withParts is the adapter with the parts that the subject listed.
func (a *past) withParts(raw jsontext.Value) history.Adapter {
	list, _ := listOf(raw)
	has := map[string]bool{}
	for _, v := range list {
		has[textOf(v)] = true
	}
	switch {
	case has[partEmbedding] && has[partCounters]:
		return withBoth{a, withEmbedding{a}}
	case has[partEmbedding]:
		return withEmbedding{a}
	case has[partCounters]:
		return withCounters{a}
	}
	return a
}

func (a *past) counters() history.LocalKVDiagnostics {
	r := a.must(a.s.ask(a.life, "history/localKvDiagnostics", a.self()))
	var d history.LocalKVDiagnostics
	if json.Unmarshal(r.Value, &d) != nil {
		return history.LocalKVDiagnostics{} // of no version
	}
	return d
}

// embedding is the port that the subject's adapter has.
type embedding struct{ a *past }

// Identity is what the subject says now.
func (e embedding) Identity() history.EmbeddingIdentity {
	r := e.a.must(e.a.s.ask(e.a.life, "history/embeddingIdentity", e.a.self()))
	var id history.EmbeddingIdentity
	if json.Unmarshal(r.Value, &id) != nil {
		return history.EmbeddingIdentity{}
	}
	return id
}

type embedParams struct {
	Instance string   `json:"instance"`
	Texts    []string `json:"texts"`
}

// Embed gives the subject's vectors.
func (e embedding) Embed(ctx context.Context, texts []string) ([][]float64, error) {
	r, err := e.a.s.ask(ctx, "history/embed", embedParams{e.a.name, texts})
	if err != nil {
		return nil, err
	}
	var vectors [][]float64
	if json.Unmarshal(r.Value, &vectors) != nil {
		return nil, errors.New("vectors: want a list of lists of numbers")
	}
	return vectors, nil
}
