package oneshot

import "github.com/adaptercheck/adaptercheck/contract/executor"

// AddUsage returns the sum of what was spent so far, nil for nothing, and more.
func AddUsage(sum *executor.Usage, more executor.Usage) *executor.Usage {
	total := more
	if sum == nil {
		return &total
	}
	total.InputTokens += sum.InputTokens
	total.OutputTokens += sum.OutputTokens
	if sum.CachedInputTokens != nil {
		cached := *sum.CachedInputTokens
		if more.CachedInputTokens != nil {
			cached += *more.CachedInputTokens
		}
		total.CachedInputTokens = &cached
	}
	return &total
}
