package privacy

import "strings"

const (
	placeholderPrivateKey = "[DS4 REDACTED PRIVATE KEY]"
	placeholderCredential = "[DS4 REDACTED CREDENTIAL]"
	placeholderToken      = "[DS4 REDACTED TOKEN]"
	placeholderSecret     = "[DS4 REDACTED SECRET]"
)

// placeholderFor stands in for text of a class that the provider may not see.
func placeholderFor(c Class) string {
	return "[DS4 " + string(c) + " content excluded by privacy policy]"
}

// placeholderAt gives the length of the placeholder at the start of s, 0 if there
// is none.
func placeholderAt(s string) int {
	if !strings.HasPrefix(s, "[DS4 ") {
		return 0
	}
	for _, p := range []string{placeholderPrivateKey, placeholderCredential, placeholderToken, placeholderSecret} {
		if strings.HasPrefix(s, p) {
			return len(p)
		}
	}
	for _, c := range Classes() {
		if p := placeholderFor(c); strings.HasPrefix(s, p) {
			return len(p)
		}
	}
	return 0
}

// onlyPlaceholders reports whether a text is what the engine left: placeholders,
// white space and the numbers that keep keys apart. It says nothing any more, so
// it is not blocked a second time.
func onlyPlaceholders(text string) bool {
	seen := false
	for text != "" {
		if n := placeholderAt(text); n > 0 {
			seen, text = true, text[n:]
			continue
		}
		if seen && text[0] == '_' {
			if rest := strings.TrimLeft(text[1:], "0123456789"); len(rest) < len(text)-1 {
				text = rest
				continue
			}
		}
		rest := strings.TrimLeftFunc(text, isSpace)
		if len(rest) == len(text) {
			return false
		}
		text = rest
	}
	return seen
}

// classify applies the classes to a text that has class base where no marker says
// more. It returns what remains.
func (p *pass) classify(text string, m markup, base Class) string {
	switch {
	case text == "":
		return text
	case m.tokens == nil:
		return p.segment(text, base)
	case !m.whole:
		class := higher(base, m.class)
		switch {
		case !p.allowed.has(class):
			return p.segment(text, class)
		case m.keep:
			p.class = higher(p.class, class)
			return text
		}
		text = dropLeadingTag(text, m.tokens[0])
		return p.segment(withoutTags(text, scanMarkers(text)), class)
	}
	var out, span strings.Builder
	at, depth, class := 0, 0, base
	for _, tok := range m.tokens {
		piece := text[at:tok.start]
		at = tok.end
		if depth == 0 {
			if piece != "" {
				out.WriteString(p.segment(piece, base))
			}
			span.Reset()
			class = base
		} else {
			span.WriteString(piece)
		}
		if tok.kind == opener {
			depth++
			class = higher(class, tok.class)
			continue
		}
		if depth--; depth == 0 {
			out.WriteString(p.segment(span.String(), class))
		}
	}
	if at < len(text) {
		out.WriteString(p.segment(text[at:], base))
	}
	return out.String()
}

// segment keeps a piece of text of one class, or blocks it.
func (p *pass) segment(text string, class Class) string {
	p.class = higher(p.class, class)
	if p.allowed.has(class) || onlyPlaceholders(text) {
		return text
	}
	p.blocked++
	return placeholderFor(class)
}

// dropLeadingTag takes a marker at the very start away, with the white space
// around it.
func dropLeadingTag(text string, first token) string {
	if first.kind != opener || strings.TrimLeftFunc(text[:first.start], isSpace) != "" {
		return text
	}
	return strings.TrimLeftFunc(text[first.end:], isSpace)
}
