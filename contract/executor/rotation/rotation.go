// Package rotation moves a task to a fresh session before the old one's context
// is full: when to do it, what the successor is told, and in which order.
//
//	var mark rotation.Watermark
//	for event := range events {
//		mark.Observe(event)
//	}
//	p := rotation.Default()
//	if rotation.ShouldRotate(mark.Tokens(), caps.ContextWindowTokens, p.Threshold) { … }
//
// It imports the contract only.
package rotation

import "github.com/adaptercheck/adaptercheck/contract/executor"

// Policy says when a host rotates. The zero value never does.
type Policy struct {
	// Threshold is the share of the context window, 1 being all of it, from which
	// on a session is rotated; 0 or less is never.
	Threshold float64
	// MaxRotations is how many times one task may be rotated.
	MaxRotations int
}

// Default is the usual policy: at 85 percent, three times at most.
func Default() Policy { return Policy{Threshold: 0.85, MaxRotations: 3} }

// ShouldRotate reports whether the used tokens have reached the threshold of the
// context window, exactly reaching it included. A window or a threshold of 0 or
// less, or one that is not a number, switches rotation off. A threshold beyond 1
// is taken as it is.
func ShouldRotate(tokensUsed, contextWindow int64, threshold float64) bool {
	if contextWindow <= 0 || threshold <= 0 {
		return false
	}
	return float64(tokensUsed)/float64(contextWindow) >= threshold
}

// ContextTokens is how much of the context window a model call left filled: its
// input, cached or not, plus its output. The two parts of the input do not
// overlap, see [executor.Usage].
func ContextTokens(call executor.Usage) int64 {
	tokens := call.InputTokens + call.OutputTokens
	if call.CachedInputTokens != nil {
		tokens += *call.CachedInputTokens
	}
	return tokens
}

// Watermark follows how full the context of a session is. It is what the last
// model call left, never the run's sum: each call sends the whole context again,
// so a sum grows with the number of calls (executor#pure-helpers). The zero value
// stands for an empty context. It is not for several goroutines at once.
type Watermark struct{ tokens int64 }

// Call notes a model call. A usage of nothing but zeros tells nothing, as no call
// has an empty context, and changes nothing.
func (w *Watermark) Call(usage executor.Usage) {
	if tokens := ContextTokens(usage); tokens > 0 {
		w.tokens = tokens
	}
}

// Observe notes a cost event as a model call and passes over all others: done
// restates sums. It fits adapters that tell the cost of each call; for one that
// tells a run's cost only once, feed Call from elsewhere.
func (w *Watermark) Observe(e executor.Event) {
	if cost, ok := e.(executor.Cost); ok {
		w.Call(cost.Usage)
	}
}

// Tokens is the watermark.
func (w *Watermark) Tokens() int64 { return w.tokens }
