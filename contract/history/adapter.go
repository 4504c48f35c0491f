package history

import (
	"context"
	"slices"
)

// Identity names an adapter and what it adapts. No field is blank
// (history#identity).
type Identity struct {
	RuntimeID       string `json:"runtimeId"`
	AdapterName     string `json:"adapterName"`
	AdapterVersion  string `json:"adapterVersion"`
	ContractVersion string `json:"contractVersion"`
}

// Model describes the selected model as the runtime knows it, never guessed or
// hard-coded by the adapter (history#model).
type Model struct {
	Provider string `json:"provider"`
	ID       string `json:"id"`
	// ContextWindow is in tokens, finite and above zero.
	ContextWindow float64 `json:"contextWindow"`
	// MaxTokens is the longest answer, in tokens.
	MaxTokens Optional[float64] `json:"maxTokens,omitzero"`
	Reasoning Optional[bool]    `json:"reasoning,omitzero"`
	// Input lists the modalities, such as text and image; nil is absent.
	Input []string   `json:"input,omitzero"`
	Cost  *ModelCost `json:"cost,omitzero"`
}

// ModelCost is prices per million tokens.
type ModelCost struct {
	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	CacheRead  float64 `json:"cacheRead"`
	CacheWrite float64 `json:"cacheWrite"`
}

// Clone returns a descriptor that shares nothing with m; nil stays nil.
func (m *Model) Clone() *Model {
	if m == nil {
		return nil
	}
	c := *m
	c.Input = slices.Clone(m.Input)
	if m.Cost != nil {
		cost := *m.Cost
		c.Cost = &cost
	}
	return &c
}

// Adapter is the boundary of one runtime session. All methods may be called from
// several goroutines at once. What a method returns belongs to the caller:
// changing it must not change the next answer.
type Adapter interface {
	// Identity is the same for the life of the adapter.
	Identity() Identity
	// CapabilityDeclarations gives one declaration per registered capability
	// (history#declarations-complete). It never fails, also after Shutdown.
	CapabilityDeclarations() []Declaration
	// NegotiateCapabilities is [Negotiate] over the adapter's declarations. Nothing
	// that it finds is fatal.
	NegotiateCapabilities(requested []Request) Negotiation
	// SnapshotHistory reads the canonical history. A source that is corrupt,
	// invalid, untrusted or of another session is an error; nothing is invented,
	// repaired or taken from an earlier read (history#snapshot-refuses).
	SnapshotHistory(ctx context.Context) (Snapshot, error)
	// RebuildDerivedState drops what the adapter derived and reads again. It never
	// touches canonical files (history#rebuild-preserves).
	RebuildDerivedState(ctx context.Context) (Snapshot, error)
	// CurrentModel is the selected model, nil if none is selected.
	CurrentModel(ctx context.Context) (*Model, error)
	// TrustedProjectRoot is the one directory the session may work in.
	TrustedProjectRoot(ctx context.Context) (string, error)
	// EnforcePrivacy gives what may be sent to a provider. An error means that
	// nothing may be sent (history#privacy-fails-closed).
	EnforcePrivacy(ctx context.Context, req PrivacyRequest) (PrivacyResult, error)
	// Complete sends a payload to a provider through the injected transport, once,
	// after EnforcePrivacy. Failures are answered with a fallback. A non-nil error
	// is a breach of history#complete-never-rejects; the result exists so that an
	// adapter that rejects can be judged.
	Complete(ctx context.Context, req CompletionRequest) (CompletionResult, error)
	// Diagnostics lists what happened so far, oldest first, at most
	// [MaxDiagnostics]. It works after Shutdown too.
	Diagnostics() []Diagnostic
	// Shutdown closes the adapter. It is idempotent. After it, reads are errors and
	// completions fall back (history#shutdown).
	Shutdown(ctx context.Context) error
}
