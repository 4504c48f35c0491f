package process

import (
	"os"
	"slices"
	"testing"
)

func TestParseStat(t *testing.T) {
	const rest = " 7 100 100 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 987654 0 0"
	tests := []struct {
		name, stat string
		want       row
		ok         bool
	}{
		{"plain", "12 (sh) S" + rest, row{12, 7, "987654"}, true},
		{"name with blanks and parentheses", "12 (a) S 1 (b)) S" + rest, row{12, 7, "987654"}, true},
		{"zombie", "12 (sh) Z" + rest, row{}, false},
		{"short", "12 (sh) S 7", row{}, false},
		{"no name", "12 S 7", row{}, false},
		{"parent is no number", "12 (sh) S x 100 100 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 987654", row{}, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, ok := parseStat(12, []byte(test.stat))
			if got != test.want || ok != test.ok {
				t.Errorf("got %v %v, want %v %v", got, ok, test.want, test.ok)
			}
		})
	}
}

// A kernel that lists no children is looked at through its whole table, which holds the
// same processes.
func TestEverybody(t *testing.T) {
	var one procfs
	me, ok := one.find(os.Getpid())
	if !ok {
		t.Fatal("this process is not found")
	}
	all := newTable(everybody())
	if got, ok := all.find(me.pid); got != me || !ok {
		t.Errorf("the table has %v, %t; want %v", got, ok, me)
	}
	if !slices.Contains(all.children(me.parent), me) {
		t.Errorf("%v is no child of its parent in the table", me)
	}
	if listsChildren() && !slices.Contains(one.children(me.parent), me) {
		t.Errorf("%v is no child of its parent", me)
	}
}
