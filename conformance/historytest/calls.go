package historytest

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/onsi/gomega"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
)

// Every call into the subject goes through one of these: bounded, guarded, and
// with the case's own findings for a hang and a panic.

// get is a call that cannot fail.
func get[V any](ctx context.Context, t *T, f func() V) V {
	return check.Call(ctx, t.C, "", t.Budgets.Call, func(context.Context) (V, error) { return f(), nil })
}

// try is a call that may fail; a hang is a finding all the same.
func try[V any](ctx context.Context, t *T, f func(context.Context) (V, error)) (V, error) {
	v, err := check.Await(ctx, t.C, t.Budgets.Call, f)
	if errors.Is(err, check.ErrHung) {
		t.Hung()
	}
	return v, err
}

// tame turns a panic into an error, for checks that name it.
func tame[V any](f func(context.Context) (V, error)) func(context.Context) (V, error) {
	return func(ctx context.Context) (v V, err error) {
		defer func() {
			switch p := recover().(type) {
			case nil:
			case error:
				err = fmt.Errorf("panic: %w", p)
			default:
				err = fmt.Errorf("panic: %v", p)
			}
		}()
		return f(ctx)
	}
}

func (t *T) identity(ctx context.Context) history.Identity { return get(ctx, t, t.Adapter.Identity) }

func (t *T) declarations(ctx context.Context) []history.Declaration {
	return get(ctx, t, t.Adapter.CapabilityDeclarations)
}

func (t *T) negotiate(ctx context.Context, requests ...history.Request) history.Negotiation {
	return get(ctx, t, func() history.Negotiation { return t.Adapter.NegotiateCapabilities(requests) })
}

func (t *T) diagnostics(ctx context.Context) []history.Diagnostic {
	return get(ctx, t, t.Adapter.Diagnostics)
}

func (t *T) trySnapshot(ctx context.Context) (history.Snapshot, error) {
	return try(ctx, t, t.Adapter.SnapshotHistory)
}

func (t *T) snapshot(ctx context.Context) history.Snapshot {
	s, err := t.trySnapshot(ctx)
	t.NoError(err)
	return s
}

func (t *T) tryRebuild(ctx context.Context) (history.Snapshot, error) {
	return try(ctx, t, t.Adapter.RebuildDerivedState)
}

func (t *T) rebuild(ctx context.Context) history.Snapshot {
	s, err := t.tryRebuild(ctx)
	t.NoError(err)
	return s
}

func (t *T) tryModel(ctx context.Context) (*history.Model, error) {
	return try(ctx, t, t.Adapter.CurrentModel)
}

func (t *T) model(ctx context.Context) *history.Model {
	m, err := t.tryModel(ctx)
	t.NoError(err)
	return m
}

func (t *T) tryRoot(ctx context.Context) (string, error) {
	return try(ctx, t, t.Adapter.TrustedProjectRoot)
}

func (t *T) root(ctx context.Context) string {
	root, err := t.tryRoot(ctx)
	t.NoError(err)
	return root
}

func (t *T) tryEnforce(ctx context.Context, payload any) (history.PrivacyResult, error) {
	return t.tryEnforceFor(ctx, t.Fixture.Model.Provider, payload)
}

func (t *T) tryEnforceFor(ctx context.Context, provider string, payload any) (history.PrivacyResult, error) {
	return try(ctx, t, func(ctx context.Context) (history.PrivacyResult, error) {
		return t.Adapter.EnforcePrivacy(ctx, history.PrivacyRequest{Provider: provider, Payload: payload})
	})
}

func (t *T) enforce(ctx context.Context, payload any) history.PrivacyResult {
	r, err := t.tryEnforce(ctx, payload)
	t.NoError(err)
	return r
}

// request asks the fixture's model for a completion.
func (t *T) request(payload any) history.CompletionRequest {
	return history.CompletionRequest{Provider: t.Fixture.Model.Provider, Model: t.Fixture.Model.ID, Payload: payload}
}

func (t *T) tryComplete(ctx context.Context, payload any) (history.CompletionResult, error) {
	return try(ctx, t, func(ctx context.Context) (history.CompletionResult, error) {
		return t.Adapter.Complete(ctx, t.request(payload))
	})
}

func (t *T) complete(ctx context.Context, payload any) history.CompletionResult {
	r, err := t.tryComplete(ctx, payload)
	t.NoError(err)
	return r
}

func (t *T) tryShutdown(ctx context.Context) error {
	_, err := try(ctx, t, func(ctx context.Context) (struct{}, error) { return struct{}{}, t.Adapter.Shutdown(ctx) })
	return err
}

func (t *T) shutdown(ctx context.Context) { t.NoError(t.tryShutdown(ctx)) }

// alive ends the check unless the adapter does its plain work: a check that looks
// for the absence of something must not be passed by an adapter that does nothing.
func (t *T) alive(ctx context.Context) history.Snapshot {
	s := t.snapshot(ctx)
	if !equalIDs(t.Fixture.Messages, s.Messages) {
		t.require(false, "the snapshot does not hold the messages of the fixture")
	}
	return s
}

// talks ends the check unless the adapter completes a harmless request.
func (t *T) talks(ctx context.Context) {
	before := t.Transport.Count()
	r := t.complete(ctx, t.harmless().Payload)
	if r.Status != history.Completed || t.Transport.Count() != before+1 {
		t.require(false, "a harmless completion does not succeed")
	}
}

// screens ends the check unless the adapter lets a harmless payload through.
func (t *T) screens(ctx context.Context) {
	r := t.enforce(ctx, t.harmless().Payload)
	if r.Destination != history.Remote || r.Payload == nil {
		t.require(false, "a harmless payload for a remote provider is not let through")
	}
}

// require ends the check under the case's own assertion code unless ok.
func (t *T) require(ok bool, why string) {
	t.Expect(ok).To(gomega.BeTrue(), why)
}

// demand ends the check with a code unless ok.
func (t *T) demand(ok bool, code check.Code, format string, args ...any) {
	if !ok {
		t.Fail(code, format, args...)
	}
}

// expect reports a code unless ok, and goes on.
func (t *T) expect(ok bool, code check.Code, format string, args ...any) {
	if !ok {
		t.Notef(code, format, args...)
	}
}

// gather makes n calls at once and waits for all of them.
func gather[V any](ctx context.Context, t *T, n int, f func(ctx context.Context, i int) (V, error)) []V {
	all, err := try(ctx, t, func(ctx context.Context) ([]V, error) {
		out, errs := make([]V, n), make([]error, n)
		var wg sync.WaitGroup
		for i := range n {
			wg.Go(func() {
				out[i], errs[i] = tame(func(ctx context.Context) (V, error) { return f(ctx, i) })(ctx)
			})
		}
		wg.Wait()
		return out, errors.Join(errs...)
	})
	t.NoError(err)
	return all
}
