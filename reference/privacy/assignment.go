package privacy

import (
	"strings"
	"unicode/utf8"
)

// assignment is what an equals sign or a colon may give to a name.
type assignment struct {
	strength nameStrength
	// op is the sign: '=' or ':'.
	op byte
	// shell: the name begins a line, a command's argument or a part of a connection
	// string, and nothing is between name, sign and value.
	shell bool
	// below: the value stands in a line below the sign.
	below bool
}

// assignmentAt finds the value of name: value and name = value, where i is the
// colon or the equals sign. Name and value may be in quotes, and the quotes may be
// escaped, as in JSON inside a string.
func (s *scanner) assignmentAt(text string, i int) (start, end int) {
	left := strings.TrimRightFunc(text[:i], isSpace)
	if n := len(left); n > 0 && isQuote(left[n-1]) {
		left = strings.TrimRight(left[:n-1], `\`)
	}
	a := assignment{strength: secretName(left), op: text[i]}
	if a.strength == noName {
		return 0, 0
	}
	at := i + 1
	if a.op == ':' && strings.HasPrefix(text[at:], "=") {
		a.op, at = '=', at+1
	}
	if a.op == ':' && strings.HasPrefix(text[at:], "?") {
		return 0, 0 // ${NAME:?what the shell says if there is none}
	}
	gap := len(text[at:]) - len(strings.TrimLeftFunc(text[at:], isSpace))
	a.below = strings.Contains(text[at:at+gap], "\n")
	for isEscapedBreak(text[at+gap:]) {
		a.below = true
		gap += 2
		gap += len(text[at+gap:]) - len(strings.TrimLeftFunc(text[at+gap:], isSpace))
	}
	a.shell = a.op == '=' && gap == 0 && len(left) == i && beginsArgument(left)
	return s.valueAt(a, text, at+gap)
}

// isEscapedBreak reports whether a text begins with the end of a line as it is
// written inside a string.
func isEscapedBreak(text string) bool {
	return len(text) > 1 && text[0] == '\\' && (text[1] == 'n' || text[1] == 'r')
}

// valueAt gives the secret that begins at a place, without its quotes.
func (s *scanner) valueAt(a assignment, text string, at int) (start, end int) {
	// What we put there ourselves is no value, unless something hangs on it.
	if n := placeholderAt(text[at:]); n > 0 {
		if end = s.bareValue(text, at+n); end < at+n+4 {
			return 0, 0
		}
		return at, end
	}
	quoted := run(text, at, func(c byte) bool { return c == '\\' })
	if quoted >= len(text) || !isQuote(text[quoted]) {
		end = s.bareValue(text, at)
		if end < at+4 || !a.bareSecret(text[at:end], text[end:]) {
			return 0, 0
		}
		return at, end
	}
	start = quoted + 1
	if placeholderAt(text[start:]) > 0 {
		return 0, 0
	}
	if a.op == ':' && start < len(text) && strings.IndexByte("),;+]", text[start]) >= 0 {
		return 0, 0 // the end of a prompt, as in ask("Password: ")
	}
	if end = quotedValue(text, start, text[at:start]); end >= 0 {
		if end < start+4 || !a.quotedSecret(text[start:end]) {
			return 0, 0
		}
		return start, end
	}
	// A quote that nothing closes, as where the text was cut off.
	if end = s.bareValue(text, start); end < start+4 || !looksRandom(text[start:end]) {
		return 0, 0
	}
	return start, end
}

// maxQuoted bounds the length of a value in quotes, so that a quote that is never
// closed costs little.
const maxQuoted = 256

// quotedValue gives the end of a value in quotes, -1 if there is none. A quote
// after a backslash is part of the value, unless no other one ends it. White space
// is part of it too, the end of the line is not.
func quotedValue(text string, start int, closing string) int {
	fallback := -1
	for end := start; end < len(text) && end < start+maxQuoted; end++ {
		switch c := text[end]; {
		case strings.HasPrefix(text[end:], closing):
			return end
		case c == '\\' && len(closing) == 1 && end+1 < len(text):
			if end++; text[end] == closing[0] && fallback < 0 {
				fallback = end
			}
		case c == closing[len(closing)-1], c < ' ' && c != '\t':
			return fallback
		}
	}
	return fallback
}

// bareValue gives the end of a value without quotes: white space, or what ends a
// value in common notations. Inside one stretch the answer is the same from
// everywhere, and is remembered.
func (s *scanner) bareValue(text string, at int) (end int) {
	if at < s.bareFrom || at >= s.bareTo {
		s.bareFrom, s.bareTo = at, len(text)
		for i, r := range text[at:] {
			if isSpace(r) || r < utf8.RuneSelf && strings.IndexByte(",\"';}]", byte(r)) >= 0 || isEscapedBreak(text[at+i:]) {
				s.bareTo = at + i
				break
			}
		}
		// The quotes of the notation around it, or their escapes.
		s.bareEnd = s.bareTo
		for s.bareEnd > at && (text[s.bareEnd-1] == '\\' || text[s.bareEnd-1] == '`') {
			s.bareEnd--
		}
	}
	return max(at, s.bareEnd)
}

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

// beginsArgument reports whether the name that a text ends with is the first thing
// in its line, after export or the like, after the dashes of a flag, or after the
// semicolon of a connection string.
func beginsArgument(text string) bool {
	n := len(text)
	for n > 0 && (isWord(text[n-1]) || text[n-1] == '-') {
		n--
	}
	name, before := text[n:], text[:n]
	if n == 0 || before[n-1] == '\n' || before[n-1] == ';' || strings.HasPrefix(name, "--") {
		return true
	}
	for _, word := range []string{"export ", "set ", "env ", "-e ", "ENV ", "ARG "} {
		if strings.HasSuffix(before, word) {
			return true
		}
	}
	return false
}

// assignedToKey reports whether a whole text is the secret that its field's name
// promises.
func assignedToKey(key, text string) bool {
	strength := secretName(key)
	if strength == noName || len(text) < 4 || len(text) > maxQuoted || strings.Contains(text, "\n") {
		return false
	}
	return placeholderAt(text) == 0 && assignment{strength: strength, op: ':'}.quotedSecret(text)
}

// quotedSecret judges a value that was in quotes: somebody wrote it out.
func (a assignment) quotedSecret(value string) bool {
	if isStandIn(value) {
		return false
	}
	if strings.IndexFunc(value, isSpace) >= 0 {
		return a.passphrase(value)
	}
	switch a.strength {
	case plainName:
		return true
	case firmName:
		return looksRandom(value) || len(value) >= 6 && isPlainWord(value) && !isReference(value)
	}
	return looksRandom(value)
}

// passphrase judges a value of several words. Labels and messages about passwords
// are values of such names too.
func (a assignment) passphrase(value string) bool {
	switch {
	case speaksOfSecrets(value):
		return false
	case a.op == ':' && isProse(value), a.strength == looseName, a.strength == firmName && a.op == ':':
		for word := range strings.FieldsFuncSeq(value, isSpace) {
			if looksRandom(word) {
				return true
			}
		}
		return false
	}
	return true
}

// bareSecret judges a value without quotes, which in code is as often the name of
// something. rest is the text behind it.
func (a assignment) bareSecret(value, rest string) bool {
	switch {
	case isStandIn(value), isReference(value):
		return false
	case a.below:
		return looksRandom(value)
	case a.strength == plainName:
		return a.op == '=' || !isProseWord(value)
	case looksRandom(value):
		return true
	}
	return a.shell && len(value) >= 6 && isPlainWord(value) && (rest == "" || rest[0] == ';' || rest[0] == '\n' || rest[0] == ' ')
}

// isPlainWord reports whether a value is letters, digits and underscores alone.
func isPlainWord(value string) bool { return run(value, 0, isWord) == len(value) }

// randomPrefix is how much of a value is looked at to tell whether it is random.
const randomPrefix = 64

// looksRandom reports whether a value is one word of letters and digits mixed.
func looksRandom(value string) bool {
	letters, digits := 0, 0
	for i := range min(len(value), randomPrefix) {
		switch c := value[i]; {
		case '0' <= c && c <= '9':
			digits++
		case isAlnum(c):
			letters++
		case strings.IndexByte("_-+/=~!@#%^&*", c) < 0 || i == 0:
			return false
		}
	}
	return letters >= 2 && digits >= 2 && letters+digits >= 8
}
