package process

import "testing"

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
