package report

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// The alphabets are spelled out in code: to compile the same as regular expressions
// would cost every start of a program that links this package a millisecond and more.

// Valid reports whether the name keeps to the safe alphabet.
func (n Name) Valid() bool {
	if len(n) < 1 || len(n) > 64 {
		return false
	}
	for i := range len(n) {
		if c := n[i]; !isAlnum(c) && c != '.' && c != '_' && c != '+' && c != '-' {
			return false
		}
	}
	return true
}

func isAlnum(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// validClause reports whether s is an anchor in a page of the contract, such as
// executor#seq: up to 32 lower-case letters, then a name without a plus.
func validClause(s string) bool {
	page, anchor, ok := strings.Cut(s, "#")
	if !ok || len(page) < 1 || len(page) > 32 {
		return false
	}
	for i := range len(page) {
		if page[i] < 'a' || page[i] > 'z' {
			return false
		}
	}
	return Name(anchor).Valid() && !strings.Contains(anchor, "+")
}

// validTitle reports whether s is one line of 1 to 160 characters, none of which
// controls a terminal.
func validTitle(s string) bool {
	for _, c := range s {
		if unicode.IsControl(c) {
			return false
		}
	}
	n := utf8.RuneCountInString(s)
	return utf8.ValidString(s) && 1 <= n && n <= 160
}

// Validate returns a [*FieldError] that names the first field which holds something
// that a report may not hold, or nil.
func (r Report) Validate() error {
	v := &validator{document: "report"}
	v.that(r.Schema == Schema, "schema")
	v.name("tool.name", r.Tool.Name)
	v.name("tool.version", r.Tool.Version)
	for i, run := range r.Runs {
		v.run(fmt.Sprintf("runs[%d]", i), run)
	}
	if r.Timing != nil {
		for i, t := range r.Timing.Runs {
			v.that(validBucket(t.Total), fmt.Sprintf("timing.runs[%d].total", i))
			for id, b := range t.Checks {
				v.that(id.Valid() && validBucket(b), fmt.Sprintf("timing.runs[%d].checks", i))
			}
		}
	}
	return v.result()
}

// Validate returns a [*FieldError] that names the first field which holds something
// that a catalog may not hold, or nil.
func (c Catalog) Validate() error {
	v := &validator{document: "catalog"}
	v.that(c.Schema == CatalogSchema, "schema")
	for i, k := range c.Checks {
		field := fmt.Sprintf("checks[%d]", i)
		v.name(field+".id", k.ID)
		v.that(slices.Contains(Profiles(), k.Profile), field+".profile")
		v.name(field+".case", k.Case)
		v.that(validClause(k.Clause), field+".clause")
		v.that(validLevel(k.Level), field+".level")
		v.that(validProvenance(k.Provenance), field+".provenance")
		v.names(field+".needs", k.Needs)
		v.names(field+".codes", k.Codes)
		v.that(validTitle(k.Title), field+".title")
	}
	return v.result()
}

// validator keeps the first error.
type validator struct {
	document string
	err      *FieldError
}

func (v *validator) that(ok bool, field string) {
	if !ok && v.err == nil {
		v.err = &FieldError{Document: v.document, Field: field, Problem: ProblemOutside}
	}
}

// result keeps a nil *FieldError from becoming a non-nil error.
func (v *validator) result() error {
	if v.err == nil {
		return nil
	}
	return v.err
}

func (v *validator) names(field string, names []Name) {
	for i, n := range names {
		v.name(fmt.Sprintf("%s[%d]", field, i), n)
	}
}

func (v *validator) tally(field string, t Tally) {
	for _, n := range []int{t.Passed, t.Failed, t.Unobserved, t.NotRun, t.Inconclusive, t.Known} {
		v.that(n >= 0, field)
	}
}

func (v *validator) name(field string, n Name) { v.that(n.Valid(), field) }

func (v *validator) run(at string, r Run) {
	v.name(at+".subject.name", r.Subject.Name)
	v.names(at+".subject.features", r.Subject.Features)
	v.that(slices.Contains(Profiles(), r.Profile), at+".profile")
	v.name(at+".suite.version", r.Suite.Version)
	v.name(at+".suite.digest", r.Suite.Digest)
	v.that(slices.Contains([]Verdict{Conforms, Fails, Inconclusive}, r.Verdict), at+".verdict")
	if r.Cut != nil {
		v.that(slices.Contains(CutReasons(), r.Cut.Reason), at+".cut.reason")
		v.that(r.Cut.During == "" || r.Cut.During.Valid(), at+".cut.during")
	}
	for code, n := range r.Breaches {
		v.that(code.Valid() && n >= 0, at+".breaches")
	}
	for i, m := range r.Baseline {
		field := fmt.Sprintf("%s.baseline[%d]", at, i)
		v.name(field+".check", m.Check)
		v.name(field+".code", m.Code)
		v.that(slices.Contains(MismatchReasons(), m.Reason), field+".reason")
	}
	v.tally(at+".tally", r.Tally)
	v.tally(at+".origin.stated", r.Origin.Stated)
	v.tally(at+".origin.implied", r.Origin.Implied)
	v.tally(at+".origin.decided", r.Origin.Decided)
	for i, c := range r.Cases {
		field := fmt.Sprintf("%s.cases[%d]", at, i)
		v.name(field+".id", c.ID)
		v.that(slices.Contains(States(), c.State), field+".state")
		v.that(c.FailureCode == "" || c.FailureCode.Valid(), field+".failureCode")
	}
	for i, c := range r.Checks {
		field := fmt.Sprintf("%s.checks[%d]", at, i)
		v.name(field+".id", c.ID)
		v.name(field+".case", c.Case)
		v.that(validLevel(c.Level), field+".level")
		v.that(validProvenance(c.Provenance), field+".provenance")
		v.that(slices.Contains(States(), c.State), field+".state")
		v.names(field+".codes", c.Codes)
		v.names(field+".missing", c.Missing)
		for name, n := range c.Counts {
			v.that(name.Valid() && n >= 0, field+".counts")
		}
	}
}

func validLevel(l Level) bool { return l == Must || l == Should }

func validProvenance(p Provenance) bool {
	return slices.Contains([]Provenance{Stated, Implied, Decided}, p)
}

func validBucket(b Bucket) bool {
	return slices.Contains([]Bucket{UnderMS, Under10MS, Under100, UnderSec, Under10S, Longer}, b)
}

// BucketOf returns the bucket of a duration.
func BucketOf(d time.Duration) Bucket {
	switch {
	case d < time.Millisecond:
		return UnderMS
	case d < 10*time.Millisecond:
		return Under10MS
	case d < 100*time.Millisecond:
		return Under100
	case d < time.Second:
		return UnderSec
	case d < 10*time.Second:
		return Under10S
	default:
		return Longer
	}
}

// ExitCode is what a program should exit with after this report: 1 if a run
// fails, else 3 if one is inconclusive, else 0. No run at all is 3.
func (r Report) ExitCode() int {
	code := 0
	for _, run := range r.Runs {
		switch {
		case run.Verdict == Fails:
			return 1
		case run.Verdict == Inconclusive:
			code = 3
		}
	}
	if len(r.Runs) == 0 {
		return 3
	}
	return code
}
