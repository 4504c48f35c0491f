package check

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// Code names a finding. It is closed: a check may only report codes that it
// declares, or the generic ones of its case.
type Code string

// Feature is one word for what a fake plays, a subject offers and a check needs.
type Feature = fakes.Feature

// The levels, as in the report.
const (
	Must   = report.Must
	Should = report.Should
)

// The provenances, as in the report.
const (
	Stated  = report.Stated
	Implied = report.Implied
	Decided = report.Decided
)

// Check is one requirement and the function that looks whether a subject keeps it.
type Check struct {
	// ID is stable for ever: profile.topic.what, of a to z, 0 to 9, dots and
	// hyphens.
	ID string
	// Case is the seed's own check that this one sharpens.
	Case string
	// Clause is the anchor of the requirement in docs/contract, profile#anchor.
	Clause string
	Level  report.Level
	// Provenance says where the clause comes from.
	Provenance report.Provenance
	// Needs lists what subject and fake must offer; if one is missing the check
	// is unobserved.
	Needs []Feature
	// Flood: the check plays megabytes or tens of thousands of frames, or builds as many
	// messages. That takes a thousand times as long as any other check, and is the same
	// under every seed.
	Flood bool
	// Codes lists what the check may find.
	Codes []Code
	// Title says what a right subject does, as the end of "the adapter …" or "the host …".
	Title string
	// Run looks. It ends early through C.
	Run func(ctx context.Context, c *C)
}

// Profile is the first part of the id.
func (c Check) Profile() report.Profile {
	p, _, _ := strings.Cut(c.ID, ".")
	return report.Profile(p)
}

// Topic is the second part of the id.
func (c Check) Topic() string {
	parts := strings.SplitN(c.ID, ".", 3)
	if len(parts) < 3 {
		return ""
	}
	return parts[1]
}

// The generic findings of a case. The first two are the seed's own failure codes.

// AssertionFailed is the code of a plain expectation under the case.
func (c Check) AssertionFailed() Code { return Code(c.Case + "-assertion-failed") }

// Threw is the code of a panic or an unexpected error under the case.
func (c Check) Threw() Code { return Code(c.Case + "-threw") }

// Hung is the code of a call or a check that did not end in its budget.
func (c Check) Hung() Code { return Code(c.Case + "-hung") }

// AllCodes lists the check's own codes and the generic ones.
func (c Check) AllCodes() []Code {
	return append(slices.Clone(c.Codes), c.AssertionFailed(), c.Threw(), c.Hung())
}

// Whose is what the profile judges, the subject of the title: adapter or host.
func (c Check) Whose() string {
	if c.Profile() == report.Host {
		return "host"
	}
	return "adapter"
}

// Catalog describes the check for a listing.
func (c Check) Catalog() report.CatalogCheck {
	out := report.CatalogCheck{
		ID: report.Name(c.ID), Profile: c.Profile(), Case: report.Name(c.Case), Clause: c.Clause,
		Level: c.Level, Provenance: c.Provenance, Title: c.Title,
		Needs: []report.Name{}, Codes: []report.Name{},
	}
	for _, n := range c.Needs {
		out.Needs = append(out.Needs, report.Name(n))
	}
	for _, code := range c.AllCodes() {
		out.Codes = append(out.Codes, report.Name(code))
	}
	return out
}

var (
	idPattern     = regexp.MustCompile(`^(executor|history|host)\.[a-z0-9-]+\.[a-z0-9.-]+$`)
	codePattern   = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	clausePattern = regexp.MustCompile(`^(executor|history|host)#[a-z0-9-]+$`)
)

// Validate returns an error that names the first check of a catalogue which is
// not well formed.
func Validate(checks []Check) error {
	seen := map[string]bool{}
	for _, c := range checks {
		problem := ""
		switch {
		case !idPattern.MatchString(c.ID):
			problem = "id is not profile.topic.what"
		case seen[c.ID]:
			problem = "id is taken"
		case !slices.Contains(Cases(c.Profile()), c.Case):
			problem = "case is not one of the profile"
		case !clausePattern.MatchString(c.Clause):
			problem = "clause is not profile#anchor"
		case c.Level != Must && c.Level != Should:
			problem = "level is neither MUST nor SHOULD"
		case c.Provenance != Stated && c.Provenance != Implied && c.Provenance != Decided:
			problem = "provenance is not set"
		case len(c.Codes) == 0:
			problem = "no codes"
		case c.Title == "" || c.Run == nil:
			problem = "no title or no function"
		}
		for _, code := range c.Codes {
			if !codePattern.MatchString(string(code)) {
				problem = fmt.Sprintf("code %q is not lower-case words with hyphens", code)
			}
		}
		for _, n := range c.Needs {
			if !fakes.AllFeatures().Has(n) {
				problem = fmt.Sprintf("feature %q is unknown", n)
			}
		}
		if problem != "" {
			return fmt.Errorf("check %s: %s", c.ID, problem)
		}
		seen[c.ID] = true
	}
	return nil
}

// Cases lists the seed's own checks of a profile, in their order; for the host
// profile, the parts of its surface.
func Cases(p report.Profile) []string {
	switch p {
	case report.Executor:
		return []string{"identity", "capabilities", "health", "start", "events-round-trip", "late-binding", "abort", "set-model", "write-context"}
	case report.History:
		return []string{"identity", "capabilities", "canonical-history", "rebuild", "privacy", "fallback", "lifecycle"}
	case report.Host:
		return []string{"surface", "healthcheck", "connect", "disconnect", "runtimes", "seed-team", "run"}
	default:
		return nil
	}
}

// Digest is the hex SHA-256 of everything in a catalogue that a verdict rests on.
func Digest(checks []Check) string {
	h := sha256.New()
	for _, c := range checks {
		fmt.Fprintf(h, "%s|%s|%s|%s|%s|%v|%v\n", c.ID, c.Case, c.Clause, c.Level, c.Provenance, c.Needs, c.Codes)
	}
	return hex.EncodeToString(h.Sum(nil))
}
