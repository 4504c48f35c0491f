package pimutants

import (
	"slices"

	"github.com/adaptercheck/adaptercheck/mutants/historymutants"
)

// Mutant is a wrong adapter. Its id begins with pi-.
type Mutant = historymutants.Mutant

// Variant is a right adapter that no check may accuse at MUST. Its id begins with
// pi-right-.
type Variant = historymutants.Variant

// All lists the mutants, by topic. The caller owns the slice.
func All() []Mutant {
	return slices.Concat(
		branchMutants(), entryMutants(), contentMutants(), pairMutants(),
		provenanceMutants(), metadataMutants(), revisionMutants(),
		refusalMutants(), writeMutants(), claimMutants(),
	)
}

// Right lists right adapters that look unusual; the usual one is the subject itself. The
// caller owns the slice.
func Right() []Variant {
	return []Variant{
		{ID: "pi-right-branched", Note: "a session in which the user went back twice, with labels and the like", Subject: Branched},
	}
}
