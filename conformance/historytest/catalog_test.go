package historytest

import (
	"strings"
	"testing"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/report"
	contract "github.com/adaptercheck/adaptercheck/docs/contract"
)

func TestCatalogueIsWellFormed(t *testing.T) {
	checks := Checks()
	if err := check.Validate(checks); err != nil {
		t.Error(err)
	}
	if len(checks) < 30 {
		t.Errorf("%d checks, want at least 30", len(checks))
	}
	cases := map[string]bool{}
	for _, ch := range checks {
		cases[ch.Case] = true
	}
	for _, id := range check.Cases(report.History) {
		if !cases[id] {
			t.Errorf("no check sharpens the case %s", id)
		}
	}
}

// Every check cites a clause of its own weight, and every clause has a check or a
// row that says why not.
func TestChecksAndClausesAgree(t *testing.T) {
	list, err := contract.Load(report.History)
	if err != nil {
		t.Fatal(err)
	}
	clauses := map[string]contract.Clause{}
	for _, c := range list {
		clauses[c.Ref()] = c
		if c.Level == report.Must && c.Provenance == report.Decided && !strings.Contains(c.Text, "\nHarm: ") {
			t.Errorf("clause %s is decided and MUST, and names no harm", c.Ref())
		}
	}
	enforced := map[string]bool{}
	for _, ch := range Checks() {
		c, ok := clauses[ch.Clause]
		enforced[ch.Clause] = true
		if !ok {
			t.Errorf("check %s cites %s, which is no clause", ch.ID, ch.Clause)
		} else if ch.Level != c.Level || ch.Provenance != c.Provenance {
			t.Errorf("check %s is %s and %s, its clause %s is %s and %s", ch.ID, ch.Level, ch.Provenance, ch.Clause, c.Level, c.Provenance)
		}
	}
	for ref, c := range clauses {
		if enforced[ref] == (c.Unchecked != "") {
			t.Errorf("clause %s: enforced is %v, its row in the last table says %q", ref, enforced[ref], c.Unchecked)
		}
	}
}
