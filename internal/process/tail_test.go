package process

import (
	"strings"
	"testing"
)

func TestTail(t *testing.T) {
	all := strings.Repeat("0123456789", 20)
	for _, size := range []int{1, 7, 64, 200} {
		for _, total := range []int{0, 9, 10, 11, 200} {
			tl := tail{limit: 10}
			for rest := all[:total]; rest != ""; {
				n := min(size, len(rest))
				if wrote, err := tl.Write([]byte(rest[:n])); wrote != n || err != nil {
					t.Fatalf("Write = %d, %v", wrote, err)
				}
				rest = rest[n:]
			}
			got, cut := tl.get()
			if want := all[max(0, total-10):total]; got != want || cut != (total > 10) {
				t.Errorf("size %d total %d: got %q cut %v, want %q", size, total, got, cut, want)
			}
		}
	}
}
