package report_test

import (
	"strings"
	"testing"
	"time"

	"github.com/adaptercheck/adaptercheck/conformance/report"
)

func TestNameValid(t *testing.T) {
	for name, want := range map[string]bool{
		"a": true, "executor.events.seq-increasing": true, "v1.2.3+a_b": true,
		strings.Repeat("a", 64): true, strings.Repeat("a", 65): false,
		"": false, "a b": false, "a\n": false, "a/b": false, "ä": false, "<1ms": false, "a|b": false, "a\x1b": false,
	} {
		if got := report.Name(name).Valid(); got != want {
			t.Errorf("Name(%q).Valid() = %v, want %v", name, got, want)
		}
	}
}

// Names and numbers that no string test reaches.
func TestValidateRefuses(t *testing.T) {
	for _, c := range []struct {
		field string
		spoil func(*report.Report)
	}{
		{"runs[0].tally", func(r *report.Report) { r.Runs[0].Tally.Known = -1 }},
		{"runs[0].origin.decided", func(r *report.Report) { r.Runs[0].Origin.Decided.Passed = -1 }},
		{"runs[0].checks[2].counts", func(r *report.Report) { r.Runs[0].Checks[2].Counts["events"] = -1 }},
		{"runs[0].checks[2].counts", func(r *report.Report) { r.Runs[0].Checks[2].Counts[""] = 1 }},
		{"runs[0].checks[0].missing[0]", func(r *report.Report) { r.Runs[0].Checks[0].Missing = []report.Name{""} }},
		{"timing.runs[0].checks", func(r *report.Report) { r.Timing.Runs[0].Checks[""] = report.UnderMS }},
		{"timing.runs[0].total", func(r *report.Report) { r.Timing.Runs[0].Total = "" }},
	} {
		r, err := report.Unmarshal(sample(t, "conforms"))
		if err != nil {
			t.Fatal(err)
		}
		c.spoil(&r)
		want := "report field " + c.field + " holds a value outside its closed set"
		if err := r.Validate(); err == nil || err.Error() != want {
			t.Errorf("\n got %v\nwant %s", err, want)
		}
	}
}

func TestBucketOf(t *testing.T) {
	for _, c := range []struct {
		d    time.Duration
		want report.Bucket
	}{
		{-1, report.UnderMS}, {0, report.UnderMS}, {time.Millisecond - 1, report.UnderMS},
		{time.Millisecond, report.Under10MS}, {10 * time.Millisecond, report.Under100},
		{100 * time.Millisecond, report.UnderSec}, {time.Second, report.Under10S},
		{10 * time.Second, report.Longer},
	} {
		if got := report.BucketOf(c.d); got != c.want {
			t.Errorf("BucketOf(%v) = %s, want %s", c.d, got, c.want)
		}
	}
}

func TestExitCode(t *testing.T) {
	for _, c := range []struct {
		verdicts []report.Verdict
		want     int
	}{
		{nil, 3},
		{[]report.Verdict{report.Conforms}, 0},
		{[]report.Verdict{report.Conforms, report.Inconclusive}, 3},
		{[]report.Verdict{report.Inconclusive, report.Conforms}, 3},
		{[]report.Verdict{report.Inconclusive, report.Fails, report.Conforms}, 1},
	} {
		var r report.Report
		for _, v := range c.verdicts {
			r.Runs = append(r.Runs, report.Run{Verdict: v})
		}
		if got := r.ExitCode(); got != c.want {
			t.Errorf("ExitCode(%v) = %d, want %d", c.verdicts, got, c.want)
		}
	}
}

// Add and Of reach every field of their tallies.
func TestTallies(t *testing.T) {
	var sum report.Tally
	for _, s := range report.States() {
		sum.Add(s)
	}
	if want := (report.Tally{Passed: 1, Failed: 1, Unobserved: 1, NotRun: 1, Inconclusive: 1, Known: 1}); sum != want {
		t.Errorf("one of each state is %+v", sum)
	}
	var o report.OriginTallies
	for i, p := range []report.Provenance{report.Stated, report.Implied, report.Decided} {
		o.Of(p).Passed = i + 1
	}
	if o.Stated.Passed != 1 || o.Implied.Passed != 2 || o.Decided.Passed != 3 {
		t.Errorf("origin tallies are %+v", o)
	}
}
