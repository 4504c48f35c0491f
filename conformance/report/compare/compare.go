// Package compare says what changed between two reports of the same subjects by the
// same suite.
//
//	d, err := compare.Reports(before, after)
//	if d.Has(compare.Regression) { … }
//
// Like the reports, a difference holds ids, states and codes, and nothing else. The
// package imports conformance/report.
package compare

import (
	"fmt"
	"slices"

	"github.com/adaptercheck/adaptercheck/conformance/report"
)

// Kind is what a change of one check means.
type Kind string

// The closed set of kinds.
const (
	// Regression: it fails now, and did not.
	Regression Kind = "regression"
	// Fixed: it failed, and passes now.
	Fixed Kind = "fixed"
	// StillFailing: it fails in both.
	StillFailing Kind = "still-failing"
	// Inconclusive: there is no judgement in one of them.
	Inconclusive Kind = "inconclusive"
	// Coverage: it was judged in one of them alone.
	Coverage Kind = "coverage-changed"
)

// Kinds lists the kinds in order.
func Kinds() []Kind { return []Kind{Regression, StillFailing, Fixed, Inconclusive, Coverage} }

// Schema names the form of a [Difference].
const Schema = "adaptercheck-diff-v1"

// Difference is what changed, run by run.
type Difference struct {
	Schema string `json:"schema"`
	Runs   []Run  `json:"runs"`
}

// Run is what changed in the judgement of one subject under one profile.
type Run struct {
	Subject report.Name    `json:"subject"`
	Profile report.Profile `json:"profile"`
	// Old and New are the verdicts.
	Old     report.Verdict `json:"old"`
	New     report.Verdict `json:"new"`
	Changes []Change       `json:"changes"`
}

// Change is one check that is not as before, or fails as before.
type Change struct {
	Kind  Kind         `json:"kind"`
	Check report.Name  `json:"check"`
	Level report.Level `json:"level"`
	Old   report.State `json:"old"`
	New   report.State `json:"new"`
	// OldCodes and NewCodes name what was found, sorted.
	OldCodes []report.Name `json:"oldCodes"`
	NewCodes []report.Name `json:"newCodes"`
}

// Reports compares two reports that validate. It refuses reports of other subjects or
// profiles, or by another suite: a check that is new or judges otherwise is no change of
// a subject.
func Reports(before, after report.Report) (Difference, error) {
	if err := alike(before, after); err != nil {
		return Difference{}, err
	}
	d := Difference{Schema: Schema, Runs: []Run{}}
	for _, o := range before.Runs {
		n, _ := find(after, o)
		r := Run{Subject: o.Subject.Name, Profile: o.Profile, Old: o.Verdict, New: n.Verdict, Changes: []Change{}}
		now := map[report.Name]report.Check{}
		for _, c := range n.Checks {
			now[c.ID] = c
		}
		for _, c := range o.Checks {
			if kind, changed := judge(c.State, now[c.ID].State); changed {
				r.Changes = append(r.Changes, Change{kind, c.ID, c.Level, c.State, now[c.ID].State, codes(c), codes(now[c.ID])})
			}
		}
		d.Runs = append(d.Runs, r)
	}
	return d, nil
}

// Has reports whether there is a change of one of the kinds.
func (d Difference) Has(kinds ...Kind) bool {
	for _, k := range kinds {
		if d.Count(k) > 0 {
			return true
		}
	}
	return false
}

// Count counts the changes of a kind.
func (d Difference) Count(kind Kind) int {
	n := 0
	for _, r := range d.Runs {
		n += len(r.Of(kind))
	}
	return n
}

// Of returns the changes of a kind.
func (r Run) Of(kind Kind) []Change {
	var out []Change
	for _, c := range r.Changes {
		if c.Kind == kind {
			out = append(out, c)
		}
	}
	return out
}

// judge says what it means that a check was in one state and is in another. A known
// failure is a failure.
func judge(old, now report.State) (Kind, bool) {
	judged := func(s report.State) bool { return s != report.Unobserved && s != report.NotRun }
	fails := func(s report.State) bool { return s == report.Failed || s == report.Known }
	switch {
	case now == report.InconclusiveCheck, old == report.InconclusiveCheck && judged(now):
		return Inconclusive, true
	case fails(now) && fails(old):
		return StillFailing, true
	case fails(now):
		return Regression, true
	case judged(old) != judged(now):
		return Coverage, true
	case fails(old):
		return Fixed, true
	}
	return "", false
}

func codes(c report.Check) []report.Name { return slices.Concat([]report.Name{}, c.Codes) }

func find(r report.Report, like report.Run) (report.Run, bool) {
	i := slices.IndexFunc(r.Runs, func(x report.Run) bool { return x.Subject.Name == like.Subject.Name && x.Profile == like.Profile })
	if i < 0 {
		return report.Run{}, false
	}
	return r.Runs[i], true
}

// alike refuses reports that cannot be compared.
func alike(before, after report.Report) error {
	for _, o := range before.Runs {
		n, ok := find(after, o)
		switch {
		case !ok:
			return fmt.Errorf("%s %s is in the old report alone: want the same subjects under the same profiles", o.Subject.Name, o.Profile)
		case n.Suite != o.Suite:
			return fmt.Errorf("%s %s was judged by suite %s %s, and now by %s %s: want the same suite",
				o.Subject.Name, o.Profile, o.Suite.Version, short(o.Suite.Digest), n.Suite.Version, short(n.Suite.Digest))
		}
	}
	for _, n := range after.Runs {
		if _, ok := find(before, n); !ok {
			return fmt.Errorf("%s %s is in the new report alone: want the same subjects under the same profiles", n.Subject.Name, n.Profile)
		}
	}
	return nil
}

// short is the beginning of a digest.
func short(d report.Name) report.Name { return d[:min(8, len(d))] }
