package main

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/spf13/cobra"

	"github.com/adaptercheck/adaptercheck/conformance/baseline"
	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/internal/config"
)

// projectFlags name the files of a project.
type projectFlags struct{ config, baseline string }

func (p *projectFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&p.config, "config", "", "read the subjects from `FILE` (default "+config.File+", if it is there)")
}

func (p *projectFlags) addBaseline(cmd *cobra.Command) {
	cmd.Flags().StringVar(&p.baseline, "baseline", "", "read the known failures from `FILE` (default the one that "+config.File+" names)")
}

// project is what the files of the current directory say. The zero value is that of
// a directory without any.
type project struct {
	config   config.Config
	baseline baseline.Baseline
}

// project reads the files.
func (sys system) project(flags projectFlags) (project, error) {
	var p project
	path, given := config.File, flags.config != ""
	if given {
		path = flags.config
	}
	c, err := config.Load(path, config.Known{Fakes: sys.fakeNames()})
	switch {
	case err == nil:
		p.config = c
	case errors.Is(err, fs.ErrNotExist) && !given:
	case given && isPathError(err):
		return p, fmt.Errorf("flag --config: %w", err)
	default:
		return p, err
	}
	path, given = p.config.Baseline, flags.baseline != ""
	if given {
		path = flags.baseline
	}
	if path == "" {
		return p, nil
	}
	p.baseline, err = baseline.Load(path)
	switch {
	case given && isPathError(err):
		err = fmt.Errorf("flag --baseline: %w", err)
	case isPathError(err):
		at := p.config.BaselineAt
		err = fmt.Errorf("%s:%d:%d: baseline: %w", p.config.Path, at.Line, at.Col, err)
	}
	return p, err
}

// isPathError reports whether a file could not be read at all.
func isPathError(err error) bool {
	_, is := errors.AsType[*fs.PathError](err)
	return is
}

// known looks whether each entry of the baseline is about a subject that there is: of
// the project, of the program, or of this run.
func (p project) known(sys system, targets []target) error {
	names := sys.names(p)
	for _, t := range targets {
		names = append(names, t.subject.Name)
	}
	for _, e := range p.baseline.Entries {
		if !slices.Contains(names, string(e.Subject)) {
			return fmt.Errorf("%s:%d:%d: %w", p.baseline.Path, e.At.Line, e.At.Col, unknown("subject", string(e.Subject), names))
		}
	}
	return nil
}

// entries are those of the baseline about the entry at i of the plan. What is about
// the subject and no profile of the run goes to its first one, where it matches
// nothing; but not if the run was narrowed to one profile, or has nothing to run.
func (p project) entries(pl plan, i int, only profileFlag) []baseline.Entry {
	name := report.Name(pl[i].subject.Name)
	same := func(e entry) bool { return e.subject.Name == pl[i].subject.Name }
	out := p.baseline.Of(name, pl[i].profile)
	if only != "" || pl[i].cut != nil || slices.IndexFunc(pl, same) != i {
		return out
	}
	left := slices.Clone(p.baseline.Entries)
	for _, e := range pl {
		if same(e) {
			covered := p.baseline.Of(name, e.profile)
			left = slices.DeleteFunc(left, func(x baseline.Entry) bool { return slices.Contains(covered, x) })
		}
	}
	for _, e := range left {
		if e.Subject == name {
			out = append(out, e)
		}
	}
	return out
}
