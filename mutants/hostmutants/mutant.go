package hostmutants

import (
	"slices"

	"github.com/adaptercheck/adaptercheck/conformance/check"
)

// Mutant is a wrong host.
type Mutant struct {
	// ID is stable: host- and a few words.
	ID string
	// Note says what is wrong with it.
	Note string
	// Check must catch it, by reporting Code.
	Check string
	Code  check.Code
	// Subject makes it.
	Subject func() check.Subject
}

// Variant is a right host that no check may accuse at MUST.
type Variant struct {
	ID      string
	Note    string
	Subject func() check.Subject
}

// All lists the mutants, by topic. The caller owns the slice.
func All() []Mutant {
	return slices.Concat(
		surfaceMutants(), refusalMutants(), probeMutants(), keyMutants(), connectMutants(), slotMutants(),
		disconnectMutants(), runtimeMutants(), seedMutants(), runMutants(), secretMutants(),
	)
}
