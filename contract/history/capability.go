package history

// Capability names one thing that a runtime may be able to do.
type Capability string

// The closed registry of capabilities.
const (
	Compaction           Capability = "compaction"
	ProviderContinuation Capability = "provider-continuation"
	Embeddings           Capability = "embeddings"
	LocalKVReuse         Capability = "local-kv-reuse"
)

// Capabilities lists the registry in its fixed order, which is also the order of
// everything that [Negotiate] returns. The caller owns the slice.
func Capabilities() []Capability {
	return []Capability{Compaction, ProviderContinuation, Embeddings, LocalKVReuse}
}

// Declaration is what an adapter says of one capability. A declaration that is
// malformed disables its own capability and nothing else
// (history#declaration-isolation).
type Declaration struct {
	ID Capability `json:"id"`
	// Supported is true, false, or neither: absent, null and any other JSON value
	// count as "not declared".
	Supported Optional[bool] `json:"supported,omitzero"`
	// Version of the capability, needed when Supported is true: 1 to 64 letters,
	// digits, dots, underscores and hyphens, the first a letter or a digit. Empty is
	// absent.
	Version string `json:"version,omitzero"`
	// Reason why not, needed when Supported is false; at most 240 UTF-16 units of it
	// are used. Empty is absent.
	Reason string `json:"reason,omitzero"`
}

// Supports declares a capability under a version.
func Supports(id Capability, version string) Declaration {
	return Declaration{ID: id, Supported: Some(true), Version: version}
}

// Lacks declares that a capability is not there, and why.
func Lacks(id Capability, reason string) Declaration {
	return Declaration{ID: id, Supported: Some(false), Reason: reason}
}

// Request asks for one capability.
type Request struct {
	ID Capability `json:"id"`
	// Required turns the diagnostic about a missing capability from an info into a
	// warning. It is never fatal. In JSON anything but true reads as false.
	Required bool `json:"required,omitzero"`
}

// Status is what was settled about one capability.
type Status struct {
	ID        Capability `json:"id"`
	Supported bool       `json:"supported"`
	Requested bool       `json:"requested"`
	Required  bool       `json:"required"`
	// Enabled is Requested and Supported.
	Enabled bool `json:"enabled"`
	// Version is empty where none was declared or it does not parse.
	Version string `json:"version,omitzero"`
	// Reason is never empty where Supported is false.
	Reason string `json:"reason,omitzero"`
}

// Negotiation is the outcome of [Negotiate]. Every list is in registry order and
// none is nil.
type Negotiation struct {
	ContractVersion string `json:"contractVersion"`
	// Statuses has one entry per registered capability, requested or not.
	Statuses []Status `json:"statuses"`
	// Enabled lists what is requested and supported.
	Enabled []Capability `json:"enabled"`
	// Disabled lists what is requested and not enabled.
	Disabled []Capability `json:"disabled"`
	// Diagnostics has one entry per disabled capability.
	Diagnostics []Diagnostic `json:"diagnostics"`
}
