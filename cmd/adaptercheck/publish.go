package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"golang.org/x/term"

	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/conformance/report/render"
	"github.com/adaptercheck/adaptercheck/conformance/supervise"
)

// reportFile is one value of --report.
type reportFile struct {
	path  string
	write func(io.Writer, report.Report) error
}

// reportFiles refuses, before anything runs, what could not be written afterwards.
func reportFiles(paths []string) ([]reportFile, error) {
	var files []reportFile
	for _, path := range paths {
		write, err := render.ByExtension(path)
		if err == nil {
			err = writable(path)
		}
		if err != nil {
			return nil, fmt.Errorf("flag --report: %w", err)
		}
		files = append(files, reportFile{path, write})
	}
	return files, nil
}

// writable tries whether a file can be made beside where the report will be.
func writable(path string) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("report file %q is there and is no regular file", path)
	}
	probe, err := os.CreateTemp(filepath.Dir(path), ".adaptercheck-*")
	if err != nil {
		var why *os.PathError
		if errors.As(err, &why) {
			err = why.Err
		}
		return fmt.Errorf("report file %q: no file can be made in that directory: %w", path, err)
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// publish prints the report and writes the files; each of them, whatever becomes of
// the others.
func (sys system) publish(r report.Report, flags runFlags, files []reportFile) error {
	var problems []error
	if flags.json {
		problems = append(problems, render.JSON(sys.stdout, r))
	} else {
		o := render.SummaryOptions{Color: colorful(sys.stdout), Verbose: flags.verbose}
		problems = append(problems, render.Summary(sys.stdout, r, o))
	}
	for _, f := range files {
		var text bytes.Buffer
		err := f.write(&text, r)
		if err == nil {
			err = replace(f.path, text.Bytes())
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("write the report %q: %w", f.path, err))
		}
	}
	return errors.Join(problems...)
}

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
		if r.Stderr != "" && !verbose {
			hint = " (-v shows what it printed last)"
		}
		sys.complain("%s: %v%s", e, r.Err, hint)
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

// terminal reports whether the writer is one.
func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// colorful reports whether colors are wanted there.
func colorful(w io.Writer) bool {
	return terminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}
