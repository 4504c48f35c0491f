package render

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/adaptercheck/adaptercheck/conformance/report"
)

// TAP writes the report in version 14 of the Test Anything Protocol: one point for each
// check of each run, named subject, profile and id.
//
//   - A comment before the points of a run says its verdict.
//   - A failed MUST is not ok. So is a check that began and did not end.
//   - A failed SHOULD is not ok with the directive TODO, which fails no build, and so is a
//     known failure.
//   - What was not observed or not run is skipped.
//   - A run whose verdict is not good for a reason that none of its points says gets one
//     more, named run, that is not ok. A report without runs is one such point.
func TAP(w io.Writer, r report.Report) error {
	if err := r.Validate(); err != nil {
		return err
	}
	var lines []string
	points := 0
	point := func(ok bool, name, directive string, notes ...string) {
		points++
		line := fmt.Sprintf("ok %d - %s", points, name)
		if !ok {
			line = "not " + line
		}
		if directive != "" {
			line += " # " + directive
		}
		for _, n := range notes {
			line += "\n  # " + n
		}
		lines = append(lines, line)
	}
	for _, run := range r.Runs {
		name := fmt.Sprintf("%s %s ", run.Subject.Name, run.Profile)
		said := false
		lines = append(lines, fmt.Sprintf("# %s%s", name, verdictWords(run)))
		for _, c := range run.Checks {
			switch c.State {
			case report.Passed:
				point(true, name+string(c.ID), "")
			case report.Failed:
				directive := ""
				if c.Level == report.Should {
					directive = "TODO SHOULD"
				} else {
					said = true
				}
				point(false, name+string(c.ID), directive, codeWords(c), explain+string(c.ID))
			case report.Known:
				point(false, name+string(c.ID), "TODO known", codeWords(c))
			case report.InconclusiveCheck:
				said = true
				point(false, name+string(c.ID), "", "inconclusive")
			case report.Unobserved:
				point(true, name+string(c.ID), "SKIP unobserved, needs "+joinNames(c.Missing, " "))
			default:
				point(true, name+string(c.ID), "SKIP not run")
			}
		}
		if run.Verdict != report.Conforms && !said {
			point(false, name+"run", "", ending(run)...)
		}
	}
	if len(r.Runs) == 0 {
		point(false, "run", "", string(report.Inconclusive)+", nothing was judged")
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "TAP version 14\n1..%d\n%s\n", points, strings.Join(lines, "\n"))
	_, err := w.Write(out.Bytes())
	return err
}

// ending says why a run came to what it did, where its checks do not.
func ending(run report.Run) []string {
	words := []string{verdictWords(run)}
	if run.Cut != nil {
		words = append(words, "cut short: "+cutWords(*run.Cut, plain))
	}
	if silent(run) {
		words = append(words, "nothing was observed")
	}
	if b := breachWords(run); b != "" {
		words = append(words, "breaks the subject protocol: "+b)
	}
	for _, m := range run.Baseline {
		words = append(words, fmt.Sprintf("baseline %s: %s: %s", m.Check, m.Code, mismatchWords(m)))
	}
	return words
}
