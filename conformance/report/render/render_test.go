package render_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/sebdah/goldie/v2"

	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/conformance/report/render"
)

type writer func(io.Writer, report.Report) error

func summary(o render.SummaryOptions) writer {
	return func(w io.Writer, r report.Report) error { return render.Summary(w, r, o) }
}

// catalog has words for one of the checks.
var catalog = report.Catalog{Checks: []report.CatalogCheck{{
	ID: "executor.events.seq-increasing", Clause: "executor#seq", Title: "numbers every event strictly upward",
}}}

func page(w io.Writer, r report.Report) error { return render.HTML(w, r, catalog) }

func sarifOf(w io.Writer, r report.Report) error { return render.SARIF(w, r, catalog) }

// all are the formats under the names of their golden files.
func all() map[string]writer {
	return map[string]writer{
		"summary.txt":         summary(render.SummaryOptions{}),
		"summary-verbose.txt": summary(render.SummaryOptions{Verbose: true}),
		"summary-color.txt":   summary(render.SummaryOptions{Color: true}),
		"report.md":           render.Markdown,
		"report.xml":          render.JUnit,
		"report.tap":          render.TAP,
		"report.html":         page,
		"report.sarif":        sarifOf,
		"report.json":         render.JSON,
	}
}

// load reads one of the sample reports of the parent package.
func load(t testing.TB, name string) report.Report {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := report.Unmarshal(data)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func text(t testing.TB, write writer, r report.Report) string {
	t.Helper()
	var out bytes.Buffer
	if err := write(&out, r); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// Run with -update to write the golden files anew; read the difference.
func TestGolden(t *testing.T) {
	g := goldie.New(t, goldie.WithNameSuffix(""), goldie.WithDiffEngine(goldie.ColoredDiff))
	for _, name := range []string{"conforms", "mixed", "empty"} {
		r := load(t, name)
		for format, write := range all() {
			if format != "report.json" { // the sample itself
				g.Assert(t, name+"."+format, []byte(text(t, write, r)))
			}
		}
	}
}

func TestJSONIsMarshal(t *testing.T) {
	r := load(t, "mixed")
	want, err := report.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), text(t, render.JSON, r)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSummaryOfAFullPassIsOneOrTwoLines(t *testing.T) {
	r := load(t, "conforms")
	if got := strings.Count(text(t, summary(render.SummaryOptions{}), r), "\n"); got != 1 {
		t.Errorf("%d lines, want 1", got)
	}
	r.Runs[0].Checks[5].State = report.Unobserved
	r.Runs[0].Checks[5].Missing = []report.Name{"usage"}
	if got := strings.Count(text(t, summary(render.SummaryOptions{}), r), "\n"); got != 2 {
		t.Errorf("%d lines with something unobserved, want 2", got)
	}
}

// With many features missing, the first groups are named and the others counted.
func TestSummaryNamesTheMostMissing(t *testing.T) {
	r := load(t, "conforms")
	checks := r.Runs[0].Checks
	for i := range checks {
		checks[i].State, checks[i].Missing = report.Unobserved, []report.Name{report.Name("feature-" + string('a'+rune(i)))}
	}
	short := text(t, summary(render.SummaryOptions{}), r)
	if !strings.Contains(short, "feature-a (1), ") || strings.Contains(short, "feature-f") || !strings.Contains(short, ", and others (1)") {
		t.Errorf("short:\n%s", short)
	}
	if long := text(t, summary(render.SummaryOptions{Verbose: true}), r); !strings.Contains(long, "feature-f (1)\n") {
		t.Errorf("long:\n%s", long)
	}
}

func TestSummaryIsPlainASCII(t *testing.T) {
	for _, verbose := range []bool{false, true} {
		for _, c := range text(t, summary(render.SummaryOptions{Verbose: verbose}), load(t, "mixed")) {
			if c != '\n' && (c < ' ' || c > '~') {
				t.Fatalf("verbose %v: character %q", verbose, c)
			}
		}
	}
}

func TestSummaryCountsWhatItDoesNotList(t *testing.T) {
	r := load(t, "conforms")
	run := &r.Runs[0]
	run.Verdict, run.Checks = report.Fails, nil
	for i := range 25 {
		level := report.Must
		if i >= 14 {
			level = report.Should
		}
		run.Checks = append(run.Checks, report.Check{
			ID: report.Name(fmt.Sprintf("executor.x.c%02d", i)), Case: "start", Level: level,
			Provenance: report.Stated, State: report.Failed, Codes: []report.Name{"code"},
		})
	}
	short := text(t, summary(render.SummaryOptions{}), r)
	for _, want := range []string{"... and 4 more failed MUST\n", "... and 6 more failed SHOULD\n", "adaptercheck explain executor.x.c09\n"} {
		if !strings.Contains(short, want) {
			t.Errorf("no %q in\n%s", want, short)
		}
	}
	if strings.Contains(short, "c10") {
		t.Error("lists more than it should")
	}
	if long := text(t, summary(render.SummaryOptions{Verbose: true}), r); strings.Contains(long, "more failed") || !strings.Contains(long, "explain executor.x.c13\n") {
		t.Error("verbose leaves findings out")
	}
}

func TestEveryReasonHasWords(t *testing.T) {
	for _, reason := range report.CutReasons() {
		r := load(t, "conforms")
		run := &r.Runs[0]
		run.Verdict, run.Partial, run.Cut = report.Inconclusive, true, &report.Cut{Reason: reason}
		for name, write := range all() {
			if name == "report.json" {
				continue
			}
			got := text(t, write, r)
			for _, empty := range []string{"short:** .", "cut short: \n", "cut short:\x1b[m \n", `name="cut" value=""`} {
				if strings.Contains(got, empty) {
					t.Errorf("%s: %s has no words", name, reason)
				}
			}
			if !strings.Contains(got, "inconclusive") {
				t.Errorf("%s: %s does not say inconclusive", name, reason)
			}
		}
	}
}

func TestEveryMismatchHasWords(t *testing.T) {
	for _, reason := range report.MismatchReasons() {
		r := load(t, "conforms")
		run := &r.Runs[0]
		run.Verdict, run.Baseline = report.Fails, []report.Mismatch{{Check: "executor.x.y", Code: "z", Reason: reason}}
		for name, write := range all() {
			if name == "report.json" {
				continue
			}
			got := text(t, write, r)
			if !strings.Contains(got, "executor.x.y") || strings.Contains(got, "z: \n") || strings.Contains(got, "|  |") || strings.Contains(got, `z: "`) {
				t.Errorf("%s: %s has no words:\n%s", name, reason, got)
			}
		}
	}
}

func TestNothingObservedIsSaid(t *testing.T) {
	r := load(t, "conforms")
	run := &r.Runs[0]
	run.Verdict = report.Inconclusive
	for i := range run.Checks {
		run.Checks[i].State, run.Checks[i].Missing = report.Unobserved, []report.Name{"deltas"}
	}
	for name, write := range all() {
		if got := text(t, write, r); name != "report.json" && !strings.Contains(strings.ToLower(got), "nothing was observed") {
			t.Errorf("%s does not say so:\n%s", name, got)
		}
	}
}

// What a CI tool makes of the XML: the counts it shows, and whether it turns red.
func TestJUnitReadsRight(t *testing.T) {
	type tool struct {
		Suites []struct {
			Name     string `xml:"name,attr"`
			Tests    int    `xml:"tests,attr"`
			Failures int    `xml:"failures,attr"`
			Errors   int    `xml:"errors,attr"`
			Skipped  int    `xml:"skipped,attr"`
			Cases    []struct {
				Class   string    `xml:"classname,attr"`
				Name    string    `xml:"name,attr"`
				Failure *struct{} `xml:"failure"`
				Error   *struct{} `xml:"error"`
				Skipped *struct{} `xml:"skipped"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	r := load(t, "mixed")
	var got tool
	if err := xml.Unmarshal([]byte(text(t, render.JUnit, r)), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Suites) != len(r.Runs) {
		t.Fatalf("%d suites for %d runs", len(got.Suites), len(r.Runs))
	}
	seen := map[string]bool{}
	for i, s := range got.Suites {
		var failures, errs, skipped int
		for _, c := range s.Cases {
			key := c.Class + " " + c.Name
			if seen[key] {
				t.Errorf("two testcases are %s", key)
			}
			seen[key] = true
			if c.Failure != nil {
				failures++
			}
			if c.Error != nil {
				errs++
			}
			if c.Skipped != nil {
				skipped++
			}
		}
		if s.Tests != len(s.Cases) || s.Failures != failures || s.Errors != errs || s.Skipped != skipped {
			t.Errorf("%s: the counts do not match the testcases: %+v", s.Name, s)
		}
		if red, want := failures+errs > 0, r.Runs[i].Verdict != report.Conforms; red != want {
			t.Errorf("%s: red is %v with verdict %s", s.Name, red, r.Runs[i].Verdict)
		}
	}
}

func TestJUnitOfNothingIsRed(t *testing.T) {
	if got := text(t, render.JUnit, load(t, "empty")); !strings.Contains(got, `errors="1"`) || !strings.Contains(got, `<error message="nothing was judged"`) {
		t.Errorf("no error in\n%s", got)
	}
}

// A run that fails by its baseline alone has no failed MUST and is red all the same.
func TestJUnitShowsAVerdictThatNoCheckShows(t *testing.T) {
	r := load(t, "conforms")
	r.Runs[0].Verdict = report.Fails
	if got := text(t, render.JUnit, r); !strings.Contains(got, `<error message="verdict fails" type="fails">`) {
		t.Errorf("no error in\n%s", got)
	}
}

// What a harness makes of the TAP: the plan is kept, and it turns red with the verdict.
func TestTAPReadsRight(t *testing.T) {
	for _, name := range []string{"conforms", "mixed", "empty"} {
		r := load(t, name)
		lines := strings.Split(strings.TrimSuffix(text(t, render.TAP, r), "\n"), "\n")
		points, red := 0, false
		for _, line := range lines[2:] {
			bare, ok := strings.CutPrefix(line, "not ")
			if !strings.HasPrefix(bare, "ok ") {
				continue
			}
			points++
			if want := fmt.Sprintf("ok %d - ", points); !strings.HasPrefix(bare, want) {
				t.Errorf("%s: %q, want %q", name, bare, want)
			}
			red = red || ok && !strings.Contains(line, "# TODO")
		}
		if lines[0] != "TAP version 14" || lines[1] != fmt.Sprintf("1..%d", points) {
			t.Errorf("%s: %q for %d points", name, lines[:2], points)
		}
		good := len(r.Runs) > 0 && !slices.ContainsFunc(r.Runs, func(run report.Run) bool { return run.Verdict != report.Conforms })
		if red == good {
			t.Errorf("%s: red is %t, and good %t", name, red, good)
		}
	}
}

// The library's own schema has nothing against it, and each failure is a result.
func TestSARIFIsValid(t *testing.T) {
	for _, name := range []string{"conforms", "mixed", "empty"} {
		r := load(t, name)
		doc, err := sarif.FromString(text(t, sarifOf, r))
		if err != nil {
			t.Fatal(err)
		}
		if err := doc.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		failures, levels := 0, map[string]int{}
		for _, run := range r.Runs {
			for _, c := range run.Checks {
				if c.State == report.Failed || c.State == report.Known {
					failures++
				}
			}
		}
		for _, x := range doc.Runs[0].Results {
			levels[x.Level]++
		}
		if len(doc.Runs[0].Results) != failures || name == "mixed" && (levels["error"] == 0 || levels["note"] == 0) {
			t.Errorf("%s: %d results for %d failures: %v", name, len(doc.Runs[0].Results), failures, levels)
		}
	}
}

// The page brings everything along, and says of a check what it wants and where that is
// written.
func TestHTMLStandsAlone(t *testing.T) {
	got := text(t, page, load(t, "mixed"))
	for _, part := range []string{"<script", "src=", "@import", "url(", "ZgotmplZ", "<no value>"} {
		if strings.Contains(got, part) {
			t.Errorf("there is %q in the page", part)
		}
	}
	for _, want := range []string{"The adapter numbers every event strictly upward.", "docs/contract/executor.md#seq", "<main>", `lang="en"`, "prefers-color-scheme: dark", "main:has(#show-not-run:not(:checked)) tr.is-not-run"} {
		if !strings.Contains(got, want) {
			t.Errorf("there is no %q in the page", want)
		}
	}
	for _, open := range []string{"table", "section", "article", "tr", "td", "th", "fieldset", "label"} {
		if a, b := strings.Count(got, "<"+open+">")+strings.Count(got, "<"+open+" "), strings.Count(got, "</"+open+">"); a != b {
			t.Errorf("%d of %s open, %d close", a, open, b)
		}
	}
}

func TestFormatsRefuseContent(t *testing.T) {
	const canary = "CANARY | <b> `x`"
	for name, write := range all() {
		for _, spoil := range []func(*report.Report){
			func(r *report.Report) { r.Runs[1].Checks[2].Codes[0] = canary },
			func(r *report.Report) { r.Runs[1].Subject.Name = canary },
			func(r *report.Report) { r.Runs[2].Cut.During = canary },
			func(r *report.Report) { r.Timing.Runs[0].Total = canary },
		} {
			r := load(t, "mixed")
			spoil(&r)
			var out bytes.Buffer
			err := write(&out, r)
			if _, ok := errors.AsType[*report.FieldError](err); !ok {
				t.Errorf("%s: error is %v, want a FieldError", name, err)
			}
			if out.Len() > 0 {
				t.Errorf("%s: wrote %d bytes of a bad report", name, out.Len())
			}
		}
	}
}

type full struct{}

var errFull = errors.New("disk full")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestFormatsPassOnWriteErrors(t *testing.T) {
	for name, write := range all() {
		if err := write(full{}, load(t, "conforms")); !errors.Is(err, errFull) {
			t.Errorf("%s: error is %v", name, err)
		}
	}
}

func TestFormatsAreDeterministicAndLeaveTheReportAlone(t *testing.T) {
	for name, write := range all() {
		r := load(t, "mixed")
		first := text(t, write, r)
		for range 20 {
			if again := text(t, write, r); again != first {
				t.Fatalf("%s differs from run to run", name)
			}
		}
		if diff := cmp.Diff(load(t, "mixed"), r); diff != "" {
			t.Errorf("%s changed the report (-want +got):\n%s", name, diff)
		}
	}
}

func TestByExtension(t *testing.T) {
	for _, c := range []struct {
		path string
		want writer
	}{
		{"r.json", render.JSON}, {"a/b.c/r.md", render.Markdown}, {"R.XML", render.JUnit}, {"r.tap", render.TAP},
	} {
		got, err := render.ByExtension(c.path, report.Catalog{})
		if err != nil {
			t.Fatal(err)
		}
		if reflect.ValueOf(got).Pointer() != reflect.ValueOf(c.want).Pointer() {
			t.Errorf("%s: wrong format", c.path)
		}
	}
	for path, want := range map[string]string{
		"out/r.txt": `report file "r.txt": unknown extension ".txt", want one of .json, .md, .xml, .tap, .html, .sarif`,
		"report":    `report file "report": no extension, want one of .json, .md, .xml, .tap, .html, .sarif`,
	} {
		if _, err := render.ByExtension(path, report.Catalog{}); err == nil || err.Error() != want {
			t.Errorf("%s:\n got %v\nwant %s", path, err, want)
		}
	}
}

// Two runs that differ in time only give the same bytes.
func TestReproducible(t *testing.T) {
	a, b := load(t, "mixed"), load(t, "mixed")
	b.Timing.Runs[0].Total = report.Longer
	for name, write := range all() {
		one, two := text(t, write, render.Reproducible(a)), text(t, write, render.Reproducible(b))
		if one != two {
			t.Errorf("%s differs", name)
		}
		if slices.ContainsFunc([]string{"1ms", "timing", "total"}, func(s string) bool { return strings.Contains(one, s) }) {
			t.Errorf("%s holds times", name)
		}
	}
	if a.Timing == nil {
		t.Error("the original lost its timing")
	}
}

// A partial run never reads as a full pass.
func TestPartialIsSaid(t *testing.T) {
	r := load(t, "conforms")
	whole := map[string]string{}
	for name, write := range all() {
		whole[name] = text(t, write, r)
	}
	r.Runs[0].Partial = true
	for name, write := range all() {
		got := text(t, write, r)
		if !strings.Contains(got, "partial") || got == whole[name] {
			t.Errorf("%s does not say partial:\n%s", name, got)
		}
	}
	if got := text(t, summary(render.SummaryOptions{Color: true}), r); strings.Contains(got, "\x1b[32m") {
		t.Error("a partial run is green")
	}
}
