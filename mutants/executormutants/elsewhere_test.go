package executormutants_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/adaptercheck/adaptercheck/mutants/executormutants"
)

// The rows of the numbered list of wrong adapters; the gaps in it are on purpose.
const numbered = `A01 A02 A05 B01 B02 B04 B05 B07 B08 B10 B11 C01 C02 C04 C05 C07 C08 D01 D02 D04 D05 D07 D08 D10 D11 D13
E01 E02 E04 E05 E07 E08 E10 E11 E13 E14 E16 E17 E19 E20 F01 F02 F04 F05 F07 F08 F10 F11 G01 G02 G04 G05 G07 G08
H01 H02 H04 H05 H07 H08 I01 I02 I04 I05 I07 J01 J02 J04 J05 J07 J08 J10 J11 J13 J14 K01 K02 K04
L01 L02 L04 L05 L07 L08 L10 L11 L13 L14 M01 M02 M04 M05 M07 M08 N01 N02 N04 O01 O02 O04 O05`

// Every row is a mutant or says where it is instead, and not both.
func TestEveryRowIsSomewhere(t *testing.T) {
	mutants, elsewhere := map[string]bool{}, map[string]executormutants.Elsewhere{}
	for _, m := range executormutants.All() {
		mutants[m.ID] = true
	}
	rows := append(strings.Fields(numbered), "R72b")
	for n := 1; n <= 77; n++ {
		rows = append(rows, fmt.Sprintf("R%02d", n))
	}
	known := map[string]bool{}
	for _, row := range rows {
		known[row] = true
	}
	for _, e := range executormutants.NotHere() {
		switch {
		case !known[e.ID]:
			t.Errorf("%s is no row", e.ID)
		case elsewhere[e.ID].ID != "":
			t.Errorf("%s is elsewhere twice", e.ID)
		case (e.As == "") == (e.Reason == ""):
			t.Errorf("%s: want a mutant or a reason, and not both", e.ID)
		case e.As != "" && !mutants[e.As]:
			t.Errorf("%s: no mutant %s", e.ID, e.As)
		}
		elsewhere[e.ID] = e
	}
	for _, row := range rows {
		here := mutants["executor-"+row]
		if _, there := elsewhere[row]; here == there {
			t.Errorf("row %s: mutant %t, elsewhere %t", row, here, there)
		}
	}
}
