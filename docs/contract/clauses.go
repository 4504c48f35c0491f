// Package contract is the written contract: one page per profile, and a reader
// that takes a page apart into clauses, so that a program can print the clause
// which a check enforces and a test can hold checks and pages against each other.
//
//	clause, err := contract.Find(check.Clause) // "executor#seq"
//	if err != nil {
//		return err
//	}
//	fmt.Println(clause.Title, clause.Level, clause.Text)
//
// It imports conformance/report for the words of a clause. README.md says how the
// pages are to be read.
package contract

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/adaptercheck/adaptercheck/conformance/report"
)

//go:embed executor.md history.md host.md
var pages embed.FS

// Clause is one requirement of a contract.
type Clause struct {
	// Profile is the contract that the clause belongs to.
	Profile report.Profile
	// Anchor names the clause within its page, for ever.
	Anchor string
	// Title is a few words of plain text.
	Title string
	// Level is the weight of the clause.
	Level report.Level
	// Provenance says where the clause comes from.
	Provenance report.Provenance
	// Text is the clause itself, in Markdown, without blank lines around it.
	Text string
	// Unchecked says why no check enforces the clause; empty when one does.
	Unchecked string
}

// Ref is the name by which checks cite the clause: profile#anchor.
func (c Clause) Ref() string { return string(c.Profile) + "#" + c.Anchor }

// Load returns the clauses of a profile in the order of its page. The slice is the
// caller's. A profile without a page is an error, and so is a page that breaks the
// form; the error names file and line.
func Load(p report.Profile) ([]Clause, error) {
	name := string(p) + ".md"
	if !slices.Contains(report.Profiles(), p) {
		return nil, fmt.Errorf("contract %q: no such profile", p)
	}
	text, err := pages.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("contract %s: %w", p, err)
	}
	return parse(p, name, string(text))
}

// Find returns the clause that a check cites, such as executor#seq. A reference to
// no clause is an error.
func Find(ref string) (Clause, error) {
	profile, anchor, ok := strings.Cut(ref, "#")
	if !ok {
		return Clause{}, fmt.Errorf("clause %q: want profile#anchor", ref)
	}
	clauses, err := Load(report.Profile(profile))
	if err != nil {
		return Clause{}, fmt.Errorf("clause %q: %w", ref, err)
	}
	i := slices.IndexFunc(clauses, func(c Clause) bool { return c.Anchor == anchor })
	if i < 0 {
		return Clause{}, fmt.Errorf("clause %q: the page has no such anchor", ref)
	}
	return clauses[i], nil
}
