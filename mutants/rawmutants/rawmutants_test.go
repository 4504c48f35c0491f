package rawmutants_test

import (
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/adaptercheck/adaptercheck/conformance"
	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/remote"
	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/mutants/executormutants"
	"github.com/adaptercheck/adaptercheck/mutants/rawmutants"
)

func TestMain(m *testing.M) { os.Exit(fakes.Main(m, rawmutants.Player())) }

// checks are what the mutants may name, by id.
func checks() map[string]check.Check {
	byID := map[string]check.Check{}
	for _, c := range slices.Concat(conformance.Checks(report.Executor), conformance.Checks(report.History), []check.Check{rawmutants.Lines()}) {
		byID[c.ID] = c
	}
	return byID
}

func TestMutantsAreWellFormed(t *testing.T) {
	byID := checks()
	seen := map[string]bool{}
	for _, m := range rawmutants.All() {
		switch {
		case seen[m.ID]:
			t.Errorf("%s: the id is used twice", m.ID)
		case !report.Name(m.ID).Valid() || !strings.HasPrefix(m.ID, "raw-"):
			t.Errorf("%s: not a name of a raw mutant", m.ID)
		case m.Note == "":
			t.Errorf("%s: no note", m.ID)
		case byID[m.Check].ID == "" || byID[m.Check].Profile() != m.Profile:
			t.Errorf("%s: no check %s of its profile", m.ID, m.Check)
		case !slices.Contains(byID[m.Check].AllCodes(), m.Code):
			t.Errorf("%s: %s is no code of %s", m.ID, m.Code, m.Check)
		}
		seen[m.ID] = true
	}
	for _, v := range rawmutants.Right() {
		if seen[v.ID] || !report.Name(v.ID).Valid() || v.Note == "" {
			t.Errorf("%s: used twice, not a name, or no note", v.ID)
		}
		seen[v.ID] = true
	}
	if err := check.Validate([]check.Check{rawmutants.Lines()}); err != nil {
		t.Error(err)
	}
}

func TestEveryMutantIsCaught(t *testing.T) {
	before := goleak.IgnoreCurrent()
	byID := checks()
	var all sync.WaitGroup
	room := make(chan struct{}, 4) // most of them are a process that starts
	for _, m := range rawmutants.All() {
		room <- struct{}{}
		all.Go(func() {
			defer func() { <-room }()
			b := check.DefaultBudgets(true)
			short := b.Scale(0.3)
			b.FirstEvent, b.Terminal, b.Abort = short.FirstEvent, short.Terminal, short.Abort
			r := &check.Runner{Subject: m.Subject(), Budgets: b, Seed: 1}
			o := r.Execute(t.Context(), byID[m.Check])
			if o.State != report.Failed || !slices.Contains(o.Codes, m.Code) {
				t.Errorf("%s (%s): %s says %s %v %v, want %s\n%s", m.ID, m.Note, m.Check, o.State, o.Codes, o.Fault, m.Code, strings.Join(o.Details, "\n"))
			}
		})
	}
	all.Wait()
	goleak.VerifyNone(t, before)
}

// What no adapter in Go can do wrong, and every way to break the protocol, is done here.
func TestWhatIsExercised(t *testing.T) {
	killed := map[string]bool{}
	for _, m := range rawmutants.All() {
		killed[m.Check+" "+string(m.Code)] = true
	}
	for _, code := range executormutants.OnlyRaw() {
		if !killed["executor.capabilities.shape "+string(code)] {
			t.Errorf("no mutant exercises %s", code)
		}
	}
	var idle []string
	for _, b := range remote.Breaches() {
		if b != remote.LineTooLong && !killed[rawmutants.Lines().ID+" "+string(b)] { // that one is 128 MiB long
			idle = append(idle, string(b))
		}
	}
	if diff := cmp.Diff([]string(nil), idle); diff != "" {
		t.Errorf("breaches that no mutant exercises (-want +got):\n%s", diff)
	}
}

// The rows that stand out in the other list are here.
func TestRowsAreHere(t *testing.T) {
	here := map[string]bool{}
	for _, m := range rawmutants.All() {
		here[strings.TrimPrefix(m.ID, "raw-")] = true
	}
	for _, e := range executormutants.NotHere() {
		if e.Reason == executormutants.Raw && !here[e.ID] {
			t.Errorf("row %s is nowhere", e.ID)
		}
	}
}

// A right adapter is not accused of living in another process.
func TestRightAreNotAccused(t *testing.T) {
	for _, v := range rawmutants.Right() {
		t.Run(v.ID, func(t *testing.T) {
			t.Parallel()
			r := &check.Runner{Subject: v.Subject(), Budgets: check.DefaultBudgets(true).Scale(4), Seed: 1}
			passed := 0
			for _, c := range conformance.Checks(v.Profile) {
				if c.Flood {
					continue // from afar a flood is one of time, and of nothing else
				}
				switch o := r.Execute(t.Context(), c); {
				case o.State == report.Passed:
					passed++
				case o.State == report.Unobserved, o.State == report.Failed && c.Level == report.Should:
				default:
					t.Errorf("%s says %s %v %v\n%s", c.ID, o.State, o.Codes, o.Fault, strings.Join(o.Details, "\n"))
				}
			}
			if passed < 60 {
				t.Errorf("only %d checks passed", passed)
			}
		})
	}
}

// A binary that is asked for a subject that there is not says so.
func TestPlayUnknown(t *testing.T) {
	for _, args := range [][]string{nil, {"raw-nobody"}, {"raw-B07", "more"}} {
		var complaint strings.Builder
		code := rawmutants.Player().Play(t.Context(), fakes.Play{Args: args, Stdin: strings.NewReader(""), Stdout: &complaint, Stderr: &complaint})
		if code != 2 || !strings.Contains(complaint.String(), "want the id") {
			t.Errorf("%v: exit code %d, %q", args, code, complaint.String())
		}
	}
}
