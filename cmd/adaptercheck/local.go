package main

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/adaptercheck/adaptercheck/conformance"
	"github.com/adaptercheck/adaptercheck/conformance/baseline"
	"github.com/adaptercheck/adaptercheck/conformance/remote"
	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/conformance/supervise"
	"github.com/adaptercheck/adaptercheck/internal/nearest"
)

// lastLines is how much of what a subject's process printed is shown.
const lastLines = 20

// local tells the user at the terminal what no report may hold.
func (sys system) local(e entry, r supervise.Result, verbose bool) {
	if all := faults(r); len(all) > 0 {
		more := ""
		if len(all) > 1 {
			more = fmt.Sprintf(" (and %d other reasons)", len(all)-1)
		}
		sys.complain("%s: %s%s", e, all[0], more)
	}
	if r.Err != nil && !(r.Cut != nil && r.Cut.Reason == report.CutInterrupted) {
		hint := ""
		if r.Stderr != "" && !verbose && e.process == nil {
			hint = " (-v shows what it printed last)"
		}
		sys.complain("%s: %v%s", e, r.Err, hint)
		if e.process != nil && !verbose {
			sys.lastWords(r.Stderr)
		}
	}
	if !verbose {
		return
	}
	for _, o := range r.Outcomes {
		for _, d := range o.Details {
			fmt.Fprintf(sys.stderr, "%s: %s: %s\n", e, o.ID, printable(d))
		}
	}
	if r.Stderr != "" {
		fmt.Fprintf(sys.stderr, "%s: its process printed:\n%s\n", e, printable(strings.TrimSuffix(r.Stderr, "\n")))
	}
}

// notStarted says why a process is no subject, and what it printed.
func (sys system) notStarted(err error) {
	sys.complain("%v", err)
	if e, ok := errors.AsType[*remote.Error](err); ok {
		sys.lastWords(e.Stderr)
	}
}

// broken says where the entries stand that do not hold; the report says why.
func (sys system) broken(b baseline.Baseline, broken []baseline.Broken) {
	for _, x := range broken {
		sys.complain("%s:%d:%d: %s %s: the entry does not hold: %s%s", b.Path, x.At.Line, x.At.Col, x.Check, x.Code, x.Reason, hint(x))
	}
}

// hint names the check or the code that was meant by one that there is not.
func hint(x baseline.Broken) string {
	if x.Reason != report.MismatchUnknown {
		return ""
	}
	ch, found := conformance.Find(string(x.Check))
	if !found {
		return nearest.Hint(string(x.Check), checkIDs())
	}
	var codes []string
	for _, c := range ch.AllCodes() {
		codes = append(codes, string(c))
	}
	return nearest.Hint(string(x.Code), codes)
}

// lastWords prints the last lines of what a subject's process printed.
func (sys system) lastWords(text string) {
	text = strings.TrimRight(text, "\n")
	if text == "" {
		return
	}
	lines := strings.Split(text, "\n")
	for _, line := range lines[max(0, len(lines)-lastLines):] {
		fmt.Fprintln(sys.stderr, "  "+short([]byte(oneLine(line)))) // a program in one line, at times
	}
}

// printable takes out of a text what controls a terminal, and sets its further
// lines off.
func printable(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, s)
	return strings.ReplaceAll(s, "\n", "\n  ")
}
