package store

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
)

// Mode is how facts are searched.
type Mode string

// The modes. Hybrid is both others together.
const (
	ByText   Mode = "fts"
	ByVector Mode = "vector"
	Hybrid   Mode = "hybrid"
)

// Hit is a fact that a search found.
type Hit struct {
	Fact
	// Score orders the hits of one search: over 0, at most 1.
	Score float64 `json:"score"`
	// MatchedVia says by what it was found.
	MatchedVia Mode `json:"matchedVia"`
}

const (
	// alike is the least likeness, a cosine, that counts as one. Texts that have nothing
	// in common are rarely over half of it with the in-tree embedder.
	alike = 0.2
	// textShare is what the words count in a hybrid search; likeness counts the rest.
	textShare = 0.5
	// maxWords bounds how many words of a query are looked for.
	maxWords = 64
)

// Search finds facts that one who looks may see, the best first, at most limit of
// them. By text a fact matches that has one of the query's words; one that has more
// of them, or rarer ones, is better. An empty mode is Hybrid. Without an embedder
// every mode is ByText.
func (m *Memory) Search(ctx context.Context, query string, mode Mode, by Scope, limit int) ([]Hit, error) {
	switch mode {
	case "":
		mode = Hybrid
	case ByText, ByVector, Hybrid:
	default:
		return nil, fmt.Errorf("%w: unknown mode %q, expected %q, %q or %q", ErrInvalid, mode, ByText, ByVector, Hybrid)
	}
	if m.embed == nil {
		mode = ByText
	}
	found := map[string]Hit{}
	if mode != ByVector {
		facts, err := m.byText(ctx, query, by)
		if err != nil {
			return nil, err
		}
		for i, f := range facts {
			found[f.ID] = Hit{Fact: f, Score: 1 - float64(i)/float64(len(facts)), MatchedVia: ByText}
		}
	}
	if mode != ByText {
		likes, err := m.byVector(ctx, query, by)
		if err != nil {
			return nil, err
		}
		blend(found, likes, mode)
	}
	hits := make([]Hit, 0, len(found))
	for _, h := range found {
		hits = append(hits, h)
	}
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.CreatedAt, a.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	return hits[:min(len(hits), max(limit, 0))], nil
}

// blend adds hits by likeness to hits by text.
func blend(found map[string]Hit, likes []Hit, mode Mode) {
	if mode == Hybrid {
		for id, h := range found {
			h.Score *= textShare
			found[id] = h
		}
	}
	for _, like := range likes {
		if mode == Hybrid {
			like.Score *= 1 - textShare
		}
		if text, both := found[like.ID]; both {
			like.Score, like.MatchedVia = text.Score+like.Score, Hybrid
		}
		found[like.ID] = like
	}
}

// byText finds facts by their words, the best first.
func (m *Memory) byText(ctx context.Context, query string, by Scope) ([]Fact, error) {
	match := matchAny(query)
	if match == "" {
		return nil, nil
	}
	return collect(ctx, m.store.db, scanFact, `SELECT `+factColumns+` FROM facts JOIN
		(SELECT rowid AS r, bm25(facts_text) AS badness FROM facts_text WHERE facts_text MATCH ?) ON r = n
		WHERE `+visible+` ORDER BY badness, n DESC`, match, by.TeamID, by.AgentID)
}

// matchAny is the query for a text that has one of the words of another. Each is
// quoted, so that none is taken for syntax. Empty is no words.
func matchAny(text string) string {
	words := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) })
	words = words[:min(len(words), maxWords)]
	for i, word := range words {
		words[i] = `"` + word + `"`
	}
	return strings.Join(words, " OR ")
}

// byVector finds facts by likeness. The score is the likeness.
func (m *Memory) byVector(ctx context.Context, query string, by Scope) ([]Hit, error) {
	model, packed, err := m.vector(ctx, query)
	if err != nil {
		return nil, err
	}
	want := unpack(packed)
	likes, err := collect(ctx, m.store.db, func(row scanner) (Hit, error) {
		h, vector := Hit{MatchedVia: ByVector}, []byte(nil)
		if err := h.scan(row, &vector); err != nil {
			return Hit{}, err
		}
		h.Score = cosine(want, unpack(vector))
		return h, nil
	}, "SELECT "+factColumns+", vector FROM facts WHERE "+visible+" AND model = ?", by.TeamID, by.AgentID, model)
	return slices.DeleteFunc(likes, func(h Hit) bool { return !(h.Score >= alike) }), err
}

func unpack(packed []byte) []float64 {
	v := make([]float64, len(packed)/4)
	for i := range v {
		v[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(packed[4*i:])))
	}
	return v
}

// cosine is the likeness of two vectors; 0 where there is none to tell.
func cosine(a, b []float64) float64 {
	if len(a) != len(b) {
		return 0
	}
	var dot, x, y float64
	for i := range a {
		dot, x, y = dot+a[i]*b[i], x+a[i]*a[i], y+b[i]*b[i]
	}
	if x == 0 || y == 0 {
		return 0
	}
	return min(dot/math.Sqrt(x)/math.Sqrt(y), 1)
}
