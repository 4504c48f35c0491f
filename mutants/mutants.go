package mutants

import (
	"slices"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/mutants/executormutants"
	"github.com/adaptercheck/adaptercheck/mutants/historymutants"
	"github.com/adaptercheck/adaptercheck/mutants/hostmutants"
	"github.com/adaptercheck/adaptercheck/mutants/pimutants"
	"github.com/adaptercheck/adaptercheck/mutants/rawmutants"
)

// Mutant is a wrong adapter, and what must catch it.
type Mutant struct {
	// ID is stable and the only one of its kind over all profiles.
	ID string
	// Profile is the contract that it breaks.
	Profile report.Profile
	// Check is the id of the check that must fail, Code what it must report. It is one
	// of the catalogue, or that of [rawmutants.Lines].
	Check string
	Code  check.Code
	// Note says what is wrong, in a few words.
	Note string
	// Fake names what the binary must be able to play, where the mutant or its runtime
	// is a process; empty where all is in this one.
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
func Profiles() []report.Profile {
	return []report.Profile{report.Executor, report.History, report.Host}
}

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
			for _, m := range slices.Concat(historymutants.All(), pimutants.All()) {
				all = append(all, Mutant{m.ID, p, m.Check, m.Code, m.Note, "", m.Subject})
			}
		case report.Host:
			for _, m := range hostmutants.All() {
				all = append(all, Mutant{m.ID, p, m.Check, m.Code, m.Note, "", m.Subject})
			}
		}
		for _, m := range rawmutants.All() {
			if m.Profile == p {
				all = append(all, Mutant{m.ID, p, m.Check, m.Code, m.Note, rawmutants.Player().Name, m.Subject})
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
			for _, v := range slices.Concat(historymutants.Right(), pimutants.Right()) {
				all = append(all, Variant{v.ID, p, v.Note, v.Subject})
			}
		case report.Host:
			for _, v := range hostmutants.Right() {
				all = append(all, Variant{v.ID, p, v.Note, v.Subject})
			}
		}
		for _, v := range rawmutants.Right() {
			if v.Profile == p {
				all = append(all, Variant{v.ID, p, v.Note, v.Subject})
			}
		}
	}
	return all
}

// beyond are checks that mutants name and no catalogue has, of any profile.
func beyond() []check.Check { return []check.Check{rawmutants.Lines()} }

// chosen are the profiles with mutants among those asked for, in order.
func chosen(profiles []report.Profile) []report.Profile {
	if len(profiles) == 0 {
		return Profiles()
	}
	return slices.DeleteFunc(Profiles(), func(p report.Profile) bool { return !slices.Contains(profiles, p) })
}
