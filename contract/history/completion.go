package history

import "context"

// Destination says whether a provider runs on this machine.
type Destination string

// The closed set of destinations. Every provider is remote unless its exact id is
// listed as local.
const (
	Local  Destination = "local"
	Remote Destination = "remote"
)

// PrivacyRequest asks what of a payload may be sent to a provider. Payload is a
// Go value as a decoder makes it: map[string]any, []any, string, numbers, bool,
// nil. Anything else, a cycle included, is hostile and not sent.
type PrivacyRequest struct {
	Provider string
	Payload  any
}

// PrivacyResult is what may be sent.
type PrivacyResult struct {
	// Provider as it was asked for.
	Provider    string
	Destination Destination
	// Payload is what remains; it shares nothing with the request's.
	Payload any
	// Changed: Payload differs from what was asked for.
	Changed bool
	// BlockedBlocks counts pieces that were replaced because of their class.
	BlockedBlocks int
	// SecretRedactions counts secrets that were replaced.
	SecretRedactions int
}

// Summary is the result without its payload.
func (r PrivacyResult) Summary() PrivacySummary {
	return PrivacySummary{r.Provider, r.Destination, r.Changed, r.BlockedBlocks, r.SecretRedactions}
}

// PrivacySummary is the part of a [PrivacyResult] that a completion reports: no
// content.
type PrivacySummary struct {
	Provider         string      `json:"provider"`
	Destination      Destination `json:"destination"`
	Changed          bool        `json:"changed"`
	BlockedBlocks    int         `json:"blockedBlocks"`
	SecretRedactions int         `json:"secretRedactions"`
}

// CompletionRequest asks a provider's model for a completion. Payload is as in
// [PrivacyRequest].
type CompletionRequest struct {
	Provider string
	Model    string
	Payload  any
}

// TransportRequest is what leaves the adapter: a sanitised payload.
type TransportRequest struct {
	Provider    string
	Model       string
	Destination Destination
	Payload     any
}

// Transport carries a completion to a provider and returns the provider's output.
// It is injected; an adapter has no other way out.
type Transport func(ctx context.Context, req TransportRequest) (any, error)

// CompletionStatus says how a completion ended.
type CompletionStatus string

// The closed set of completion states.
const (
	Completed CompletionStatus = "completed"
	Fallback  CompletionStatus = "fallback"
)

// CompletionResult is the answer of Complete. Which fields count depends on
// Status.
type CompletionResult struct {
	Status CompletionStatus

	// Output is what the transport returned; only when completed. It does not
	// become part of the history.
	Output any
	// Privacy says what was done to the payload; nil unless completed.
	Privacy *PrivacySummary
	// LocalKV is nil unless completed through a local KV port.
	LocalKV *LocalKVUse

	// Code says why there is no output; only on fallback, like Reason and Retryable.
	Code FallbackCode
	// Reason is a fixed short text, never the provider's.
	Reason string
	// Retryable: the same request may succeed later.
	Retryable bool
}

// FallbackCode says why a completion fell back.
type FallbackCode string

// The closed set of fallback codes, in the order in which they are tested.
const (
	FallbackClosed    FallbackCode = "adapter-closed"
	FallbackInvalid   FallbackCode = "invalid-request"
	FallbackPrivacy   FallbackCode = "privacy-enforcement-failed"
	FallbackTransport FallbackCode = "transport-failed"
)

// FallbackCodes lists the codes in the order in which they are tested. The caller
// owns the slice.
func FallbackCodes() []FallbackCode {
	return []FallbackCode{FallbackClosed, FallbackInvalid, FallbackPrivacy, FallbackTransport}
}

// Retryable reports whether a completion that fell back with this code may
// succeed later (history#fallback-retryable).
func (c FallbackCode) Retryable() bool { return c == FallbackTransport }

// FallBack is the result of a completion that fell back.
func FallBack(code FallbackCode, reason string) CompletionResult {
	return CompletionResult{Status: Fallback, Code: code, Reason: reason, Retryable: code.Retryable()}
}
