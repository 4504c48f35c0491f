package hermes

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

func TestPrices(t *testing.T) {
	usd := func(v float64) *float64 { return &v }
	tests := []struct {
		name      string
		spent     totals
		want      *float64
		estimated bool
	}{
		{"an estimate", totals{estimated: 0.5, status: priceEstimated}, usd(0.5), true},
		{"an estimate of a free model", totals{status: priceEstimated}, usd(0), true},
		{"in a subscription", totals{status: priceIncluded}, usd(0), true},
		{"told by the provider", totals{estimated: 0.5, actual: 0.75, status: priceActual}, usd(0.75), false},
		{"an early version", totals{estimated: 0.5}, usd(0.5), true},
		{"an early version that knows no price", totals{}, nil, false},
		{"no price", totals{status: priceUnknown}, nil, false},
		{"a price for some of it", totals{estimated: 0.5, status: priceUnknown}, nil, false},
		{"a word of a later version", totals{estimated: 0.5, status: "guessed"}, nil, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.spent.input = 1
			c := test.spent.cost()
			if c == nil {
				t.Fatal("no cost")
			}
			if d := cmp.Diff(test.want, c.CostUSD); d != "" || c.Estimated != test.estimated {
				t.Errorf("estimated %v, price (-want +got):\n%s", c.Estimated, d)
			}
		})
	}
}

func TestSpentSince(t *testing.T) {
	before := totals{input: 10, cached: 5, output: 3, estimated: 1}
	if c := before.since(before).cost(); c != nil {
		t.Errorf("nothing costs %+v", c)
	}
	began := totals{input: 4, cached: 1, output: 2, estimated: 0.25, model: "m"}
	got := began.since(before).cost()
	model, cached, price := "m", int64(1), 0.25
	want := &executor.Cost{CostUSD: &price, Estimated: true, Model: &model, Usage: executor.Usage{InputTokens: 4, OutputTokens: 2, CachedInputTokens: &cached}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("a count that began anew (-want +got):\n%s", d)
	}
}
