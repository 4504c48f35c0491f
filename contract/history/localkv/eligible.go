package localkv

import (
	"strings"
	"unicode/utf8"

	"github.com/adaptercheck/adaptercheck/contract/history"
)

// Input is a request that asks to reuse KV state. Every identifier is compared
// exactly: it is not blank, has no white space at its ends, no control character,
// and at most 256 UTF-16 code units.
type Input struct {
	// Enabled: the configuration allows reuse.
	Enabled bool
	// CapabilityEnabled: negotiation has enabled local-kv-reuse.
	CapabilityEnabled bool
	// CapabilityVersion that was negotiated; at most 64 units.
	CapabilityVersion string
	// Destination of the payload; only local ones are eligible.
	Destination history.Destination

	RuntimeID       string
	RuntimeRevision string
	Provider        string
	Model           string
	ModelRevision   string
	// PrivacyPolicyVersion names the policy under which the payload was sanitised.
	PrivacyPolicyVersion string

	// PromptPrefix is the exact bytes of the reusable prefix; it need not be UTF-8.
	PromptPrefix string
	// SystemOptions and ToolOptions are whatever else has a bearing on the prefix.
	SystemOptions Options
	ToolOptions   Options

	// PrefixTokenCount counts the prefix, ContextTokenCount the whole, in tokens. Both
	// are from 0 to 2^53-1 and the first is never above the second.
	PrefixTokenCount  int64
	ContextTokenCount int64
}

const (
	maxIdentifierUnits = 256
	// maxSafeInteger is the largest whole number that every implementation of the
	// contract counts exactly.
	maxSafeInteger = 1<<53 - 1
)

// Eligible identifies the prefix of a request, or says why it may not be reused.
// Requests that differ in anything but token counts have different fingerprints.
func Eligible(in Input) (history.LocalKVKey, Refusal) {
	if r := refusal(&in); r != "" {
		return history.LocalKVKey{}, r
	}
	options, ok := hashOptions(in.SystemOptions, in.ToolOptions)
	if !ok {
		return history.LocalKVKey{}, InvalidOptions
	}
	key := history.LocalKVKey{
		Version:           history.LocalKVEligibilityVersion,
		PrefixHash:        hashText(in.PromptPrefix),
		ProviderModelHash: hashFields("model", in.Model, "modelRevision", in.ModelRevision, "provider", in.Provider),
		OptionsHash:       options,
		PrivacyHash:       hashFields("destination", string(in.Destination), "privacyPolicyVersion", in.PrivacyPolicyVersion),
		RuntimeHash: hashFields("capabilityVersion", in.CapabilityVersion,
			"runtimeId", in.RuntimeID, "runtimeRevision", in.RuntimeRevision),
	}
	key.Fingerprint = hashFields(
		"optionsHash", key.OptionsHash, "prefixHash", key.PrefixHash, "privacyHash", key.PrivacyHash,
		"providerModelHash", key.ProviderModelHash, "runtimeHash", key.RuntimeHash, "version", key.Version)
	return key, ""
}

// refusal makes every test but the last, which costs the most.
func refusal(in *Input) Refusal {
	switch {
	case !in.Enabled:
		return Disabled
	case !in.CapabilityEnabled:
		return CapabilityUnsupported
	case in.Destination != history.Local:
		return NonLocalDestination
	case !isIdentifier(in.Provider, maxIdentifierUnits):
		return InvalidProvider
	case !isIdentifier(in.Model, maxIdentifierUnits):
		return InvalidModel
	case !isIdentifier(in.ModelRevision, maxIdentifierUnits):
		return InvalidModelRevision
	case !isIdentifier(in.RuntimeID, maxIdentifierUnits):
		return InvalidRuntimeIdentity
	case !isIdentifier(in.RuntimeRevision, maxIdentifierUnits):
		return InvalidRuntimeRevision
	case !isIdentifier(in.CapabilityVersion, history.MaxVersionUnits):
		return InvalidCapabilityVersion
	case !isIdentifier(in.PrivacyPolicyVersion, maxIdentifierUnits):
		return InvalidPrivacyPolicyVersion
	case in.PromptPrefix == "":
		return InvalidPromptPrefix
	case !isCount(in.PrefixTokenCount), !isCount(in.ContextTokenCount), in.PrefixTokenCount > in.ContextTokenCount:
		return InvalidTokenCount
	}
	return ""
}

func isCount(n int64) bool { return n >= 0 && n <= maxSafeInteger }

// isIdentifier counts in UTF-16 code units, as the contract does. Text that is not
// UTF-8 names nothing: two such names could have one JSON form, and so one hash.
func isIdentifier(s string, maxUnits int) bool {
	// No character has more bytes than three times its units.
	if s == "" || len(s) > 3*maxUnits || !utf8.ValidString(s) || s != strings.TrimFunc(s, isSpace) {
		return false
	}
	units := 0
	for _, r := range s {
		if r < ' ' || r == 0x7F {
			return false
		}
		units++
		if r >= 0x10000 {
			units++
		}
	}
	return units <= maxUnits
}

// isSpace is the white space of the contract, which is JavaScript's: it has U+FEFF
// and not U+0085.
func isSpace(r rune) bool {
	switch r {
	case '\t', '\n', '\v', '\f', '\r', ' ', 0xA0, 0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF:
		return true
	}
	return r >= 0x2000 && r <= 0x200A
}
