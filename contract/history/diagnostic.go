package history

// Severity weighs a [Diagnostic].
type Severity string

// The closed set of severities.
const (
	Info    Severity = "info"
	Warning Severity = "warning"
	Failure Severity = "error"
)

// DiagnosticCode names what a diagnostic reports.
type DiagnosticCode string

// The closed set of diagnostic codes.
const (
	// From negotiation; the severity depends on the request.
	CodeDeclarationInvalid    DiagnosticCode = "capability-declaration-invalid"
	CodeCapabilityUnsupported DiagnosticCode = "capability-unsupported"
	// From an adapter at work.
	CodeHistoryReadFailed       DiagnosticCode = "canonical-history-read-failed"
	CodeHistoryIdentityMismatch DiagnosticCode = "canonical-history-identity-mismatch"
	CodeHistoryInvalid          DiagnosticCode = "canonical-history-invalid"
	CodeDerivedStateRebuilt     DiagnosticCode = "derived-state-rebuilt"
	CodePrivacyFailed           DiagnosticCode = "privacy-enforcement-failed"
	CodeCompletionInvalid       DiagnosticCode = "completion-request-invalid"
	CodeTransportFailed         DiagnosticCode = "completion-transport-failed"
	CodeLocalKVReplayFailed     DiagnosticCode = "local-kv-replay-failed"
	CodeLocalKVShutdownFailed   DiagnosticCode = "local-kv-shutdown-failed"
	CodeAdapterClosed           DiagnosticCode = "adapter-closed"
)

// DiagnosticCodes lists the codes: the two of negotiation first, then those of an
// adapter at work. The caller owns the slice.
func DiagnosticCodes() []DiagnosticCode {
	return []DiagnosticCode{
		CodeDeclarationInvalid, CodeCapabilityUnsupported,
		CodeHistoryReadFailed, CodeHistoryIdentityMismatch, CodeHistoryInvalid,
		CodeDerivedStateRebuilt, CodePrivacyFailed, CodeCompletionInvalid,
		CodeTransportFailed, CodeLocalKVReplayFailed, CodeLocalKVShutdownFailed,
		CodeAdapterClosed,
	}
}

// Severity is the weight that the contract gives to the code, and empty for the
// two codes of negotiation, whose weight depends on the request, and for codes
// outside the set (history#diagnostic-severity).
func (c DiagnosticCode) Severity() Severity {
	switch c {
	case CodeHistoryReadFailed, CodeHistoryIdentityMismatch, CodeHistoryInvalid, CodePrivacyFailed:
		return Failure
	case CodeCompletionInvalid, CodeTransportFailed, CodeLocalKVReplayFailed, CodeLocalKVShutdownFailed:
		return Warning
	case CodeDerivedStateRebuilt, CodeAdapterClosed:
		return Info
	}
	return ""
}

// Diagnostic reports something that went wrong or is worth knowing. It is
// metadata: no prompt, history, tool data, path, credential or provider output
// (history#diagnostics-metadata).
type Diagnostic struct {
	Code     DiagnosticCode `json:"code"`
	Severity Severity       `json:"severity"`
	Message  string         `json:"message"`
	// Capability that it is about; empty is none.
	Capability Capability `json:"capability,omitzero"`
}
