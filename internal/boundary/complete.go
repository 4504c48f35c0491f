package boundary

import (
	"context"
	"errors"

	"github.com/adaptercheck/adaptercheck/contract/history"
)

// The reasons of fallbacks. They are fixed and bounded.
const (
	reasonClosed    = "the adapter is closed"
	reasonInvalid   = "the request names no provider or no model"
	reasonPrivacy   = "privacy enforcement failed closed"
	reasonTransport = "the transport failed"
)

// EnforcePrivacy gives what of a payload may be sent. It refuses with
// [ErrProvider] for a blank provider, [ErrPrivacy] where the policy refuses,
// panics or is not there, and [ErrClosed].
func (b *Boundary) EnforcePrivacy(ctx context.Context, req history.PrivacyRequest) (history.PrivacyResult, error) {
	if err := b.Usable(ctx); err != nil {
		return history.PrivacyResult{}, err
	}
	return b.screen(ctx, req)
}

// screen applies the policy. Its own error may quote the payload and is not passed
// on.
func (b *Boundary) screen(ctx context.Context, req history.PrivacyRequest) (history.PrivacyResult, error) {
	if Blank(req.Provider) {
		return history.PrivacyResult{}, ErrProvider
	}
	res, err := b.enforce(ctx, req)
	if err != nil {
		b.Report(history.CodePrivacyFailed)
		return history.PrivacyResult{}, ErrPrivacy
	}
	return res, nil
}

func (b *Boundary) enforce(ctx context.Context, req history.PrivacyRequest) (res history.PrivacyResult, err error) {
	if b.privacy == nil {
		return history.PrivacyResult{}, errors.New("no policy")
	}
	defer func() {
		if recover() != nil {
			res, err = history.PrivacyResult{}, errors.New("the policy panicked")
		}
	}()
	res, err = b.privacy.Enforce(ctx, req.Provider, req.Payload)
	if err == nil && res.Destination != history.Local && res.Destination != history.Remote {
		err = errors.New("the policy names no destination")
	}
	return res, err
}

// Complete sends a payload to its provider, once, after the privacy policy: through
// [Options.Reuse] where that completes it, else through the transport. Every failure
// is a fallback; the error is always nil (history#complete-never-rejects).
func (b *Boundary) Complete(ctx context.Context, req history.CompletionRequest) (history.CompletionResult, error) {
	if b.Closed() {
		return history.FallBack(history.FallbackClosed, reasonClosed), nil
	}
	if Blank(req.Provider) || Blank(req.Model) {
		b.Report(history.CodeCompletionInvalid)
		return history.FallBack(history.FallbackInvalid, reasonInvalid), nil
	}
	clean, err := b.screen(ctx, history.PrivacyRequest{Provider: req.Provider, Payload: req.Payload})
	if err != nil {
		return history.FallBack(history.FallbackPrivacy, reasonPrivacy), nil
	}
	// A shutdown during the long step above must not see its payload leave.
	if b.Closed() {
		return history.FallBack(history.FallbackClosed, reasonClosed), nil
	}
	summary := clean.Summary()
	send := history.TransportRequest{
		Provider:    req.Provider,
		Model:       req.Model,
		Destination: clean.Destination,
		Payload:     clean.Payload,
	}
	if b.reuse != nil {
		if output, use, ok := b.reuse(ctx, send); ok {
			return history.CompletionResult{Status: history.Completed, Output: output, Privacy: &summary, LocalKV: &use}, nil
		}
		if b.Closed() {
			return history.FallBack(history.FallbackClosed, reasonClosed), nil
		}
	}
	output, err := b.send(ctx, send)
	if err != nil {
		b.Report(history.CodeTransportFailed)
		return history.FallBack(history.FallbackTransport, reasonTransport), nil
	}
	return history.CompletionResult{Status: history.Completed, Output: output, Privacy: &summary}, nil
}

// send calls the transport. One that panics has failed.
func (b *Boundary) send(ctx context.Context, req history.TransportRequest) (output any, err error) {
	if b.transport == nil {
		return nil, errors.New("no transport")
	}
	defer func() {
		if recover() != nil {
			output, err = nil, errors.New("the transport panicked")
		}
	}()
	return b.transport(ctx, req)
}
