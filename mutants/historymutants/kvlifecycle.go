package historymutants

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
)

// keptKV hides from the adapter that a port can be released.
type keptKV struct{ history.LocalKVPort }

// eagerKV is released whenever it is asked to.
type eagerKV struct{ history.LocalKVPort }

func (p eagerKV) Shutdown(ctx context.Context) error {
	s := p.LocalKVPort.(history.LocalKVShutdowner)
	if err := s.Shutdown(ctx); err != nil {
		return err
	}
	return s.Shutdown(ctx)
}

// closesPort makes a subject that closes its port by itself, in its own way.
func closesPort(shut func(ctx context.Context, in history.Adapter, port history.LocalKVShutdowner) error) func() check.Subject {
	return hooked(func(b built) hooks {
		port, given := b.f.Ports.LocalKV.(history.LocalKVShutdowner)
		if !given {
			return hooks{}
		}
		return hooks{shutdown: func(ctx context.Context, in history.Adapter) error { return shut(ctx, in, port) }}
	})
}

func kvLifecycleMutants() []Mutant {
	const released, failure, closed = "history.lifecycle.port-released", "history.lifecycle.port-failure", "history.lifecycle.port-closed"
	return []Mutant{
		{"history-L13", "never releases the port that it was given", released, "port-not-released",
			ported(func(p *check.Ports) {
				if p.LocalKV != nil {
					p.LocalKV = keptKV{p.LocalKV}
				}
			})},
		{"history-idle-port-kept", "never releases a port that it does not use", released, "port-not-released",
			ported(func(p *check.Ports) {
				if p.IdleLocalKV != nil {
					p.IdleLocalKV = keptKV{p.IdleLocalKV}
				}
			})},
		{"history-port-twice", "releases the port twice", released, "port-released-again",
			ported(func(p *check.Ports) {
				if p.LocalKV != nil {
					p.LocalKV = eagerKV{p.LocalKV}
				}
			})},
		{"history-port-failure", "fails to close when its port does", failure, "port-failure-escaped",
			closesPort(func(ctx context.Context, in history.Adapter, port history.LocalKVShutdowner) error {
				return errors.Join(in.Shutdown(ctx), port.Shutdown(ctx))
			})},
		{"history-port-failure-open", "stays open when its port does not close", failure, "port-failure-left-open",
			closesPort(func(context.Context, history.Adapter, history.LocalKVShutdowner) error { return nil })},
		{"history-port-hang", "waits for its port however long that takes", "history.lifecycle.port-hang", "port-release-hung",
			closesPort(func(ctx context.Context, in history.Adapter, port history.LocalKVShutdowner) error {
				return errors.Join(port.Shutdown(context.WithoutCancel(ctx)), in.Shutdown(ctx))
			})},
		{"history-port-closed-asked", "asks its port what it could do after it was closed", closed, "closed-port-asked", afterClose(false)},
		{"history-port-closed-used", "completes through its port after it was closed", closed, "closed-port-completed", afterClose(true)},
	}
}

// afterClose goes on to ask its port after it was closed, and completes so or not.
func afterClose(completes bool) func() check.Subject {
	return afterwards(func(b built, closed *atomic.Bool) hooks {
		return hooks{complete: func(ctx context.Context, in history.Adapter, req history.CompletionRequest) (history.CompletionResult, error) {
			port := b.f.Ports.LocalKV
			if !closed.Load() || port == nil {
				return in.Complete(ctx, req)
			}
			r, err := port.FullReplay(ctx, history.LocalKVRequest{Provider: req.Provider, Model: req.Model, Payload: req.Payload})
			if err != nil || !completes {
				return in.Complete(ctx, req)
			}
			return history.CompletionResult{Status: history.Completed, Output: r.Output}, nil
		}}
	})
}
