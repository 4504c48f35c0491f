package main

import (
	"embed"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/adaptercheck/adaptercheck/internal/config"
)

// startFiles are what a project can begin with.
//
//go:embed start
var startFiles embed.FS

// starter is a kind of project.
type starter struct {
	flag string
	what string
	// file is what init writes beside the configuration, made of the start file from;
	// both are empty where there is none.
	file, from string
	// subjects is that part of the configuration.
	subjects string
	next     string
}

// subjectKeys tells of the keys that most subjects do without.
const subjectKeys = `
    # cwd: .                # where it is started, relative to this file
    # env: [MY_TOKEN]       # variables that are passed on, by name
    # privateHome: true     # an empty home directory of its own
    # restart: true         # start it anew for each check
    # fake: codex           # the runtime to play for it, if it brings no fake of its own
    # profiles: [executor]  # what it must be judged by, if not by all that it implements`

func subjectOf(command string) string {
	return "subjects:\n  my-adapter:\n    command: " + command + subjectKeys
}

func starters() []starter {
	return []starter{
		{flag: "node", what: "a Node module", file: "adapter.mjs", from: "adapter.mjs",
			subjects: subjectOf("[adaptercheck, bridge, node, adapter.mjs]"), next: "adaptercheck run"},
		{flag: "python", what: "a Python module", file: "adapter.py", from: "adapter.py",
			subjects: subjectOf("[adaptercheck, bridge, python, adapter.py]"), next: "adaptercheck run"},
		{flag: "go", what: "a Go test", file: "adapter_test.go", from: "adapter_test.go.txt",
			subjects: "subjects: {} # what go test judges needs no subject here",
			next:     "go get github.com/adaptercheck/adaptercheck && go test"},
	}
}

// plain is the project without a start file.
var plain = starter{subjects: subjectOf("[./my-adapter] # a program that speaks the subject protocol"), next: "adaptercheck doctor"}

func (sys system) initCommand() *cobra.Command {
	wanted := map[string]*bool{}
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Write " + config.File + ", and a file to start from",
		Long: `Write ` + config.File + ` into the current directory and, on request, a file to start
from: an adapter with a fake of its runtime, in one language, that conforms as it
stands. A file that is there is never overwritten.`,
		Example: `  adaptercheck init --node && adaptercheck run`,
		Args:    nothing,
		RunE: func(*cobra.Command, []string) error {
			chosen, n := plain, 0
			for _, s := range starters() {
				if *wanted[s.flag] {
					chosen, n = s, n+1
				}
			}
			if n > 1 {
				return errors.New("init writes one file to start from: choose one of --node, --python, --go")
			}
			return sys.init(chosen)
		},
	}
	for _, s := range starters() {
		wanted[s.flag] = cmd.Flags().Bool(s.flag, false, "write "+s.what+" to start from, "+s.file)
	}
	return cmd
}

// init writes the files, all of them or none.
func (sys system) init(s starter) error {
	yaml, err := fs.ReadFile(startFiles, "start/"+config.File)
	if err != nil {
		return err
	}
	type file struct {
		path string
		data string
	}
	files := []file{{config.File, strings.Replace(string(yaml), "SUBJECTS", s.subjects, 1)}}
	if s.from != "" {
		data, err := fs.ReadFile(startFiles, "start/"+s.from)
		if err != nil {
			return err
		}
		files = append(files, file{s.file, strings.Replace(string(data), "PACKAGE", packageHere(), 1)})
	}
	var done []string
	for _, f := range files {
		if err := create(f.path, []byte(f.data)); err != nil {
			for _, path := range done {
				err = errors.Join(err, os.Remove(path))
			}
			return err
		}
		done = append(done, f.path)
	}
	for _, path := range done {
		fmt.Fprintf(sys.stdout, "wrote %s\n", path)
	}
	fmt.Fprintf(sys.stdout, "next: %s\n", s.next)
	return nil
}

// packageHere is the name of the Go package of the current directory, or of one to
// be.
func packageHere() string {
	paths, _ := filepath.Glob("*.go") // the pattern is good
	for _, path := range paths {
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.PackageClauseOnly)
		if err == nil {
			return strings.TrimSuffix(f.Name.Name, "_test")
		}
	}
	return "adapter"
}
