package historymutants_test

import (
	"context"
	"errors"

	"github.com/adaptercheck/adaptercheck/contract/history"
)

// null answers everything with nothing.
type null struct{}

func (null) Identity() history.Identity                    { return history.Identity{} }
func (null) CapabilityDeclarations() []history.Declaration { return nil }
func (null) NegotiateCapabilities([]history.Request) history.Negotiation {
	return history.Negotiation{}
}
func (null) SnapshotHistory(context.Context) (history.Snapshot, error) {
	return history.Snapshot{}, nil
}
func (null) RebuildDerivedState(context.Context) (history.Snapshot, error) {
	return history.Snapshot{}, nil
}
func (null) CurrentModel(context.Context) (*history.Model, error) { return nil, nil }
func (null) TrustedProjectRoot(context.Context) (string, error)   { return "", nil }
func (null) Diagnostics() []history.Diagnostic                    { return nil }
func (null) Shutdown(context.Context) error                       { return nil }
func (null) EnforcePrivacy(context.Context, history.PrivacyRequest) (history.PrivacyResult, error) {
	return history.PrivacyResult{}, nil
}
func (null) Complete(context.Context, history.CompletionRequest) (history.CompletionResult, error) {
	return history.CompletionResult{}, nil
}

// refuser refuses everything that can be refused.
type refuser struct{ null }

var errNo = errors.New("no")

func (refuser) SnapshotHistory(context.Context) (history.Snapshot, error) {
	return history.Snapshot{}, errNo
}
func (refuser) RebuildDerivedState(context.Context) (history.Snapshot, error) {
	return history.Snapshot{}, errNo
}
func (refuser) CurrentModel(context.Context) (*history.Model, error) { return nil, errNo }
func (refuser) TrustedProjectRoot(context.Context) (string, error)   { return "", errNo }
func (refuser) EnforcePrivacy(context.Context, history.PrivacyRequest) (history.PrivacyResult, error) {
	return history.PrivacyResult{}, errNo
}
func (refuser) Complete(context.Context, history.CompletionRequest) (history.CompletionResult, error) {
	return history.FallBack(history.FallbackTransport, "no"), nil
}
