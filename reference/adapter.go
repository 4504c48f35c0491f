package reference

import (
	"context"

	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/adaptercheck/adaptercheck/internal/boundary"
)

// AdapterName and AdapterVersion are what [Adapter.Identity] says of the code.
const (
	AdapterName    = "adaptercheck-jsonl-reference"
	AdapterVersion = "0.1.0"
)

// Adapter is the boundary of one session file. It is made by [New] and implements
// [history.Adapter], [history.EmbeddingPorter], [history.LocalKVPorter] and
// [history.LocalKVDiagnoser].
type Adapter struct {
	boundary  *boundary.Boundary
	limit     bounds
	runtimeID string
	sessionID string
	root      string
	model     *history.Model
	embedding history.EmbeddingPort
	kv        *localKV // nil is none
}

var (
	_ history.Adapter          = (*Adapter)(nil)
	_ history.EmbeddingPorter  = (*Adapter)(nil)
	_ history.LocalKVPorter    = (*Adapter)(nil)
	_ history.LocalKVDiagnoser = (*Adapter)(nil)
)

// Identity names the runtime and this code.
func (a *Adapter) Identity() history.Identity {
	return history.Identity{
		RuntimeID:       a.runtimeID,
		AdapterName:     AdapterName,
		AdapterVersion:  AdapterVersion,
		ContractVersion: history.ContractVersion,
	}
}

// CapabilityDeclarations gives one declaration per registered capability. A port
// that was injected is declared.
func (a *Adapter) CapabilityDeclarations() []history.Declaration {
	embeddings := history.Lacks(history.Embeddings, "no embedding port was given")
	if a.embedding != nil {
		embeddings = history.Supports(history.Embeddings, history.EmbeddingPortVersion)
	}
	kv := history.Lacks(history.LocalKVReuse, "no local KV port was given")
	if a.kv != nil {
		kv = history.Supports(history.LocalKVReuse, a.kv.Version)
	}
	return []history.Declaration{
		history.Lacks(history.Compaction, "the session file is append-only"),
		history.Lacks(history.ProviderContinuation, "every completion sends its whole payload"),
		embeddings,
		kv,
	}
}

// NegotiateCapabilities is [history.Negotiate] over the declarations.
func (a *Adapter) NegotiateCapabilities(requested []history.Request) history.Negotiation {
	return history.Negotiate(a.CapabilityDeclarations(), requested)
}

// CurrentModel is the model given to [New]; nil if none was.
func (a *Adapter) CurrentModel(ctx context.Context) (*history.Model, error) {
	if err := a.boundary.Usable(ctx); err != nil {
		return nil, err
	}
	return a.model.Clone(), nil
}

// TrustedProjectRoot is the real path of the root given to [New].
func (a *Adapter) TrustedProjectRoot(ctx context.Context) (string, error) {
	if err := a.boundary.Usable(ctx); err != nil {
		return "", err
	}
	return a.root, nil
}

// EmbeddingPort is the port given to [New], nil if none was.
func (a *Adapter) EmbeddingPort() history.EmbeddingPort { return a.embedding }

// LocalKVPort is the port given to [New], nil if none was.
func (a *Adapter) LocalKVPort() history.LocalKVPort {
	if a.kv == nil {
		return nil
	}
	return a.kv.Port
}

// EnforcePrivacy gives what of a payload may be sent. It refuses with [ErrProvider]
// for a blank provider, [ErrPrivacy] for a payload that cannot be looked through, and
// [ErrClosed].
func (a *Adapter) EnforcePrivacy(ctx context.Context, req history.PrivacyRequest) (history.PrivacyResult, error) {
	return a.boundary.EnforcePrivacy(ctx, req)
}

// Complete sends a payload through the transport, once, after the privacy policy.
// Where a local KV port is enabled and fits, the port completes instead; if that
// fails, the transport gets the whole payload. Every failure is a fallback; the
// error is always nil.
func (a *Adapter) Complete(ctx context.Context, req history.CompletionRequest) (history.CompletionResult, error) {
	return a.boundary.Complete(ctx, req)
}

// Diagnostics lists what happened so far, oldest first, at most
// [history.MaxDiagnostics].
func (a *Adapter) Diagnostics() []history.Diagnostic { return a.boundary.Diagnostics() }

// Shutdown closes the adapter and the local KV port. From the moment it is called,
// reads are refused and completions fall back; a completion that is already with
// its transport is left to end by itself. A second call waits for the first. The
// session file stays as it is, and what goes wrong with the port is a diagnostic:
// the error is always nil.
func (a *Adapter) Shutdown(ctx context.Context) error { return a.boundary.Shutdown(ctx) }
