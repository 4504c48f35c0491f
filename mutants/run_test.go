package mutants

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// told is a check that does what the subject's name tells it to.
func told(id string, level report.Level, needs ...check.Feature) check.Check {
	return check.Check{
		ID: id, Case: "identity", Clause: "executor#identity", Level: level, Provenance: check.Decided,
		Needs: needs, Codes: []check.Code{"lie", "other-lie"}, Title: "does as told",
		Run: func(_ context.Context, c *check.C) {
			switch name := c.Subject.Name; {
			case name == "lies", name == "lies-under-15" && c.Seed == 15:
				c.Note("lie")
			case name == "lies-twice":
				c.Note("other-lie")
				c.Note("lie")
			case name == "lies-otherwise":
				c.Note("other-lie")
			case name == "is-absent":
				c.Cannot(errors.New("no such program"))
			}
		},
	}
}

// flooding is such a check that floods.
func flooding(id string, level report.Level) check.Check {
	ch := told(id, level)
	ch.Flood = true
	return ch
}

func named(name string, offers ...fakes.Feature) func() check.Subject {
	return func() check.Subject { return check.Subject{Name: name, Offers: offers} }
}

func wrong(id, name, checkID string) Mutant {
	return Mutant{ID: id, Profile: report.Executor, Check: checkID, Code: "lie", Subject: named(name)}
}

func right(id, name string, offers ...fakes.Feature) Variant {
	return Variant{ID: id, Profile: report.Executor, Subject: named(name, offers...)}
}

func TestTry(t *testing.T) {
	const one, two, three, flood = "executor.a.one", "executor.a.two", "executor.a.three", "executor.z.four"
	p := profile{
		checks: []check.Check{told(one, check.Must), told(two, check.Should), told(three, check.Must, fakes.Tools), flooding(flood, check.Must)},
		mutants: []Mutant{
			wrong("w6", "lies", flood), wrong("w1", "lies", one), wrong("w2", "lies-twice", one), wrong("w3", "lies-otherwise", two),
			wrong("w4", "tells-the-truth", one), wrong("w5", "lies", three), wrong("w7", "is-absent", one),
		},
		right: []Variant{
			right("r2", "lies-under-15"), right("r1", "tells-the-truth"), right("r3", "is-absent", fakes.Process),
		},
	}
	got, err := try(t.Context(), []profile{p}, Options{Seed: 7, Seeds: 3})
	if err != nil {
		t.Fatal(err)
	}
	kill := func(id, check report.Name, seed uint64, killed bool, s report.State, codes ...report.Name) Kill {
		return Kill{Seed: seed, ID: id, Profile: report.Executor, Check: check, Code: "lie", Killed: killed, State: s, Codes: append([]report.Name{}, codes...)}
	}
	absent := func(check report.Name) Accusation {
		return Accusation{ID: "r3", Profile: report.Executor, Check: check, State: report.InconclusiveCheck, Codes: []report.Name{}, Seed: 20}
	}
	want := Matrix{
		Schema: Schema, Seed: 7,
		Mutants: []Kill{
			kill("w1", one, 8, true, report.Failed, "lie"), kill("w2", one, 9, true, report.Failed, "lie", "other-lie"),
			kill("w3", two, 10, false, report.Failed, "other-lie"), kill("w4", one, 11, false, report.Passed),
			kill("w5", three, 12, false, report.Unobserved), kill("w6", flood, 7, true, report.Failed, "lie"),
			kill("w7", one, 13, false, report.InconclusiveCheck),
		},
		Right: []Trial{
			{ID: "r1", Profile: report.Executor, Seed: 17, Seeds: 3}, {ID: "r2", Profile: report.Executor, Seed: 14, Seeds: 3},
			{ID: "r3", Profile: report.Executor, Seed: 20, Seeds: 1},
		},
		Once:      []report.Name{flood},
		Survivors: []report.Name{"w4", "w5", "w7"}, WrongCode: []report.Name{"w3"}, Unexercised: []report.Name{three, two},
		// At SHOULD nobody is accused, and the flood is not tried under a second seed.
		Accused: []Accusation{
			{ID: "r2", Profile: report.Executor, Check: one, State: report.Failed, Codes: []report.Name{"lie"}, Seed: 15},
			absent(one), absent(two), absent(flood),
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("matrix (-want +got):\n%s", diff)
	}
	if err := got.Validate(); err != nil {
		t.Error(err)
	}
}

func TestTryFull(t *testing.T) {
	p := profile{
		checks:  []check.Check{told("executor.a.two", check.Must), told("executor.a.one", check.Must), told("executor.a.zero", check.Should), told("executor.a.need", check.Must, fakes.Tools)},
		mutants: []Mutant{wrong("w1", "lies-twice", "executor.a.one"), wrong("w2", "tells-the-truth", "executor.a.two")},
		right:   []Variant{right("r1", "lies-under-15")},
	}
	got, err := try(t.Context(), []profile{p}, Options{Seed: 12, Seeds: 3, Full: true, Floods: true, Parallel: 2})
	if err != nil {
		t.Fatal(err)
	}
	codes := []report.Name{"lie", "other-lie"}
	want := []Kill{
		{ID: "w1", Profile: report.Executor, Check: "executor.a.one", Code: "lie", Killed: true, State: report.Failed, Codes: codes, Seed: 12,
			Also: []Catch{{"executor.a.two", codes}, {"executor.a.zero", codes}}},
		{ID: "w2", Profile: report.Executor, Check: "executor.a.two", Code: "lie", State: report.Passed, Codes: []report.Name{}, Seed: 13},
	}
	if diff := cmp.Diff(want, got.Mutants); diff != "" {
		t.Errorf("mutants (-want +got):\n%s", diff)
	}
	if len(got.Once) != 0 || len(got.Accused) != 2 {
		t.Errorf("once %v, accused %v", got.Once, got.Accused)
	}
}

func TestTryNeedsTheCheck(t *testing.T) {
	p := profile{checks: []check.Check{told("executor.a.one", check.Must)}, mutants: []Mutant{wrong("w1", "lies", "executor.a.none")}}
	_, err := try(t.Context(), []profile{p}, Options{})
	if want := `mutant w1: there is no check "executor.a.none"`; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// A mutant may name a check that no catalogue has, and a right adapter in another
// process is not flooded.
func TestTryBeyondTheCatalogue(t *testing.T) {
	v := right("r1", "lies")
	v.Subject = func() check.Subject { return check.Subject{Name: "lies", Elsewhere: true} }
	p := profile{
		checks:  []check.Check{flooding("executor.a.flood", check.Must)},
		beyond:  []check.Check{told("executor.b.lines", check.Must)},
		mutants: []Mutant{wrong("w1", "lies", "executor.b.lines")},
		right:   []Variant{v},
	}
	got, err := try(t.Context(), []profile{p}, Options{Full: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Mutants) != 1 || !got.Mutants[0].Killed || len(got.Mutants[0].Also) != 1 || len(got.Accused) != 0 {
		t.Errorf("mutants %v, accused %v", got.Mutants, got.Accused)
	}
	if diff := cmp.Diff([]report.Name{"executor.a.flood"}, got.Unexercised); diff != "" {
		t.Errorf("unexercised (-want +got):\n%s", diff)
	}
}

// An interrupted run gives no matrix that could be taken for a whole one.
func TestTryIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	started := 0
	ch := told("executor.a.one", check.Must)
	ch.Run = func(context.Context, *check.C) {
		started++
		cancel()
	}
	p := profile{checks: []check.Check{ch}, right: []Variant{right("r1", "x"), right("r2", "x"), right("r3", "x")}}
	m, err := try(ctx, []profile{p}, Options{Seeds: 5, Parallel: 1})
	if !errors.Is(err, context.Canceled) || m.Schema != "" {
		t.Errorf("matrix %v, error %v", m, err)
	}
	if started != 1 {
		t.Errorf("%d checks were started", started)
	}
}

// No more than asked for goes on at a time, and progress counts up to the total.
func TestTryKeepsToItsWidth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var now, most atomic.Int32
		release := make(chan struct{})
		ch := told("executor.a.one", check.Must)
		ch.Run = func(context.Context, *check.C) {
			n := now.Add(1)
			defer now.Add(-1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			<-release
		}
		var counts []int
		o := Options{Seeds: 10, Parallel: 3, Progress: func(done, total int) {
			if total != 10 {
				t.Errorf("%d in total", total)
			}
			counts = append(counts, done)
		}}
		var run sync.WaitGroup
		run.Go(func() {
			if _, err := try(t.Context(), []profile{{checks: []check.Check{ch}, right: []Variant{right("r1", "x")}}}, o); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		close(release)
		run.Wait()
		if most.Load() != 3 {
			t.Errorf("%d at a time", most.Load())
		}
		if diff := cmp.Diff([]int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, counts); diff != "" {
			t.Errorf("progress (-want +got):\n%s", diff)
		}
	})
}

func TestLists(t *testing.T) {
	seen := map[string]bool{}
	count := map[report.Profile]int{}
	for _, m := range All() {
		if seen[m.ID] || m.Note == "" {
			t.Errorf("%s: used twice, or without a note", m.ID)
		}
		seen[m.ID] = true
		count[m.Profile]++
	}
	for _, v := range Right() {
		if seen[v.ID] || v.Note == "" {
			t.Errorf("%s: used twice, or without a note", v.ID)
		}
		seen[v.ID] = true
	}
	for _, p := range Profiles() {
		if got := len(All(p)); got != count[p] || got < 100 {
			t.Errorf("%s: %d mutants of %d", p, got, count[p])
		}
		if got := len(Right(p)); got < 8 {
			t.Errorf("%s: %d right adapters", p, got)
		}
	}
	if got := len(All("nobody")) + len(Right("nobody")); got != 0 {
		t.Errorf("a profile that there is not has %d", got)
	}
}
