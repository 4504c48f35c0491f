package render

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/adaptercheck/adaptercheck/conformance/report"
)

// homePage is where the tool is explained.
const homePage = "https://github.com/adaptercheck/adaptercheck"

// SARIF writes the report in SARIF 2.1.0: one run of the tool, and a result for each
// failure, at the clause of the contract that it breaks.
//
//   - A failed MUST is an error, a failed SHOULD a warning, a known failure a note.
//   - A subject is the result's logical location, so that two subjects that fail alike
//     are told apart.
//   - A run that came to no judgement is an invocation that did not succeed.
//
// The catalog says what the checks want and where that is written; a check that it does
// not have is at the tool's own page.
func SARIF(w io.Writer, r report.Report, catalog report.Catalog) error {
	if err := r.Validate(); err != nil {
		return err
	}
	known := map[report.Name]report.CatalogCheck{}
	for _, c := range catalog.Checks {
		known[c.ID] = c
	}
	run := sarif.NewRunWithInformationURI(string(r.Tool.Name), homePage)
	run.Tool.Driver.WithVersion(string(r.Tool.Version))
	for _, one := range r.Runs {
		judged := one.Verdict != report.Inconclusive
		run.AddInvocation(sarif.NewInvocation().WithExecutionSuccessful(judged).WithExitCodeDescription(fmt.Sprintf("%s %s: %s", one.Subject.Name, one.Profile, strings.Join(ending(one), "; "))))
		for _, c := range one.Checks {
			level, found := sarifLevel(c)
			if !found {
				continue
			}
			at := clausePage(known[c.ID])
			rule := run.AddRule(string(c.ID)).WithHelpURI(at)
			if title := known[c.ID].Title; title != "" {
				rule.WithShortDescription(sarif.NewMultiformatMessageString().WithText("The adapter " + title + "."))
			}
			where := sarif.NewLocationWithPhysicalLocation(sarif.NewPhysicalLocation().WithArtifactLocation(sarif.NewSimpleArtifactLocation(at))).
				WithLogicalLocations([]*sarif.LogicalLocation{sarif.NewLogicalLocation().WithName(string(one.Subject.Name)).WithFullyQualifiedName(fmt.Sprintf("%s %s", one.Subject.Name, one.Profile))})
			run.CreateResultForRule(string(c.ID)).
				WithLevel(level).
				WithMessage(sarif.NewTextMessage(fmt.Sprintf("%s: %s %s", one.Subject.Name, c.Level, codeWords(c)))).
				WithLocations([]*sarif.Location{where})
		}
	}
	doc := sarif.NewReport()
	doc.AddRun(run)
	out, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(out, '\n'))
	return err
}

// sarifLevel is the weight of a failure, and whether it is one.
func sarifLevel(c report.Check) (string, bool) {
	switch {
	case c.State == report.Known:
		return "note", true
	case c.State != report.Failed:
		return "", false
	case c.Level == report.Must:
		return "error", true
	}
	return "warning", true
}

// clausePage is where the clause of a check is written.
func clausePage(c report.CatalogCheck) string {
	if at := pageOfClause(c.Clause); at != "" {
		return at
	}
	return homePage
}
