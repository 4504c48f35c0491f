package report

// Schema names the form of a [Report].
const Schema = "adaptercheck-report-v1"

// Report is what one invocation found, one [Run] per subject and profile.
type Report struct {
	Schema string `json:"schema"`
	Tool   Tool   `json:"tool"`
	// Seed is where everything random in the run came from.
	Seed uint64 `json:"seed"`
	Runs []Run  `json:"runs"`
	// Timing is nil in a reproducible report.
	Timing *Timing `json:"timing,omitempty"`
}

// Tool is the program that wrote the report.
type Tool struct {
	Name    Name `json:"name"`
	Version Name `json:"version"`
}

// Name is a word of a safe alphabet: letters, digits, and . _ - + only, 1 to 64 of
// them.
type Name string

// Profile names a set of checks.
type Profile string

// The closed set of profiles.
const (
	Executor Profile = "executor"
	History  Profile = "history"
	Host     Profile = "host"
)

// Profiles lists the profiles in order.
func Profiles() []Profile { return []Profile{Executor, History, Host} }

// Verdict is what a run comes to.
type Verdict string

// The closed set of verdicts.
const (
	// Conforms: every MUST that applies was observed and passed.
	Conforms Verdict = "conforms"
	// Fails: a MUST failed.
	Fails Verdict = "fails"
	// Inconclusive: no judgement is possible.
	Inconclusive Verdict = "inconclusive"
)

// State is what became of one check.
type State string

// The closed set of states.
const (
	Passed State = "passed"
	Failed State = "failed"
	// Unobserved: the subject or its fake does not offer what the check needs.
	Unobserved State = "unobserved"
	// NotRun: filtered away, or the run ended first.
	NotRun State = "not-run"
	// InconclusiveCheck: the check began and its worker died.
	InconclusiveCheck State = "inconclusive"
	// Known: failed as a baseline entry said it would.
	Known State = "known"
)

// States lists the states in order.
func States() []State {
	return []State{Passed, Failed, Unobserved, NotRun, InconclusiveCheck, Known}
}

// Level is the weight of a requirement.
type Level string

// The closed set of levels.
const (
	Must   Level = "MUST"
	Should Level = "SHOULD"
)

// Provenance says where a requirement comes from.
type Provenance string

// The closed set of provenances.
const (
	Stated  Provenance = "stated"  // a source says it
	Implied Provenance = "implied" // a source means it
	Decided Provenance = "decided" // this project decided it
)

// Run is the judgement of one subject under one profile.
type Run struct {
	Subject Subject `json:"subject"`
	Profile Profile `json:"profile"`
	Suite   Suite   `json:"suite"`
	Verdict Verdict `json:"verdict"`
	// Partial: checks were left out by a filter or a shard, or the run was cut
	// short. A partial run is never a full pass.
	Partial bool `json:"partial"`
	// Cut says why a run ended early; nil if it did not.
	Cut *Cut `json:"cut,omitempty"`
	// Breaches counts the lines of a subject in another process that broke the
	// subject protocol, by their closed code. A run with one fails.
	Breaches map[Name]int `json:"breaches,omitempty"`
	// Baseline lists the known failures that are not as the baseline says. A run with
	// one fails.
	Baseline []Mismatch    `json:"baseline,omitempty"`
	Tally    Tally         `json:"tally"`
	Origin   OriginTallies `json:"origin"`
	Cases    []Case        `json:"cases"`
	Checks   []Check       `json:"checks"`
}

// Subject is what was judged.
type Subject struct {
	Name Name `json:"name"`
	// Features that the subject offers, sorted.
	Features []Name `json:"features"`
}

// Suite is what judged it.
type Suite struct {
	Version Name `json:"version"`
	// Digest is the hex SHA-256 of the profile's catalog.
	Digest Name `json:"digest"`
}

// CutReason says why a run ended before all its checks.
type CutReason string

// The closed set of reasons.
const (
	CutInterrupted  CutReason = "interrupted"   // the user asked
	CutWorkerDied   CutReason = "worker-died"   // the process that ran the subject is gone
	CutWorkerHung   CutReason = "worker-hung"   // it stopped answering
	CutBudget       CutReason = "budget"        // the run's time was used up
	CutNotStarted   CutReason = "not-started"   // the subject could not be built
	CutUndescribed  CutReason = "undescribed"   // the subject has no constructor for the profile
	CutNothingFound CutReason = "nothing-found" // no check was selected
)

// CutReasons lists the reasons in order.
func CutReasons() []CutReason {
	return []CutReason{CutInterrupted, CutWorkerDied, CutWorkerHung, CutBudget, CutNotStarted, CutUndescribed, CutNothingFound}
}

// Cut says why and where a run ended early.
type Cut struct {
	Reason CutReason `json:"reason"`
	// During is the id of the check that was running; empty if none was.
	During Name `json:"during,omitempty"`
}

// MismatchReason says why a known failure is not as the baseline says.
type MismatchReason string

// The closed set of reasons.
const (
	MismatchPassed     MismatchReason = "passed"     // the check passes
	MismatchOtherCode  MismatchReason = "other-code" // the check fails without this code
	MismatchUnobserved MismatchReason = "unobserved" // the check could not be observed
	MismatchUnknown    MismatchReason = "unknown"    // there is no such check, or it has no such code
	MismatchExpired    MismatchReason = "expired"    // the entry is out of date
)

// MismatchReasons lists the reasons in order.
func MismatchReasons() []MismatchReason {
	return []MismatchReason{MismatchPassed, MismatchOtherCode, MismatchUnobserved, MismatchUnknown, MismatchExpired}
}

// Mismatch is an entry of the baseline that does not hold.
type Mismatch struct {
	Check  Name           `json:"check"`
	Code   Name           `json:"code"`
	Reason MismatchReason `json:"reason"`
}

// Tally counts checks by state.
type Tally struct {
	Passed       int `json:"passed"`
	Failed       int `json:"failed"`
	Unobserved   int `json:"unobserved"`
	NotRun       int `json:"notRun"`
	Inconclusive int `json:"inconclusive"`
	Known        int `json:"known"`
}

// Add counts one check in the state.
func (t *Tally) Add(s State) {
	switch s {
	case Passed:
		t.Passed++
	case Failed:
		t.Failed++
	case Unobserved:
		t.Unobserved++
	case NotRun:
		t.NotRun++
	case InconclusiveCheck:
		t.Inconclusive++
	case Known:
		t.Known++
	}
}

// OriginTallies counts checks by where their requirement comes from.
type OriginTallies struct {
	Stated  Tally `json:"stated"`
	Implied Tally `json:"implied"`
	Decided Tally `json:"decided"`
}

// Of returns the tally of a provenance.
func (o *OriginTallies) Of(p Provenance) *Tally {
	switch p {
	case Stated:
		return &o.Stated
	case Implied:
		return &o.Implied
	default:
		return &o.Decided
	}
}

// Case is one of the seed's own checks, as the sharper checks under it add up: it
// failed if a MUST under it failed, passed if one was observed and none failed.
type Case struct {
	ID    Name  `json:"id"`
	State State `json:"state"`
	// FailureCode is <id>-threw if a check under it ended in a panic or an
	// unexpected error, else <id>-assertion-failed; empty unless failed.
	FailureCode Name `json:"failureCode,omitempty"`
}

// Check is what became of one check.
type Check struct {
	ID         Name       `json:"id"`
	Case       Name       `json:"case"`
	Level      Level      `json:"level"`
	Provenance Provenance `json:"provenance"`
	State      State      `json:"state"`
	// Codes name what was found, sorted; empty unless failed or known.
	Codes []Name `json:"codes"`
	// Missing names the features that an unobserved check needs, sorted.
	Missing []Name `json:"missing,omitempty"`
	// Counts are deterministic numbers under closed names.
	Counts map[Name]int `json:"counts,omitempty"`
}

// Bucket is a duration, coarse enough to say nothing about content.
type Bucket string

// The closed set of buckets.
const (
	UnderMS   Bucket = "<1ms"
	Under10MS Bucket = "<10ms"
	Under100  Bucket = "<100ms"
	UnderSec  Bucket = "<1s"
	Under10S  Bucket = "<10s"
	Longer    Bucket = ">=10s"
)

// Timing is everything in a report that differs from run to run.
type Timing struct {
	Runs []RunTiming `json:"runs"`
}

// RunTiming times one run, in the order of the report's runs.
type RunTiming struct {
	Total  Bucket          `json:"total"`
	Checks map[Name]Bucket `json:"checks"`
}
