package baseline

import (
	"slices"
	"time"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/report"
)

// Broken is an entry that does not hold, and why.
type Broken struct {
	Entry
	Reason report.MismatchReason
}

// Apply holds the entries of one subject and profile against what a run found. A
// failure all of whose codes they name becomes known; the outcomes that come back are
// otherwise those that were given. What the run has no judgement of, because it was
// narrowed or cut, breaks no entry.
func Apply(entries []Entry, checks []check.Check, outcomes []check.Outcome, now time.Time) ([]check.Outcome, []Broken) {
	outcomes = slices.Clone(outcomes)
	var broken []Broken
	named := map[string][]check.Code{} // codes of the entries that hold, by check
	for _, e := range entries {
		if reason := mismatch(e, checks, outcomes, now); reason != "" {
			broken = append(broken, Broken{e, reason})
			continue
		}
		named[string(e.Check)] = append(named[string(e.Check)], check.Code(e.Code))
	}
	for i, o := range outcomes {
		if o.State == report.Failed && sameCodes(o.Codes, named[o.ID]) {
			outcomes[i].State = report.Known
		}
	}
	return outcomes, broken
}

// mismatch says why an entry does not hold; empty if it does, or if the run cannot
// tell.
func mismatch(e Entry, checks []check.Check, outcomes []check.Outcome, now time.Time) report.MismatchReason {
	i := slices.IndexFunc(checks, func(c check.Check) bool { return c.ID == string(e.Check) })
	if i < 0 || !slices.Contains(checks[i].AllCodes(), check.Code(e.Code)) {
		return report.MismatchUnknown
	}
	if e.expired(now) {
		return report.MismatchExpired
	}
	i = slices.IndexFunc(outcomes, func(o check.Outcome) bool { return o.ID == string(e.Check) })
	if i < 0 {
		return ""
	}
	switch o := outcomes[i]; {
	case o.State == report.Passed:
		return report.MismatchPassed
	case o.State == report.Unobserved:
		return report.MismatchUnobserved
	case o.State == report.Failed && !slices.Contains(o.Codes, check.Code(e.Code)):
		return report.MismatchOtherCode
	}
	return ""
}

// sameCodes compares two sets.
func sameCodes(a, b []check.Code) bool {
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	return slices.Equal(a, b)
}

// Mismatches is what a report says of broken entries.
func Mismatches(broken []Broken) []report.Mismatch {
	var out []report.Mismatch
	for _, b := range broken {
		out = append(out, report.Mismatch{Check: b.Check, Code: b.Code, Reason: b.Reason})
	}
	return out
}
