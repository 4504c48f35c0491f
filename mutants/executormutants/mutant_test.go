package executormutants_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/executortest"
	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/acp"
	"github.com/adaptercheck/adaptercheck/fakes/claudecode"
	"github.com/adaptercheck/adaptercheck/fakes/codex"
	"github.com/adaptercheck/adaptercheck/fakes/codex/appserver"
	"github.com/adaptercheck/adaptercheck/fakes/hermes"
	fakepi "github.com/adaptercheck/adaptercheck/fakes/pi"
	"github.com/adaptercheck/adaptercheck/mutants/executormutants"
)

func TestMain(m *testing.M) {
	os.Exit(fakes.Main(m, codex.Player(), appserver.Player(), acp.Player(), claudecode.Player(), hermes.Player(), fakepi.Player()))
}

// checks are the catalogue by id.
func checks() map[string]check.Check {
	byID := map[string]check.Check{}
	for _, c := range executortest.Checks() {
		byID[c.ID] = c
	}
	return byID
}

func TestMutantsAreWellFormed(t *testing.T) {
	byID := checks()
	seen := map[string]bool{}
	for _, m := range executormutants.All() {
		switch {
		case seen[m.ID]:
			t.Errorf("%s: the id is used twice", m.ID)
		case !report.Name(m.ID).Valid():
			t.Errorf("%s: not a name", m.ID)
		case m.Note == "":
			t.Errorf("%s: no note", m.ID)
		case byID[m.Check].ID == "":
			t.Errorf("%s: no check %s", m.ID, m.Check)
		case !slices.Contains(byID[m.Check].Codes, m.Code):
			t.Errorf("%s: %s is no code of %s's own", m.ID, m.Code, m.Check)
		}
		seen[m.ID] = true
	}
	for _, v := range variants() {
		if seen[v.ID] || !report.Name(v.ID).Valid() || v.Note == "" {
			t.Errorf("%s: used twice, not a name, or no note", v.ID)
		}
		seen[v.ID] = true
	}
}

func variants() []executormutants.Variant {
	return slices.Concat(executormutants.Right(), executormutants.Hollow(), []executormutants.Variant{executormutants.Null()})
}

// It does not run beside other tests: those that flood and those that start processes
// would starve the ones whose budgets are running.
func TestEveryMutantIsCaught(t *testing.T) {
	byID := checks()
	lanes := map[int][]executormutants.Mutant{} // by how many are tried at once
	later := 0
	for _, m := range executormutants.All() {
		if m.Fake != "" && slowness > 1 { // starting processes is most of what it does
			later++
			continue
		}
		width := 16 // most of them wait
		if m.Fake != "" || byID[m.Check].Flood {
			width = 2
		}
		lanes[width] = append(lanes[width], m)
	}
	if later > 0 {
		t.Logf("%d mutants over processes are left to the tests of package mutants, which run without the race detector", later)
	}
	for width, mutants := range lanes {
		outcomes := together(width, mutants, func(m executormutants.Mutant) check.Outcome {
			r := &check.Runner{Subject: m.Subject(), Budgets: m.Budgets().Scale(slowness), Seed: 1}
			return r.Execute(t.Context(), byID[m.Check])
		})
		for i, m := range mutants {
			o := outcomes[i]
			if o.State != report.Failed || !slices.Contains(o.Codes, m.Code) {
				t.Errorf("%s (%s): %s says %s %v, want %s\n%s", m.ID, m.Note, m.Check, o.State, o.Codes, m.Code, strings.Join(o.Details, "\n"))
			}
		}
	}
}

// together calls f for each item, several at once: mutants mostly wait.
func together[In, Out any](atOnce int, items []In, f func(In) Out) []Out {
	out := make([]Out, len(items))
	room := make(chan struct{}, atOnce)
	var all sync.WaitGroup
	for i, item := range items {
		room <- struct{}{}
		all.Go(func() {
			defer func() { <-room }()
			out[i] = f(item)
		})
	}
	all.Wait()
	return out
}

// A code that no mutant is caught by is not known to be found, and a check without
// such a code is not known to catch anything.
func TestEveryCodeIsExercised(t *testing.T) {
	killed := map[string]bool{}
	for _, m := range executormutants.All() {
		killed[m.Check+" "+string(m.Code)] = true
	}
	var idle []string
	for _, c := range executortest.Checks() {
		for _, code := range c.Codes {
			if !killed[c.ID+" "+string(code)] && !slices.Contains(executormutants.OnlyRaw(), code) {
				idle = append(idle, c.ID+" "+string(code))
			}
		}
	}
	if diff := cmp.Diff([]string(nil), idle); diff != "" {
		t.Errorf("codes that no mutant exercises (-want +got):\n%s", diff)
	}
}

func TestRightVariantsAreNotAccused(t *testing.T) {
	for _, v := range executormutants.Right() {
		t.Run(v.ID, func(t *testing.T) {
			t.Parallel()
			if v.Subject().Offers.Has(fakes.Process) {
				t.Skip("judged alone, by the tests of its subject and of the matrix")
			}
			// Full budgets, so that no one is accused of a slow machine.
			r := &check.Runner{Subject: v.Subject(), Budgets: check.DefaultBudgets(false).Scale(slowness), Seed: 1}
			passed := 0
			checks := executortest.Checks()
			outcomes := together(4, checks, func(c check.Check) check.Outcome { return r.Execute(t.Context(), c) })
			for i, c := range checks {
				o := outcomes[i]
				switch {
				case o.State == report.Passed:
					passed++
				case o.State == report.Unobserved, o.State == report.Failed && c.Level == report.Should:
				default:
					t.Errorf("%s (%s): %s says %s %v %v\n%s", v.ID, v.Note, c.ID, o.State, o.Codes, o.Fault, strings.Join(o.Details, "\n"))
				}
			}
			if passed < 20 {
				t.Errorf("%s: only %d checks passed", v.ID, passed)
			}
		})
	}
}

func TestNullPassesNothing(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff([]string(nil), passes(t, executormutants.Null(), func(check.Check) bool { return true })); diff != "" {
		t.Errorf("checks that nothing passes (-want +got):\n%s", diff)
	}
}

// What passes on the host's words may pass the checks about them; every check about
// the runtime's words must see some of them.
func TestHollowSubjectsShowNothing(t *testing.T) {
	heard := []string{"identity", "capabilities", "health", "start"}
	for _, v := range executormutants.Hollow() {
		t.Run(v.ID, func(t *testing.T) {
			t.Parallel()
			got := passes(t, v, func(c check.Check) bool {
				return !slices.Contains(heard, c.Topic()) || c.ID == "executor.start.context"
			})
			if diff := cmp.Diff([]string(nil), got); diff != "" {
				t.Errorf("%s (%s) passes (-want +got):\n%s", v.ID, v.Note, diff)
			}
		})
	}
}

// passes lists the checks that the variant passes, each with a runner of its own,
// as a hollow subject hangs often.
func passes(t *testing.T, v executormutants.Variant, about func(check.Check) bool) []string {
	t.Helper()
	var judged []check.Check
	for _, c := range executortest.Checks() {
		if about(c) {
			judged = append(judged, c)
		}
	}
	outcomes := together(8, judged, func(c check.Check) check.Outcome {
		r := &check.Runner{Subject: v.Subject(), Budgets: executormutants.Budgets(), Seed: 1}
		return r.Execute(t.Context(), c)
	})
	var passed []string
	for i, c := range judged {
		if o := outcomes[i]; o.State != report.Failed && o.State != report.Unobserved {
			passed = append(passed, fmt.Sprintf("%s: %s", c.ID, o.State))
		}
	}
	return passed
}
