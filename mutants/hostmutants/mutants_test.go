package hostmutants_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/hosttest"
	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/mutants/hostmutants"
)

// budgets are short for a mutant that hangs, since its whole budget is waited for.
func budgets(m hostmutants.Mutant) check.Budgets {
	b := check.DefaultBudgets(false)
	if strings.HasSuffix(string(m.Code), "-hung") {
		return b.Scale(1.0 / 20)
	}
	return b
}

func catalogue() map[string]check.Check {
	out := map[string]check.Check{}
	for _, ch := range hosttest.Checks() {
		out[ch.ID] = ch
	}
	return out
}

// Each mutant is caught by the check that it names, with the code that it names.
func TestMutantsAreKilled(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	checks := catalogue()
	t.Run("mutants", func(t *testing.T) {
		for _, m := range hostmutants.All() {
			t.Run(m.ID, func(t *testing.T) {
				t.Parallel()
				ch, ok := checks[m.Check]
				if !ok {
					t.Fatalf("there is no check %s", m.Check)
				}
				r := check.Runner{Subject: m.Subject(), Budgets: budgets(m), Seed: 7}
				o := r.Execute(t.Context(), ch)
				if o.State != report.Failed || !slices.Contains(o.Codes, m.Code) {
					t.Errorf("%s (%s): %s says %s %v, want failed with %s\n%s", m.ID, m.Note, m.Check, o.State, o.Codes, m.Code, strings.Join(o.Details, "\n"))
				}
			})
		}
	})
}

// Every check has a mutant, every mutant an id of its own, and every code of every check
// is what some mutant is caught by.
func TestMutantsCoverTheCatalogue(t *testing.T) {
	ids, caught := map[string]bool{}, map[string]bool{}
	for _, m := range hostmutants.All() {
		if ids[m.ID] || !strings.HasPrefix(m.ID, "host-") || m.Note == "" {
			t.Errorf("mutant %q: the id is taken or malformed, or there is no note", m.ID)
		}
		ids[m.ID], caught[m.Check+" "+string(m.Code)] = true, true
	}
	for _, ch := range hosttest.Checks() {
		for _, code := range ch.Codes {
			if !caught[ch.ID+" "+string(code)] {
				t.Errorf("no mutant is caught by %s of %s", code, ch.ID)
			}
		}
	}
}

// No check accuses a right host at MUST, and the plain one passes all of them.
func TestRightVariantsAreNotAccused(t *testing.T) {
	for i, v := range hostmutants.Right() {
		t.Run(v.ID, func(t *testing.T) {
			t.Parallel()
			r := check.Runner{Subject: v.Subject(), Seed: uint64(i)}
			for _, ch := range hosttest.Checks() {
				o := r.Execute(t.Context(), ch)
				accused := o.State == report.InconclusiveCheck || o.State == report.Failed && ch.Level == check.Must
				if accused || i == 0 && o.State != report.Passed {
					t.Errorf("%s accuses %s: %s %v %v\n%s", ch.ID, v.Note, o.State, o.Codes, o.Fault, strings.Join(o.Details, "\n"))
				}
			}
		})
	}
}

// A host that answers everything with nothing passes nothing, and neither does one that
// says ok to everything.
func TestIdleHostsPassNothing(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"nothing": func(http.ResponseWriter, *http.Request) {},
		"yes": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"ok":true,"connectionState":"needs-auth"}`))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := check.Subject{Name: name, Host: func(context.Context) (*check.HostInstance, error) {
				l, err := net.Listen("tcp", "127.0.0.1:0")
				if err != nil {
					return nil, err
				}
				server := &http.Server{Handler: answer}
				done := make(chan error, 1)
				go func() { done <- server.Serve(l) }()
				return &check.HostInstance{URL: "http://" + l.Addr().String(), Close: func(context.Context) error {
					return errors.Join(server.Close(), func() error { <-done; return nil }())
				}}, nil
			}}
			r := check.Runner{Subject: s, Seed: 3}
			for _, ch := range hosttest.Checks() {
				if o := r.Execute(t.Context(), ch); o.State == report.Passed {
					t.Errorf("%s is passed", ch.ID)
				}
			}
		})
	}
}
