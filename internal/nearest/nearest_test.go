package nearest

import (
	"strings"
	"testing"
)

func TestWord(t *testing.T) {
	words := []string{"executor", "history", "host", "MUST", "executor.events.seq-increasing"}
	for wrong, want := range map[string]string{
		"exectuor": "executor", "Executor": "executor", "histry": "history", "hist": "history", "hots": "host",
		"must": "MUST", "seq-increasing": "executor.events.seq-increasing", "zzzzzz": "", "x": "", "": "",
	} {
		if got := Word(wrong, words); got != want {
			t.Errorf("nearest to %q is %q, want %q", wrong, got, want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"run", "run", 0}, {"rnu", "run", 1}, {"ru", "run", 1}, {"runn", "run", 1}, {"ran", "run", 1}, {"", "run", 3}, {"kitten", "sitting", 3},
	} {
		if got := distance(tt.a, tt.b); got != tt.want {
			t.Errorf("distance of %q and %q is %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestHint(t *testing.T) {
	for wrong, want := range map[string]string{
		"hstory": `, did you mean "history"?`, "zzzzzz": "", strings.Repeat("history", 100): "",
	} {
		if got := Hint(wrong, []string{"history"}); got != want {
			t.Errorf("hint for %q is %q, want %q", wrong, got, want)
		}
	}
}
