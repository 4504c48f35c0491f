package history

import "slices"

// Role says who speaks in a message.
type Role string

// The closed set of roles.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	Tool      Role = "tool"
	Custom    Role = "custom"
)

// Roles lists the roles in the order of the contract. The caller owns the slice.
func Roles() []Role { return []Role{System, User, Assistant, Tool, Custom} }

// Source says which kind of native history a message comes from.
type Source string

// The closed set of sources.
const (
	PiSession      Source = "pi-session"
	RuntimeSession Source = "runtime-session"
)

// Member is one field that the contract does not know.
type Member struct {
	Name  string
	Value JSON
}

// Members are the unknown fields of an object, in their order. They are written
// after the known ones.
type Members []Member

// Get returns the value under a name, and false if there is none.
func (ms Members) Get(name string) (JSON, bool) {
	for _, m := range ms {
		if m.Name == name {
			return m.Value, true
		}
	}
	return "", false
}

// Clone returns a list that shares nothing with ms. Nil stays nil.
func (ms Members) Clone() Members { return slices.Clone(ms) }

// Message is one canonical message. By convention its ID is the session id, a
// colon and the entry id; nothing depends on that.
type Message struct {
	// ID is unique within the history and not blank (history#message-identity).
	ID string
	// SourceEntryID is the id of the native entry, the same as in Provenance.
	SourceEntryID string
	Role          Role
	// Blocks in their order; nil is written as an empty list.
	Blocks []Block
	// CreatedAt is the native time, usually milliseconds since the epoch.
	CreatedAt Optional[float64]
	// Provider that wrote the message.
	Provider Optional[string]
	// Model that wrote the message.
	Model      Optional[string]
	Provenance Provenance
	// TokenEstimate is the estimated size, in tokens.
	TokenEstimate Optional[float64]
	Flags         Flags
	Extra         Members
}

// Provenance says where a message comes from (history#provenance).
type Provenance struct {
	Source    Source
	SessionID string
	EntryID   string
	// OriginalRole is the native role, where it is another one.
	OriginalRole Optional[string]
	// RuntimeID is the runtime's id; a message of source runtime-session must carry
	// it.
	RuntimeID Optional[string]
	Extra     Members
}

// Flags are the marks on a message. Absent, false and true are three things that
// survive a round trip; only true sets the mark.
type Flags struct {
	Pinned    Optional[bool]
	Atomic    Optional[bool]
	LocalOnly Optional[bool]
	Synthetic Optional[bool]
	Extra     Members
}
