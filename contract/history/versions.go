package history

// The versions that a runtime, an adapter and a suite compare. They are matched
// exactly, never as ranges.
const (
	// ContractVersion is what an adapter's [Identity] must name
	// (history#contract-version).
	ContractVersion = "runtime-adapter-v1"
	// SchemaVersion is what a [Snapshot] must name (history#schema-version).
	SchemaVersion = "runtime-history-v1"
	// ConformanceVersion names the suite of seven cases for this contract.
	ConformanceVersion = "runtime-adapter-conformance-v1"
	// SessionFormat is the type in the header line of a JSONL session file.
	SessionFormat = "ds4-runtime-session-v1"
	// LocalKVEligibilityVersion names the rules by which a request may reuse local
	// KV state. It is part of the fingerprint.
	LocalKVEligibilityVersion = "local-kv-eligibility-v1"
	// LocalKVPortVersion names the shape of [LocalKVPort].
	LocalKVPortVersion = "local-kv-runtime-port-v1"
	// LocalKVDiagnosticsVersion names the shape of [LocalKVDiagnostics].
	LocalKVDiagnosticsVersion = "local-kv-diagnostics-v1"
	// EmbeddingPortVersion names the shape of [EmbeddingPort]; an adapter with such
	// a port declares the embeddings capability under it.
	EmbeddingPortVersion = "embedding-port-v1"
)

// The default bounds of the reference runtime. Equal to the bound is allowed.
const (
	// MaxHistoryBytes bounds a session file, in bytes.
	MaxHistoryBytes = 64 << 20
	// MaxHistoryMessages bounds the messages of a session.
	MaxHistoryMessages = 100_000
	// MaxDiagnostics bounds the list an adapter keeps; the oldest is dropped first
	// (history#diagnostics-bounded).
	MaxDiagnostics = 100
	// MaxReasonUnits bounds a capability's reason, in UTF-16 code units
	// (history#reason-bounded).
	MaxReasonUnits = 240
	// MaxVersionUnits bounds a capability's version, in UTF-16 code units.
	MaxVersionUnits = 64
)
