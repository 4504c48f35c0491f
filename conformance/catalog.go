package conformance

import (
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/onsi/ginkgo/v2/types"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/executortest"
	"github.com/adaptercheck/adaptercheck/conformance/historytest"
	"github.com/adaptercheck/adaptercheck/conformance/hosttest"
	"github.com/adaptercheck/adaptercheck/conformance/report"
)

// Checks returns the catalogue of a profile, nil for a profile without checks.
func Checks(p report.Profile) []check.Check {
	switch p {
	case report.Executor:
		return executortest.Checks()
	case report.History:
		return historytest.Checks()
	case report.Host:
		return hosttest.Checks()
	default:
		return nil
	}
}

// Catalog describes every check of the profiles; no profile means all.
func Catalog(profiles ...report.Profile) report.Catalog {
	c := report.Catalog{Schema: report.CatalogSchema, Checks: []report.CatalogCheck{}}
	for _, p := range report.Profiles() {
		if len(profiles) > 0 && !slices.Contains(profiles, p) {
			continue
		}
		for _, ch := range Checks(p) {
			c.Checks = append(c.Checks, ch.Catalog())
		}
	}
	return c
}

// Find returns the check with the id, and false if there is none.
func Find(id string) (check.Check, bool) {
	for _, p := range report.Profiles() {
		for _, ch := range Checks(p) {
			if ch.ID == id {
				return ch, true
			}
		}
	}
	return check.Check{}, false
}

// Selection narrows a catalogue. The zero value selects everything.
type Selection struct {
	// Match is a glob over ids, in which * stands for any text; empty selects all.
	Match string
	// LabelFilter is in Ginkgo's own language, over the labels profile, topic,
	// level, case and id; empty selects all.
	LabelFilter string
	// Shard is the part of the catalogue to select from; the zero value is all of it.
	Shard Shard
}

// Shard is one of several equal parts of a catalogue. Each check is in one of them,
// whatever else is selected.
type Shard struct {
	// Index of the shard, the first is 1, and Of how many there are.
	Index, Of int
}

// has reports whether the check at the place is in the shard.
func (s Shard) has(place int) bool { return s.Of == 0 || place%s.Of == s.Index-1 }

// ErrNothingSelected is returned for a selection that matches no check.
var ErrNothingSelected = errors.New("the selection matches no check")

// Of returns the selected checks. A selection that cannot be read, or matches
// nothing, is an error.
func (s Selection) Of(checks []check.Check) ([]check.Check, error) {
	if _, err := path.Match(s.Match, ""); err != nil {
		return nil, fmt.Errorf("check pattern %q: %w", s.Match, err)
	}
	filter, err := types.ParseLabelFilter(s.LabelFilter)
	if err != nil {
		return nil, fmt.Errorf("label filter %q is not in Ginkgo's filter language", s.LabelFilter)
	}
	var selected []check.Check
	for i, ch := range checks {
		if !s.Shard.has(i) {
			continue
		}
		if s.Match != "" {
			if ok, _ := path.Match(s.Match, ch.ID); !ok {
				continue
			}
		}
		if filter(labels(ch)) {
			selected = append(selected, ch)
		}
	}
	if len(selected) == 0 {
		return nil, ErrNothingSelected
	}
	return selected, nil
}

// labels are what a filter selects by.
func labels(ch check.Check) []string {
	out := []string{string(ch.Profile()), ch.Topic(), string(ch.Level), ch.Case, ch.ID}
	slices.Sort(out)
	return slices.Compact(out)
}
