package pricing_test

import (
	"testing"

	"github.com/adaptercheck/adaptercheck/adapters/native/pricing"
)

func TestOf(t *testing.T) {
	for _, c := range []struct {
		model  string
		tokens pricing.Tokens
		usd    float64
		known  bool
	}{
		{"claude-haiku-4-5", pricing.Tokens{In: 1000, Out: 200}, 0.002, true},
		{"claude-haiku-4-5-20251001", pricing.Tokens{In: 1000, Out: 200}, 0.002, true},
		{"claude-sonnet-4-6", pricing.Tokens{In: 1_000_000, Out: 1_000_000}, 18, true},
		{"gpt-4o-mini", pricing.Tokens{In: 1}, 0, true},
		{"gpt-4o-mini", pricing.Tokens{In: 4}, 0.000001, true},
		{"openai/gpt-4o-mini", pricing.Tokens{Out: 10_000}, 0.006, true},
		{"anthropic/claude-haiku-4.5", pricing.Tokens{CacheRead: 10_000, CacheWrite: 10_000}, 0.0135, true},
		{"gpt-4o-mini-2024-07-18", pricing.Tokens{In: 4}, 0, false}, // a date of another form
		{"openai/gpt-4o", pricing.Tokens{In: 4}, 0, false},
		{"claude-sonnet-5", pricing.Tokens{In: 4}, 0, false},
		{"Claude-Haiku-4-5", pricing.Tokens{In: 4}, 0, false},
		{"claude-haiku-4-5-2025100", pricing.Tokens{In: 4}, 0, false},
		{"claude-haiku-4-5-20251001-20251001", pricing.Tokens{In: 4}, 0, false},
		{"-20251001", pricing.Tokens{In: 4}, 0, false},
		{"constructor", pricing.Tokens{In: 4}, 0, false},
		{"", pricing.Tokens{In: 4}, 0, false},
	} {
		usd, known := pricing.Of(c.model, c.tokens)
		if usd != c.usd || known != c.known {
			t.Errorf("%s, %+v: %v, %t, want %v, %t", c.model, c.tokens, usd, known, c.usd, c.known)
		}
	}
}
