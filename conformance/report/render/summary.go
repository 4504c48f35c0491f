package render

import (
	"bytes"
	"fmt"
	"io"

	"github.com/adaptercheck/adaptercheck/conformance/report"
)

// SummaryOptions says how a summary looks. The zero value is plain ASCII text.
type SummaryOptions struct {
	// Color writes ANSI colors. Whether the writer takes them is for the caller to
	// know.
	Color bool
	// Verbose lists every check and every finding, not only the first ones.
	Verbose bool
}

// How many findings of a run a summary lists before it only counts them.
const (
	mustShown   = 10
	shouldShown = 5
	// missingShown is how many groups of unobserved checks are named.
	missingShown = 5
)

// Summary writes what a person reads in ten seconds: per run one headline with the
// verdict and the counts, then its failed MUSTs with the command that explains them,
// its SHOULD findings, what could not be observed and for want of what, and why it
// ended early. The bracket in a headline is passed of all, by where a requirement
// comes from. A run that conforms takes one line, or two with something unobserved.
func Summary(w io.Writer, r report.Report, o SummaryOptions) error {
	if err := r.Validate(); err != nil {
		return err
	}
	s := &summary{palette: newPalette(o.Color), verbose: o.Verbose}
	if o.Verbose {
		s.line("%s %s, seed %d", r.Tool.Name, r.Tool.Version, r.Seed)
	}
	for _, run := range r.Runs {
		s.verdictWidth = max(s.verdictWidth, len(verdictWords(run)))
		s.nameWidth = max(s.nameWidth, len(runName(run)))
	}
	for i, run := range r.Runs {
		s.headline(run)
		if o.Verbose {
			s.checks(run, timingOf(r, i))
		}
		s.findings(run)
	}
	s.closing(r)
	_, err := w.Write(s.out.Bytes())
	return err
}

func runName(run report.Run) string { return fmt.Sprintf("%s %s", run.Subject.Name, run.Profile) }

// timingOf returns the times of a run, or nil.
func timingOf(r report.Report, i int) *report.RunTiming {
	if r.Timing == nil || i >= len(r.Timing.Runs) {
		return nil
	}
	return &r.Timing.Runs[i]
}

type summary struct {
	out                     bytes.Buffer
	palette                 palette
	verbose                 bool
	verdictWidth, nameWidth int
}

func (s *summary) line(format string, args ...any) {
	fmt.Fprintf(&s.out, format+"\n", args...)
}

func (s *summary) headline(run report.Run) {
	counts := "no checks"
	if len(run.Checks) > 0 {
		must, should := levels(run)
		counts = fmt.Sprintf("MUST %s; SHOULD %s  %s", tallyWords(must), tallyWords(should), s.palette.dim("["+originWords(run)+"]"))
	}
	s.line("%s  %s  %s",
		s.palette.verdict(run)(fmt.Sprintf("%-*s", s.verdictWidth, verdictWords(run))),
		s.palette.strong(fmt.Sprintf("%-*s", s.nameWidth, runName(run))),
		counts)
}

// checks lists every check of a run.
func (s *summary) checks(run report.Run, timing *report.RunTiming) {
	s.line("  suite %s %s", run.Suite.Version, run.Suite.Digest)
	if len(run.Subject.Features) > 0 {
		s.line("  offers %s", joinNames(run.Subject.Features, ", "))
	}
	for _, c := range run.Checks {
		line := fmt.Sprintf("  %-12s %-6s %s", c.State, c.Level, c.ID)
		if words := countWords(c); words != "" {
			line += " " + words
		}
		if len(c.Missing) > 0 {
			line += " needs " + joinNames(c.Missing, ", ")
		}
		if timing != nil {
			if b, ok := timing.Checks[c.ID]; ok {
				line += " " + string(b)
			}
		}
		s.line("%s", line)
	}
}

func (s *summary) findings(run report.Run) {
	s.list(having(run, report.Failed, report.Must), mustShown, "MUST", func(c report.Check) {
		s.line("  %s  %s: %s", s.palette.bad("MUST  "), s.palette.strong(string(c.ID)), codeWords(c))
		s.line("          %s", s.palette.dim(explain+string(c.ID)))
	})
	s.list(having(run, report.Failed, report.Should), shouldShown, "SHOULD", func(c report.Check) {
		s.line("  %s  %s: %s", s.palette.warn("SHOULD"), c.ID, codeWords(c))
	})
	if words := breachWords(run); words != "" {
		s.line("  %s %s", s.palette.bad("breaks the subject protocol:"), words)
	}
	for _, m := range run.Baseline {
		s.line("  %s %s: %s: %s", s.palette.bad("baseline"), m.Check, m.Code, mismatchWords(m))
	}
	if s.verbose {
		for _, c := range having(run, report.Known, "") {
			s.line("  known   %s: %s", c.ID, codeWords(c))
		}
	}
	limit := missingShown
	if s.verbose {
		limit = 0
	}
	if words := missingWords(run, limit); words != "" {
		s.line("  unobserved, for want of: %s", words)
	}
	switch {
	case run.Cut != nil:
		s.line("  %s %s", s.palette.warn("cut short:"), cutWords(*run.Cut, plain))
	case silent(run):
		s.line("  %s", s.palette.warn("nothing was observed"))
	}
}

// list writes the first checks and counts the others.
func (s *summary) list(checks []report.Check, limit int, level string, write func(report.Check)) {
	for i, c := range checks {
		if i == limit && !s.verbose {
			s.line("  ... and %d more failed %s", len(checks)-limit, level)
			return
		}
		write(c)
	}
}

// closing adds up several runs, or says that there was none.
func (s *summary) closing(r report.Report) {
	if len(r.Runs) == 0 {
		s.line("%s", s.palette.warn("no run: nothing was judged"))
	}
	if len(r.Runs) > 1 {
		s.line("%d runs: %s", len(r.Runs), verdictCounts(r))
	}
}
