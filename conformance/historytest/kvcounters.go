package historytest

import (
	"context"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/adaptercheck/adaptercheck/fakes"
)

func kvCounterChecks() []check.Check {
	return []check.Check{
		// The counters of a local KV port are numbers under a known version.
		{
			ID: "history.capabilities.local-kv-counters", Case: "capabilities", Clause: "history#local-kv-counters",
			Level: check.Must, Provenance: check.Stated, Needs: []check.Feature{fakes.Ports},
			Codes: codes("local-kv-version-wrong", "local-kv-leaks", "local-kv-counter-invalid"),
			Title: "reports its local KV port in numbers alone",
			Run: with(func(ctx context.Context, t *T) {
				t.alive(ctx)
				if !t.supports(ctx, history.LocalKVReuse) {
					t.Unobserved(fakes.Ports)
				}
				p := t.private()
				t.complete(ctx, p.Payload)
				got := t.counters(ctx)
				t.expect(got.Version == history.LocalKVDiagnosticsVersion, "local-kv-version-wrong", "got %q", got.Version)
				if s, leak := found(texts(got), append(append(p.Private, p.Public...), t.contents()...)); leak {
					t.Notef("local-kv-leaks", "%q", s)
				}
				for _, n := range []int64{got.Requests, got.BypassedRequests, got.EligibleRequests, got.Hits, got.Misses, got.Rejected, got.Unavailable, got.FullReplays, got.TransportFailures, got.SavedPrefillTokens} {
					t.expect(n >= 0, "local-kv-counter-invalid", "%d", n)
				}
				t.expect(got.Requests == got.BypassedRequests+got.EligibleRequests, "local-kv-counter-invalid", "%+v", got)
			}, withKV),
		},
		// They say what the port was asked and what came of it. What is merely occupied is
		// not saved.
		{
			ID: "history.local-kv.counts", Case: "capabilities", Clause: "history#local-kv-counts",
			Level: check.Must, Provenance: check.Stated, Needs: []check.Feature{fakes.Ports},
			Codes: codes("requests-miscounted", "outcomes-miscounted", "replays-miscounted", "savings-miscounted", "occupancy-miscounted"),
			Title: "counts what its local KV port was asked and what came of it",
			Run: with(func(ctx context.Context, t *T) {
				local := t.reusing(ctx)
				before := t.counters(ctx)
				want := t.story(ctx, local)
				got := t.counters(ctx)
				since := func(of func(d history.LocalKVDiagnostics) int64) int64 { return of(got) - of(before) }
				same := func(code check.Code, name string, of func(d history.LocalKVDiagnostics) int64) {
					t.expect(since(of) == of(want), code, "%s: %d, want %d", name, since(of), of(want))
				}
				same("requests-miscounted", "eligible", func(d history.LocalKVDiagnostics) int64 { return d.EligibleRequests })
				same("requests-miscounted", "requests that were not bypassed", func(d history.LocalKVDiagnostics) int64 { return d.Requests - d.BypassedRequests })
				same("outcomes-miscounted", "hits", func(d history.LocalKVDiagnostics) int64 { return d.Hits })
				same("outcomes-miscounted", "misses", func(d history.LocalKVDiagnostics) int64 { return d.Misses })
				same("outcomes-miscounted", "rejected", func(d history.LocalKVDiagnostics) int64 { return d.Rejected })
				same("outcomes-miscounted", "unavailable", func(d history.LocalKVDiagnostics) int64 { return d.Unavailable })
				same("replays-miscounted", "replays", func(d history.LocalKVDiagnostics) int64 { return d.FullReplays })
				same("replays-miscounted", "failures", func(d history.LocalKVDiagnostics) int64 { return d.TransportFailures })
				same("replays-miscounted", "tokens", func(d history.LocalKVDiagnostics) int64 { return d.ReplayPrefillTokens })
				latency := got.ReplayPrefillLatencyMS - before.ReplayPrefillLatencyMS
				t.expect(latency == want.ReplayPrefillLatencyMS, "replays-miscounted", "latency: %v", latency)
				same("savings-miscounted", "saved", func(d history.LocalKVDiagnostics) int64 { return d.SavedPrefillTokens })
				same("occupancy-miscounted", "prefix", func(d history.LocalKVDiagnostics) int64 { return d.PrefixTokens })
				same("occupancy-miscounted", "context", func(d history.LocalKVDiagnostics) int64 { return d.ContextTokens })
			}, withKV),
		},
	}
}

// counters are those of the adapter, which not every one has.
func (t *T) counters(ctx context.Context) history.LocalKVDiagnostics {
	counted, ok := t.Adapter.(history.LocalKVDiagnoser)
	if !ok {
		t.Unobserved(fakes.Ports)
	}
	return get(ctx, t, counted.LocalKVDiagnostics)
}

// story completes one request of every fate and tells what there is to count.
func (t *T) story(ctx context.Context, local string) (want history.LocalKVDiagnostics) {
	hit := func(req history.LocalKVRequest) (history.LocalKVReuseResult, error) {
		want.Hits++
		want.SavedPrefillTokens += req.PrefixTokenCount / 2
		return history.LocalKVReuseResult{Status: history.LocalKVHit, Output: "kept", SavedPrefillTokens: req.PrefixTokenCount / 2}, nil
	}
	other := func(status history.LocalKVOutcome, n *int64) reuse {
		return func(history.LocalKVRequest) (history.LocalKVReuseResult, error) {
			*n++
			return history.LocalKVReuseResult{Status: status}, nil
		}
	}
	unavailable := func(how reuse) reuse {
		return func(req history.LocalKVRequest) (history.LocalKVReuseResult, error) {
			want.Unavailable++
			return how(req)
		}
	}
	works := func(history.LocalKVRequest) (history.LocalKVReplayResult, error) {
		want.FullReplays++
		want.ReplayPrefillTokens += replayed.PrefillTokens
		want.ReplayPrefillLatencyMS += replayed.PrefillLatencyMS
		return replayed, nil
	}
	fails := func(req history.LocalKVRequest) (history.LocalKVReplayResult, error) {
		want.FullReplays++
		want.TransportFailures++
		return invalidReplays[0].replay(req)
	}
	steps := []talk{
		{"hit", hit, works}, {"miss", other(history.LocalKVMiss, &want.Misses), works}, {"rejected", other(history.LocalKVRejected, &want.Rejected), works},
		{"unavailable", other(history.LocalKVUnavailable, &want.Unavailable), works}, {"hit", hit, works}, {"miss", other(history.LocalKVMiss, &want.Misses), fails},
	}
	for _, bad := range invalidReuses {
		steps = append(steps, talk{bad.name, unavailable(bad.reuse), works})
	}
	for _, s := range steps {
		t.port().plan(s.reuse, s.replay)
		t.on(ctx, local, t.dialogue())
		tried, _ := t.port().asked()
		for _, req := range tried {
			want.Requests++
			want.EligibleRequests++
			want.PrefixTokens += req.PrefixTokenCount
			want.ContextTokens += req.ContextTokenCount
		}
	}
	// Whether what goes past the port is counted is open; it is not counted as more.
	t.on(ctx, t.Fixture.Model.Provider, t.dialogue())
	return want
}
