package render

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/adaptercheck/adaptercheck/conformance/report"
)

// Markdown writes the report for a comment on a change: one table of the runs, then
// one section per run with a table of its checks. Failures come first in both; what
// passed or was not run is folded.
func Markdown(w io.Writer, r report.Report) error {
	if err := r.Validate(); err != nil {
		return err
	}
	m := &markdown{}
	m.line("## adaptercheck: %s", cmp.Or(verdictCounts(r), "nothing was judged"))
	runs := slices.Clone(r.Runs)
	slices.SortStableFunc(runs, func(a, b report.Run) int { return cmp.Compare(verdictRank(a), verdictRank(b)) })
	if len(runs) > 0 {
		m.table("verdict", "subject", "profile", "MUST", "SHOULD")
	}
	for _, run := range runs {
		must, should := levels(run)
		m.row(bold(run.Verdict != report.Conforms, verdictWords(run)), code(run.Subject.Name), string(run.Profile), tallyWords(must), tallyWords(should))
	}
	for _, run := range runs {
		m.run(run)
	}
	_, err := w.Write(m.out.Bytes())
	return err
}

// verdictRank puts the worst first, and partial before whole.
func verdictRank(run report.Run) int {
	rank := 2 * slices.Index([]report.Verdict{report.Fails, report.Inconclusive, report.Conforms}, run.Verdict)
	if !run.Partial {
		rank++
	}
	return rank
}

// stateRank puts what needs attention first.
func stateRank(c report.Check) int {
	rank := 2 * slices.Index([]report.State{
		report.Failed, report.InconclusiveCheck, report.Known, report.Unobserved, report.NotRun, report.Passed,
	}, c.State)
	if c.Level == report.Should {
		rank++
	}
	return rank
}

type markdown struct{ out bytes.Buffer }

func (m *markdown) line(format string, args ...any) {
	fmt.Fprintf(&m.out, format+"\n", args...)
}

func (m *markdown) row(cells ...string) { m.line("| %s |", strings.Join(cells, " | ")) }

// table begins one; a table needs an empty line before it.
func (m *markdown) table(heads ...string) {
	m.line("")
	m.row(heads...)
	m.line("|%s", strings.Repeat("---|", len(heads)))
}

func (m *markdown) run(run report.Run) {
	m.line("\n### %s %s: %s", code(run.Subject.Name), run.Profile, verdictWords(run))
	m.line("\nPassed of all: %s. Suite %s, digest %s.", originWords(run), code(run.Suite.Version), code(run.Suite.Digest))
	if run.Cut != nil {
		m.line("\n**Cut short:** %s.", cutWords(*run.Cut, code))
	} else if silent(run) {
		m.line("\n**Nothing was observed.**")
	}
	if words := breachWords(run); words != "" {
		m.line("\n**Breaks the subject protocol:** %s.", words)
	}
	if len(run.Baseline) > 0 {
		m.table("baseline", "code", "does not hold")
	}
	for _, x := range run.Baseline {
		m.row(code(x.Check), code(x.Code), mismatchWords(x))
	}
	m.cases(run)

	checks := slices.Clone(run.Checks)
	slices.SortStableFunc(checks, func(a, b report.Check) int { return cmp.Compare(stateRank(a), stateRank(b)) })
	open := slices.IndexFunc(checks, func(c report.Check) bool { return c.State == report.NotRun || c.State == report.Passed })
	if open < 0 {
		open = len(checks)
	}
	if open > 0 {
		m.table("state", "level", "origin", "check", "what")
		for _, c := range checks[:open] {
			m.row(bold(c.State == report.Failed, string(c.State)), string(c.Level), string(c.Provenance), code(c.ID), what(c))
		}
	}
	if slices.ContainsFunc(checks, func(c report.Check) bool { return c.State == report.Failed }) {
		m.line("\n`%sCHECK` says what a check wants and how to see it again.", explain)
	}
	m.folded("not run", run, report.NotRun)
	m.folded("passed", run, report.Passed)
}

// cases writes the states of the cases that did not pass.
func (m *markdown) cases(run report.Run) {
	var parts []string
	for _, c := range run.Cases {
		switch {
		case c.State == report.Passed:
		case c.FailureCode != "":
			parts = append(parts, fmt.Sprintf("%s %s (%s)", code(c.ID), c.State, code(c.FailureCode)))
		default:
			parts = append(parts, fmt.Sprintf("%s %s", code(c.ID), c.State))
		}
	}
	if len(parts) > 0 {
		m.line("\nCases: %s.", strings.Join(parts, ", "))
	}
}

// folded lists checks in a state that needs no attention. A list is half as long as
// a table, and comments have a limit (65,536 characters on GitHub).
func (m *markdown) folded(word string, run report.Run, s report.State) {
	checks := having(run, s, "")
	if len(checks) == 0 {
		return
	}
	m.line("\n<details><summary>%d %s</summary>", len(checks), word)
	for _, level := range []report.Level{report.Must, report.Should} {
		var ids []string
		for _, c := range having(run, s, level) {
			ids = append(ids, code(c.ID))
		}
		if len(ids) > 0 {
			m.line("\n%s: %s", level, strings.Join(ids, ", "))
		}
	}
	m.line("\n</details>")
}

// what says what was found, or what was missing.
func what(c report.Check) string {
	var parts []string
	for _, n := range c.Codes {
		parts = append(parts, code(n))
	}
	for i, n := range c.Missing {
		word := code(n)
		if i == 0 {
			word = "needs " + word
		}
		parts = append(parts, word)
	}
	return strings.Join(parts, ", ")
}

// code writes a name as a code span. The alphabet of names, which Validate has seen
// to, has no character that ends a span, a cell or a link.
func code(n report.Name) string { return "`" + string(n) + "`" }

func bold(yes bool, s string) string {
	if yes {
		return "**" + s + "**"
	}
	return s
}
