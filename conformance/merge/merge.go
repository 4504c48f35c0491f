// Package merge puts the reports of shards together again.
//
//	whole, err := merge.Reports(conformance.Checks, one, two, three)
//
// Where all shards of a run are there, and all were made with the same seed, the result
// is what the run without shards would have reported, without its timing. The package
// imports conformance/check and conformance/report.
package merge

import (
	"errors"
	"fmt"
	"slices"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/report"
)

// Reports puts reports together that validate. Each check is judged in one of them at
// most; what none has judged is not run, and the result is partial. It refuses reports of
// another program, seed, suite or subject.
func Reports(catalogue func(report.Profile) []check.Check, shards ...report.Report) (report.Report, error) {
	if len(shards) == 0 {
		return report.Report{}, errors.New("there are no reports to merge")
	}
	first := shards[0]
	whole := report.Report{Schema: first.Schema, Tool: first.Tool, Seed: first.Seed, Runs: []report.Run{}}
	for i, s := range shards {
		switch {
		case s.Tool != first.Tool:
			return report.Report{}, fmt.Errorf("report %d was written by %s %s, and the first by %s %s", i+1, s.Tool.Name, s.Tool.Version, first.Tool.Name, first.Tool.Version)
		case s.Seed != first.Seed:
			return report.Report{}, fmt.Errorf("report %d has seed %d, and the first has %d: give all shards the same --seed", i+1, s.Seed, first.Seed)
		}
	}
	for _, key := range runs(shards) {
		run, err := key.merge(catalogue(key.profile), shards)
		if err != nil {
			return report.Report{}, fmt.Errorf("%s %s: %w", key.subject, key.profile, err)
		}
		whole.Runs = append(whole.Runs, run)
	}
	return whole, nil
}

// key names a run over all shards.
type key struct {
	subject report.Name
	profile report.Profile
}

// runs lists those of all shards. A shard may have nothing of one, so that the order is
// that of the shard which has most.
func runs(shards []report.Report) []key {
	longest := slices.MaxFunc(shards, func(a, b report.Report) int { return len(a.Runs) - len(b.Runs) })
	var keys []key
	for _, s := range append([]report.Report{longest}, shards...) {
		for _, r := range s.Runs {
			if k := (key{r.Subject.Name, r.Profile}); !slices.Contains(keys, k) {
				keys = append(keys, k)
			}
		}
	}
	return keys
}

// merge puts one run together.
func (k key) merge(checks []check.Check, shards []report.Report) (report.Run, error) {
	var parts []report.Run
	for _, s := range shards {
		for _, r := range s.Runs {
			if r.Subject.Name == k.subject && r.Profile == k.profile {
				parts = append(parts, r)
			}
		}
	}
	digest := report.Name(check.Digest(checks))
	judged := map[report.Name]bool{}
	var outcomes []check.Outcome
	for _, p := range parts {
		switch {
		case p.Suite.Version != check.SuiteVersion || p.Suite.Digest != digest:
			return report.Run{}, errors.New("it was judged by another suite than this program's")
		case !slices.Equal(p.Subject.Features, parts[0].Subject.Features):
			return report.Run{}, errors.New("the subject offers other features in another shard")
		}
		for _, c := range p.Checks {
			if c.State == report.NotRun {
				continue
			}
			if judged[c.ID] {
				return report.Run{}, fmt.Errorf("%s was judged in two reports: want the shards of one run", c.ID)
			}
			judged[c.ID] = true
			outcomes = append(outcomes, outcome(c))
		}
	}
	subject := check.Subject{Name: string(k.subject)}
	for _, f := range parts[0].Subject.Features {
		subject.Offers = append(subject.Offers, check.Feature(f))
	}
	run := check.Judge(k.profile, subject, checks, outcomes, cut(parts))
	for _, p := range parts {
		for code, n := range p.Breaches {
			if run.Breaches == nil {
				run.Breaches = map[report.Name]int{}
			}
			run.Breaches[code] += n
		}
		for _, m := range p.Baseline {
			if !slices.Contains(run.Baseline, m) {
				run.Baseline = append(run.Baseline, m)
			}
		}
	}
	if len(run.Baseline)+len(run.Breaches) > 0 {
		run.Verdict = report.Fails
	}
	return run, nil
}

// outcome is what a report keeps of one.
func outcome(c report.Check) check.Outcome {
	o := check.Outcome{ID: string(c.ID), State: c.State}
	for _, code := range c.Codes {
		o.Codes = append(o.Codes, check.Code(code))
	}
	for _, f := range c.Missing {
		o.Missing = append(o.Missing, check.Feature(f))
	}
	for name, n := range c.Counts {
		if o.Counts == nil {
			o.Counts = map[string]int{}
		}
		o.Counts[string(name)] = n
	}
	return o
}

// cut is the first reason for which a shard ended early. That it had nothing to run is
// none, if another had.
func cut(parts []report.Run) *report.Cut {
	var nothing *report.Cut
	ran := false
	for _, p := range parts {
		switch {
		case p.Cut == nil:
			ran = true
		case p.Cut.Reason == report.CutNothingFound:
			nothing = p.Cut
		default:
			return p.Cut
		}
	}
	if ran {
		return nil
	}
	return nothing
}
