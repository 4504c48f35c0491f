package history

// IssueCode names what is wrong, or worth knowing, about a snapshot.
type IssueCode string

// The closed set of codes that [Validate] gives, in the order of its tests.
const (
	IssueSchemaIncompatible  IssueCode = "history-schema-incompatible"
	IssueIdentityInvalid     IssueCode = "history-identity-invalid"
	IssueRootMissing         IssueCode = "trusted-project-root-missing"
	IssueMessageIDDuplicate  IssueCode = "history-message-id-duplicate"
	IssueMessageIDMissing    IssueCode = "history-message-id-missing"
	IssueProvenanceInvalid   IssueCode = "history-provenance-invalid"
	IssueCallIdentityInvalid IssueCode = "tool-call-identity-invalid"
	IssueResultOrphaned      IssueCode = "tool-result-orphaned"
	IssueGroupInvalid        IssueCode = "tool-atomic-group-invalid"
	IssueGroupMessageMissing IssueCode = "tool-atomic-message-missing"
	IssueGroupMessageOverlap IssueCode = "tool-atomic-message-overlap"
	IssueGroupCallOverlap    IssueCode = "tool-atomic-call-overlap"
	IssueGroupMissing        IssueCode = "tool-atomic-group-missing"
	IssueGroupMismatch       IssueCode = "tool-atomic-group-mismatch"
	IssueGroupCallUnknown    IssueCode = "tool-atomic-call-unknown"
)

// The closed set of codes that [Advise] gives.
const (
	AdviceResultBeforeCall     IssueCode = "tool-result-before-call"
	AdviceResultRepeated       IssueCode = "tool-result-repeated"
	AdviceResultNameMismatched IssueCode = "tool-result-name-mismatch"
)

// IssueCodes lists the codes of [Validate] in the order of its tests. The caller
// owns the slice.
func IssueCodes() []IssueCode {
	return []IssueCode{
		IssueSchemaIncompatible, IssueIdentityInvalid, IssueRootMissing,
		IssueMessageIDDuplicate, IssueMessageIDMissing, IssueProvenanceInvalid,
		IssueCallIdentityInvalid, IssueResultOrphaned,
		IssueGroupInvalid, IssueGroupMessageMissing, IssueGroupMessageOverlap,
		IssueGroupCallOverlap, IssueGroupMissing, IssueGroupMismatch, IssueGroupCallUnknown,
	}
}

// AdviceCodes lists the codes of [Advise]. The caller owns the slice.
func AdviceCodes() []IssueCode {
	return []IssueCode{AdviceResultBeforeCall, AdviceResultRepeated, AdviceResultNameMismatched}
}

// Issue is one finding about a snapshot. It holds no text of the history but ids.
type Issue struct {
	Code IssueCode `json:"code"`
	// MessageID is empty where the code is not about one message, or the message has
	// no id.
	MessageID string `json:"messageId,omitzero"`
	// ToolCallID is empty where the code is not about one call, or the call has no
	// id.
	ToolCallID string `json:"toolCallId,omitzero"`
}
