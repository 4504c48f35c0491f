package historymutants

import (
	"context"
	"sync"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
)

// ported makes a subject whose factory changes the ports that it is given.
func ported(change func(p *check.Ports)) func() check.Subject {
	return refit(func(f check.Fixture, s check.Subject, ctx context.Context) (*check.HistoryInstance, error) {
		change(&f.Ports)
		return s.History(ctx, f)
	})
}

// meddling is a port that another one stands behind; nil passes on.
type meddling struct {
	history.LocalKVPort
	reuse  func(ctx context.Context, next history.LocalKVPort, req history.LocalKVRequest) (history.LocalKVReuseResult, error)
	replay func(ctx context.Context, next history.LocalKVPort, req history.LocalKVRequest) (history.LocalKVReplayResult, error)
}

func (m meddling) TryReuse(ctx context.Context, req history.LocalKVRequest) (history.LocalKVReuseResult, error) {
	if m.reuse == nil {
		return m.LocalKVPort.TryReuse(ctx, req)
	}
	return m.reuse(ctx, m.LocalKVPort, req)
}

func (m meddling) FullReplay(ctx context.Context, req history.LocalKVRequest) (history.LocalKVReplayResult, error) {
	if m.replay == nil {
		return m.LocalKVPort.FullReplay(ctx, req)
	}
	return m.replay(ctx, m.LocalKVPort, req)
}

func (m meddling) Shutdown(ctx context.Context) error {
	return m.LocalKVPort.(history.LocalKVShutdowner).Shutdown(ctx)
}

// meddled makes a subject that has something between itself and its port.
func meddled(make func() meddling) func() check.Subject {
	return ported(func(p *check.Ports) {
		if p.LocalKV != nil {
			m := make()
			m.LocalKVPort = p.LocalKV
			p.LocalKV = m
		}
	})
}

// asks makes a subject that asks its port for something else.
func asks(change func(req *history.LocalKVRequest)) func() check.Subject {
	return meddled(func() meddling {
		return meddling{
			reuse: func(ctx context.Context, next history.LocalKVPort, req history.LocalKVRequest) (history.LocalKVReuseResult, error) {
				change(&req)
				return next.TryReuse(ctx, req)
			},
			replay: func(ctx context.Context, next history.LocalKVPort, req history.LocalKVRequest) (history.LocalKVReplayResult, error) {
				change(&req)
				return next.FullReplay(ctx, req)
			},
		}
	})
}

// said is what a port was asked and what it answered.
type said struct {
	asked     history.LocalKVRequest
	reuse     history.LocalKVReuseResult
	reuseErr  error
	replay    history.LocalKVReplayResult
	replayErr error
	replayed  bool
}

// heard keeps what a port said last.
type heard struct {
	mu sync.Mutex
	said
}

func (h *heard) tryReuse(ctx context.Context, next history.LocalKVPort, req history.LocalKVRequest) (history.LocalKVReuseResult, error) {
	r, err := next.TryReuse(ctx, req)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asked, h.reuse, h.reuseErr = req, r, err
	return r, err
}

func (h *heard) fullReplay(ctx context.Context, next history.LocalKVPort, req history.LocalKVRequest) (history.LocalKVReplayResult, error) {
	r, err := next.FullReplay(ctx, req)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.replay, h.replayErr, h.replayed = r, err, true
	return r, err
}

// last is what was said so far.
func (h *heard) last() said {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.said
}

// forget begins a completion.
func (h *heard) forget() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.said = said{}
}

// sender is a transport that knows what was heard of the port.
type sender func(ctx context.Context, h *heard, next history.Transport, req history.TransportRequest) (any, error)

// overheard makes a subject that listens to its port, with hooks, and with a
// transport unless that is nil.
func overheard(send sender, make func(b built, h *heard) hooks) func() check.Subject {
	return refit(func(f check.Fixture, s check.Subject, ctx context.Context) (*check.HistoryInstance, error) {
		h := &heard{}
		given := f
		if f.Ports.LocalKV != nil {
			f.Ports.LocalKV = meddling{f.Ports.LocalKV, h.tryReuse, h.fullReplay}
		}
		if send != nil {
			f.Transport = func(ctx context.Context, req history.TransportRequest) (any, error) {
				return send(ctx, h, given.Transport, req)
			}
		}
		in, err := s.History(ctx, f)
		if err != nil {
			return nil, err
		}
		w := wrapped{in.Adapter, make(built{given, in}, h)}
		in.Adapter = w
		if w.h.kvCounters != nil {
			in.Adapter = counting{w}
		}
		return in, nil
	})
}

// heeds makes a subject that does something more with a completion once it has heard
// what the port said.
func heeds(change func(ctx context.Context, b built, s said, r *history.CompletionResult) error) func() check.Subject {
	return overheard(nil, func(b built, h *heard) hooks {
		return hooks{complete: func(ctx context.Context, in history.Adapter, req history.CompletionRequest) (history.CompletionResult, error) {
			h.forget()
			r, err := in.Complete(ctx, req)
			if err == nil {
				err = change(ctx, b, h.last(), &r)
			}
			return r, err
		}}
	})
}
