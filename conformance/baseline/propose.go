package baseline

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/conformance/report"
)

// ErrPartial is returned by [Propose] for a report that does not say everything.
var ErrPartial = errors.New("the run was partial")

// ErrUnbound is returned by [Propose] for a failure without an issue and a date that
// is to come.
var ErrUnbound = errors.New("a new failure, or one whose day is over, needs an issue and a day to come")

// ErrBreached is returned by [Propose] for a run that fails whatever is known.
var ErrBreached = errors.New("the subject broke the subject protocol, which is never a known failure")

// Binding is what a new entry gets.
type Binding struct {
	Issue   string
	Expires time.Time
}

// Propose returns the fewest entries with which the report's runs would not fail:
// one for each code of a MUST that failed, sorted. An entry that stands in the old
// baseline keeps its issue and its date, unless that is over; every other gets those of
// the binding, without which it is [ErrUnbound]. A partial run is [ErrPartial], and one
// that broke the subject protocol, which no entry makes good, [ErrBreached].
func Propose(r report.Report, old Baseline, b Binding, now time.Time) ([]Entry, error) {
	var out []Entry
	for _, run := range r.Runs {
		if run.Partial {
			return nil, fmt.Errorf("%w: %s %s", ErrPartial, run.Subject.Name, run.Profile)
		}
		if len(run.Breaches) > 0 {
			return nil, fmt.Errorf("%w: %s %s", ErrBreached, run.Subject.Name, run.Profile)
		}
		for _, c := range run.Checks {
			if c.Level != report.Must || c.State != report.Failed && c.State != report.Known {
				continue
			}
			for _, code := range c.Codes {
				e, err := bind(Entry{Subject: run.Subject.Name, Check: c.ID, Code: code}, old, b, now)
				if err != nil {
					return nil, err
				}
				out = append(out, e)
			}
		}
	}
	slices.SortFunc(out, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(a.Subject, b.Subject), cmp.Compare(a.Check, b.Check), cmp.Compare(a.Code, b.Code))
	})
	return slices.CompactFunc(out, Entry.same), nil
}

// bind gives an entry its issue and date.
func bind(e Entry, old Baseline, b Binding, now time.Time) (Entry, error) {
	if i := slices.IndexFunc(old.Entries, e.same); i >= 0 && !old.Entries[i].expired(now) {
		e.Issue, e.Expires = old.Entries[i].Issue, old.Entries[i].Expires
		return e, nil
	}
	e.Issue, e.Expires = b.Issue, b.Expires
	if e.Issue == "" || e.expired(now) {
		return e, fmt.Errorf("%w: %s %s %s", ErrUnbound, e.Subject, e.Check, e.Code)
	}
	return e, nil
}

// Marshal writes a file that [Parse] reads.
func Marshal(entries []Entry) ([]byte, error) {
	var out bytes.Buffer
	fmt.Fprintf(&out, "schema: %s\n", Schema)
	if len(entries) == 0 {
		out.WriteString("known: []\n")
		return out.Bytes(), nil
	}
	out.WriteString("known:\n")
	for _, e := range entries {
		issue, err := jsontext.AppendQuote(nil, e.Issue) // a JSON text is a YAML one
		if err != nil {
			return nil, fmt.Errorf("issue of %s: %w", e.Check, err)
		}
		fmt.Fprintf(&out, "  - subject: %q\n    check: %s\n    code: %s\n    issue: %s\n    expires: %s\n",
			e.Subject, e.Check, e.Code, issue, e.Expires.Format(time.DateOnly))
	}
	return out.Bytes(), nil
}
