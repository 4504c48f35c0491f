package privacy

import (
	"cmp"
	"slices"
	"strings"
)

// secretKind says what a secret looks like. Where two kinds claim the same text,
// the lower one names it.
type secretKind uint8

const (
	privateKey secretKind = iota
	credential
	bearer
	assigned
	secretKinds
)

func (k secretKind) placeholder() string {
	switch k {
	case privateKey:
		return placeholderPrivateKey
	case credential:
		return placeholderCredential
	case bearer:
		return placeholderToken
	}
	return placeholderSecret
}

// secret is a stretch of text that looks like one.
type secret struct {
	kind       secretKind
	start, end int
}

// redactSecrets replaces the secrets of a text and counts them. A text that is the
// value of a field named like a secret is one.
func redactSecrets(text, key string) (string, int) {
	count := 0
	// A replacement can uncover another secret, since it ends a word. This settles
	// after one round on everything but constructed input.
	for range 3 {
		if assignedToKey(key, text) {
			return placeholderSecret, count + 1
		}
		found := findSecrets(text)
		if len(found) == 0 {
			return text, count
		}
		count += len(found)
		var b strings.Builder
		at := 0
		for _, s := range found {
			b.WriteString(text[at:s.start])
			b.WriteString(s.kind.placeholder())
			at = s.end
		}
		b.WriteString(text[at:])
		text = b.String()
	}
	if assignedToKey(key, text) || len(findSecrets(text)) > 0 {
		return placeholderSecret, count + 1
	}
	return text, count
}

// findSecrets gives the secrets of a text in order, none touching into another.
func findSecrets(text string) []secret {
	s := scanner{text: text}
	for i := range len(text) {
		switch text[i] {
		case 's', 'g', 'x', 'A', 'r', 'n', 'y', 'G':
			s.tryAt(i, credential, credentialAt)
		case 'e':
			s.tryAt(i, credential, s.webTokenAt)
		case 'b', 'B':
			s.tryAt(i, bearer, bearerAt)
		case '-':
			s.tryAt(i, privateKey, s.privateKeyAt)
		case ':':
			s.tryAt(i, credential, urlPasswordAt)
			s.tryAt(i, assigned, s.assignmentAt)
		case '=':
			s.tryAt(i, assigned, s.assignmentAt)
		}
	}
	return merge(s.found)
}

// merge joins what overlaps. The widest names the result.
func merge(found []secret) []secret {
	slices.SortStableFunc(found, func(a, b secret) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end), cmp.Compare(a.kind, b.kind))
	})
	var out []secret
	width := 0
	for _, s := range found {
		if n := len(out); n > 0 && s.start < out[n-1].end {
			if s.end-s.start > width {
				out[n-1].kind, width = s.kind, s.end-s.start
			}
			out[n-1].end = max(out[n-1].end, s.end)
			continue
		}
		out, width = append(out, s), s.end-s.start
	}
	return out
}

// scanner walks a text once. Most kinds of secrets go on only behind their last find,
// which keeps the walk linear. Assignments are looked for inside others too, since a
// value may only look like one up to the name of the next; how far each of them looks
// is bounded, or remembered.
type scanner struct {
	text  string
	found []secret
	next  [secretKinds]int
	// noWebToken: no JSON web token begins before it.
	noWebToken int
	// The stretch that bareValue last looked at, and where a value in it ends.
	bareFrom, bareTo, bareEnd int
	// noEnd: no private key ends behind the last place that was looked at.
	noEnd bool
}

func (s *scanner) tryAt(i int, kind secretKind, look func(text string, i int) (start, end int)) {
	if i < s.next[kind] {
		return
	}
	if start, end := look(s.text, i); end > start {
		s.found = append(s.found, secret{kind, start, end})
		if kind != assigned {
			s.next[kind] = end
		}
	}
}

func isWord(c byte) bool { return c == '_' || isAlnum(c) }

func isAlnum(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

func isUpperAlnum(c byte) bool { return 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' }

func isURLChar(c byte) bool { return c == '-' || isWord(c) }

// wordStart reports whether a word begins at i. An escaped line break before it,
// as in the text of a JSON string, is no letter.
func wordStart(text string, i int) bool {
	if i == 0 || !isWord(text[i-1]) {
		return true
	}
	return i > 1 && text[i-2] == '\\' && strings.IndexByte("nrtbf", text[i-1]) >= 0
}

// run gives the end of the run of bytes from i on that are in a set.
func run(text string, i int, in func(byte) bool) int {
	for i < len(text) && in(text[i]) {
		i++
	}
	return i
}
