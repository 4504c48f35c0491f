// Package baseline keeps known failures from failing a run, for a while.
//
// An entry binds one code of one check of one subject to an issue and a date. A check
// that fails is a known failure if entries name each of its codes. An entry that does
// not hold fails the run: its check passes, fails without its code or cannot be
// observed, it matches nothing, or it is out of date. So a file of known failures
// never goes stale unseen.
//
//	known, err := baseline.Load("known-failures.yaml")
//	…
//	outcomes, broken := baseline.Apply(known.Of("my-adapter", report.Executor), checks, outcomes, time.Now())
//	run := check.Judge(report.Executor, subject, checks, outcomes, cut)
//	run.Baseline = baseline.Mismatches(broken)
//
// [Propose] makes the smallest file for a report. The package imports
// conformance/check, conformance/report and internal.
package baseline

import (
	"strings"
	"time"

	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/internal/yamltree"
)

// Schema names the form of the file.
const Schema = "adaptercheck-baseline-v1"

// Baseline is a file of known failures. The zero value knows none.
type Baseline struct {
	// Path of the file, as it was given.
	Path    string
	Entries []Entry
}

// Entry is one known failure.
type Entry struct {
	// Subject by its name in reports.
	Subject report.Name
	// Check by its id, and the Code that it fails with.
	Check, Code report.Name
	// Issue says where the failure is followed: a link, or the issue's name.
	Issue string
	// Expires is the last day on which the entry holds, at midnight UTC.
	Expires time.Time
	// At is where it stands in the file.
	At yamltree.Position
}

// expired reports whether the entry's last day is over.
func (e Entry) expired(now time.Time) bool { return !now.Before(e.Expires.AddDate(0, 0, 1)) }

// same reports whether two entries are about the same failure.
func (e Entry) same(o Entry) bool {
	return e.Subject == o.Subject && e.Check == o.Check && e.Code == o.Code
}

// Of lists the entries about a subject under a profile.
func (b Baseline) Of(subject report.Name, p report.Profile) []Entry {
	var out []Entry
	for _, e := range b.Entries {
		if e.Subject == subject && strings.HasPrefix(string(e.Check), string(p)+".") {
			out = append(out, e)
		}
	}
	return out
}
