package script

import (
	"errors"
	"fmt"
)

// kind is what a value is, in YAML and JSON alike.
type kind string

const (
	kindNull   kind = "null"
	kindBool   kind = "a truth value"
	kindNumber kind = "a number"
	kindText   kind = "text"
	kindList   kind = "a list"
	kindObject kind = "a map"
)

// position counts lines and columns from 1.
type position struct{ line, col int }

// node is a value with its place, the form that YAML and JSON are read into.
type node struct {
	kind  kind
	at    position
	text  string  // of a text; of a number or truth value as JSON writes it
	keys  []label // of an object
	items []*node // of an object (one per key) and of a list
}

// label is a key and its place.
type label struct {
	text string
	at   position
}

// placed is an error with a place and no file name yet.
type placed struct {
	at  position
	msg string
}

func (e *placed) Error() string { return fmt.Sprintf("%d:%d: %s", e.at.line, e.at.col, e.msg) }

func fail(at position, format string, args ...any) error {
	return &placed{at, fmt.Sprintf(format, args...)}
}

// named puts the file's name before the place.
func named(name string, err error) error {
	var p *placed
	if errors.As(err, &p) {
		return &Error{name, p.at.line, p.at.col, p.msg}
	}
	return fmt.Errorf("%s: %w", name, err)
}

// didYouMean names the word nearest to a wrong one, if one is near enough to be
// meant.
func didYouMean(wrong string, words []string) string {
	best, least := "", len(wrong)/2+1
	for _, w := range words {
		if d := distance(wrong, w); d < least {
			best, least = w, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(", did you mean %q?", best)
}

// distance is the number of insertions, deletions, replacements and swaps of
// neighbours that turn a into b.
func distance(a, b string) int {
	if len(a) > 64 {
		return len(a) // no word is near
	}
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
