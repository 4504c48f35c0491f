// Package redact takes secrets out of text that leaves the process that knows
// them: error messages, tails of a child's stderr.
//
// A [Redactor] knows values, not patterns: what the host gave to a runtime on
// purpose must not come back in a message. It imports the standard library only.
package redact

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Mask stands where a secret was. It holds nothing that a redactor would mask.
const Mask = "[redacted]"

// minLength is the shortest value that is masked. Shorter ones ("1", "no") are no
// secrets, and masking them would tear every text apart.
const minLength = 4

// Redactor masks a fixed set of values. The zero value masks nothing. It may be
// used from several goroutines.
type Redactor struct {
	secrets []string
}

// New returns a redactor for the given values and for the values of env, a list of
// name=value as a process is given it. Values under four bytes are not masked. A
// value of several lines is masked line by line too, as such a value rarely comes
// back whole.
func New(secrets, env []string) *Redactor {
	var all []string
	add := func(value string) {
		all = append(all, value)
		if strings.ContainsAny(value, "\r\n") {
			all = append(all, strings.FieldsFunc(value, func(r rune) bool { return r == '\r' || r == '\n' })...)
		}
	}
	for _, s := range secrets {
		add(s)
	}
	for _, pair := range env {
		if _, value, ok := strings.Cut(pair, "="); ok {
			add(value)
		}
	}
	all = slices.DeleteFunc(all, func(s string) bool {
		return len(s) < minLength || strings.TrimSpace(s) == "" || strings.Contains(Mask, s)
	})
	slices.Sort(all)
	return &Redactor{secrets: slices.Compact(all)}
}

// String returns s with every occurrence of every value masked. Occurrences that
// touch or overlap become one mask, so that no end of a secret is left over.
func (r *Redactor) String(s string) string {
	spans := r.spans(s)
	if len(spans) == 0 {
		return s
	}
	var out strings.Builder
	at := 0
	for _, sp := range spans {
		out.WriteString(s[at:sp.from])
		out.WriteString(Mask)
		at = sp.to
	}
	out.WriteString(s[at:])
	return out.String()
}

type span struct{ from, to int }

// spans finds what is to be masked, in order and merged.
func (r *Redactor) spans(s string) []span {
	var all []span
	if r == nil {
		return nil
	}
	for _, secret := range r.secrets {
		for at := 0; ; {
			i := strings.Index(s[at:], secret)
			if i < 0 {
				break
			}
			all = append(all, span{at + i, at + i + len(secret)})
			at += i + 1 // a value may overlap itself
		}
	}
	slices.SortFunc(all, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	var merged []span
	for _, sp := range all {
		if n := len(merged); n > 0 && sp.from <= merged[n-1].to {
			merged[n-1].to = max(merged[n-1].to, sp.to)
			continue
		}
		merged = append(merged, sp)
	}
	return merged
}

// Longest returns the length in bytes of the longest value. Text that was cut
// somewhere may start with less than that of a value, unrecognisable.
func (r *Redactor) Longest() int {
	longest := 0
	if r != nil {
		for _, s := range r.secrets {
			longest = max(longest, len(s))
		}
	}
	return longest
}

// Head returns the redacted text, cut to its first limit bytes. The cut comes
// after the masking, never inside a character or a mask.
func (r *Redactor) Head(s string, limit int) string {
	s = r.String(s)
	if len(s) <= limit {
		return s
	}
	cut := max(limit, 0)
	for _, at := range masks(s) {
		if at < cut && cut < at+len(Mask) {
			cut = at
		}
	}
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut]
}

// Tail returns the redacted text, cut to its last limit bytes likewise.
func (r *Redactor) Tail(s string, limit int) string {
	s = r.String(s)
	if len(s) <= limit {
		return s
	}
	cut := len(s) - max(limit, 0)
	for _, at := range masks(s) {
		if at < cut && cut < at+len(Mask) {
			cut = at + len(Mask)
		}
	}
	for cut < len(s) && !utf8.RuneStart(s[cut]) {
		cut++
	}
	return s[cut:]
}

// masks returns where masks start.
func masks(s string) []int {
	var at []int
	for from := 0; ; {
		i := strings.Index(s[from:], Mask)
		if i < 0 {
			return at
		}
		at = append(at, from+i)
		from += i + len(Mask)
	}
}
