package history

import "context"

// The optional parts of an adapter, found by type assertion. An adapter whose
// parts are known only at run time implements the interface and returns nil: a nil
// port is none.

// EmbeddingPorter is an adapter with an embedding port.
type EmbeddingPorter interface {
	EmbeddingPort() EmbeddingPort
}

// EmbeddingPort turns texts into vectors.
type EmbeddingPort interface {
	Identity() EmbeddingIdentity
	// Embed gives one vector per text, each of the right length, finite, and not
	// all zero.
	Embed(ctx context.Context, texts []string) ([][]float64, error)
}

// EmbeddingIdentity names an embedding model.
type EmbeddingIdentity struct {
	Provider    string      `json:"provider"`
	Model       string      `json:"model"`
	Dimensions  int         `json:"dimensions"`
	Destination Destination `json:"destination"`
}

// LocalKVPorter is an adapter with a local KV port.
type LocalKVPorter interface {
	LocalKVPort() LocalKVPort
}

// LocalKVPort completes requests on a local runtime that may still hold the KV
// state of a prompt's prefix. No handle to that state crosses the port.
type LocalKVPort interface {
	// TryReuse answers from kept state or says why not. An error counts as
	// [LocalKVUnavailable].
	TryReuse(ctx context.Context, req LocalKVRequest) (LocalKVReuseResult, error)
	// FullReplay answers from the whole payload.
	FullReplay(ctx context.Context, req LocalKVRequest) (LocalKVReplayResult, error)
}

// LocalKVShutdowner is a port that holds something to release. It is called at
// most once, bounded by ctx.
type LocalKVShutdowner interface {
	Shutdown(ctx context.Context) error
}

// LocalKVKey identifies a reusable prefix by hashes alone: lower-case hexadecimal
// SHA-256. Token counts are not part of it.
type LocalKVKey struct {
	// Version is [LocalKVEligibilityVersion].
	Version string `json:"version"`
	// Fingerprint covers the version and all other hashes.
	Fingerprint       string `json:"fingerprint"`
	PrefixHash        string `json:"prefixHash"`
	ProviderModelHash string `json:"providerModelHash"`
	OptionsHash       string `json:"optionsHash"`
	PrivacyHash       string `json:"privacyHash"`
	RuntimeHash       string `json:"runtimeHash"`
}

// LocalKVRequest is a completion that may reuse a prefix. Payload is whole and
// sanitised.
type LocalKVRequest struct {
	Eligibility LocalKVKey
	Provider    string
	Model       string
	Payload     any
	// PrefixTokenCount counts the reusable prefix, ContextTokenCount the whole; the
	// first is never above the second.
	PrefixTokenCount  int64
	ContextTokenCount int64
}

// LocalKVOutcome says what a port made of a request to reuse.
type LocalKVOutcome string

// The closed set of outcomes.
const (
	LocalKVHit         LocalKVOutcome = "hit"
	LocalKVMiss        LocalKVOutcome = "miss"
	LocalKVRejected    LocalKVOutcome = "rejected"
	LocalKVUnavailable LocalKVOutcome = "unavailable"
)

// LocalKVReuseResult answers TryReuse. Only a hit has the other fields.
type LocalKVReuseResult struct {
	Status LocalKVOutcome
	Output any
	// SavedPrefillTokens is from 0 to the request's PrefixTokenCount.
	SavedPrefillTokens int64
	// PrefillLatencyMS is in milliseconds, finite, not negative.
	PrefillLatencyMS float64
}

// LocalKVReplayResult answers FullReplay.
type LocalKVReplayResult struct {
	Output any
	// PrefillTokens is 0 or more and may exceed the request's ContextTokenCount.
	PrefillTokens int64
	// PrefillLatencyMS is in milliseconds, finite, not negative.
	PrefillLatencyMS float64
}

// LocalKVMode says how a completion went through the port.
type LocalKVMode string

// The closed set of modes.
const (
	LocalKVModeHit        LocalKVMode = "hit"
	LocalKVModeFullReplay LocalKVMode = "full-replay"
)

// LocalKVUse is what a completion reports about the port: numbers only.
type LocalKVUse struct {
	Mode                LocalKVMode `json:"mode"`
	PrefixTokens        int64       `json:"prefixTokens"`
	ContextTokens       int64       `json:"contextTokens"`
	SavedPrefillTokens  int64       `json:"savedPrefillTokens"`
	ReplayPrefillTokens int64       `json:"replayPrefillTokens"`
	PrefillLatencyMS    float64     `json:"prefillLatencyMs"`
}

// LocalKVDiagnoser is an adapter that counts what its local KV port did.
type LocalKVDiagnoser interface {
	LocalKVDiagnostics() LocalKVDiagnostics
}

// LocalKVDiagnostics are counters since the start or the last reset. They stop at
// 2^53-1.
type LocalKVDiagnostics struct {
	// Version is [LocalKVDiagnosticsVersion].
	Version string `json:"version"`
	// Requests counts everything, BypassedRequests what was not eligible,
	// EligibleRequests the rest.
	Requests         int64 `json:"requests"`
	BypassedRequests int64 `json:"bypassedRequests"`
	EligibleRequests int64 `json:"eligibleRequests"`
	Hits             int64 `json:"hits"`
	Misses           int64 `json:"misses"`
	Rejected         int64 `json:"rejected"`
	Unavailable      int64 `json:"unavailable"`
	// FullReplays counts replays that were started.
	FullReplays       int64 `json:"fullReplays"`
	TransportFailures int64 `json:"transportFailures"`
	// PrefixTokens and ContextTokens sum over eligible requests; occupancy of the
	// context is never reported as a saving.
	PrefixTokens           int64   `json:"prefixTokens"`
	ContextTokens          int64   `json:"contextTokens"`
	SavedPrefillTokens     int64   `json:"savedPrefillTokens"`
	ReplayPrefillTokens    int64   `json:"replayPrefillTokens"`
	ReplayPrefillLatencyMS float64 `json:"replayPrefillLatencyMs"`
}
