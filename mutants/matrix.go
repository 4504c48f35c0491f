package mutants

import "github.com/adaptercheck/adaptercheck/conformance/report"

// Schema names the form of a [Matrix].
const Schema = "adaptercheck-mutants-v1"

// Matrix says which wrong adapter was caught by what, and which right one was
// accused. All lists are sorted by name, profile by profile where both are there,
// so that the same behaviour under the same seed gives the same bytes.
type Matrix struct {
	Schema string `json:"schema"`
	// Seed is the first of the seeds. Every adapter has its own.
	Seed uint64 `json:"seed"`
	// Full says that every check was tried on every mutant, and that Also is filled
	// in.
	Full    bool    `json:"full"`
	Mutants []Kill  `json:"mutants"`
	Right   []Trial `json:"right"`
	// Once are the checks that were tried on right adapters under their first
	// seed only, as they flood and the seed changes nothing in that.
	Once []report.Name `json:"once"`
	// Survivors are mutants that their check did not fail.
	Survivors []report.Name `json:"survivors"`
	// WrongCode are mutants that their check failed without reporting their code.
	WrongCode []report.Name `json:"wrongCode"`
	// Unexercised are checks that have caught none of the mutants which name them.
	Unexercised []report.Name `json:"unexercised"`
	// Accused are right adapters that a MUST failed, or that a check could not
	// judge. An adapter is in it once for each such check.
	Accused []Accusation `json:"accused"`
}

// Kill is what became of one mutant.
type Kill struct {
	ID      report.Name    `json:"id"`
	Profile report.Profile `json:"profile"`
	// Check must catch the mutant, by reporting Code. It is one of the catalogue, or
	// executor.protocol.lines for what a report tells of as breaches.
	Check report.Name `json:"check"`
	Code  report.Name `json:"code"`
	// Killed says that it did.
	Killed bool `json:"killed"`
	// State is what the check came to.
	State report.State `json:"state"`
	// Codes are all that the check reported, sorted.
	Codes []report.Name `json:"codes"`
	// Seed under which it was tried.
	Seed uint64 `json:"seed"`
	// Also are the other checks that failed, by id; only in a full matrix.
	Also []Catch `json:"also,omitempty"`
}

// Catch is one more check that caught a mutant.
type Catch struct {
	Check report.Name `json:"check"`
	// Codes that it reported, sorted.
	Codes []report.Name `json:"codes"`
}

// Trial says how a right adapter was tried.
type Trial struct {
	ID      report.Name    `json:"id"`
	Profile report.Profile `json:"profile"`
	// Seed is the first seed under which it was tried.
	Seed uint64 `json:"seed"`
	// Seeds is how many that was, from Seed on; checks in [Matrix.Once] apart.
	Seeds int `json:"seeds"`
}

// Accusation is one wrong judgement about a right adapter.
type Accusation struct {
	ID      report.Name    `json:"id"`
	Profile report.Profile `json:"profile"`
	Check   report.Name    `json:"check"`
	// State is failed, or inconclusive where there was no judgement.
	State report.State `json:"state"`
	// Codes that the check reported, sorted.
	Codes []report.Name `json:"codes"`
	// Seed is the first one under which it was seen.
	Seed uint64 `json:"seed"`
}

// Conforms reports whether the suite has shown that it bites, and no one else: no
// mutant survived or was caught by a wrong code, no check is unexercised, no right
// adapter accused, and there was something to try.
func (m Matrix) Conforms() bool {
	return len(m.Mutants) > 0 && len(m.Right) > 0 &&
		len(m.Survivors)+len(m.WrongCode)+len(m.Unexercised)+len(m.Accused) == 0
}
