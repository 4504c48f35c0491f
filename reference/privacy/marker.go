package privacy

import "strings"

// A marker is [ds4:CLASS], which opens a span, or [/ds4:CLASS], which closes it.
// Case does not matter, in ASCII only. A backslash before the bracket makes it
// plain text.

// tokenKind says what a marker does.
type tokenKind uint8

const (
	opener tokenKind = iota
	closer
	// broken begins like a marker and is none: an unknown class, white space, a
	// missing bracket, or letters that only look like the right ones. Whoever wrote
	// it meant to bind the text, so it counts as local-only.
	broken
)

// token is one marker in a text.
type token struct {
	kind       tokenKind
	class      Class
	start, end int
}

// scanMarkers finds the markers of a text, in order.
func scanMarkers(text string) []token {
	var tokens []token
	for i := 0; ; {
		n := strings.IndexByte(text[i:], '[')
		if n < 0 {
			return tokens
		}
		at := i + n
		i = at + 1
		if at > 0 && text[at-1] == '\\' {
			continue
		}
		if tok, ok := markerAt(text, at); ok {
			tokens = append(tokens, tok)
			i = tok.end
		}
	}
}

// markerAt reads a marker whose bracket is at start.
func markerAt(text string, start int) (token, bool) {
	rest := text[start+1:]
	kind := opener
	if strings.HasPrefix(rest, "/") {
		kind, rest = closer, rest[1:]
	}
	head, exact := namespace(rest)
	if head == 0 {
		return token{}, false
	}
	rest = rest[head:]
	end := len(text) - len(rest)
	if exact {
		for _, c := range Classes() {
			n := len(c)
			if len(rest) > n && rest[n] == ']' && equalFold(rest[:n], string(c)) {
				return token{kind, c, start, end + n + 1}, true
			}
		}
	}
	return token{broken, LocalOnly, start, end}, true
}

// namespace gives the length of a leading "ds4:" in any case, 0 if there is none.
// The long s folds to s in Unicode; it is recognised, but not exact.
func namespace(s string) (n int, exact bool) {
	const longS = "\u017F"
	if len(s) == 0 || s[0]|0x20 != 'd' {
		return 0, false
	}
	n, exact = 1, true
	switch {
	case strings.HasPrefix(s[n:], "s"), strings.HasPrefix(s[n:], "S"):
		n++
	case strings.HasPrefix(s[n:], longS):
		n, exact = n+len(longS), false
	default:
		return 0, false
	}
	if !strings.HasPrefix(s[n:], "4:") {
		return 0, false
	}
	return n + 2, exact
}

// equalFold compares without ASCII case; want is lower case.
func equalFold(s, want string) bool {
	if len(s) != len(want) {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != want[i] {
			return false
		}
	}
	return true
}

// markup is what the markers of one text come to.
type markup struct {
	tokens []token
	// whole: every opener is closed by its own class, in the same text, nothing is
	// broken, and taking the tags out leaves no marker behind.
	whole bool
	// keep: the tags cannot be taken out without making a new marker.
	keep bool
	// nested: a span is inside another.
	nested bool
	// class is the highest of all markers.
	class Class
}

// readMarkup scans a text. Most texts have no marker; then tokens is nil.
func readMarkup(text string) markup {
	m := markup{tokens: scanMarkers(text), whole: true, class: Normal}
	if m.tokens == nil {
		return m
	}
	var open []Class
	for _, tok := range m.tokens {
		m.class = higher(m.class, tok.class)
		switch tok.kind {
		case opener:
			m.nested = m.nested || len(open) > 0
			open = append(open, tok.class)
		case closer:
			if len(open) == 0 || open[len(open)-1] != tok.class {
				m.whole = false
			}
			if len(open) > 0 {
				open = open[:len(open)-1]
			}
		case broken:
			m.whole, m.keep = false, true
		}
	}
	if len(open) > 0 {
		m.whole = false
	}
	if scanMarkers(withoutTags(text, m.tokens)) != nil {
		m.whole, m.keep, m.class = false, true, LocalOnly
	}
	return m
}

// withoutTags takes the markers out of a text.
func withoutTags(text string, tokens []token) string {
	var b strings.Builder
	at := 0
	for _, tok := range tokens {
		if tok.kind == broken {
			continue
		}
		b.WriteString(text[at:tok.start])
		at = tok.end
	}
	b.WriteString(text[at:])
	return b.String()
}
