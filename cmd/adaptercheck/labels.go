package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/adaptercheck/adaptercheck/conformance"
	"github.com/adaptercheck/adaptercheck/internal/nearest"
)

// knownLabels refuses a filter with a word that is no check's label: a slip of the
// pen would otherwise widen or narrow the run in silence.
func (s *selectionFlags) knownLabels() error {
	if s.LabelFilter == "" {
		return nil
	}
	// Compiled here, as a program should not pay at its start for what it may not do.
	skip := regexp.MustCompile(`/[^/]*/|[^&|!,()/{}]+:[^&|()]*`) // regular expressions and sets
	word := regexp.MustCompile(`[^&|!,()/{}]+`)
	known := labelsOf(conformance.Catalog().Checks)
	for _, w := range word.FindAllString(skip.ReplaceAllString(s.LabelFilter, " "), -1) {
		w = strings.TrimSpace(w)
		if w != "" && !slices.ContainsFunc(known, func(k string) bool { return strings.EqualFold(k, w) }) {
			return fmt.Errorf("flag --label-filter: %w", unknown("label", w, known))
		}
	}
	return nil
}

// nothing is the error for a selection that matches no check.
func (s *selectionFlags) nothing() error {
	if s.Match != "" && !strings.ContainsAny(s.Match, `*?[\`) {
		if _, found := conformance.Find(s.Match); !found {
			return fmt.Errorf("flag --check: %w", unknown("check", s.Match, checkIDs()))
		}
	}
	var given []string
	for _, f := range [][2]string{{"profile", string(s.profile)}, {"check", s.Match}, {"label-filter", s.LabelFilter}} {
		if f[1] != "" {
			given = append(given, fmt.Sprintf("--%s %q", f[0], f[1]))
		}
	}
	if len(given) == 0 {
		return errors.New("there are no checks")
	}
	hint := ""
	if s.Match != "" {
		if near := nearest.Word(strings.Trim(s.Match, "*"), checkIDs()); near != "" {
			hint = fmt.Sprintf(", did you mean %q?", near)
		}
	}
	return fmt.Errorf("no check matches %s%s", strings.Join(given, " "), hint)
}
