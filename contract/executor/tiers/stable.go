package tiers

import (
	"cmp"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"
)

// SortToolDefs returns a copy of the definitions ordered by name, so that a
// prompt with the same tools has the same bytes. Names compare by UTF-16 code
// unit, as the hosts of the contract order them: that differs from the order of
// bytes where a name holds a character beyond U+FFFF. Equal names keep their
// order.
func SortToolDefs[T any](defs []T, name func(T) string) []T {
	sorted := slices.Clone(defs)
	slices.SortStableFunc(sorted, func(a, b T) int { return CompareUTF16(name(a), name(b)) })
	return sorted
}

// CompareUTF16 compares two strings by their UTF-16 code units: it returns -1, 0
// or 1. Bytes that are not UTF-8 count as replacement characters.
func CompareUTF16(a, b string) int {
	for a != "" && b != "" {
		ra, na := utf8.DecodeRuneInString(a)
		rb, nb := utf8.DecodeRuneInString(b)
		if ra != rb {
			return cmp.Or(cmp.Compare(firstUnit(ra), firstUnit(rb)), cmp.Compare(ra, rb))
		}
		a, b = a[na:], b[nb:]
	}
	return cmp.Compare(len(a), len(b))
}

// firstUnit is the first UTF-16 code unit of a character. Two characters with the
// same first unit are both beyond U+FFFF and compare as they are.
func firstUnit(r rune) rune {
	if r < 0x10000 {
		return r
	}
	return 0xD800 + (r-0x10000)>>10
}

// DateStamp writes the day of t in UTC as year-month-day, the year with at least
// four digits. A prompt that holds the day instead of the time stays the same for
// a day.
func DateStamp(t time.Time) string {
	year, month, day := t.UTC().Date()
	sign := ""
	if year < 0 {
		sign, year = "-", -year
	}
	return fmt.Sprintf("%s%04d-%02d-%02d", sign, year, month, day)
}
