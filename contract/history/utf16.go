package history

import (
	"cmp"
	"strings"
	"unicode/utf8"
)

// The contract counts, sorts and trims text as JavaScript does. This file holds
// the three rules in which Go differs.

// isSpace reports whether a rune is white space: that of Unicode and U+FEFF, but
// not U+0085.
func isSpace(r rune) bool {
	switch r {
	case '\t', '\n', '\v', '\f', '\r', ' ', 0xA0, 0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF:
		return true
	}
	return r >= 0x2000 && r <= 0x200A
}

// trim removes white space from both ends.
func trim(s string) string { return strings.TrimFunc(s, isSpace) }

// blank reports whether nothing but white space is there.
func blank(s string) bool { return trim(s) == "" }

// fold turns every run of white space into one space and trims the ends.
func fold(s string) string { return strings.Join(strings.FieldsFunc(s, isSpace), " ") }

// cutUnits keeps at most n UTF-16 code units of s. A character that would be cut
// in half is left out, since no Go string can hold the half.
func cutUnits(s string, n int) string {
	units := 0
	for i, r := range s {
		units += unitsOf(r)
		if units > n {
			return s[:i]
		}
	}
	return s
}

func unitsOf(r rune) int {
	if r >= 0x10000 {
		return 2
	}
	return 1
}

// compareUnits orders strings by their UTF-16 code units. That is the order of
// their bytes, but for one thing: characters from U+10000 up are written as
// surrogates and so come before U+E000 to U+FFFF.
func compareUnits(a, b string) int {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	if i == len(a) || i == len(b) {
		return cmp.Compare(len(a), len(b))
	}
	for i > 0 && !utf8.RuneStart(a[i]) {
		i--
	}
	x, _ := utf8.DecodeRuneInString(a[i:])
	y, _ := utf8.DecodeRuneInString(b[i:])
	if x >= 0xE000 && y >= 0xE000 && (x >= 0x10000) != (y >= 0x10000) {
		return cmp.Compare(y, x)
	}
	return strings.Compare(a[i:], b[i:])
}
