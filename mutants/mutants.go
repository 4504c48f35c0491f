package mutants

import (
	"slices"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/mutants/executormutants"
	"github.com/adaptercheck/adaptercheck/mutants/historymutants"
)

// Mutant is a wrong adapter, and what must catch it.
type Mutant struct {
	// ID is stable and the only one of its kind over all profiles.
	ID string
	// Profile is the contract that it breaks.
	Profile report.Profile
	// Check is the id of the check that must fail, Code what it must report.
	Check string
	Code  check.Code
	// Note says what is wrong, in a few words.
	Note string
	// Fake names the fake that the binary must be able to play, where the mutant's
	// runtime is a process; empty where it is in this one.
	Fake string
	// Subject makes the subject; each call gives an independent one.
	Subject func() check.Subject
}

// Variant is a right adapter that looks unusual. No check may accuse it at MUST.
type Variant struct {
	// ID is stable and the only one of its kind over all profiles.
	ID string
	// Profile is the contract that it keeps.
	Profile report.Profile
	// Note says what is unusual, in a few words.
	Note string
	// Subject makes the subject; each call gives an independent one.
	Subject func() check.Subject
}

// Profiles lists the profiles that have mutants, in order.
func Profiles() []report.Profile { return []report.Profile{report.Executor, report.History} }

// All returns the mutants of the profiles, profile by profile, each in the order
// in which its package lists them. No profile means all. The caller owns the slice.
func All(profiles ...report.Profile) []Mutant {
	var all []Mutant
	for _, p := range chosen(profiles) {
		switch p {
		case report.Executor:
			for _, m := range executormutants.All() {
				all = append(all, Mutant{m.ID, p, m.Check, m.Code, m.Note, m.Fake, m.Subject})
			}
		case report.History:
			for _, m := range historymutants.All() {
				all = append(all, Mutant{m.ID, p, m.Check, m.Code, m.Note, "", m.Subject})
			}
		}
	}
	return all
}

// Right returns the right adapters of the profiles, as [All] does the wrong ones.
func Right(profiles ...report.Profile) []Variant {
	var all []Variant
	for _, p := range chosen(profiles) {
		switch p {
		case report.Executor:
			for _, v := range executormutants.Right() {
				all = append(all, Variant{v.ID, p, v.Note, v.Subject})
			}
		case report.History:
			for _, v := range historymutants.Right() {
				all = append(all, Variant{v.ID, p, v.Note, v.Subject})
			}
		}
	}
	return all
}

// chosen are the profiles with mutants among those asked for, in order.
func chosen(profiles []report.Profile) []report.Profile {
	if len(profiles) == 0 {
		return Profiles()
	}
	return slices.DeleteFunc(Profiles(), func(p report.Profile) bool { return !slices.Contains(profiles, p) })
}
