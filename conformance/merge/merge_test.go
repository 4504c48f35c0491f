package merge_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/conformance"
	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/merge"
	"github.com/adaptercheck/adaptercheck/conformance/report"
)

var subject = check.Subject{Name: "mine", Offers: []check.Feature{"deltas", "tools"}}

// judged is a report over both contracts in which checks have come to everything.
func judged(selected conformance.Selection) report.Report {
	r := report.Report{Schema: report.Schema, Tool: report.Tool{Name: "adaptercheck", Version: "dev"}, Seed: 7}
	for _, p := range []report.Profile{report.Executor, report.History} {
		all := conformance.Checks(p)
		checks, err := selected.Of(all)
		if err != nil {
			continue // nothing of it is in this shard
		}
		var outcomes []check.Outcome
		for _, ch := range checks {
			i := slices.IndexFunc(all, func(c check.Check) bool { return c.ID == ch.ID })
			o := check.Outcome{ID: ch.ID, State: report.Passed, Counts: map[string]int{"events": i}}
			switch i % 7 {
			case 1:
				o.State, o.Codes = report.Failed, ch.Codes[:1]
			case 2:
				o.State, o.Missing = report.Unobserved, []check.Feature{"money"}
			case 3:
				o.State = report.Known
			}
			outcomes = append(outcomes, o)
		}
		r.Runs = append(r.Runs, check.Judge(p, subject, all, outcomes, nil))
	}
	return r
}

// Whatever the number of shards, and in whatever order they come, the whole is the whole.
func TestReports(t *testing.T) {
	want, err := report.Marshal(judged(conformance.Selection{}))
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= 16; n++ {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			var shards []report.Report
			for i := n; i >= 1; i-- {
				shards = append(shards, judged(conformance.Selection{Shard: conformance.Shard{Index: i, Of: n}}))
			}
			whole, err := merge.Reports(conformance.Checks, shards...)
			if err != nil {
				t.Fatal(err)
			}
			got, err := report.Marshal(whole)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func shard(i int) report.Report {
	return judged(conformance.Selection{Shard: conformance.Shard{Index: i, Of: 3}})
}

// What is missing stays not run, and what a shard adds to its checks is kept.
func TestReportsKeepsWhatIsWrong(t *testing.T) {
	one, two := shard(1), shard(2)
	one.Runs[0].Breaches = map[report.Name]int{"line-broken": 1}
	two.Runs[0].Breaches = map[report.Name]int{"line-broken": 2}
	two.Runs[1].Cut = &report.Cut{Reason: report.CutWorkerDied}
	m := report.Mismatch{Check: "history.identity.stable", Code: "x", Reason: report.MismatchUnknown}
	one.Runs[1].Baseline, two.Runs[1].Baseline = []report.Mismatch{m}, []report.Mismatch{m}
	whole, err := merge.Reports(conformance.Checks, one, two)
	if err != nil {
		t.Fatal(err)
	}
	e, h := whole.Runs[0], whole.Runs[1]
	if !e.Partial || e.Tally.NotRun == 0 || e.Breaches["line-broken"] != 3 || e.Verdict != report.Fails {
		t.Errorf("executor: %t %+v %v %s", e.Partial, e.Tally, e.Breaches, e.Verdict)
	}
	if h.Cut == nil || h.Cut.Reason != report.CutWorkerDied || len(h.Baseline) != 1 || h.Verdict != report.Fails {
		t.Errorf("history: %+v %v %s", h.Cut, h.Baseline, h.Verdict)
	}
}

func TestReportsRefuses(t *testing.T) {
	change := func(f func(*report.Report)) []report.Report {
		two := shard(2)
		f(&two)
		return []report.Report{shard(1), two}
	}
	for _, c := range []struct {
		name   string
		shards []report.Report
		want   string
	}{
		{"nothing", nil, "no reports to merge"},
		{"the same twice", []report.Report{shard(1), shard(1)}, "was judged in two reports"},
		{"another seed", change(func(r *report.Report) { r.Seed = 8 }), "report 2 has seed 8, and the first has 7"},
		{"another program", change(func(r *report.Report) { r.Tool.Version = "v2" }), "report 2 was written by adaptercheck v2"},
		{"another suite", change(func(r *report.Report) { r.Runs[0].Suite.Digest = "0123" }), "mine executor: it was judged by another suite"},
		{"other features", change(func(r *report.Report) { r.Runs[1].Subject.Features = nil }), "mine history: the subject offers other features"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := merge.Reports(conformance.Checks, c.shards...); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}
