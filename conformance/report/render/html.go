package render

import (
	"bytes"
	_ "embed"
	"html/template"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/adaptercheck/adaptercheck/conformance/report"
)

//go:embed page.html
var pageText string

var page = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(template.FuncMap{
		"verdict": verdictWords, "counts": verdictCounts, "tally": tallyWords, "origin": originWords,
		"codes": codeWords, "missing": func(c report.Check) string { return joinNames(c.Missing, ", ") },
		"breaches": breachWords, "mismatch": mismatchWords, "silent": silent,
		"cut": func(c *report.Cut) string { return cutWords(*c, plain) },
	}).Parse(pageText))
})

// HTML writes the report as one page that needs nothing else: the verdicts, subjects
// against topics, and of each run its checks, what needs attention first. It is readable
// without a script, and has none. The catalog says what the checks want; those that it
// does not have are named alone.
func HTML(w io.Writer, r report.Report, catalog report.Catalog) error {
	if err := r.Validate(); err != nil {
		return err
	}
	p := pageOf(r, catalog)
	var out bytes.Buffer
	if err := page().Execute(&out, p); err != nil {
		return err
	}
	_, err := w.Write(out.Bytes())
	return err
}

type pageData struct {
	Report report.Report
	States []report.State
	Topics []string
	Runs   []pageRun
}

type pageRun struct {
	report.Run
	Must, Should report.Tally
	Matrix       []cell
	Rows         []pageRow
}

// cell is what became of the checks of a topic.
type cell struct {
	Topic string
	// Worst is the state that counts, and empty where the topic has no checks.
	Worst         report.State
	Passed, Total int
}

type pageRow struct {
	report.Check
	Title, Page string
}

func pageOf(r report.Report, catalog report.Catalog) pageData {
	known := map[report.Name]report.CatalogCheck{}
	for _, c := range catalog.Checks {
		known[c.ID] = c
	}
	p := pageData{Report: r, States: report.States()}
	for _, run := range r.Runs {
		for _, c := range run.Checks {
			if t := topicOf(c.ID); !slices.Contains(p.Topics, t) {
				p.Topics = append(p.Topics, t)
			}
		}
	}
	for _, run := range r.Runs {
		pr := pageRun{Run: run}
		pr.Must, pr.Should = levels(run)
		for _, t := range p.Topics {
			pr.Matrix = append(pr.Matrix, cellOf(run, t))
		}
		checks := slices.Clone(run.Checks)
		slices.SortStableFunc(checks, func(a, b report.Check) int { return stateRank(a) - stateRank(b) })
		for _, c := range checks {
			pr.Rows = append(pr.Rows, pageRow{Check: c, Title: known[c.ID].Title, Page: pageOfClause(known[c.ID].Clause)})
		}
		p.Runs = append(p.Runs, pr)
	}
	return p
}

// contractPages is where the pages of the contracts are.
const contractPages = homePage + "/blob/main/docs/contract/"

// pageOfClause is where a clause is written; empty for none.
func pageOfClause(clause string) string {
	contract, anchor, ok := strings.Cut(clause, "#")
	if !ok {
		return ""
	}
	return contractPages + contract + ".md#" + anchor
}

// topicOf is the second word of an id.
func topicOf(id report.Name) string {
	_, rest, _ := strings.Cut(string(id), ".")
	topic, _, _ := strings.Cut(rest, ".")
	return topic
}

func cellOf(run report.Run, topic string) cell {
	out := cell{Topic: topic}
	rank := -1
	for _, c := range run.Checks {
		if topicOf(c.ID) != topic {
			continue
		}
		out.Total++
		if c.State == report.Passed {
			out.Passed++
		}
		if r := stateRank(c); rank < 0 || r < rank {
			rank, out.Worst = r, c.State
		}
	}
	return out
}
