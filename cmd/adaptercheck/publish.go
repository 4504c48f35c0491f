package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/term"

	"github.com/adaptercheck/adaptercheck/conformance"
	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/conformance/report/render"
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
		write, err := render.ByExtension(path, conformance.Catalog(report.Profiles()...))
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

// terminal reports whether the writer is one.
func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// colorful reports whether colors are wanted there.
func colorful(w io.Writer) bool {
	return terminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}
