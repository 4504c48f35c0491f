// Package pricing says what a turn of a model cost, for the models whose price is known.
//
//	usd, known := pricing.Of("claude-haiku-4-5-20251001", pricing.Tokens{In: 1200, Out: 300})
//
// A name is looked up as it is, after a date at its end was taken off. A name that is not
// in the table has no price: nothing is guessed from a part of it.
//
// It imports the standard library only.
package pricing

import (
	"math"
	"strings"
)

// Tokens are what a turn used. The three kinds of input do not overlap.
type Tokens struct {
	In         int64 // that no cache was read or written for
	CacheRead  int64
	CacheWrite int64
	Out        int64
}

// rate is US dollars for a million tokens.
type rate struct{ in, out, cacheRead, cacheWrite float64 }

var table = map[string]rate{
	"claude-haiku-4-5":           {1, 5, 0.1, 1.25},
	"claude-sonnet-4-6":          {3, 15, 0.3, 3.75},
	"gpt-4o-mini":                {0.15, 0.6, 0.075, 0.15},
	"gpt-4o":                     {2.5, 10, 1.25, 2.5},
	"openai/gpt-4o-mini":         {0.15, 0.6, 0.075, 0.15},
	"anthropic/claude-haiku-4.5": {1, 5, 0.1, 1.25},
}

// Of is the price of a turn in US dollars, to the millionth, and false for a model whose
// price is not known.
func Of(model string, t Tokens) (usd float64, known bool) {
	r, known := table[undated(model)]
	if !known {
		return 0, false
	}
	usd = (float64(t.In)*r.in + float64(t.Out)*r.out + float64(t.CacheRead)*r.cacheRead + float64(t.CacheWrite)*r.cacheWrite) / 1e6
	return math.Round(usd*1e6) / 1e6, true
}

// undated takes off one date at the end of a name: a dash and eight digits.
func undated(model string) string {
	at := len(model) - len("-20260101")
	if at <= 0 || model[at] != '-' || strings.Trim(model[at+1:], "0123456789") != "" {
		return model
	}
	return model[:at]
}
