package history

import (
	"crypto/sha256"
	"encoding/hex"
)

// Snapshot is a runtime's history as an adapter sees it: complete, in order, and
// owned by the caller.
type Snapshot struct {
	// SchemaVersion is the constant [SchemaVersion].
	SchemaVersion string `json:"schemaVersion"`
	RuntimeID     string `json:"runtimeId"`
	SessionID     string `json:"sessionId"`
	// Revision is equal for the same canonical history and different for another
	// (history#revision); [RevisionOf] makes one from a file's bytes.
	Revision string `json:"revision"`
	// ProjectRoot is the one trusted root, never broadened (history#trusted-root).
	ProjectRoot string    `json:"projectRoot"`
	Messages    []Message `json:"messages"`
	// ToolAtomicGroups is what [AtomicGroups] makes of Messages.
	ToolAtomicGroups []AtomicGroup `json:"toolAtomicGroups"`
}

// AtomicGroup is a set of messages that may only be kept or dropped together,
// since tool calls and their results bind them. The order of its JSON fields is
// part of the contract.
type AtomicGroup struct {
	// ID depends on MessageIDs alone.
	ID string `json:"id"`
	// MessageIDs in the order of the history.
	MessageIDs []string `json:"messageIds"`
	// ToolCallIDs of all calls and results in the group, each once, in the order of
	// their UTF-16 code units.
	ToolCallIDs []string `json:"toolCallIds"`
	// Complete: every call has exactly one occurrence and at least one result.
	Complete bool `json:"complete"`
}

// PendingWrite is the revision of a history that is validated before it is
// written and so has no revision yet.
const PendingWrite = "pending-write"

// RevisionOf is the revision of a source that is a string of bytes: its SHA-256
// in lower-case hexadecimal. It hashes the bytes, not the text they decode to, so
// that two sources that differ in a broken character have two revisions.
func RevisionOf(source []byte) string {
	sum := sha256.Sum256(source)
	return hex.EncodeToString(sum[:])
}
