// Package integration decides from an adapter's capabilities how a host fits a
// runtime in: where its home directory lives, what of it is kept between runs,
// and who carries its channels.
//
//	plan := integration.Resolve(adapter.Capabilities())
//
// It imports the contract only.
package integration

import "github.com/adaptercheck/adaptercheck/contract/executor"

// HomeKind says where a runtime's home directory comes from.
type HomeKind string

// The closed set of home kinds.
const (
	// Persistent: the host keeps a directory for the identity.
	Persistent HomeKind = "persistent"
	// Ephemeral: each run gets a directory of its own that is thrown away.
	Ephemeral HomeKind = "ephemeral"
	// Connected: the runtime lives elsewhere and has its own home.
	Connected HomeKind = "connected"
)

// Home is the home directory that a plan asks for.
type Home struct {
	Kind HomeKind `json:"kind"`
	// Scope is [executor.PerIdentity] for a persistent home, else absent.
	Scope executor.HomeScope `json:"scope,omitzero"`
}

// Plan is how a host fits a runtime in.
type Plan struct {
	Home Home `json:"home"`
	// PreserveSkills and PreserveMemory keep the runtime's own skills and memory
	// in its persistent home.
	PreserveSkills bool `json:"preserveSkills"`
	PreserveMemory bool `json:"preserveMemory"`
	// UseGatewayChannels leaves the channels to the connected runtime's gateway.
	UseGatewayChannels bool `json:"useGatewayChannels"`
	// CoRunScheduler would run the runtime's own scheduler beside the host's. It
	// is always false, whatever the runtime offers.
	CoRunScheduler bool `json:"coRunScheduler"`
}

// Resolve makes the plan. A connected runtime keeps its home, and its channels if
// its gateway carries them. Any other class, an absent or unknown one included,
// gets a persistent home if it asks for one that persists for an identity, and
// only there anything is preserved; else its home is ephemeral.
func Resolve(c executor.Capabilities) Plan {
	if c.RuntimeClass == executor.ConnectedSubstrate {
		return Plan{
			Home:               Home{Kind: Connected},
			UseGatewayChannels: c.NativeChannels == executor.GatewayChannels,
		}
	}
	if c.NativeHome == nil || c.NativeHome.Scope != executor.PerIdentity || !c.NativeHome.Persist {
		return Plan{Home: Home{Kind: Ephemeral}}
	}
	return Plan{
		Home:           Home{Kind: Persistent, Scope: executor.PerIdentity},
		PreserveSkills: c.NativeSkills == executor.Preserve,
		PreserveMemory: c.NativeMemory == executor.Preserve,
	}
}
