package codex

import "github.com/adaptercheck/adaptercheck/contract/executor"

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
