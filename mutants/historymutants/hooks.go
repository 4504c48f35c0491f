package historymutants

import (
	"context"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/adaptercheck/adaptercheck/subjects"
)

// hooks say what a mutant does otherwise. Each is given the right adapter beneath
// and may use it; nil leaves the method as it is.
type hooks struct {
	identity     func(in history.Adapter) history.Identity
	declarations func(in history.Adapter) []history.Declaration
	negotiate    func(in history.Adapter, requested []history.Request) history.Negotiation
	snapshot     func(ctx context.Context, in history.Adapter) (history.Snapshot, error)
	rebuild      func(ctx context.Context, in history.Adapter) (history.Snapshot, error)
	model        func(ctx context.Context, in history.Adapter) (*history.Model, error)
	root         func(ctx context.Context, in history.Adapter) (string, error)
	enforce      func(ctx context.Context, in history.Adapter, req history.PrivacyRequest) (history.PrivacyResult, error)
	complete     func(ctx context.Context, in history.Adapter, req history.CompletionRequest) (history.CompletionResult, error)
	diagnostics  func(in history.Adapter) []history.Diagnostic
	shutdown     func(ctx context.Context, in history.Adapter) error
	embedding    func(in history.Adapter) history.EmbeddingPort
	kvCounters   func(in history.Adapter) history.LocalKVDiagnostics
}

// wrapped is the right adapter with hooks.
type wrapped struct {
	history.Adapter
	h hooks
}

func (w wrapped) Identity() history.Identity {
	if w.h.identity != nil {
		return w.h.identity(w.Adapter)
	}
	return w.Adapter.Identity()
}

func (w wrapped) CapabilityDeclarations() []history.Declaration {
	if w.h.declarations != nil {
		return w.h.declarations(w.Adapter)
	}
	return w.Adapter.CapabilityDeclarations()
}

// Without a hook of its own, negotiation follows the declarations, also changed
// ones.
func (w wrapped) NegotiateCapabilities(requested []history.Request) history.Negotiation {
	if w.h.negotiate != nil {
		return w.h.negotiate(w.Adapter, requested)
	}
	return history.Negotiate(w.CapabilityDeclarations(), requested)
}

func (w wrapped) SnapshotHistory(ctx context.Context) (history.Snapshot, error) {
	if w.h.snapshot != nil {
		return w.h.snapshot(ctx, w.Adapter)
	}
	return w.Adapter.SnapshotHistory(ctx)
}

func (w wrapped) RebuildDerivedState(ctx context.Context) (history.Snapshot, error) {
	if w.h.rebuild != nil {
		return w.h.rebuild(ctx, w.Adapter)
	}
	return w.Adapter.RebuildDerivedState(ctx)
}

func (w wrapped) CurrentModel(ctx context.Context) (*history.Model, error) {
	if w.h.model != nil {
		return w.h.model(ctx, w.Adapter)
	}
	return w.Adapter.CurrentModel(ctx)
}

func (w wrapped) TrustedProjectRoot(ctx context.Context) (string, error) {
	if w.h.root != nil {
		return w.h.root(ctx, w.Adapter)
	}
	return w.Adapter.TrustedProjectRoot(ctx)
}

func (w wrapped) EnforcePrivacy(ctx context.Context, req history.PrivacyRequest) (history.PrivacyResult, error) {
	if w.h.enforce != nil {
		return w.h.enforce(ctx, w.Adapter, req)
	}
	return w.Adapter.EnforcePrivacy(ctx, req)
}

func (w wrapped) Complete(ctx context.Context, req history.CompletionRequest) (history.CompletionResult, error) {
	if w.h.complete != nil {
		return w.h.complete(ctx, w.Adapter, req)
	}
	return w.Adapter.Complete(ctx, req)
}

func (w wrapped) Diagnostics() []history.Diagnostic {
	if w.h.diagnostics != nil {
		return w.h.diagnostics(w.Adapter)
	}
	return w.Adapter.Diagnostics()
}

func (w wrapped) Shutdown(ctx context.Context) error {
	if w.h.shutdown != nil {
		return w.h.shutdown(ctx, w.Adapter)
	}
	return w.Adapter.Shutdown(ctx)
}

func (w wrapped) EmbeddingPort() history.EmbeddingPort {
	if w.h.embedding != nil {
		return w.h.embedding(w.Adapter)
	}
	if p, ok := w.Adapter.(history.EmbeddingPorter); ok {
		return p.EmbeddingPort()
	}
	return nil
}

// counting adds the counters of a local KV port, which not every adapter has.
type counting struct{ wrapped }

func (c counting) LocalKVDiagnostics() history.LocalKVDiagnostics { return c.h.kvCounters(c.Adapter) }

// built is everything that a mutant may reach: the fixture that its factory was
// given, and the right instance over it.
type built struct {
	f  check.Fixture
	in *check.HistoryInstance
}

// path is the canonical file.
func (b built) path() string { return b.in.Source.Path() }

// hooked makes a subject whose adapter differs by its hooks. They are made anew
// for every instance, so that they may keep state.
func hooked(make func(b built) hooks) func() check.Subject {
	return refit(func(f check.Fixture, s check.Subject, ctx context.Context) (*check.HistoryInstance, error) {
		in, err := s.History(ctx, f)
		if err != nil {
			return nil, err
		}
		h := make(built{f, in})
		w := wrapped{in.Adapter, h}
		in.Adapter = w
		if h.kvCounters != nil {
			in.Adapter = counting{w}
		}
		return in, nil
	})
}

// refit makes a subject with another factory.
func refit(build func(f check.Fixture, s check.Subject, ctx context.Context) (*check.HistoryInstance, error)) func() check.Subject {
	return func() check.Subject {
		s := subjects.JSONLReference()
		right := s
		s.Name = "mutant"
		s.History = func(ctx context.Context, f check.Fixture) (*check.HistoryInstance, error) {
			return build(f, right, ctx)
		}
		return s
	}
}

// carried makes a subject whose transport is changed: what the right adapter sends
// goes through there first.
func carried(change func(f check.Fixture, next history.Transport) history.Transport) func() check.Subject {
	return refit(func(f check.Fixture, s check.Subject, ctx context.Context) (*check.HistoryInstance, error) {
		f.Transport = change(f, f.Transport)
		return s.History(ctx, f)
	})
}

// snapshots makes a subject that changes each snapshot, read or rebuilt.
func snapshots(change func(s *history.Snapshot)) func() check.Subject {
	return hooked(func(built) hooks {
		read := func(s history.Snapshot, err error) (history.Snapshot, error) {
			if err == nil {
				s = s.Clone()
				change(&s)
			}
			return s, err
		}
		return hooks{
			snapshot: func(ctx context.Context, in history.Adapter) (history.Snapshot, error) {
				return read(in.SnapshotHistory(ctx))
			},
			rebuild: func(ctx context.Context, in history.Adapter) (history.Snapshot, error) {
				return read(in.RebuildDerivedState(ctx))
			},
		}
	})
}

// messages makes a subject that changes each message of each snapshot; the groups
// still fit.
func messages(change func(m *history.Message)) func() check.Subject {
	return snapshots(func(s *history.Snapshot) {
		for i := range s.Messages {
			change(&s.Messages[i])
		}
	})
}

// blocks makes a subject that changes each block of one kind.
func blocks[B history.Block](change func(b *B)) func() check.Subject {
	return messages(func(m *history.Message) {
		for i, b := range m.Blocks {
			if k, ok := b.(B); ok {
				change(&k)
				m.Blocks[i] = k
			}
		}
	})
}
