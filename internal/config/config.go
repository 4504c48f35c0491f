// Package config reads adaptercheck.yaml: the subjects of a project, how they are
// started, and what their runs share.
//
//	c, err := config.Load("adaptercheck.yaml", config.Known{Fakes: []string{"codex"}})
//	if err != nil {
//		return err // adaptercheck.yaml:4:5: …
//	}
//
// The page docs/configuration.md tells what the keys mean, and
// docs/configuration.schema.json tells it to an editor. The package imports
// conformance/check and conformance/report for their words, and internal.
package config

import (
	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/internal/yamltree"
)

// Schema names the form of the file.
const Schema = "adaptercheck-config-v1"

// File is the name that is looked for in the current directory.
const File = "adaptercheck.yaml"

// Config is what a file says. The zero value says nothing.
type Config struct {
	// Path of the file, as it was given.
	Path string
	// Subjects in the order of the file.
	Subjects []Subject
	// Budgets in the place of the defaults; zero fields are the defaults.
	Budgets check.Budgets
	// Baseline is the path of the file with the known failures; empty is none.
	Baseline string
	// BaselineAt is where it is named in the file.
	BaselineAt yamltree.Position
}

// Subject is one that is started as a process.
type Subject struct {
	// Name in reports and on the command line.
	Name string
	// Command is the argument vector; no shell reads it.
	Command []string
	// Dir is where it is started.
	Dir string
	// Env names variables that are passed on; a name may end in * for a prefix.
	Env []string
	// PrivateHome gives it an empty home directory.
	PrivateHome bool
	// Restart starts it anew for each check.
	Restart bool
	// Fake is the runtime that the suite plays for it; empty is its own.
	Fake string
	// Profiles that it must be judged by; nil is all that it implements.
	Profiles []report.Profile
	// At is where it stands in the file.
	At yamltree.Position
}

// Known are the words that only the program knows.
type Known struct {
	// Fakes that a subject can be given.
	Fakes []string
}
