package memory

import (
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// totals are a session's running totals, so that cumulative numbers become
// increments. They travel in the codec.
type totals struct {
	In  int64   `json:"in"`
	Out int64   `json:"out"`
	USD float64 `json:"usd"`
}

// delta is what a usage frame adds, and false if it adds nothing that is known.
func (t *totals) delta(f fakes.Usage) (executor.Cost, bool) {
	in, out := f.In, f.Out
	if f.Kind == fakes.UsageLast {
		in, out = f.TotalIn, f.TotalOut
	}
	if in == nil && out == nil && f.CostUSD == nil {
		return executor.Cost{}, false
	}
	cost := executor.Cost{Usage: executor.Usage{CachedInputTokens: f.CacheRead}}
	if f.Kind == fakes.UsageTurn || f.Kind == "" {
		cost.Usage.InputTokens, cost.Usage.OutputTokens = value(in), value(out)
		cost.CostUSD = f.CostUSD
		return cost, true
	}
	cost.Usage.InputTokens = since(&t.In, in)
	cost.Usage.OutputTokens = since(&t.Out, out)
	if f.CostUSD != nil {
		usd := max(*f.CostUSD-t.USD, 0)
		t.USD = *f.CostUSD
		cost.CostUSD = &usd
	}
	repeated := cost.Usage.InputTokens == 0 && cost.Usage.OutputTokens == 0 && (cost.CostUSD == nil || *cost.CostUSD == 0)
	return cost, !repeated
}

func value(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

// since moves a running total on and returns by how much. A total that falls has
// begun anew.
func since(total *int64, now *int64) int64 {
	if now == nil {
		return 0
	}
	d := *now - *total
	if d < 0 {
		d = *now
	}
	*total = *now
	return d
}

// spend is the run's sum, which done restates.
type spend struct {
	any     bool
	usage   executor.Usage
	usd     float64
	unknown bool
}

func (s *spend) add(c executor.Cost) {
	s.any = true
	s.usage.InputTokens += c.Usage.InputTokens
	s.usage.OutputTokens += c.Usage.OutputTokens
	if n := c.Usage.CachedInputTokens; n != nil {
		sum := *n + value(s.usage.CachedInputTokens)
		s.usage.CachedInputTokens = &sum
	}
	if c.CostUSD == nil {
		s.unknown = true
		return
	}
	s.usd += *c.CostUSD
}

func (s *spend) money() executor.Nullable[float64] {
	if s.unknown {
		return executor.Null[float64]()
	}
	return executor.Value(s.usd)
}
