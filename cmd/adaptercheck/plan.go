package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
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
	target
	profile report.Profile
	// cut says why there is nothing to run; nil if there is.
	cut       *report.Cut
	selection conformance.Selection
}

func (e entry) String() string { return e.subject.Name + " " + string(e.profile) }

// plan makes one. Of all subjects, only those with something to run are in it, and
// those that could not be started; a subject that was asked for by name is in it in
// any case, so that it cannot be taken for one that passed.
func (sys system) plan(ctx context.Context, targets []target, named bool, flags runFlags) (plan, error) {
	var p plan
	var names []string
	for _, t := range targets {
		names = append(names, t.subject.Name)
		entries, missed := entriesOf(t, t.cut(ctx), flags)
		if len(entries) == 0 && (named || t.fault != nil) {
			entries = missed[:1]
		}
		p = append(p, entries...)
	}
	if len(p) == 0 {
		return nil, fmt.Errorf("no subject implements what was asked for; there are %s", strings.Join(names, ", "))
	}
	return p, nil
}

// entriesOf splits the profiles that were asked for into what the run shows and what
// there is nothing to show of. A subject that could not be started has a cut.
func entriesOf(t target, cut *report.Cut, flags runFlags) (shown, missed plan) {
	for _, p := range flags.profile.profiles() {
		e := entry{target: t, profile: p, cut: cut, selection: flags.Selection}
		_, err := flags.Of(conformance.Checks(p))
		asked := slices.Contains(t.profiles, p)
		switch {
		case cut != nil:
		case !t.subject.Implements(p) || t.profiles != nil && !asked:
			e.cut = &report.Cut{Reason: report.CutUndescribed}
		case err != nil:
			e.cut = &report.Cut{Reason: report.CutNothingFound}
		}
		switch {
		case e.cut == nil:
			shown = append(shown, e)
		case e.cut.Reason == report.CutNothingFound: // it says more than that there is nothing
			missed = append(plan{e}, missed...)
		case asked:
			shown = append(shown, e)
		default:
			missed = append(missed, e)
		}
	}
	return shown, missed
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
func (p plan) jobs(seed uint64, budgets check.Budgets, flags runFlags) []supervise.Job {
	var jobs []supervise.Job
	for _, e := range p {
		if e.cut != nil {
			continue
		}
		j := supervise.Job{
			Subject: e.subject.Name, Profile: e.profile, Seed: seed, Selection: e.selection,
			Budgets: budgets, TimeoutScale: float64(flags.scale), Verbose: flags.verbose,
		}
		j.Host = e.host
		if e.subject.Runtime != nil {
			j.RuntimeVersion = flags.version
		}
		if e.process != nil {
			own := *e.process
			own.Name, own.Trace = e.subject.Name, flags.traces.file(own, string(e.profile))
			j.Process = &own
		}
		jobs = append(jobs, j)
	}
	return jobs
}
