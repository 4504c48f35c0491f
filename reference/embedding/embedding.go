// Package embedding is a deterministic embedding port: feature hashing, which needs
// no model, no network and no state. Texts that share words and parts of words have
// similar vectors; that is enough to claim the capability, to check it, and to try
// out what is built on it. It knows nothing of meaning.
//
//	adapter, err := reference.New(reference.Options{..., EmbeddingPort: embedding.Port{}})
//	vectors, err := embedding.Port{}.Embed(ctx, []string{"a text", "another text"})
//	similar, ok := embedding.Cosine(vectors[0], vectors[1])
//
// It may import contract/history and the standard library.
package embedding

import (
	"context"
	"math"
	"strings"
	"unicode"

	"github.com/adaptercheck/adaptercheck/contract/history"
)

// What [Port.Identity] says. Vectors of another model are not comparable, so the
// name changes when the algorithm does.
const (
	Provider   = "adaptercheck-local"
	Model      = "feature-hash-256-v1"
	Dimensions = 256
)

// Port embeds texts. The zero value is ready; it has no state and may be used by
// several goroutines.
type Port struct{}

var _ history.EmbeddingPort = Port{}

// Identity names the model; its destination is local.
func (Port) Identity() history.EmbeddingIdentity {
	return history.EmbeddingIdentity{Provider: Provider, Model: Model, Dimensions: Dimensions, Destination: history.Local}
}

// Embed gives one vector of length 1 per text, also for an empty one. Equal texts
// have equal vectors, on every machine. The only error is that of the context.
func (Port) Embed(ctx context.Context, texts []string) ([][]float64, error) {
	out := make([][]float64, len(texts))
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out[i] = embed(text)
	}
	return out, nil
}

// The features of a text and what they weigh: its words, and the pieces of three
// characters of each word, its ends marked.
const (
	wordWeight  = 1.0
	pieceWeight = 0.25
)

func embed(text string) []float64 {
	v := make([]float64, Dimensions)
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	for _, word := range words {
		add(v, 'w', word, wordWeight)
		marked := []rune("^" + word + "$")
		for i := range len(marked) - 2 {
			add(v, 'p', string(marked[i:i+3]), pieceWeight)
		}
	}
	if !normalise(v) {
		// Without features, or with some that cancel out, the text itself is the feature.
		add(v, 't', text, 1)
	}
	return v
}

// add puts a feature at the place and with the sign that its hash says.
func add(v []float64, kind byte, feature string, weight float64) {
	h := hash(kind, feature)
	if h>>63 == 1 {
		weight = -weight
	}
	v[h%Dimensions] += weight
}

// hash is FNV-1a with a final mix, since its low bits alone are poor for short
// texts.
func hash(kind byte, feature string) uint64 {
	h := uint64(14695981039346656037)
	h = (h ^ uint64(kind)) * 1099511628211
	for i := range len(feature) {
		h = (h ^ uint64(feature[i])) * 1099511628211
	}
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	return h
}

// normalise makes the length 1; it reports false for a vector of zeros. The weights
// are sums of quarters, so nothing is lost to rounding before.
func normalise(v []float64) bool {
	sum := 0.0
	for _, x := range v {
		sum += x * x
	}
	if sum == 0 {
		return false
	}
	length := math.Sqrt(sum)
	for i := range v {
		v[i] /= length
	}
	return true
}

// Cosine is the similarity of two vectors, from -1 to 1. ok is false where it is
// not defined: no numbers, unequal lengths, a number that is not finite, or a vector
// of zeros.
func Cosine(a, b []float64) (similarity float64, ok bool) {
	if len(a) == 0 || len(a) != len(b) {
		return 0, false
	}
	dot, x, y := 0.0, 0.0, 0.0
	for i := range a {
		dot += a[i] * b[i]
		x += a[i] * a[i]
		y += b[i] * b[i]
	}
	similarity = dot / math.Sqrt(x) / math.Sqrt(y)
	if math.IsNaN(similarity) || math.IsInf(x, 0) || math.IsInf(y, 0) {
		return 0, false
	}
	return max(-1, min(1, similarity)), true
}
