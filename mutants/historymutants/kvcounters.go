package historymutants

import (
	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
)

// counts makes a subject that reports a local KV port in its own way.
func counts(f func(b built) history.LocalKVDiagnostics) func() check.Subject {
	return hooked(func(b built) hooks {
		return hooks{
			declarations: func(history.Adapter) []history.Declaration {
				return []history.Declaration{history.Supports(history.LocalKVReuse, history.LocalKVPortVersion)}
			},
			kvCounters: func(history.Adapter) history.LocalKVDiagnostics { return f(b) },
		}
	})
}

// recounts makes a subject that changes its counters.
func recounts(change func(d *history.LocalKVDiagnostics)) func() check.Subject {
	return hooked(func(built) hooks {
		return hooks{kvCounters: func(in history.Adapter) history.LocalKVDiagnostics {
			d := in.(history.LocalKVDiagnoser).LocalKVDiagnostics()
			change(&d)
			return d
		}}
	})
}

func kvCounterMutants() []Mutant {
	const numbers, story = "history.capabilities.local-kv-counters", "history.local-kv.counts"
	type counters = history.LocalKVDiagnostics
	version := history.LocalKVDiagnosticsVersion
	return []Mutant{
		{"history-E02", "shows a native handle and the prompt among its counters", numbers, "local-kv-leaks",
			counts(func(b built) counters {
				return counters{Version: "handle 0x7f31; " + b.f.Messages[0].Blocks[0].(history.Text).Text}
			})},
		{"history-kv-version", "does not version its counters", numbers, "local-kv-version-wrong",
			counts(func(built) counters { return counters{} })},
		{"history-kv-counters", "counts below zero", numbers, "local-kv-counter-invalid",
			counts(func(built) counters { return counters{Version: version, Hits: -1} })},
		{"history-kv-count-answers", "counts the requests that were answered", story, "requests-miscounted",
			recounts(func(d *counters) { d.Requests -= d.TransportFailures })},
		{"history-kv-count-eligible", "counts hits alone as eligible", story, "requests-miscounted",
			recounts(func(d *counters) { d.EligibleRequests = d.Hits; d.Requests = d.BypassedRequests + d.Hits })},
		{"history-kv-count-misses", "counts everything but a hit as a miss", story, "outcomes-miscounted",
			recounts(func(d *counters) { d.Misses, d.Rejected, d.Unavailable = d.Misses+d.Rejected+d.Unavailable, 0, 0 })},
		{"history-kv-count-invalid", "counts an answer that makes no sense as a hit", story, "outcomes-miscounted",
			recounts(func(d *counters) { d.Hits, d.Unavailable = d.Hits+d.Unavailable, 0 })},
		{"history-kv-count-replays", "counts the replays that succeeded", story, "replays-miscounted",
			recounts(func(d *counters) { d.FullReplays -= d.TransportFailures })},
		{"history-kv-count-failures", "does not count what failed", story, "replays-miscounted",
			recounts(func(d *counters) { d.TransportFailures = 0 })},
		{"history-kv-count-latency", "counts latencies in seconds", story, "replays-miscounted",
			recounts(func(d *counters) { d.ReplayPrefillLatencyMS /= 1000 })},
		{"history-kv-count-savings", "counts what the context holds as saved", story, "savings-miscounted",
			recounts(func(d *counters) { d.SavedPrefillTokens = d.ContextTokens - d.ReplayPrefillTokens })},
		{"history-kv-count-context", "does not count what the context holds", story, "occupancy-miscounted",
			recounts(func(d *counters) { d.ContextTokens = 0 })},
	}
}
