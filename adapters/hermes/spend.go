package hermes

import "github.com/adaptercheck/adaptercheck/contract/executor"

// How a price came about, as the books have it.
const (
	priceActual    = "actual"    // told by the provider
	priceEstimated = "estimated" // tokens times list prices
	priceIncluded  = "included"  // in a subscription
	priceUnknown   = "unknown"
)

// totals are running counts of a session, over all its processes. Input holds what
// was written to the cache and nothing of what was read from it.
type totals struct {
	input, cached, output int64
	estimated, actual     float64 // US dollars
	status                string  // how the price came about; empty in versions that do not say
	model                 string
}

func (t *totals) add(input, cached, output int64, estimated, actual float64) {
	t.input, t.cached, t.output = t.input+input, t.cached+cached, t.output+output
	t.estimated, t.actual = t.estimated+estimated, t.actual+actual
}

// since returns what was spent between two totals. A count that went down began anew:
// then all of it is new.
func (t totals) since(before totals) totals {
	if t.input < before.input || t.cached < before.cached || t.output < before.output {
		before = totals{}
	}
	t.input, t.cached, t.output = t.input-before.input, t.cached-before.cached, t.output-before.output
	t.estimated, t.actual = max(0, t.estimated-before.estimated), max(0, t.actual-before.actual)
	return t
}

// price is what was spent in US dollars, nil where that is unknown, and whether it is
// an estimate. The column of estimates holds 0 where Hermes knows no price; only the
// status tells that from what is free.
func (t totals) price() (usd *float64, estimated bool) {
	switch {
	case t.status == priceActual && t.actual > 0:
		return &t.actual, false
	case t.status == priceEstimated, t.status == priceIncluded, t.status == "" && t.estimated > 0:
		return &t.estimated, true
	}
	return nil, false
}

// cost is the event of what was spent, nil where that is nothing.
func (t totals) cost() *executor.Cost {
	c := executor.Cost{Usage: executor.Usage{InputTokens: t.input, OutputTokens: t.output, CachedInputTokens: &t.cached}}
	c.CostUSD, c.Estimated = t.price()
	if t.model != "" {
		c.Model = &t.model
	}
	if t.input+t.cached+t.output == 0 && (c.CostUSD == nil || *c.CostUSD == 0) {
		return nil
	}
	return &c
}
