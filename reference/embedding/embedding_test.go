package embedding

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/contract/history"
)

func vectors(t *testing.T, texts ...string) [][]float64 {
	t.Helper()
	got, err := Port{}.Embed(t.Context(), texts)
	if err != nil || len(got) != len(texts) {
		t.Fatalf("%d vectors for %d texts, error %v", len(got), len(texts), err)
	}
	return got
}

func TestIdentity(t *testing.T) {
	want := history.EmbeddingIdentity{Provider: "adaptercheck-local", Model: "feature-hash-256-v1", Dimensions: 256, Destination: "local"}
	if diff := cmp.Diff(want, Port{}.Identity()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestVectorsAreUnitVectors(t *testing.T) {
	texts := []string{
		"", " \n", "?!", "a", "ab", "The quick brown fox", strings.Repeat("word ", 100_000), "\xff\xfe", "🦜", "日本語のテキスト",
		"Straße", "STRASSE", strings.Repeat("\x00", 100),
	}
	for i, v := range vectors(t, texts...) {
		sum := 0.0
		for _, x := range v {
			sum += x * x
		}
		if len(v) != Dimensions || !(math.Abs(sum-1) < 1e-9) {
			t.Errorf("%.20q: %d numbers, length squared %v", texts[i], len(v), sum)
		}
	}
	if got := vectors(t); len(got) != 0 {
		t.Errorf("%d vectors for no texts", len(got))
	}
}

// The places and signs of a few features, so that another machine, or a change of
// the algorithm under the same name, is seen.
func TestVectorsAreTheSameEverywhere(t *testing.T) {
	got := map[int]float64{}
	for i, x := range vectors(t, "go")[0] {
		if x != 0 {
			got[i] = math.Round(x*1e9) / 1e9
		}
	}
	want := map[int]float64{97: 0.942809042, 182: -0.23570226, 245: -0.23570226}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	again := vectors(t, "some text", "some text")
	if diff := cmp.Diff(again[0], again[1]); diff != "" {
		t.Errorf("equal texts differ:\n%s", diff)
	}
}

func TestSimilarTextsAreNear(t *testing.T) {
	v := vectors(t,
		"How do I read a file in Go?",
		"How to read files in Go",
		"The weather in Lisbon is mild in March.",
		"HOW DO I READ A FILE IN GO")
	near, _ := Cosine(v[0], v[1])
	far, _ := Cosine(v[0], v[2])
	same, _ := Cosine(v[0], v[3])
	if near < far+0.2 || same < 0.999 {
		t.Errorf("near %.3f, far %.3f, same words %.3f", near, far, same)
	}
}

func TestEmbedObeysItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err := (Port{}).Embed(ctx, []string{"a"}); !errors.Is(err, context.Canceled) || got != nil {
		t.Errorf("%d vectors, error %v", len(got), err)
	}
}

func TestCosine(t *testing.T) {
	for _, c := range []struct {
		a, b []float64
		want float64
		ok   bool
	}{
		{[]float64{1, 0}, []float64{2, 0}, 1, true},
		{[]float64{1, 0}, []float64{0, 3}, 0, true},
		{[]float64{1, 1}, []float64{-1, -1}, -1, true},
		{[]float64{1e-200, 0}, []float64{1e-200, 0}, 0, false},
		{nil, nil, 0, false},
		{[]float64{1}, []float64{1, 0}, 0, false},
		{[]float64{0, 0}, []float64{1, 0}, 0, false},
		{[]float64{math.NaN(), 0}, []float64{1, 0}, 0, false},
		{[]float64{math.Inf(1), 0}, []float64{1, 0}, 0, false},
	} {
		if got, ok := Cosine(c.a, c.b); math.Abs(got-c.want) > 1e-12 || ok != c.ok {
			t.Errorf("%v, %v: %v, %t; want %v, %t", c.a, c.b, got, ok, c.want, c.ok)
		}
	}
}

func BenchmarkEmbed(b *testing.B) {
	text := strings.Repeat("The quick brown fox jumps over the lazy dog. ", 20)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		embed(text)
	}
}
