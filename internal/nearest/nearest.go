// Package nearest finds the word that was meant by one that is wrong, for errors
// about bad input.
//
//	fmt.Errorf("unknown step %q%s", word, nearest.Hint(word, known)) // …, did you mean "emit"?
//
// The package imports the standard library.
package nearest

import (
	"fmt"
	"strings"
)

// maxWord is the longest word, in bytes, that is compared: a longer one is no slip
// of the pen.
const maxWord = 256

// Word returns the word of the list that is nearest to a wrong one, the first of
// several, and empty if none is near enough to be meant. Case does not count.
func Word(wrong string, words []string) string {
	if len(wrong) > maxWord {
		return ""
	}
	wrong = strings.ToLower(wrong)
	best, least := "", max(2, len(wrong)/2)+1
	for _, w := range words {
		lower := strings.ToLower(w)
		d := distance(wrong, lower)
		// The beginning or a part of a word is meant more often than its length says.
		switch {
		case len(wrong) >= 3 && strings.HasPrefix(lower, wrong):
			d = min(d, 1)
		case len(wrong) >= 3 && strings.Contains(lower, wrong):
			d = min(d, 2)
		}
		if d < least {
			best, least = w, d
		}
	}
	return best
}

// Hint is the end of an error about a wrong word: a comma and a question that names
// the nearest right one; empty if none is near.
func Hint(wrong string, words []string) string {
	if near := Word(wrong, words); near != "" {
		return fmt.Sprintf(", did you mean %q?", near)
	}
	return ""
}

// distance is the number of insertions, deletions, replacements and swaps of
// neighbours that turn a into b.
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
