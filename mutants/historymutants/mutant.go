package historymutants

import (
	"slices"

	"github.com/adaptercheck/adaptercheck/conformance/check"
)

// Mutant is a wrong adapter.
type Mutant struct {
	// ID is stable: history- and a row of the list of wrong adapters, or a word.
	ID string
	// Note says what is wrong with it.
	Note string
	// Check must catch it, by reporting Code.
	Check string
	Code  check.Code
	// Subject makes it.
	Subject func() check.Subject
}

// Variant is a right adapter that no check may accuse at MUST.
type Variant struct {
	ID      string
	Note    string
	Subject func() check.Subject
}

// All lists the mutants, by topic. The caller owns the slice.
func All() []Mutant {
	return slices.Concat(
		identityMutants(), capabilityMutants(), embeddingMutants(),
		canonicalMutants(), contentMutants(), groupMutants(), sourceMutants(), rebuildMutants(),
		privacyMutants(), markerMutants(), transportMutants(), hostileMutants(),
		completionMutants(), fallbackMutants(),
		kvUseMutants(), kvKeyMutants(), kvReuseMutants(), kvReplayMutants(), kvCounterMutants(), kvHandleMutants(), kvLifecycleMutants(),
		lifecycleMutants(), diagnosticMutants(), factoryMutants(),
	)
}
