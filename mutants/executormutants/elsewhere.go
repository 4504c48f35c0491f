package executormutants

import "github.com/adaptercheck/adaptercheck/conformance/check"

// Elsewhere is a wrong behaviour of one of the two lists that the mutants follow —
// the numbered wrong adapters (a letter and two digits) and the defects of published
// adapters (R and two digits) — which is no mutant of its own here.
type Elsewhere struct {
	// ID is the row's, such as B07 or R12.
	ID string
	// As is the mutant that shows the same fault; empty if none does.
	As string
	// Reason says why there is none, or what it needs.
	Reason string
}

// Raw is the reason of rows that Go's types do not allow: they are mutants of the
// package rawmutants, under the same number.
const Raw = "is a raw mutant: Go's types do not allow it"

// OnlyRaw lists the codes of executor.capabilities.shape that no adapter in Go can
// earn, as it says with its types what they are about.
func OnlyRaw() []check.Code {
	return []check.Code{check.CapabilitiesNotObject, check.FlagMissing, check.FlagNotBoolean}
}

// The reasons that several rows share.
const (
	native  = "is a rule of the native runtime's file tools and routing, tested beside their code"
	library = "is a function of the library, tested beside its code"
	host    = "is a rule of a host, not of an adapter"
	client  = "needs the gateway client"
)

// NotHere lists every row of the two lists that is no mutant under its own id.
func NotHere() []Elsewhere {
	return []Elsewhere{
		{ID: "B07", Reason: Raw},
		{ID: "B08", Reason: Raw},
		{ID: "C05", Reason: Raw},
		{ID: "C07", Reason: Raw},
		{ID: "E02", As: "executor-E01"},
		{ID: "F11", Reason: "is seen by no suite that another process tells: an event is written down when it is pulled"},
		{ID: "M04", Reason: "harms nobody: whoever awaits nothing gets nothing"},

		{ID: "R01", As: "executor-E08"},
		{ID: "R03", As: "executor-E11"},
		{ID: "R04", Reason: "is right by this contract: what is left may be read after closing"},
		{ID: "R05", As: "executor-J02"},
		{ID: "R07", As: "executor-J02"},
		{ID: "R18", As: "executor-x-early-text-dropped"},
		{ID: "R19", As: "executor-x-whole-ignored"},
		{ID: "R20", As: "executor-J10"},
		{ID: "R21", As: "executor-D10"},
		{ID: "R25", As: "executor-E17"},
		{ID: "R26", As: "executor-B05"},
		{ID: "R29", Reason: "is right by this contract: a session that is named anew gives its run no other id"},
		{ID: "R31", Reason: "is right by this contract: a restored handle has no live run"},
		{ID: "R32", As: "executor-x-abort-later-run"},
		{ID: "R34", Reason: "harms nobody: the clause has no check"},
		{ID: "R36", As: "executor-J08"},
		{ID: "R37", As: "executor-R28"},
		{ID: "R39", As: "executor-J10"},
		{ID: "R41", Reason: "is right by this contract: the price in done may be absent or null"},
		{ID: "R42", Reason: "is not judged: not every wire tells what a run spent that failed"},
		{ID: "R49", As: "executor-I01"},
		{ID: "R57", As: "executor-x-usage-missing"},
		{ID: "R58", As: "executor-L05"},
		{ID: "R61", Reason: native},
		{ID: "R62", Reason: native},
		{ID: "R63", As: "executor-x-mild-ends"},
		{ID: "R64", Reason: native},
		{ID: "R65", As: "executor-K02"},
		{ID: "R66", As: "executor-x-key-escapes"},
		{ID: "R67", As: "executor-C04"},
		{ID: "R68", Reason: library},
		{ID: "R69", Reason: library},
		{ID: "R70", Reason: host},
		{ID: "R71", Reason: host},
		{ID: "R72b", Reason: client},
		{ID: "R75", As: "executor-D02"},
		{ID: "R76", Reason: library},
		{ID: "R77", Reason: "is about the tests of published adapters, not about what they do"},
	}
}
