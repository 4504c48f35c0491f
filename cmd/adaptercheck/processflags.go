package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/conformance/supervise"
	"github.com/adaptercheck/adaptercheck/internal/config"
)

// processFlags say how the command after "--" is started.
type processFlags struct {
	name        nameFlag
	env         envFlag
	dir         string
	privateHome bool
	restart     bool
	fake        string
}

func (p *processFlags) add(cmd *cobra.Command, sys system) {
	f := cmd.Flags()
	f.Var(&p.name, "name", "name of the subject in reports (default the one that it gives itself)")
	f.StringVar(&p.fake, "fake", "", "play the runtime `NAME` for a subject that needs one (wire mode)")
	f.Var(&p.env, "env", "pass this variable of the environment on, or with * at the end all that begin so; may be repeated")
	f.StringVar(&p.dir, "cwd", "", "start the command in `DIR` (default the current directory)")
	f.BoolVar(&p.privateHome, "private-home", false, "give the subject an empty home directory of its own")
	f.BoolVar(&p.restart, "restart", false, "start the subject anew for each check")
	complete(cmd, "fake", sys.fakeNames)
}

// given lists the flags that were used.
func (p *processFlags) given(cmd *cobra.Command) []string {
	var names []string
	for _, name := range []string{"name", "fake", "env", "cwd", "private-home", "restart"} {
		if cmd.Flags().Changed(name) {
			names = append(names, "--"+name)
		}
	}
	return names
}

// process describes the command. It finds what cannot be right before anything runs.
func (p *processFlags) process(sys system, command []string) (supervise.Process, error) {
	if len(command) == 0 || command[0] == "" {
		return supervise.Process{}, errors.New(`a command must follow "--"`)
	}
	for _, word := range append(slices.Clone(command), p.dir) {
		if !utf8.ValidString(word) {
			return supervise.Process{}, fmt.Errorf("%q is not UTF-8, as a command and its directory must be", word)
		}
	}
	if p.fake != "" {
		if _, err := sys.fake(p.fake); err != nil {
			return supervise.Process{}, fmt.Errorf("flag --fake: %w", err)
		}
	}
	if p.dir != "" {
		info, err := os.Stat(p.dir)
		if err != nil {
			return supervise.Process{}, fmt.Errorf("flag --cwd: %w", err)
		}
		if !info.IsDir() {
			return supervise.Process{}, fmt.Errorf("flag --cwd: %q is no directory", p.dir)
		}
	}
	return supervise.Process{
		Command: selfFound(command), Dir: p.dir, Env: p.env, PrivateHome: p.privateHome, Restart: p.restart,
		Name: string(p.name), Fake: p.fake,
	}, nil
}

// nameFlag is the value of --name; empty is not given.
type nameFlag report.Name

func (n *nameFlag) String() string { return string(*n) }
func (n *nameFlag) Type() string   { return "NAME" }

func (n *nameFlag) Set(s string) error {
	if !report.Name(s).Valid() {
		return fmt.Errorf("%q is not 1 to 64 letters, digits, dots, hyphens, underscores or plus signs", s)
	}
	*n = nameFlag(s)
	return nil
}

// envFlag is the value of --env: names alone, so that no secret stands on a command
// line.
type envFlag []string

func (e *envFlag) String() string { return "" }
func (e *envFlag) Type() string   { return "KEY" }

func (e *envFlag) Set(s string) error {
	if !config.EnvName(s) {
		// Not quoted: there may be a value in it.
		return errors.New("want the name of a variable alone, its value is taken from the environment")
	}
	*e = append(*e, s)
	return nil
}
