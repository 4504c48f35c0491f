package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/adaptercheck/adaptercheck/conformance"
	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/conformance/supervise"
)

// plan is what a run judges, in the order of the report.
type plan []entry

// entry is one subject under one profile.
type entry struct {
	subject check.Subject
	profile report.Profile
	// cut says why there is nothing to run; nil if there is.
	cut       *report.Cut
	selection conformance.Selection
}

func (e entry) String() string { return e.subject.Name + " " + string(e.profile) }

// plan makes one. Of all subjects, only those with something to run are in it; a
// subject that was asked for by name is in it in any case, so that it cannot be
// taken for one that passed.
func (sys system) plan(names []string, flags runFlags) (plan, error) {
	named, err := sys.find(names)
	if err != nil {
		return nil, err
	}
	if err := flags.validate(); err != nil {
		return nil, err
	}
	subjects := named
	if len(named) == 0 {
		subjects = sys.subjects()
	}
	var p plan
	for _, s := range subjects {
		entries, missed := entriesOf(s, flags)
		if len(entries) == 0 && len(named) > 0 {
			entries = missed[:1]
		}
		p = append(p, entries...)
	}
	if len(p) == 0 {
		return nil, fmt.Errorf("no subject implements what was asked for; known are %s", strings.Join(sys.subjectNames(), ", "))
	}
	return p, nil
}

// entriesOf splits the profiles that were asked for into those that can be run for
// the subject and those that cannot.
func entriesOf(s check.Subject, flags runFlags) (can, cannot plan) {
	for _, p := range flags.profile.profiles() {
		e := entry{subject: s, profile: p, selection: flags.Selection}
		_, err := flags.Of(conformance.Checks(p))
		switch {
		case !s.Implements(p):
			e.cut = &report.Cut{Reason: report.CutUndescribed}
		case err != nil:
			e.cut = &report.Cut{Reason: report.CutNothingFound}
		default:
			can = append(can, e)
			continue
		}
		// What the subject implements says more than what it does not.
		if e.cut.Reason == report.CutNothingFound {
			cannot = append(plan{e}, cannot...)
		} else {
			cannot = append(cannot, e)
		}
	}
	return can, cannot
}

// find returns the subjects with the names, each once.
func (sys system) find(names []string) ([]check.Subject, error) {
	var found []check.Subject
	seen := map[string]bool{}
	for _, name := range names {
		s, ok := sys.subject(name)
		if !ok {
			return nil, unknown("subject", name, sys.subjectNames())
		}
		if !seen[name] {
			seen[name] = true
			found = append(found, s)
		}
	}
	return found, nil
}

func (sys system) subject(name string) (check.Subject, bool) {
	for _, s := range sys.subjects() {
		if s.Name == name {
			return s, true
		}
	}
	return check.Subject{}, false
}

func (sys system) subjectNames() []string {
	var names []string
	for _, s := range sys.subjects() {
		names = append(names, s.Name)
	}
	return names
}

// versions makes sure that the fakes can play the version, by starting each once.
func (p plan) versions(ctx context.Context, version string) error {
	if version == "" {
		return nil
	}
	played := map[string]bool{}
	for _, e := range p {
		if e.subject.Runtime == nil || played[e.subject.Name] {
			continue
		}
		played[e.subject.Name] = true
		r, err := e.subject.Runtime(ctx, check.RuntimeOptions{Version: version})
		if err == nil {
			err = r.Close()
		}
		if err != nil {
			return fmt.Errorf("flag --runtime-version: subject %s: %w", e.subject.Name, err)
		}
	}
	if len(played) == 0 {
		return errors.New("flag --runtime-version: no subject of this run has a fake runtime with versions")
	}
	return nil
}

// jobs are what the workers do.
func (p plan) jobs(seed uint64, flags runFlags) []supervise.Job {
	var jobs []supervise.Job
	for _, e := range p {
		if e.cut != nil {
			continue
		}
		j := supervise.Job{
			Subject: e.subject.Name, Profile: e.profile, Seed: seed, Selection: e.selection,
			TimeoutScale: float64(flags.scale), Verbose: flags.verbose,
		}
		if e.subject.Runtime != nil {
			j.RuntimeVersion = flags.version
		}
		jobs = append(jobs, j)
	}
	return jobs
}
