package check_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	. "github.com/onsi/gomega"
	"go.uber.org/goleak"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// one is a well-formed check with a body.
func one(body func(context.Context, *check.C)) check.Check {
	return check.Check{
		ID: "executor.identity.one", Case: "identity", Clause: "executor#identity", Level: check.Must,
		Provenance: check.Stated, Codes: []check.Code{"bad", "worse"}, Title: "is one", Run: body,
	}
}

// quick are budgets for subjects that hang on purpose.
var quick = check.Budgets{Call: 5 * time.Millisecond, Check: 40 * time.Millisecond}

func run(t *testing.T, body func(context.Context, *check.C)) check.Outcome {
	t.Helper()
	r := &check.Runner{Subject: check.Subject{Name: "s"}, Budgets: quick}
	return r.Execute(t.Context(), one(body))
}

func TestExecute(t *testing.T) {
	defer goleak.VerifyNone(t)
	boom := errors.New("boom")
	for _, c := range []struct {
		name  string
		body  func(context.Context, *check.C)
		state report.State
		codes []check.Code
	}{
		{"passes", func(_ context.Context, c *check.C) { c.Code("bad").Expect(1).To(Equal(1)) }, report.Passed, nil},
		{"fails and stops", func(_ context.Context, c *check.C) {
			c.Code("bad").Expect(1).To(Equal(2))
			c.Note("worse")
		}, report.Failed, []check.Code{"bad"}},
		{"notes and goes on", func(_ context.Context, c *check.C) { c.Note("worse"); c.Note("bad"); c.Note("bad") }, report.Failed, []check.Code{"bad", "worse"}},
		{"stops after a note", func(_ context.Context, c *check.C) { c.Note("bad"); c.Stop(); c.Note("worse") }, report.Failed, []check.Code{"bad"}},
		{"plain expectation", func(_ context.Context, c *check.C) { c.Expect(false).To(BeTrue()) }, report.Failed, []check.Code{"identity-assertion-failed"}},
		{"unexpected error", func(_ context.Context, c *check.C) { c.NoError(boom) }, report.Failed, []check.Code{"identity-threw"}},
		{"panic", func(context.Context, *check.C) { panic("x") }, report.Failed, []check.Code{"identity-threw"}},
		{"panic in a call", func(ctx context.Context, c *check.C) {
			check.Do(ctx, c, "", time.Second, func(context.Context) error { panic("x") })
		}, report.Failed, []check.Code{"identity-threw"}},
		{"undeclared code", func(_ context.Context, c *check.C) { c.Note("unheard-of") }, report.Failed, []check.Code{"identity-threw"}},
		{"call that heeds its context", func(ctx context.Context, c *check.C) {
			check.Do(ctx, c, "worse", c.Budgets.Call, func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
		}, report.Failed, []check.Code{"worse"}},
		{"unobserved", func(_ context.Context, c *check.C) { c.Unobserved(fakes.Codec); c.Note("bad") }, report.Unobserved, nil},
		{"cannot be built", func(_ context.Context, c *check.C) { c.Cannot(boom) }, report.InconclusiveCheck, nil},
		{"adapter not asked", func(ctx context.Context, c *check.C) {
			check.Do(ctx, c, "bad", time.Second, func(context.Context) error { return fmt.Errorf("call: %w", check.ErrNoJudgement) })
		}, report.InconclusiveCheck, nil},
		{"adapter not asked, told by a panic", func(context.Context, *check.C) { panic(check.ErrNoJudgement) }, report.InconclusiveCheck, nil},
		{"adapter not asked, told by a panic in a call", func(ctx context.Context, c *check.C) {
			check.Do(ctx, c, "bad", time.Second, func(context.Context) error { panic(check.ErrNoJudgement) })
		}, report.InconclusiveCheck, nil},
		{"no such value", func(ctx context.Context, c *check.C) {
			check.Do(ctx, c, "bad", time.Second, func(context.Context) error { return check.ErrNoSuchValue })
		}, report.Unobserved, nil},
		{"a finding beats everything", func(_ context.Context, c *check.C) { c.Note("bad"); c.Cannot(boom) }, report.Failed, []check.Code{"bad"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := run(t, c.body)
			if o.State != c.state {
				t.Errorf("state %s, want %s (%v)", o.State, c.state, o.Details)
			}
			if diff := cmp.Diff(c.codes, o.Codes); diff != "" {
				t.Errorf("codes (-want +got):\n%s", diff)
			}
		})
	}
}

// A hang is a finding, and what the hung check reports later lands nowhere.
func TestLateFindingLandsNowhere(t *testing.T) {
	release, late := make(chan struct{}), make(chan struct{})
	r := &check.Runner{Subject: check.Subject{Name: "s"}, Budgets: quick}
	hung := r.Execute(t.Context(), one(func(_ context.Context, c *check.C) {
		<-release
		c.Note("bad")
		close(late)
	}))
	next := r.Execute(t.Context(), one(func(context.Context, *check.C) {
		close(release)
		<-late
	}))
	if diff := cmp.Diff([]check.Code{"identity-hung"}, hung.Codes); diff != "" {
		t.Errorf("the hung check (-want +got):\n%s", diff)
	}
	if next.State != report.Passed || next.Codes != nil {
		t.Errorf("the next check got %s %v", next.State, next.Codes)
	}
}

func TestMissingFeatureIsUnobserved(t *testing.T) {
	ch := one(func(context.Context, *check.C) { t.Error("the check ran") })
	ch.Needs = []check.Feature{fakes.Money, fakes.Deltas}
	s := check.Subject{Name: "s", Offers: fakes.Features{fakes.Deltas}}
	o := check.Execute(t.Context(), ch, s)
	if diff := cmp.Diff([]check.Feature{fakes.Money}, o.Missing); diff != "" || o.State != report.Unobserved {
		t.Errorf("state %s, missing (-want +got):\n%s", o.State, diff)
	}
}

// Where the adapter lives is seen by the suite; no subject can say it.
func TestWhereAnAdapterLives(t *testing.T) {
	ch := one(func(context.Context, *check.C) {})
	ch.Needs = []check.Feature{fakes.InProcess}
	for _, c := range []struct {
		s    check.Subject
		want report.State
	}{
		{check.Subject{Name: "here"}, report.Passed},
		{check.Subject{Name: "there", Elsewhere: true, Offers: fakes.Features{fakes.InProcess}}, report.Unobserved},
	} {
		if o := check.Execute(t.Context(), ch, c.s); o.State != c.want {
			t.Errorf("%s: %s, want %s", c.s.Name, o.State, c.want)
		}
	}
}

// After three hangs the runner has no more patience.
func TestImpatience(t *testing.T) {
	r := &check.Runner{Subject: check.Subject{Name: "s"}, Budgets: check.Budgets{Call: time.Second, Check: 5 * time.Millisecond}}
	hang := one(func(ctx context.Context, _ *check.C) { <-ctx.Done(); <-t.Context().Done() })
	var got []time.Duration
	for range 3 {
		r.Execute(t.Context(), one(func(_ context.Context, c *check.C) { got = append(got, c.Budgets.Call) }))
		r.Execute(t.Context(), hang)
	}
	r.Execute(t.Context(), one(func(_ context.Context, c *check.C) { got = append(got, c.Budgets.Call) }))
	want := []time.Duration{time.Second, time.Second, time.Second, time.Second / 10}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("call budgets (-want +got):\n%s", diff)
	}
}

func TestCleanups(t *testing.T) {
	var order []string
	run(t, func(_ context.Context, c *check.C) {
		c.Cleanup(func(context.Context) error { order = append(order, "first"); return nil })
		c.Cleanup(func(context.Context) error { panic("a subject may do anything") })
		c.Cleanup(func(ctx context.Context) error { <-ctx.Done(); order = append(order, "hung"); return ctx.Err() })
		c.Cleanup(func(context.Context) error { order = append(order, "last"); return errors.New("ignored") })
		c.Fail("bad", "cleanups run after a failure too")
	})
	if diff := cmp.Diff([]string{"last", "hung", "first"}, order); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The same seed gives a check the same random numbers, whatever ran before.
func TestRandomDependsOnSeedAndIDAlone(t *testing.T) {
	draw := func(seed uint64, id string, before int) uint64 {
		r := &check.Runner{Subject: check.Subject{Name: "s"}, Seed: seed}
		var n uint64
		ch := one(func(_ context.Context, c *check.C) { n = c.Rand.Uint64() })
		for range before {
			r.Execute(t.Context(), ch)
		}
		ch.ID = id
		r.Execute(t.Context(), ch)
		return n
	}
	a := draw(7, "executor.identity.a", 0)
	if b := draw(7, "executor.identity.a", 3); b != a {
		t.Error("the order of checks changes what is drawn")
	}
	if draw(8, "executor.identity.a", 0) == a || draw(7, "executor.identity.b", 0) == a {
		t.Error("seed and id do not change what is drawn")
	}
}

func TestValidate(t *testing.T) {
	good := one(func(context.Context, *check.C) {})
	if err := check.Validate([]check.Check{good}); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*check.Check){
		"id":         func(c *check.Check) { c.ID = "executor.x" },
		"profile":    func(c *check.Check) { c.ID = "other.identity.x" },
		"case":       func(c *check.Check) { c.Case = "no-such-case" },
		"clause":     func(c *check.Check) { c.Clause = "identity" },
		"level":      func(c *check.Check) { c.Level = "MAY" },
		"provenance": func(c *check.Check) { c.Provenance = "" },
		"no codes":   func(c *check.Check) { c.Codes = nil },
		"code":       func(c *check.Check) { c.Codes = []check.Code{"Not A Code"} },
		"need":       func(c *check.Check) { c.Needs = []check.Feature{"wings"} },
		"no body":    func(c *check.Check) { c.Run = nil },
		"no title":   func(c *check.Check) { c.Title = "" },
	} {
		bad := good
		spoil(&bad)
		if err := check.Validate([]check.Check{bad}); err == nil || !strings.Contains(err.Error(), bad.ID) {
			t.Errorf("%s: got %v, want an error that names the check", name, err)
		}
	}
	if err := check.Validate([]check.Check{good, good}); err == nil {
		t.Error("an id that is taken is accepted")
	}
}

func TestThousandRunsLeakNothing(t *testing.T) {
	defer goleak.VerifyNone(t)
	r := &check.Runner{Subject: check.Subject{Name: "s"}, Budgets: quick}
	for i := range 1000 {
		o := r.Execute(t.Context(), one(func(ctx context.Context, c *check.C) {
			c.Cleanup(func(context.Context) error { return nil })
			_, _ = check.Await(ctx, c, time.Second, func(context.Context) (int, error) { return i, nil })
			if i%2 == 0 {
				c.Fail("bad", "every second one fails")
			}
		}))
		if want := map[bool]report.State{true: report.Failed, false: report.Passed}[i%2 == 0]; o.State != want {
			t.Fatalf("run %d: %s", i, o.State)
		}
	}
}

func BenchmarkExecute(b *testing.B) {
	r := &check.Runner{Subject: check.Subject{Name: "s"}}
	ch := one(func(_ context.Context, c *check.C) { c.Code("bad").Expect(1).To(Equal(1)) })
	for b.Loop() {
		if o := r.Execute(b.Context(), ch); o.State != report.Passed {
			b.Fatal(fmt.Sprint(o))
		}
	}
}
