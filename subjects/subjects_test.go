package subjects_test

import (
	"os"
	"testing"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"github.com/adaptercheck/adaptercheck/conformance"
	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/acp"
	"github.com/adaptercheck/adaptercheck/fakes/claudecode"
	"github.com/adaptercheck/adaptercheck/fakes/codex"
	"github.com/adaptercheck/adaptercheck/fakes/codex/appserver"
	"github.com/adaptercheck/adaptercheck/fakes/hermes"
	fakepi "github.com/adaptercheck/adaptercheck/fakes/pi"
	"github.com/adaptercheck/adaptercheck/subjects"
)

func TestMain(m *testing.M) {
	os.Exit(fakes.Main(m, codex.Player(), appserver.Player(), acp.Player(), claudecode.Player(), hermes.Player(), fakepi.Player()))
}

// seen collects the outcomes of each subject, by profile, and left what was left out.
var (
	seen = map[string]map[report.Profile][]check.Outcome{}
	left = map[string]int{}
)

// isFlood tells which checks flood a runtime, and place where each is in the catalogue.
var isFlood, place = func() (map[string]bool, map[string]int) {
	flood, place := map[string]bool{}, map[string]int{}
	for i, ch := range conformance.Checks(report.Executor) {
		flood[ch.ID], place[ch.ID] = ch.Flood, i
	}
	return flood, place
}()

// Every subject of this tree is judged by the suite that importers get.
var _ = func() bool {
	for _, s := range subjects.All() {
		seen[s.Name] = map[report.Profile][]check.Outcome{}
		conformance.Register(s, conformance.Options{
			Seed: 1, Budgets: budgets, Verbose: true,
			Begin: func(id string) bool {
				if floods || !heavy(s, id) {
					return true
				}
				left[s.Name]++
				return false
			},
			Ended: func(o check.Outcome) {
				p := check.Check{ID: o.ID}.Profile()
				seen[s.Name][p] = append(seen[s.Name][p], o)
			},
		})
	}
	return true
}()

func TestSubjectsConform(t *testing.T) {
	gomega.RegisterFailHandler(ginkgo.Fail)
	ginkgo.RunSpecs(t, "subjects")
	for _, s := range subjects.All() {
		for p, outcomes := range seen[s.Name] {
			run := check.Judge(p, s, conformance.Checks(p), outcomes, nil)
			if p == report.Executor && left[s.Name] > 0 {
				noneFails(t, run)
				continue
			}
			if run.Verdict != report.Conforms || run.Partial {
				t.Errorf("%s %s: %s, partial %t: %+v", s.Name, p, run.Verdict, run.Partial, run.Tally)
			}
		}
		if n := left[s.Name]; n > 0 {
			t.Logf("%s: %d checks are left to the tests without the race detector", s.Name, n)
		}
		if len(seen[s.Name]) == 0 {
			t.Errorf("%s: no check ran", s.Name)
		}
	}
}

// heavy names what takes too long under the race detector: floods of processes and of
// providers, and most of what starts processes.
func heavy(s check.Subject, id string) bool {
	switch {
	case s.Offers.Has(fakes.OwnTools):
		return isFlood[id]
	case s.Offers.Has(fakes.Process):
		return isFlood[id] || place[id]%stride != 0
	}
	return false
}

// noneFails is what can be said of a run of a part of the checks.
func noneFails(t *testing.T, run report.Run) {
	t.Helper()
	passed := 0
	for _, c := range run.Checks {
		switch {
		case c.State == report.Passed:
			passed++
		case c.State == report.InconclusiveCheck, c.State == report.Failed && c.Level == report.Must:
			t.Errorf("%s %s: %s is %s %v", run.Subject.Name, run.Profile, c.ID, c.State, c.Codes)
		}
	}
	if passed == 0 {
		t.Errorf("%s %s: nothing passed", run.Subject.Name, run.Profile)
	}
}

func TestFind(t *testing.T) {
	for _, want := range subjects.All() {
		if got, ok := subjects.Find(want.Name); !ok || got.Name != want.Name {
			t.Errorf("Find(%q) = %q, %t", want.Name, got.Name, ok)
		}
	}
	if _, ok := subjects.Find("nobody"); ok {
		t.Error("Find found nobody")
	}
}
