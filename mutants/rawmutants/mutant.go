package rawmutants

import (
	"slices"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/subjects"
)

// Mutant is a subject that speaks the protocol and lies, and what must catch it.
type Mutant struct {
	// ID is raw-, and the row of the list of wrong adapters or a name.
	ID string
	// Profile is the contract that it breaks.
	Profile report.Profile
	// Check is the id of the check that must fail, Code what it must report: one of the
	// catalogue, or of [Lines].
	Check string
	Code  check.Code
	// Note says what is wrong, in a few words.
	Note string

	behaves behaviour
}

// Variant is a right subject that looks unusual. No check may accuse it at MUST.
type Variant struct {
	// ID begins as that of a mutant.
	ID string
	// Profile is the contract that it keeps.
	Profile report.Profile
	// Note says what is unusual, in a few words.
	Note string

	behaves behaviour
}

// All returns the mutants in a fixed order. The caller owns the slice.
func All() []Mutant {
	return slices.Concat(capabilityLies(), callLies(), eventLies(), historyLies(), completionLies(), misbehaving(), noisy())
}

// Right returns the right subjects in a fixed order. The caller owns the slice.
func Right() []Variant {
	return []Variant{
		{
			ID: "raw-right-executor", Profile: report.Executor, Note: "answers with keys that nobody knows, and complains at length on its second channel",
			behaves: behaviour{says: rewriting(unknownKeys).says, heard: at("adapter/health", complains).heard},
		},
		{
			ID: "raw-right-history", Profile: report.History, Note: "answers with keys that nobody knows",
			behaves: rewriting(unknownKeys),
		},
	}
}

// Subject makes the subject; each call gives an independent one. Each instance has a
// process of its own.
func (m Mutant) Subject() check.Subject { return subject(m.ID, m.Profile) }

// Subject is that of [Mutant].
func (v Variant) Subject() check.Subject { return subject(v.ID, v.Profile) }

// base is the right subject that is served.
func base(p report.Profile) check.Subject {
	if p == report.History {
		return subjects.JSONLReference()
	}
	return subjects.Memory()
}

// find is the subject of an id and what it does in the place of what is right.
func find(args []string) (check.Subject, behaviour, bool) {
	if len(args) != 1 {
		return check.Subject{}, behaviour{}, false
	}
	for _, m := range All() {
		if m.ID == args[0] {
			return base(m.Profile), m.behaves, true
		}
	}
	for _, v := range Right() {
		if v.ID == args[0] {
			return base(v.Profile), v.behaves, true
		}
	}
	return check.Subject{}, behaviour{}, false
}
