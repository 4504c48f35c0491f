package executor

// RuntimeClass says how a runtime lives. The zero value stands for absent and
// reads as [WrappedOneshot].
type RuntimeClass string

// The closed set of runtime classes.
const (
	WrappedOneshot     RuntimeClass = "wrapped-oneshot"
	ConnectedSubstrate RuntimeClass = "connected-substrate"
	Native             RuntimeClass = "native"
)

// HomeScope says how widely a runtime's home directory is shared.
type HomeScope string

// The closed set of home scopes.
const (
	PerIdentity HomeScope = "per-identity"
	PerRun      HomeScope = "per-run"
)

// NativeHome describes the home directory that a runtime keeps for itself.
type NativeHome struct {
	Scope   HomeScope `json:"scope"`
	Persist bool      `json:"persist"`
}

// Preservation says what becomes of a runtime's own skills or memory. The zero
// value stands for absent.
type Preservation string

// The closed set of preservations.
const (
	Preserve     Preservation = "preserve"
	PreserveNone Preservation = "none"
)

// Channels says who carries a runtime's own channels. The zero value stands for
// absent.
type Channels string

// The closed set of channel carriers.
const (
	GatewayChannels Channels = "gateway"
	NoChannels      Channels = "none"
)

// Capabilities is what an adapter says of itself. It is a claim: the suite holds
// it against what it sees (executor#capabilities-honest).
type Capabilities struct {
	// Streaming: text arrives in increments while the runtime produces it.
	Streaming bool `json:"streaming"`
	// MCP: a server configuration reaches the runtime.
	MCP bool `json:"mcp"`
	// Worktrees: edits stay inside the given directory.
	Worktrees bool `json:"worktrees"`
	// Resume: a session continues in a later process through the codec.
	Resume bool `json:"resume"`
	// ToolApproval: the runtime asks before a tool runs.
	ToolApproval bool `json:"toolApproval"`
	// Models the runtime offers; empty means that the list is owned elsewhere.
	// Never nil on the wire.
	Models []string `json:"models"`
	// Steerable: text given to WriteContext reaches the live run.
	Steerable bool `json:"steerable,omitzero"`
	// ContextWindowTokens drives rotation; 0 means unknown and switches it off.
	ContextWindowTokens int64        `json:"contextWindowTokens,omitzero"`
	RuntimeClass        RuntimeClass `json:"runtimeClass,omitzero"`
	NativeHome          *NativeHome  `json:"nativeHome,omitzero"`
	NativeSkills        Preservation `json:"nativeSkills,omitzero"`
	NativeMemory        Preservation `json:"nativeMemory,omitzero"`
	NativeChannels      Channels     `json:"nativeChannels,omitzero"`
	NativeScheduler     bool         `json:"nativeScheduler,omitzero"`
}

// OneShot reports whether a run is a process: its stream ends after its done.
// Every class but [ConnectedSubstrate] is, an absent one included.
func (c Capabilities) OneShot() bool { return c.RuntimeClass != ConnectedSubstrate }
