package verify

import (
	"math"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// The codes of the cost rules.
const (
	MoneyInvalid   Code = "cost-usd-invalid" // not a finite number from 0 up
	UsageInvalid   Code = "usage-invalid"    // a negative count
	EstimatedBlank Code = "cost-estimated-without-amount"
	DoneDisagrees  Code = "done-restates-otherwise" // done does not restate the sum of the costs
)

// Costs: amounts are finite and not negative, counts are not negative
// (executor#cost-numbers).
func Costs(events []executor.Event) []Finding {
	var found []Finding
	for i, e := range events {
		switch e := e.(type) {
		case executor.Cost:
			if e.CostUSD != nil && !validMoney(*e.CostUSD) {
				found = append(found, Finding{MoneyInvalid, i})
			}
			if !validUsage(e.Usage) {
				found = append(found, Finding{UsageInvalid, i})
			}
		case executor.Done:
			if usd, known := e.CostUSD.Get(); known && !validMoney(usd) {
				found = append(found, Finding{MoneyInvalid, i})
			}
			if e.Usage != nil && !validUsage(*e.Usage) {
				found = append(found, Finding{UsageInvalid, i})
			}
		}
	}
	return found
}

func validMoney(usd float64) bool { return !math.IsNaN(usd) && !math.IsInf(usd, 0) && usd >= 0 }

func validUsage(u executor.Usage) bool {
	return u.InputTokens >= 0 && u.OutputTokens >= 0 && (u.CachedInputTokens == nil || *u.CachedInputTokens >= 0)
}

// Spend is the sum of the cost events of a run; an empty run id takes every run.
// The amount is nil if one event's amount is unknown, or there was none.
func Spend(events []executor.Event, run string) (executor.Usage, *float64) {
	var sum executor.Usage
	usd, known, any := 0.0, true, false
	for _, e := range events {
		c, ok := e.(executor.Cost)
		if !ok || (run != "" && c.RunID != run) {
			continue
		}
		any = true
		sum.InputTokens += c.Usage.InputTokens
		sum.OutputTokens += c.Usage.OutputTokens
		if n := c.Usage.CachedInputTokens; n != nil {
			total := *n
			if sum.CachedInputTokens != nil {
				total += *sum.CachedInputTokens
			}
			sum.CachedInputTokens = &total
		}
		if c.CostUSD == nil {
			known = false
		} else {
			usd += *c.CostUSD
		}
	}
	if !any || !known {
		return sum, nil
	}
	return sum, &usd
}
