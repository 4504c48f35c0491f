package check

import "context"

// Misread is an adapter that stands for one in another language. What that one says
// may be of a type for which the Go value has no place; it is told here.
type Misread interface {
	// MisreadCapabilities asks for the capabilities and lists what of them could not be
	// taken over, as codes of executor.capabilities.shape.
	MisreadCapabilities(ctx context.Context) ([]Code, error)
}

// The codes of [Misread].
const (
	// CapabilitiesNotObject: the whole is no object, but a promise or a list.
	CapabilitiesNotObject Code = "capabilities-not-object"
	// FlagMissing: one of the five flags that every adapter has is not there.
	FlagMissing Code = "capability-flag-missing"
	// FlagNotBoolean: a flag is something else than true or false.
	FlagNotBoolean Code = "capability-flag-not-boolean"
)
