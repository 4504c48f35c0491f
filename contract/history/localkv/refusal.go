package localkv

// Refusal says why a request may not reuse local KV state. The zero value is no
// refusal.
type Refusal string

// The closed set of refusals, in the order in which they are tested: the first
// that applies is given.
const (
	Disabled                    Refusal = "disabled"
	CapabilityUnsupported       Refusal = "capability-unsupported"
	NonLocalDestination         Refusal = "non-local-destination"
	InvalidProvider             Refusal = "invalid-provider"
	InvalidModel                Refusal = "invalid-model"
	InvalidModelRevision        Refusal = "invalid-model-revision"
	InvalidRuntimeIdentity      Refusal = "invalid-runtime-identity"
	InvalidRuntimeRevision      Refusal = "invalid-runtime-revision"
	InvalidCapabilityVersion    Refusal = "invalid-capability-version"
	InvalidPrivacyPolicyVersion Refusal = "invalid-privacy-policy-version"
	InvalidPromptPrefix         Refusal = "invalid-prompt-prefix"
	InvalidTokenCount           Refusal = "invalid-token-count"
	InvalidOptions              Refusal = "invalid-options"
)

// Refusals lists the refusals in the order in which they are tested. The caller
// owns the slice.
func Refusals() []Refusal {
	return []Refusal{
		Disabled, CapabilityUnsupported, NonLocalDestination,
		InvalidProvider, InvalidModel, InvalidModelRevision,
		InvalidRuntimeIdentity, InvalidRuntimeRevision, InvalidCapabilityVersion,
		InvalidPrivacyPolicyVersion, InvalidPromptPrefix, InvalidTokenCount, InvalidOptions,
	}
}
