package pi

import (
	"context"

	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/adaptercheck/adaptercheck/internal/boundary"
)

const (
	// RuntimeID is the id of the runtime. A session file does not name it: every Pi is
	// this one.
	RuntimeID = "pi"
	// AdapterName and AdapterVersion are what [Adapter.Identity] says of the code.
	AdapterName    = "adaptercheck-pi"
	AdapterVersion = "0.1.0"
	// CompactionVersion and ContinuationVersion are the versions under which Pi's
	// capabilities are declared.
	CompactionVersion   = "pi-session-compact-v1"
	ContinuationVersion = "pi-openai-responses-continuation-v1"
)

// Adapter is the boundary of one Pi session. It is made by [New] and implements
// [history.Adapter] and [history.EmbeddingPorter].
type Adapter struct {
	boundary  *boundary.Boundary
	entries   int // at most
	sessionID string
	root      string
	trusted   bool
	leaf      string
	model     *history.Model
	embedding history.EmbeddingPort
}

var (
	_ history.Adapter         = (*Adapter)(nil)
	_ history.EmbeddingPorter = (*Adapter)(nil)
)

// Identity names Pi and this code.
func (a *Adapter) Identity() history.Identity {
	return history.Identity{
		RuntimeID:       RuntimeID,
		AdapterName:     AdapterName,
		AdapterVersion:  AdapterVersion,
		ContractVersion: history.ContractVersion,
	}
}

// CapabilityDeclarations gives one declaration per registered capability: what Pi
// can do by itself, and embeddings if a port was given.
func (a *Adapter) CapabilityDeclarations() []history.Declaration {
	embeddings := history.Lacks(history.Embeddings, "no embedding port was given")
	if a.embedding != nil {
		embeddings = history.Supports(history.Embeddings, history.EmbeddingPortVersion)
	}
	return []history.Declaration{
		history.Supports(history.Compaction, CompactionVersion),
		history.Supports(history.ProviderContinuation, ContinuationVersion),
		embeddings,
		history.Lacks(history.LocalKVReuse, "Pi exposes no KV state that could be used again"),
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

// TrustedProjectRoot is the real path of the root given to [New]. It refuses with
// [ErrUntrusted] where the project is not trusted.
func (a *Adapter) TrustedProjectRoot(ctx context.Context) (string, error) {
	if err := a.boundary.Usable(ctx); err != nil {
		return "", err
	}
	if !a.trusted {
		return "", ErrUntrusted
	}
	return a.root, nil
}

// EmbeddingPort is the port given to [New], nil if none was.
func (a *Adapter) EmbeddingPort() history.EmbeddingPort { return a.embedding }

// EnforcePrivacy gives what of a payload may be sent. It refuses with
// [ErrProvider], [ErrPrivacy] or [ErrClosed].
func (a *Adapter) EnforcePrivacy(ctx context.Context, req history.PrivacyRequest) (history.PrivacyResult, error) {
	return a.boundary.EnforcePrivacy(ctx, req)
}

// Complete sends a payload through the transport, once, after the privacy policy.
// Every failure is a fallback; the error is always nil. The session file gets
// nothing of it: what becomes history is up to Pi.
func (a *Adapter) Complete(ctx context.Context, req history.CompletionRequest) (history.CompletionResult, error) {
	return a.boundary.Complete(ctx, req)
}

// Diagnostics lists what happened so far, oldest first, at most
// [history.MaxDiagnostics].
func (a *Adapter) Diagnostics() []history.Diagnostic { return a.boundary.Diagnostics() }

// Shutdown closes the adapter. From then on reads are refused and completions fall
// back. The session file stays as it is; the error is always nil.
func (a *Adapter) Shutdown(ctx context.Context) error { return a.boundary.Shutdown(ctx) }
