package reference

import (
	"context"
	"errors"

	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/adaptercheck/adaptercheck/reference/privacy"
)

// The reasons of fallbacks. They are fixed and bounded.
const (
	reasonClosed    = "the adapter is closed"
	reasonInvalid   = "the request names no provider or no model"
	reasonPrivacy   = "privacy enforcement failed closed"
	reasonTransport = "the transport failed"
)

// EnforcePrivacy gives what of a payload may be sent. It refuses with
// [privacy.ErrProvider] for a blank provider, [ErrPrivacy] for a payload that
// cannot be looked through, and [ErrClosed].
func (a *Adapter) EnforcePrivacy(ctx context.Context, req history.PrivacyRequest) (history.PrivacyResult, error) {
	if err := a.usable(ctx); err != nil {
		return history.PrivacyResult{}, err
	}
	return a.sanitize(req)
}

func (a *Adapter) sanitize(req history.PrivacyRequest) (history.PrivacyResult, error) {
	res, err := a.privacy.Sanitize(req.Provider, req.Payload)
	if errors.Is(err, privacy.ErrProvider) {
		return history.PrivacyResult{}, privacy.ErrProvider
	}
	if err != nil {
		a.report(history.CodePrivacyFailed)
		return history.PrivacyResult{}, ErrPrivacy
	}
	return history.PrivacyResult{
		Provider:         req.Provider,
		Destination:      res.Destination,
		Payload:          res.Payload,
		Changed:          res.Changed,
		BlockedBlocks:    res.Blocked,
		SecretRedactions: res.Secrets,
	}, nil
}

// Complete sends a payload through the transport, once, after the privacy policy.
// Where a local KV port is enabled and fits, the port completes instead; if that
// fails, the transport gets the whole payload. Every failure is a fallback; the
// error is always nil.
func (a *Adapter) Complete(ctx context.Context, req history.CompletionRequest) (history.CompletionResult, error) {
	if a.isClosed() {
		return history.FallBack(history.FallbackClosed, reasonClosed), nil
	}
	if blank(req.Provider) || blank(req.Model) {
		a.report(history.CodeCompletionInvalid)
		return history.FallBack(history.FallbackInvalid, reasonInvalid), nil
	}
	clean, err := a.sanitize(history.PrivacyRequest{Provider: req.Provider, Payload: req.Payload})
	if err != nil {
		return history.FallBack(history.FallbackPrivacy, reasonPrivacy), nil
	}
	// A shutdown during the long step above must not see its payload leave.
	if a.isClosed() {
		return history.FallBack(history.FallbackClosed, reasonClosed), nil
	}
	summary := clean.Summary()
	if reused, ok := a.reuse(ctx, req, clean); ok {
		return history.CompletionResult{Status: history.Completed, Output: reused.Output, Privacy: &summary, LocalKV: &reused.Use}, nil
	}
	if a.isClosed() {
		return history.FallBack(history.FallbackClosed, reasonClosed), nil
	}
	output, err := a.send(ctx, history.TransportRequest{
		Provider:    req.Provider,
		Model:       req.Model,
		Destination: clean.Destination,
		Payload:     clean.Payload,
	})
	if err != nil {
		a.report(history.CodeTransportFailed)
		return history.FallBack(history.FallbackTransport, reasonTransport), nil
	}
	return history.CompletionResult{Status: history.Completed, Output: output, Privacy: &summary}, nil
}

// send calls the transport. One that panics has failed.
func (a *Adapter) send(ctx context.Context, req history.TransportRequest) (output any, err error) {
	if a.transport == nil {
		return nil, errors.New("no transport")
	}
	defer func() {
		if recover() != nil {
			output, err = nil, errors.New("the transport panicked")
		}
	}()
	return a.transport(ctx, req)
}
