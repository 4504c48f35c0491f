package render

import (
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/adaptercheck/adaptercheck/conformance/report"
)

// JUnit writes the report as JUnit XML: one testsuite per run, one testcase per
// check. The form is the part that CI tools agree on:
//
//   - The class of a testcase is subject.profile.case. The subject is in it because
//     tools tell testcases apart by class and name alone, whatever the testsuite.
//   - A failed MUST is a failure, with its codes as the message.
//   - A failed SHOULD passes, as it does in the verdict, and says its codes in
//     system-out, which every tool keeps and none turns red for.
//   - A check without a result is skipped: unobserved with the features it needs,
//     not run, or known to fail by the baseline.
//   - A check that began and did not end is an error.
//   - A run whose verdict is not good for a reason that none of its testcases says
//     gets one more testcase, named run, with an error: a suite without testcases
//     would read as green. A report without runs gets a suite of that one testcase.
//
// Times are buckets and not numbers of seconds, so testcases have no time.
func JUnit(w io.Writer, r report.Report) error {
	if err := r.Validate(); err != nil {
		return err
	}
	doc := testsuites{Name: "adaptercheck"}
	for i, run := range r.Runs {
		s := suiteOf(r, run, timingOf(r, i))
		doc.Tests += s.Tests
		doc.Failures += s.Failures
		doc.Errors += s.Errors
		doc.Skipped += s.Skipped
		doc.Suites = append(doc.Suites, s)
	}
	if len(r.Runs) == 0 {
		s := testsuite{Name: doc.Name}
		s.add(testcase{Class: doc.Name, Name: "run", Error: &outcome{Message: "nothing was judged", Type: string(report.Inconclusive)}})
		doc.counts, doc.Suites = s.counts, []testsuite{s}
	}
	out, err := xml.MarshalIndent(doc, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write([]byte(xml.Header + string(out) + "\n"))
	return err
}

type testsuites struct {
	XMLName xml.Name `xml:"testsuites"`
	Name    string   `xml:"name,attr"`
	counts
	Suites []testsuite `xml:"testsuite"`
}

type counts struct {
	Tests    int `xml:"tests,attr"`
	Failures int `xml:"failures,attr"`
	Errors   int `xml:"errors,attr"`
	Skipped  int `xml:"skipped,attr"`
}

type testsuite struct {
	Name string `xml:"name,attr"`
	counts
	Properties []property `xml:"properties>property"`
	Cases      []testcase `xml:"testcase"`
}

type property struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type testcase struct {
	Class   string   `xml:"classname,attr"`
	Name    string   `xml:"name,attr"`
	Skipped *outcome `xml:"skipped"`
	Error   *outcome `xml:"error"`
	Failure *outcome `xml:"failure"`
	Out     string   `xml:"system-out,omitempty"`
}

type outcome struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

func suiteOf(r report.Report, run report.Run, timing *report.RunTiming) testsuite {
	class := fmt.Sprintf("%s.%s", run.Subject.Name, run.Profile)
	s := testsuite{Name: class, Properties: []property{
		{"tool", fmt.Sprintf("%s %s", r.Tool.Name, r.Tool.Version)},
		{"seed", strconv.FormatUint(r.Seed, 10)},
		{"suite", string(run.Suite.Version)},
		{"digest", string(run.Suite.Digest)},
		{"verdict", string(run.Verdict)},
		{"partial", strconv.FormatBool(run.Partial)},
	}}
	if run.Cut != nil {
		s.Properties = append(s.Properties, property{"cut", cutWords(*run.Cut, plain)})
	}
	if timing != nil {
		s.Properties = append(s.Properties, property{"total", string(timing.Total)})
	}
	for _, c := range run.Checks {
		s.add(caseOf(class, c))
	}
	if run.Verdict != report.Conforms && s.Failures+s.Errors == 0 || len(run.Breaches)+len(run.Baseline) > 0 {
		s.add(testcase{Class: class, Name: "run", Error: &outcome{Message: runWords(run), Type: string(run.Verdict)}})
	}
	return s
}

// runWords says what the testcases of a run do not.
func runWords(run report.Run) string {
	var words []string
	switch {
	case run.Cut != nil:
		words = append(words, cutWords(*run.Cut, plain))
	case silent(run):
		words = append(words, "nothing was observed")
	}
	if breaches := breachWords(run); breaches != "" {
		words = append(words, "breaks the subject protocol: "+breaches)
	}
	for _, m := range run.Baseline {
		words = append(words, fmt.Sprintf("baseline %s %s: %s", m.Check, m.Code, mismatchWords(m)))
	}
	verdict := "verdict " + string(run.Verdict)
	if len(words) == 0 {
		return verdict
	}
	return verdict + ": " + strings.Join(words, "; ")
}

func (s *testsuite) add(c testcase) {
	s.Tests++
	switch {
	case c.Failure != nil:
		s.Failures++
	case c.Error != nil:
		s.Errors++
	case c.Skipped != nil:
		s.Skipped++
	}
	s.Cases = append(s.Cases, c)
}

func caseOf(class string, c report.Check) testcase {
	t := testcase{Class: fmt.Sprintf("%s.%s", class, c.Case), Name: string(c.ID)}
	codes := codeWords(c)
	switch c.State {
	case report.Failed:
		if c.Level == report.Should {
			t.Out = fmt.Sprintf("SHOULD finding: %s\n%s%s", codes, explain, c.ID)
		} else {
			t.Failure = &outcome{Message: codes, Type: string(c.Level), Text: explain + string(c.ID)}
		}
	case report.InconclusiveCheck:
		t.Error = &outcome{Message: "the check began and did not end", Type: string(c.State)}
	case report.Unobserved:
		t.Skipped = &outcome{Message: "unobserved"}
		if len(c.Missing) > 0 {
			t.Skipped.Message += ": needs " + joinNames(c.Missing, ", ")
		}
	case report.NotRun:
		t.Skipped = &outcome{Message: "not run"}
	case report.Known:
		t.Skipped = &outcome{Message: "known failure: " + codes}
	}
	return t
}
