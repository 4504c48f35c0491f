package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"unicode/utf8"

	"github.com/adaptercheck/adaptercheck/conformance/supervise"
)

// traceDir is where the wire is written to; empty is nowhere.
type traceDir string

// make makes the directory, for its owner alone. Only processes have a wire.
func (d traceDir) make(targets []target) error {
	if d == "" {
		return nil
	}
	if !slices.ContainsFunc(targets, func(t target) bool { return t.process != nil }) {
		return errors.New("flag --trace: no subject of this run is a process, so nothing crosses a wire")
	}
	if !utf8.ValidString(string(d)) {
		return fmt.Errorf("flag --trace: %q is not UTF-8", d)
	}
	if err := os.MkdirAll(string(d), 0o700); err != nil {
		return fmt.Errorf("flag --trace: %w", err)
	}
	return nil
}

// file is the path for a part of the run of a process; empty without a directory.
func (d traceDir) file(p supervise.Process, part string) string {
	if d == "" {
		return ""
	}
	return filepath.Join(string(d), label(p)+"-"+part+".trace")
}

// open makes that file; nil without a directory. Closing it is no reason to fail.
func (d traceDir) open(p supervise.Process, part string) (trace io.Writer, closed func(), err error) {
	if d == "" {
		return nil, func() {}, nil
	}
	file, err := supervise.CreateTrace(d.file(p, part))
	if err != nil {
		return nil, nil, err
	}
	return file, func() { _ = file.Close() }, nil
}
