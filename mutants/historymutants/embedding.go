package historymutants

import (
	"context"
	"math"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
)

// vectors is an embedding port of a mutant.
type vectors struct {
	history.EmbeddingIdentity
	embed func(texts []string) [][]float64
}

func (v vectors) Identity() history.EmbeddingIdentity { return v.EmbeddingIdentity }

func (v vectors) Embed(_ context.Context, in []string) ([][]float64, error) { return v.embed(in), nil }

// embeds makes a subject that declares embeddings with a port of its own; nil is
// none.
func embeds(port history.EmbeddingPort) func() check.Subject {
	return hooked(func(built) hooks {
		return hooks{
			declarations: func(history.Adapter) []history.Declaration {
				return []history.Declaration{history.Supports(history.Embeddings, history.EmbeddingPortVersion)}
			},
			embedding: func(history.Adapter) history.EmbeddingPort { return port },
		}
	})
}

// each makes a port that gives the same vector for every text.
func each(dimensions int, v ...float64) history.EmbeddingPort {
	return vectors{
		history.EmbeddingIdentity{Provider: "local", Model: "m", Dimensions: dimensions, Destination: history.Local},
		func(in []string) [][]float64 {
			out := make([][]float64, len(in))
			for i := range out {
				out[i] = v
			}
			return out
		},
	}
}

func embeddingMutants() []Mutant {
	const vectorCheck = "history.capabilities.embedding-vectors"
	return []Mutant{
		{"history-E01", "gives vectors of NaN and of the wrong size", vectorCheck, "embedding-not-finite", embeds(each(3, math.NaN(), 1))},
		{"history-vector-length", "gives vectors of the wrong size", vectorCheck, "embedding-length-wrong", embeds(each(3, 1, 2))},
		{"history-vector-zero", "gives vectors of nothing", vectorCheck, "embedding-zero", embeds(each(2, 0, 0))},
		{"history-vector-infinite", "gives vectors without end", vectorCheck, "embedding-not-finite", embeds(each(2, math.Inf(1), 0))},
		{"history-vector-count", "gives one vector for all texts", vectorCheck, "embedding-count-wrong",
			embeds(vectors{each(1).Identity(), func([]string) [][]float64 { return [][]float64{{1}} }})},
		{"history-vector-identity", "does not know the size of its vectors", vectorCheck, "embedding-identity-invalid", embeds(each(0, 1))},
		{"history-vector-port", "declares embeddings without a port", vectorCheck, "embedding-port-missing", embeds(nil)},
	}
}
