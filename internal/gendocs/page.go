package main

import (
	"fmt"
	"strings"

	"github.com/adaptercheck/adaptercheck/conformance"
	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/report"
	contract "github.com/adaptercheck/adaptercheck/docs/contract"
)

// pages are the texts of all pages, by file name.
func pages() (map[string]string, error) {
	out := map[string]string{}
	for _, p := range report.Profiles() {
		checks := conformance.Checks(p)
		if len(checks) == 0 {
			continue
		}
		text, err := page(p, checks)
		if err != nil {
			return nil, fmt.Errorf("page of the profile %s: %w", p, err)
		}
		out[string(p)+".md"] = text
	}
	return out, nil
}

// topic is the checks of one topic, in the order of the catalogue.
type topic struct {
	name   string
	checks []check.Check
}

// topics groups a catalogue, in the order in which topics first come.
func topics(checks []check.Check) []*topic {
	var all []*topic
	byName := map[string]*topic{}
	for _, ch := range checks {
		t := byName[ch.Topic()]
		if t == nil {
			t = &topic{name: ch.Topic()}
			byName[t.name] = t
			all = append(all, t)
		}
		t.checks = append(t.checks, ch)
	}
	return all
}

// page writes the page of a profile.
func page(p report.Profile, checks []check.Check) (string, error) {
	var b strings.Builder
	put := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	must := 0
	for _, ch := range checks {
		if ch.Level == check.Must {
			must++
		}
	}
	put("<!-- Generated from the catalogue by go run ./internal/gendocs. Do not edit. -->")
	put("")
	put("# The checks of the %s profile", p)
	put("")
	put("%d checks: %d MUST, %d SHOULD. What they enforce is the [%s contract](../contract/%s.md); its", len(checks), must, len(checks)-must, p, p)
	put("[introduction](../contract/README.md) says what level and provenance mean. `adaptercheck explain CHECK` prints the same with the clause.")
	put("")
	put("A check that fails reports one or more of its codes. Besides those listed here, every check can report three of its case:")
	put("*case*`-assertion-failed` (what the check needs as a basis did not hold), *case*`-threw` (a call panicked, or refused what it must be able")
	put("to do) and *case*`-hung` (a call gave no answer within its budget). A check whose needs a subject does not offer is unobserved.")
	put("")
	put("| topic | checks |")
	put("|---|---|")
	for _, t := range topics(checks) {
		put("| [%s](#%s) | %d |", t.name, t.name, len(t.checks))
	}
	for _, t := range topics(checks) {
		put("")
		put("## %s", t.name)
		for _, ch := range t.checks {
			put("")
			if err := entry(put, ch); err != nil {
				return "", err
			}
		}
	}
	return b.String(), nil
}

// entry writes about one check.
func entry(put func(string, ...any), ch check.Check) error {
	clause, err := contract.Find(ch.Clause)
	if err != nil {
		return fmt.Errorf("check %s: %w", ch.ID, err)
	}
	put("### %s", ch.ID)
	put("")
	put("The %s %s.", ch.Whose(), ch.Title)
	put("")
	put("* %s · %s · case `%s`", ch.Level, ch.Provenance, ch.Case)
	put("* Clause: [%s](../contract/%s.md#%s), %s", ch.Clause, clause.Profile, clause.Anchor, clause.Title)
	if len(ch.Needs) > 0 {
		put("* Needs: %s", words(ch.Needs))
	}
	put("* Codes: %s", words(ch.Codes))
	return nil
}

// words lists names as code.
func words[T ~string](names []T) string {
	all := make([]string, len(names))
	for i, n := range names {
		all[i] = "`" + string(n) + "`"
	}
	return strings.Join(all, ", ")
}
