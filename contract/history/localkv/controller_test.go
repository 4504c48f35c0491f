package localkv

import (
	"context"
	"errors"
	"math"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/contract/history"
)

// port answers with what it was given and remembers what it was asked.
type port struct {
	reuse    func() (history.LocalKVReuseResult, error)
	replay   func() (history.LocalKVReplayResult, error)
	requests []history.LocalKVRequest
	replays  int
}

func (p *port) TryReuse(_ context.Context, req history.LocalKVRequest) (history.LocalKVReuseResult, error) {
	p.requests = append(p.requests, req)
	return p.reuse()
}

func (p *port) FullReplay(_ context.Context, req history.LocalKVRequest) (history.LocalKVReplayResult, error) {
	p.requests = append(p.requests, req)
	p.replays++
	return p.replay()
}

func hit(saved int64, latency float64) func() (history.LocalKVReuseResult, error) {
	return func() (history.LocalKVReuseResult, error) {
		return history.LocalKVReuseResult{Status: history.LocalKVHit, Output: "kept", SavedPrefillTokens: saved, PrefillLatencyMS: latency}, nil
	}
}

func status(s history.LocalKVOutcome) func() (history.LocalKVReuseResult, error) {
	return func() (history.LocalKVReuseResult, error) { return history.LocalKVReuseResult{Status: s}, nil }
}

func replayed(tokens int64, latency float64) func() (history.LocalKVReplayResult, error) {
	return func() (history.LocalKVReplayResult, error) {
		return history.LocalKVReplayResult{Output: "anew", PrefillTokens: tokens, PrefillLatencyMS: latency}, nil
	}
}

func request() Input {
	in := baseline()
	in.PrefixTokenCount, in.ContextTokenCount = 10, 20
	return in
}

// counted are the counters of one eligible request, with some of them set.
func counted(set func(d *history.LocalKVDiagnostics)) history.LocalKVDiagnostics {
	d := history.LocalKVDiagnostics{
		Version: "local-kv-diagnostics-v1", Requests: 1, EligibleRequests: 1, PrefixTokens: 10, ContextTokens: 20,
	}
	set(&d)
	return d
}

func TestComplete(t *testing.T) {
	probe := errors.New("PROBE")
	isHit := Outcome{Output: "kept", Use: history.LocalKVUse{
		Mode: "hit", PrefixTokens: 10, ContextTokens: 20, SavedPrefillTokens: 10, PrefillLatencyMS: 0.5}}
	isReplay := Outcome{Output: "anew", Use: history.LocalKVUse{
		Mode: "full-replay", PrefixTokens: 10, ContextTokens: 20, ReplayPrefillTokens: 999, PrefillLatencyMS: 0.5}}
	afterReplay := func(set func(d *history.LocalKVDiagnostics)) history.LocalKVDiagnostics {
		return counted(func(d *history.LocalKVDiagnostics) {
			d.FullReplays, d.ReplayPrefillTokens, d.ReplayPrefillLatencyMS = 1, 999, 0.5
			set(d)
		})
	}
	miss := func(d *history.LocalKVDiagnostics) { d.Misses = 1 }
	rejected := func(d *history.LocalKVDiagnostics) { d.Rejected = 1 }
	unavailable := func(d *history.LocalKVDiagnostics) { d.Unavailable = 1 }
	failed := counted(func(d *history.LocalKVDiagnostics) { d.Misses, d.FullReplays, d.TransportFailures = 1, 1, 1 })

	for _, c := range []struct {
		name   string
		reuse  func() (history.LocalKVReuseResult, error)
		replay func() (history.LocalKVReplayResult, error)
		want   Outcome
		err    error
		counts history.LocalKVDiagnostics
	}{
		{"hit", hit(10, 0.5), nil, isHit, nil,
			counted(func(d *history.LocalKVDiagnostics) { d.Hits, d.SavedPrefillTokens = 1, 10 })},
		{"hit without savings", hit(0, 0), nil,
			Outcome{Output: "kept", Use: history.LocalKVUse{Mode: "hit", PrefixTokens: 10, ContextTokens: 20}}, nil,
			counted(func(d *history.LocalKVDiagnostics) { d.Hits = 1 })},
		{"miss", status("miss"), replayed(999, 0.5), isReplay, nil, afterReplay(miss)},
		{"rejected", status("rejected"), replayed(999, 0.5), isReplay, nil, afterReplay(rejected)},
		{"unavailable", status("unavailable"), replayed(999, 0.5), isReplay, nil, afterReplay(unavailable)},
		{"hit that saved more than the prefix", hit(11, 0), replayed(999, 0.5), isReplay, nil, afterReplay(unavailable)},
		{"hit that saved less than nothing", hit(-1, 0), replayed(999, 0.5), isReplay, nil, afterReplay(unavailable)},
		{"hit without a latency", hit(1, math.NaN()), replayed(999, 0.5), isReplay, nil, afterReplay(unavailable)},
		{"hit before it was asked", hit(1, -1), replayed(999, 0.5), isReplay, nil, afterReplay(unavailable)},
		{"hit that never came", hit(1, math.Inf(1)), replayed(999, 0.5), isReplay, nil, afterReplay(unavailable)},
		{"unknown status", status("maybe"), replayed(999, 0.5), isReplay, nil, afterReplay(unavailable)},
		{"no status", status(""), replayed(999, 0.5), isReplay, nil, afterReplay(unavailable)},
		{"error", func() (history.LocalKVReuseResult, error) { return history.LocalKVReuseResult{Status: "hit"}, probe },
			replayed(999, 0.5), isReplay, nil, afterReplay(unavailable)},
		{"panic", func() (history.LocalKVReuseResult, error) { panic(probe) }, replayed(999, 0.5), isReplay, nil, afterReplay(unavailable)},
		{"replay fails", status("miss"), func() (history.LocalKVReplayResult, error) { return history.LocalKVReplayResult{Output: "half"}, probe },
			Outcome{}, probe, failed},
		{"replay panics", status("miss"), func() (history.LocalKVReplayResult, error) { panic("PROBE") }, Outcome{}, ErrReplay, failed},
		{"replay of less than nothing", status("miss"), replayed(-1, 0), Outcome{}, ErrReplay, failed},
		{"replay of too much", status("miss"), replayed(maxSafeInteger+1, 0), Outcome{}, ErrReplay, failed},
		{"replay without a latency", status("miss"), replayed(1, math.NaN()), Outcome{}, ErrReplay, failed},
		{"replay that never came", status("miss"), replayed(1, math.Inf(1)), Outcome{}, ErrReplay, failed},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &port{reuse: c.reuse, replay: c.replay}
			k := NewController(p)
			payload := object{"messages": list{"x"}}
			got, err := k.Complete(t.Context(), request(), payload)
			if !errors.Is(err, c.err) {
				t.Errorf("error %v, want %v", err, c.err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.counts, k.Diagnostics()); diff != "" {
				t.Errorf("counters (-want +got):\n%s", diff)
			}
			key, _ := Eligible(request())
			want := history.LocalKVRequest{Eligibility: key, Provider: "ollama", Model: "m", Payload: payload, PrefixTokenCount: 10, ContextTokenCount: 20}
			for _, req := range p.requests {
				if diff := cmp.Diff(want, req); diff != "" {
					t.Errorf("request (-want +got):\n%s", diff)
				}
			}
			if want := len(p.requests) - 1; p.replays != want || want > 1 {
				t.Errorf("%d requests, %d of them replays", len(p.requests), p.replays)
			}
		})
	}
}

func TestIneligibleTouchesNoPort(t *testing.T) {
	p := &port{}
	k := NewController(p)
	in := request()
	in.Destination = history.Remote
	got, err := k.Complete(t.Context(), in, "x")
	if diff := cmp.Diff(Outcome{Refusal: NonLocalDestination}, got); diff != "" || err != nil || len(p.requests) != 0 {
		t.Errorf("error %v, %d port calls (-want +got):\n%s", err, len(p.requests), diff)
	}
	want := history.LocalKVDiagnostics{Version: "local-kv-diagnostics-v1", Requests: 1, BypassedRequests: 1}
	if diff := cmp.Diff(want, k.Diagnostics()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNoReplayForNobody(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p := &port{reuse: func() (history.LocalKVReuseResult, error) { cancel(); return history.LocalKVReuseResult{}, ctx.Err() }}
	k := NewController(p)
	if _, err := k.Complete(ctx, request(), "x"); !errors.Is(err, context.Canceled) || p.replays != 0 {
		t.Errorf("error %v, %d replays", err, p.replays)
	}
	if d := k.Diagnostics(); d.Unavailable != 1 || d.FullReplays != 0 || d.TransportFailures != 0 {
		t.Errorf("counters %+v", d)
	}
}

func TestCountersAreBounded(t *testing.T) {
	p := &port{reuse: status("miss"), replay: replayed(maxSafeInteger, math.MaxFloat64)}
	k := NewController(p)
	in := request()
	in.PrefixTokenCount, in.ContextTokenCount = maxSafeInteger, maxSafeInteger
	for range 3 {
		if _, err := k.Complete(t.Context(), in, "x"); err != nil {
			t.Fatal(err)
		}
	}
	want := history.LocalKVDiagnostics{
		Version: "local-kv-diagnostics-v1", Requests: 3, EligibleRequests: 3, Misses: 3, FullReplays: 3,
		PrefixTokens: maxSafeInteger, ContextTokens: maxSafeInteger, ReplayPrefillTokens: maxSafeInteger, ReplayPrefillLatencyMS: maxSafeInteger,
	}
	if diff := cmp.Diff(want, k.Diagnostics()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	n, f := int64(5), 5.0
	add(&n, -3)
	addFloat(&f, -3)
	addFloat(&f, math.NaN())
	addFloat(&f, math.Inf(1))
	if n != 5 || f != 5 {
		t.Errorf("counted down to %d and %v", n, f)
	}
}

func TestDiagnosticsAreCopiesAndReset(t *testing.T) {
	k := NewController(&port{reuse: hit(1, 1)})
	if _, err := k.Complete(t.Context(), request(), "x"); err != nil {
		t.Fatal(err)
	}
	d := k.Diagnostics()
	d.Hits = 99
	if k.Diagnostics().Hits != 1 {
		t.Error("the caller's copy is the controller's own")
	}
	k.Reset()
	if diff := cmp.Diff(history.LocalKVDiagnostics{Version: "local-kv-diagnostics-v1"}, k.Diagnostics()); diff != "" {
		t.Errorf("after a reset (-want +got):\n%s", diff)
	}
}

type steady struct{}

func (steady) TryReuse(context.Context, history.LocalKVRequest) (history.LocalKVReuseResult, error) {
	return history.LocalKVReuseResult{Status: history.LocalKVHit, SavedPrefillTokens: 2}, nil
}

func (steady) FullReplay(context.Context, history.LocalKVRequest) (history.LocalKVReplayResult, error) {
	return history.LocalKVReplayResult{}, nil
}

func TestConcurrentRequestsAreAllCounted(t *testing.T) {
	k := NewController(steady{})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				if _, err := k.Complete(t.Context(), request(), "x"); err != nil {
					t.Error(err)
				}
				k.Diagnostics()
			}
		})
	}
	wg.Wait()
	if d := k.Diagnostics(); d.Requests != 800 || d.Hits != 800 || d.SavedPrefillTokens != 1600 {
		t.Errorf("counters %+v", d)
	}
}

func BenchmarkController(b *testing.B) {
	k := NewController(steady{})
	for b.Loop() {
		if _, err := k.Complete(b.Context(), request(), nil); err != nil {
			b.Fatal(err)
		}
	}
}
