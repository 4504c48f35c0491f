package check

import (
	"slices"
	"strings"

	"github.com/adaptercheck/adaptercheck/conformance/report"
)

// SuiteVersion names the suite's own contract: check ids, levels and codes.
const SuiteVersion = "1"

// Judge makes the run of a report from the outcomes of a catalogue. A check
// without an outcome was not run. cut says why a run ended early, or is nil.
func Judge(p report.Profile, s Subject, checks []Check, outcomes []Outcome, cut *report.Cut) report.Run {
	byID := make(map[string]Outcome, len(outcomes))
	for _, o := range outcomes {
		byID[o.ID] = o
	}
	run := report.Run{
		Subject: report.Subject{Name: report.Name(s.Name), Features: []report.Name{}},
		Profile: p,
		Suite:   report.Suite{Version: SuiteVersion, Digest: report.Name(Digest(checks))},
		Cut:     cut,
		Cases:   []report.Case{},
		Checks:  []report.Check{},
	}
	for _, f := range s.Offers {
		run.Subject.Features = append(run.Subject.Features, report.Name(f))
	}
	slices.Sort(run.Subject.Features)
	for _, ch := range checks {
		o, ran := byID[ch.ID]
		if !ran {
			o = Outcome{ID: ch.ID, State: report.NotRun}
		}
		row := report.Check{
			ID: report.Name(ch.ID), Case: report.Name(ch.Case), Level: ch.Level, Provenance: ch.Provenance,
			State: o.State, Codes: []report.Name{},
		}
		for _, code := range o.Codes {
			row.Codes = append(row.Codes, report.Name(code))
		}
		for _, f := range o.Missing {
			row.Missing = append(row.Missing, report.Name(f))
		}
		for name, n := range o.Counts {
			if row.Counts == nil {
				row.Counts = map[report.Name]int{}
			}
			row.Counts[report.Name(name)] = n
		}
		run.Checks = append(run.Checks, row)
		run.Tally.Add(o.State)
		run.Origin.Of(ch.Provenance).Add(o.State)
	}
	for _, id := range Cases(p) {
		run.Cases = append(run.Cases, caseOf(id, run.Checks))
	}
	run.Partial = run.Tally.NotRun > 0 || run.Tally.Inconclusive > 0 || cut != nil
	run.Verdict = verdict(run)
	return run
}

// caseOf adds up the checks under one of the seed's own checks.
func caseOf(id string, checks []report.Check) report.Case {
	c := report.Case{ID: report.Name(id), State: report.NotRun}
	rank := map[report.State]int{report.NotRun: 0, report.Unobserved: 1, report.Passed: 2, report.Known: 3, report.InconclusiveCheck: 4, report.Failed: 5}
	for _, row := range checks {
		if string(row.Case) != id || (row.Level == report.Should && row.State == report.Failed) {
			continue
		}
		if rank[row.State] > rank[c.State] {
			c.State = row.State
		}
		if row.State == report.Failed && c.FailureCode != report.Name(id+"-threw") {
			c.FailureCode = report.Name(id + "-assertion-failed")
			if slices.ContainsFunc(row.Codes, func(n report.Name) bool { return strings.HasSuffix(string(n), "-threw") }) {
				c.FailureCode = report.Name(id + "-threw")
			}
		}
	}
	return c
}

// verdict: a failed MUST fails; a check that could not be judged, a seed case of
// which nothing was seen (filtered runs apart), or nothing seen at all leave it
// open.
func verdict(run report.Run) report.Verdict {
	passed := 0
	open := false
	for _, row := range run.Checks {
		switch {
		case row.State == report.Failed && row.Level == report.Must:
			return report.Fails
		case row.State == report.InconclusiveCheck:
			open = true
		case row.State == report.Passed:
			passed++
		}
	}
	for _, c := range run.Cases {
		if c.State == report.Unobserved {
			open = true
		}
	}
	if open || passed == 0 || run.Cut != nil {
		return report.Inconclusive
	}
	return report.Conforms
}

// Timing makes the timing block of a run.
func Timing(outcomes []Outcome) report.RunTiming {
	t := report.RunTiming{Checks: map[report.Name]report.Bucket{}}
	total := Outcome{}
	for _, o := range outcomes {
		total.Took += o.Took
		t.Checks[report.Name(o.ID)] = report.BucketOf(o.Took)
	}
	t.Total = report.BucketOf(total.Took)
	return t
}
