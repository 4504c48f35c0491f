package render

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/adaptercheck/adaptercheck/conformance/report"
)

// explain is the command that tells more about a finding.
const explain = "adaptercheck explain "

// levels counts the checks of a run by level.
func levels(run report.Run) (must, should report.Tally) {
	for _, c := range run.Checks {
		if c.Level == report.Must {
			must.Add(c.State)
		} else {
			should.Add(c.State)
		}
	}
	return must, should
}

// tallyWords writes the counts that are not zero.
func tallyWords(t report.Tally) string {
	var parts []string
	for _, p := range []struct {
		n    int
		word string
	}{
		{t.Passed, "passed"},
		{t.Failed, "failed"},
		{t.Unobserved, "unobserved"},
		{t.Known, "known"},
		{t.Inconclusive, "inconclusive"},
		{t.NotRun, "not run"},
	} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.word))
		}
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}

func total(t report.Tally) int {
	return t.Passed + t.Failed + t.Unobserved + t.NotRun + t.Inconclusive + t.Known
}

// originWords writes passed of all, by where the requirement comes from.
func originWords(run report.Run) string {
	var parts []string
	for _, p := range []report.Provenance{report.Stated, report.Implied, report.Decided} {
		t := *run.Origin.Of(p)
		parts = append(parts, fmt.Sprintf("%s %d/%d", p, t.Passed, total(t)))
	}
	return strings.Join(parts, ", ")
}

// verdictWords makes sure that a partial run never reads as a full pass.
func verdictWords(run report.Run) string {
	if run.Partial {
		return string(run.Verdict) + " (partial)"
	}
	return string(run.Verdict)
}

// verdictCounts counts runs by verdict, worst first, and says how many of them were
// partial: fails 1, conforms 3 (1 partial).
func verdictCounts(r report.Report) string {
	var parts []string
	for _, v := range []report.Verdict{report.Fails, report.Inconclusive, report.Conforms} {
		n, partial := 0, 0
		for _, run := range r.Runs {
			if run.Verdict == v {
				n++
				if run.Partial {
					partial++
				}
			}
		}
		switch {
		case partial > 0:
			parts = append(parts, fmt.Sprintf("%s %d (%d partial)", v, n, partial))
		case n > 0:
			parts = append(parts, fmt.Sprintf("%s %d", v, n))
		}
	}
	return strings.Join(parts, ", ")
}

// cutWords says why a run ended early, and during which check.
func cutWords(c report.Cut, quote func(report.Name) string) string {
	words := map[report.CutReason]string{
		report.CutInterrupted:  "it was interrupted",
		report.CutWorkerDied:   "the process that ran the subject died",
		report.CutWorkerHung:   "the process that ran the subject stopped answering",
		report.CutBudget:       "the time for the run was used up",
		report.CutNotStarted:   "the subject could not be started",
		report.CutUndescribed:  "the subject has nothing to test under this profile",
		report.CutNothingFound: "no check was selected",
	}[c.Reason]
	if c.During != "" {
		words += ", during " + quote(c.During)
	}
	return words
}

// breachWords writes how often a subject broke its protocol, by code.
func breachWords(run report.Run) string { return counted(run.Breaches, " ") }

// mismatchWords says why an entry of the baseline does not hold.
func mismatchWords(m report.Mismatch) string {
	return map[report.MismatchReason]string{
		report.MismatchPassed:     "it passes",
		report.MismatchOtherCode:  "it fails, and not with this code",
		report.MismatchUnobserved: "it could not be observed",
		report.MismatchUnknown:    "there is no such check, or it has no such code",
		report.MismatchExpired:    "the entry is out of date",
	}[m.Reason]
}

// plain writes a name as it is.
func plain(n report.Name) string { return string(n) }

// silent says that a run without an end of its own came to nothing.
func silent(run report.Run) bool {
	must, should := levels(run)
	observed := must.Passed + must.Failed + must.Known + should.Passed + should.Failed + should.Known
	return run.Verdict == report.Inconclusive && run.Cut == nil && observed == 0
}

// missingWords groups the unobserved checks by what they lack, most first. It names
// the first groups, and counts the others; a limit of 0 is none.
func missingWords(run report.Run, limit int) string {
	groups := map[string]int{}
	for _, c := range run.Checks {
		if c.State == report.Unobserved {
			groups[cmp.Or(joinNames(c.Missing, "+"), "unnamed")]++
		}
	}
	keys := slices.SortedFunc(maps.Keys(groups), func(a, b string) int {
		return cmp.Or(cmp.Compare(groups[b], groups[a]), cmp.Compare(a, b))
	})
	var words []string
	others := 0
	for i, k := range keys {
		if limit > 0 && i >= limit {
			others += groups[k]
			continue
		}
		words = append(words, fmt.Sprintf("%s (%d)", k, groups[k]))
	}
	if others > 0 {
		words = append(words, fmt.Sprintf("and others (%d)", others))
	}
	return strings.Join(words, ", ")
}

// countWords writes a check's numbers in the order of their names.
func countWords(c report.Check) string { return counted(c.Counts, "=") }

// counted writes numbers in the order of their names.
func counted(counts map[report.Name]int, between string) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%s%s%d", name, between, counts[name]))
	}
	return strings.Join(parts, ", ")
}

// codeWords writes what a check found.
func codeWords(c report.Check) string { return cmp.Or(joinNames(c.Codes, ", "), "no code") }

// joinNames joins names of the safe alphabet.
func joinNames(names []report.Name, separator string) string {
	parts := make([]string, len(names))
	for i, n := range names {
		parts[i] = string(n)
	}
	return strings.Join(parts, separator)
}

// having returns the checks in a state and of a level; the empty level is any.
func having(run report.Run, s report.State, l report.Level) []report.Check {
	var out []report.Check
	for _, c := range run.Checks {
		if c.State == s && (l == "" || c.Level == l) {
			out = append(out, c)
		}
	}
	return out
}
