package historytest

import (
	"context"
	"sync"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
)

// kvPort is the local KV port that the suite injects. It keeps what it was asked as
// that was at the moment, and answers as a check plans. The zero value has nothing
// to reuse, replays everything and closes well.
type kvPort struct {
	// shut is how it closes; nil is well.
	shut func() error

	mu       sync.Mutex
	reuse    reuse
	replay   replay
	tried    []history.LocalKVRequest
	replayed []history.LocalKVRequest
	released int
}

// reuse answers a request to reuse; nil has nothing to reuse.
type reuse func(req history.LocalKVRequest) (history.LocalKVReuseResult, error)

// replay answers a request to replay; nil gives an answer of a few tokens.
type replay func(req history.LocalKVRequest) (history.LocalKVReplayResult, error)

// talk is how a port answers both.
type talk struct {
	name   string
	reuse  reuse
	replay replay
}

func (p *kvPort) TryReuse(_ context.Context, req history.LocalKVRequest) (history.LocalKVReuseResult, error) {
	p.mu.Lock()
	p.tried = append(p.tried, asGiven(req))
	answer := p.reuse
	p.mu.Unlock()
	if answer == nil {
		return history.LocalKVReuseResult{Status: history.LocalKVMiss}, nil
	}
	return answer(req)
}

func (p *kvPort) FullReplay(_ context.Context, req history.LocalKVRequest) (history.LocalKVReplayResult, error) {
	p.mu.Lock()
	p.replayed = append(p.replayed, asGiven(req))
	answer := p.replay
	p.mu.Unlock()
	if answer == nil {
		return replayed, nil
	}
	return answer(req)
}

// replayed is what a port answers without a plan.
var replayed = history.LocalKVReplayResult{Output: "replayed", PrefillTokens: 7, PrefillLatencyMS: 0.5}

func (p *kvPort) Shutdown(context.Context) error {
	p.mu.Lock()
	p.released++
	p.mu.Unlock()
	if p.shut != nil {
		return p.shut()
	}
	return nil
}

// asGiven is a request whose payload nobody changes any more.
func asGiven(req history.LocalKVRequest) history.LocalKVRequest {
	req.Payload = copyOf(req.Payload)
	return req
}

// plan says how the port answers from now on, and forgets what it was asked.
func (p *kvPort) plan(reuse reuse, replay replay) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reuse, p.replay, p.tried, p.replayed = reuse, replay, nil, nil
}

// asked lists the requests to reuse and those to replay since the last plan.
func (p *kvPort) asked() (tried, replayed []history.LocalKVRequest) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]history.LocalKVRequest(nil), p.tried...), append([]history.LocalKVRequest(nil), p.replayed...)
}

// calls counts the requests of both kinds since the last plan.
func (p *kvPort) calls() int {
	tried, replayed := p.asked()
	return len(tried) + len(replayed)
}

func (p *kvPort) releases() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.released
}

// says is a port that answers every request to reuse so.
func says(res history.LocalKVReuseResult) reuse {
	return func(history.LocalKVRequest) (history.LocalKVReuseResult, error) { return res, nil }
}

// gives is a port that answers every replay so.
func gives(res history.LocalKVReplayResult) replay {
	return func(history.LocalKVRequest) (history.LocalKVReplayResult, error) { return res, nil }
}

// withKV gives the subject a local KV port to use.
func withKV(_ *T, f *check.Fixture) { f.Ports.LocalKV = &kvPort{} }

// withIdleKV gives the subject a local KV port that is not enabled.
func withIdleKV(_ *T, f *check.Fixture) { f.Ports.IdleLocalKV = &kvPort{} }

// port is the one that the subject may use.
func (t *T) port() *kvPort { return t.Fixture.Ports.LocalKV.(*kvPort) }

// idlePort is the one that it may not use.
func (t *T) idlePort() *kvPort { return t.Fixture.Ports.IdleLocalKV.(*kvPort) }
