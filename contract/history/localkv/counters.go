package localkv

import (
	"math"
	"sync"

	"github.com/adaptercheck/adaptercheck/contract/history"
)

// counters are numbers and nothing else, so that no prompt and no handle can get
// in. The zero value has counted nothing.
type counters struct {
	mu sync.Mutex
	d  history.LocalKVDiagnostics
}

func (c *counters) change(f func(d *history.LocalKVDiagnostics)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f(&c.d)
}

func (c *counters) bypassed() {
	c.change(func(d *history.LocalKVDiagnostics) {
		add(&d.Requests, 1)
		add(&d.BypassedRequests, 1)
	})
}

func (c *counters) eligible(prefix, context int64) {
	c.change(func(d *history.LocalKVDiagnostics) {
		add(&d.Requests, 1)
		add(&d.EligibleRequests, 1)
		add(&d.PrefixTokens, prefix)
		add(&d.ContextTokens, context)
	})
}

func (c *counters) reuse(r history.LocalKVReuseResult) {
	c.change(func(d *history.LocalKVDiagnostics) {
		switch r.Status {
		case history.LocalKVHit:
			add(&d.Hits, 1)
			add(&d.SavedPrefillTokens, r.SavedPrefillTokens)
		case history.LocalKVMiss:
			add(&d.Misses, 1)
		case history.LocalKVRejected:
			add(&d.Rejected, 1)
		default:
			add(&d.Unavailable, 1)
		}
	})
}

func (c *counters) replaying() {
	c.change(func(d *history.LocalKVDiagnostics) { add(&d.FullReplays, 1) })
}

func (c *counters) replayed(r history.LocalKVReplayResult) {
	c.change(func(d *history.LocalKVDiagnostics) {
		add(&d.ReplayPrefillTokens, r.PrefillTokens)
		addFloat(&d.ReplayPrefillLatencyMS, r.PrefillLatencyMS)
	})
}

func (c *counters) failed() {
	c.change(func(d *history.LocalKVDiagnostics) { add(&d.TransportFailures, 1) })
}

func (c *counters) read() history.LocalKVDiagnostics {
	c.mu.Lock()
	defer c.mu.Unlock()
	d := c.d
	d.Version = history.LocalKVDiagnosticsVersion
	return d
}

func (c *counters) reset() {
	c.change(func(d *history.LocalKVDiagnostics) { *d = history.LocalKVDiagnostics{} })
}

// add stops at the largest safe integer and ignores what would count down.
func add(sum *int64, n int64) {
	if n > 0 {
		*sum += min(n, maxSafeInteger-*sum)
	}
}

func addFloat(sum *float64, n float64) {
	if n > 0 && !math.IsInf(n, 0) {
		*sum = min(*sum+n, maxSafeInteger)
	}
}
