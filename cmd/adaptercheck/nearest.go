package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// unknown is the error for a word that is none of those known. It names the nearest
// of them, or lists them if they are few.
func unknown(what, word string, known []string) error {
	if near := nearest(word, known); near != "" {
		return fmt.Errorf("unknown %s %q, did you mean %q?", what, word, near)
	}
	if len(known) <= 12 {
		return fmt.Errorf("unknown %s %q, known are %s", what, word, strings.Join(known, ", "))
	}
	return fmt.Errorf("unknown %s %q", what, word)
}

// nearest returns the word of the list that is nearest to a wrong one, empty if
// none is near enough to be meant.
func nearest(wrong string, words []string) string {
	wrong = strings.ToLower(wrong)
	best, least := "", max(2, len(wrong)/2)+1
	for _, w := range words {
		d := distance(wrong, strings.ToLower(w))
		// The beginning or a part of a word is meant more often than its length says.
		switch {
		case len(wrong) >= 3 && strings.HasPrefix(strings.ToLower(w), wrong):
			d = min(d, 1)
		case len(wrong) >= 3 && strings.Contains(strings.ToLower(w), wrong):
			d = min(d, 2)
		}
		if d < least {
			best, least = w, d
		}
	}
	return best
}

// distance is the number of insertions, deletions, replacements and swaps of
// neighbours that turn a into b.
func distance(a, b string) int {
	if len(a) > 256 {
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

// flagError says what is wrong with a flag in one line, and names the nearest flag
// for one that does not exist.
func flagError(cmd *cobra.Command, err error) error {
	var missing *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &invalid):
		return fmt.Errorf("flag --%s: %w", invalid.GetFlag().Name, invalid.Unwrap())
	case errors.As(err, &missing) && missing.GetSpecifiedShortnames() != "":
		return fmt.Errorf("unknown flag %q", "-"+missing.GetSpecifiedName())
	case !errors.As(err, &missing):
		return err
	}
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			known = append(known, "--"+f.Name)
		}
	})
	return unknown("flag", "--"+missing.GetSpecifiedName(), known)
}
