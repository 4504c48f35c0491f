package mutants

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/sebdah/goldie/v2"
	"go.uber.org/goleak"

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
	"github.com/adaptercheck/adaptercheck/mutants/rawmutants"
)

func TestMain(m *testing.M) {
	os.Exit(fakes.Main(m, codex.Player(), appserver.Player(), acp.Player(), claudecode.Player(), hermes.Player(), fakepi.Player(), rawmutants.Player()))
}

// soak names the variable that asks for the long form of the tests.
const soak = "ADAPTERCHECK_SOAK"

// atOnce is how many adapters are tried at a time: other tests run meanwhile.
const atOnce = 12

// suite is everything there is to try of the profiles, without what spoil takes out.
func suite(spoil func(*profile)) []profile {
	var all []profile
	for _, name := range Profiles() {
		p := profile{conformance.Checks(name), beyond(), All(name), Right(name)}
		spoil(&p)
		all = append(all, p)
	}
	return all
}

// The suite catches every wrong adapter, and the golden file says by what. A
// difference that is meant is published by: go test ./mutants -update
func TestKills(t *testing.T) {
	before := goleak.IgnoreCurrent()
	o := Options{Seed: 1, Parallel: atOnce}
	if raced {
		o.Timeout = 3 // a mutant must not be taken for one that hangs
	}
	m, err := try(t.Context(), suite(func(p *profile) { p.right = nil }), o)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Survivors)+len(m.WrongCode)+len(m.Unexercised) > 0 {
		t.Errorf("survivors %v\nwrong code %v\nunexercised %v", m.Survivors, m.WrongCode, m.Unexercised)
		for _, k := range m.Mutants {
			if !k.Killed {
				t.Errorf("%s: %s says %s %v, want %s", k.ID, k.Check, k.State, k.Codes, k.Code)
			}
		}
		t.FailNow() // not into the golden file
	}
	goldie.New(t, goldie.WithNameSuffix(".golden")).Assert(t, "kills", table(m))
	// Mutants are wrong in what they do, not in how they end.
	goleak.VerifyNone(t, before)
}

// table is the matrix for a reader: which mutant is caught by what, and which codes
// its check reports besides. What a process says besides depends on when it ends.
func table(m Matrix) []byte {
	var b bytes.Buffer
	outside := map[string]bool{}
	for _, x := range All() {
		outside[x.ID] = x.Fake != ""
	}
	b.WriteString("# Written by go test ./mutants -update: mutant, check, code, other codes of that check.\n")
	for _, k := range m.Mutants {
		fmt.Fprintf(&b, "%s %s %s", k.ID, k.Check, k.Code)
		for _, c := range k.Codes {
			if c != k.Code && !outside[string(k.ID)] {
				fmt.Fprintf(&b, " +%s", c)
			}
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// No right adapter is accused. The long form tries what the command does, and every
// flood under every seed as well.
func TestRightAreNotAccused(t *testing.T) {
	long := os.Getenv(soak) == "1"
	if testing.Short() && !long {
		t.Skip("takes half a minute")
	}
	o := Options{Seed: 1, Seeds: 2, Parallel: atOnce}
	profiles := suite(func(p *profile) {
		p.mutants = nil
		// The tests of the profile's own package play the floods.
		p.checks = slices.DeleteFunc(p.checks, func(ch check.Check) bool { return paceOf(ch, check.Subject{}) == floods })
	})
	if long {
		o = Options{Seed: 1, Floods: true}
		profiles = suite(func(p *profile) { p.mutants = nil })
	}
	m, err := try(t.Context(), profiles, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range m.Accused {
		t.Errorf("%s accuses %s under seed %d: %s %v", a.Check, a.ID, a.Seed, a.State, a.Codes)
	}
	if len(m.Right) < 32 {
		t.Errorf("only %d right adapters", len(m.Right))
	}
}

// The same behaviour gives the same bytes, and what is written can be read by anyone
// who has the schema. The profile with the shortest budgets must do for that.
func TestMatrixIsReproducible(t *testing.T) {
	if os.Getenv(soak) != "1" {
		t.Skipf("takes minutes: set %s=1", soak)
	}
	var first []byte
	for i := range 2 {
		m, err := Run(t.Context(), Options{Profiles: []report.Profile{report.Executor}, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		data, err := Marshal(m)
		switch {
		case err != nil:
			t.Fatal(err)
		case i == 0:
			first = data
		case !bytes.Equal(first, data):
			t.Errorf("two runs differ:\n%s\n%s", first, data)
		}
	}
}
