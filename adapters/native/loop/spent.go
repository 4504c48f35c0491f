package loop

import (
	"math"

	"github.com/adaptercheck/adaptercheck/adapters/native/pricing"
	"github.com/adaptercheck/adaptercheck/adapters/native/provider"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/oneshot"
)

// spent sums up what the turns of a run cost.
type spent struct {
	usage   *executor.Usage
	usd     float64
	unknown bool // the price of a turn is not known
}

// add gives the cost of a turn, and false for one whose provider did not tell what it
// used. It is billed to the model that served it.
func (s *spent) add(a provider.Answer) (executor.Cost, bool) {
	u := a.Usage
	if u == nil {
		s.unknown = s.unknown || a.Model != "" && a.Stop != ""
		return executor.Cost{}, false
	}
	cached := u.CacheRead
	c := executor.Cost{
		Usage: executor.Usage{InputTokens: u.In + u.CacheWrite, OutputTokens: u.Out, CachedInputTokens: &cached},
		Model: &a.Model,
	}
	switch usd, known := pricing.Of(a.Model, pricing.Tokens{In: u.In, Out: u.Out, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite}); {
	case u.CostUSD != nil:
		told := *u.CostUSD
		c.CostUSD = &told
	case known: // by the table, and not because the provider told it
		c.CostUSD, c.Estimated = &usd, true
	default:
		c.Estimated = true
	}
	s.usage = oneshot.AddUsage(s.usage, c.Usage)
	if c.CostUSD == nil {
		s.unknown = true
	} else {
		s.usd += *c.CostUSD
	}
	return c, true
}

// money is the sum of the prices: absent where nothing was told, null where a price is not
// known.
func (s *spent) money() executor.Nullable[float64] {
	switch {
	case s.unknown:
		return executor.Null[float64]()
	case s.usage == nil:
		return executor.Nullable[float64]{}
	}
	return executor.Value(math.Round(s.usd*1e6) / 1e6)
}
