package codex

import (
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/oneshot"
)

// totals are the running token counts of a thread as the wire tells them: over all
// turns, all processes, and the parent of a fork. Input includes Cached.
type totals struct {
	Input  int64 `json:"input"`
	Cached int64 `json:"cached"`
	Output int64 `json:"output"`
}

// since returns what was spent between two totals, with cached input taken out of
// input. A total that went down belongs to a count that began anew: then all of it
// is new.
func (t totals) since(before totals) executor.Usage {
	if t.Input < before.Input || t.Output < before.Output || t.Cached < before.Cached {
		before = totals{}
	}
	cached := t.Cached - before.Cached
	return executor.Usage{
		InputTokens:       max(0, t.Input-before.Input-cached),
		OutputTokens:      t.Output - before.Output,
		CachedInputTokens: &cached,
	}
}

// spend maps running totals as the wire counts them, each nil where it does not. A
// total that was told before costs nothing again. It reports whether the counts can be.
func (s *story) spend(input, cached, output *int64) ([]executor.Event, bool) {
	now := totals{Input: value(input), Cached: value(cached), Output: value(output)}
	switch {
	case now.Input < 0 || now.Cached < 0 || now.Output < 0:
		return nil, false
	case input == nil && output == nil, now == s.before:
		return nil, true
	}
	delta := now.since(s.before)
	s.before = now
	s.spent = oneshot.AddUsage(s.spent, delta)
	return []executor.Event{executor.Cost{Usage: delta}}, true
}

func value(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}
