package compare

import (
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/conformance/report"
)

// JSON writes the difference, indented, with a final newline. The same difference always
// gives the same bytes.
func JSON(w io.Writer, d Difference) error {
	data, err := json.Marshal(d, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return err
	}
	_, err = w.Write(append(data, '\n'))
	return err
}

// Text writes the difference for a terminal: a line for each run and each change, and
// what it comes to.
func Text(w io.Writer, d Difference) error {
	var b strings.Builder
	for _, r := range d.Runs {
		fmt.Fprintf(&b, "%s %s: %s\n", r.Subject, r.Profile, verdicts(r))
		for _, kind := range Kinds() {
			for _, c := range r.Of(kind) {
				fmt.Fprintf(&b, "  %-16s  %-6s %s  %s\n", c.Kind, c.Level, c.Check, change(c))
			}
		}
	}
	fmt.Fprintf(&b, "%s\n", sum(d))
	_, err := io.WriteString(w, b.String())
	return err
}

// Markdown writes the difference for a comment on a change: what it comes to, and a table
// of the changes.
func Markdown(w io.Writer, d Difference) error {
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**\n\n", sum(d))
	b.WriteString("| subject | profile | verdict |\n|---|---|---|\n")
	for _, r := range d.Runs {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", r.Subject, r.Profile, verdicts(r))
	}
	if d.Has(Kinds()...) {
		b.WriteString("\n| change | subject | level | check | from, to |\n|---|---|---|---|---|\n")
	}
	for _, kind := range Kinds() {
		for _, r := range d.Runs {
			for _, c := range r.Of(kind) {
				fmt.Fprintf(&b, "| %s | %s | %s | `%s` | %s |\n", c.Kind, r.Subject, c.Level, c.Check, change(c))
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func verdicts(r Run) string {
	if r.Old == r.New {
		return string(r.New)
	}
	return fmt.Sprintf("%s, now %s", r.Old, r.New)
}

// change says from what to what.
func change(c Change) string {
	from, to := state(c.Old, c.OldCodes), state(c.New, c.NewCodes)
	if from == to {
		return to
	}
	return from + ", now " + to
}

func state(s report.State, codes []report.Name) string {
	var words []string
	for _, c := range codes {
		words = append(words, string(c))
	}
	return strings.TrimSpace(string(s) + " " + strings.Join(words, " "))
}

// sum counts the changes in words.
func sum(d Difference) string {
	var words []string
	for _, kind := range Kinds() {
		if n := d.Count(kind); n > 0 {
			words = append(words, fmt.Sprintf("%d %s", n, kind))
		}
	}
	if len(words) == 0 {
		return "no difference"
	}
	return strings.Join(words, ", ")
}
