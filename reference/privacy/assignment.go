package privacy

import (
	"strings"
	"unicode/utf8"
)

// plainNames name a secret wherever they stand at the end of a name, such as in
// DB_PASSWORD or x-api-key; what is assigned to them is one.
var plainNames = []string{
	"api_key", "apikey", "access_token", "accesstoken", "auth_token", "authtoken",
	"client_secret", "clientsecret", "password", "passwd", "passphrase",
}

// looseNames are used for other things too; what is assigned to them is a secret
// if it looks random.
var looseNames = []string{
	"secret", "secret_key", "secretkey", "access_key", "accesskey", "private_key",
	"privatekey", "token", "pwd",
}

// nameStrength says how far a name speaks for a secret.
type nameStrength uint8

const (
	noName nameStrength = iota
	looseName
	plainName
)

// secretName judges the name that a text ends with. Hyphen and underscore are the
// same in it.
func secretName(text string) nameStrength {
	for _, name := range plainNames {
		if endsWithName(text, name) {
			return plainName
		}
	}
	for _, name := range looseNames {
		if !endsWithName(text, name) {
			continue
		}
		n := len(text) - len(name)
		if n == 0 || !isAlnum(text[n-1]) || text[n] < 'a' {
			return looseName
		}
	}
	return noName
}

func endsWithName(text, name string) bool {
	n := len(text) - len(name)
	if n < 0 {
		return false
	}
	for i := range len(name) {
		c := text[n+i]
		switch {
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		case c == '-':
			c = '_'
		}
		if c != name[i] {
			return false
		}
	}
	return true
}

// assignmentAt finds the value of name: value and name = value, where i is the
// colon or the equals sign. Name and value may be in quotes, and the quotes may be
// escaped, as in JSON inside a string.
func assignmentAt(text string, i int) (start, end int) {
	left := strings.TrimRightFunc(text[:i], isSpace)
	if n := len(left); n > 0 && isQuote(left[n-1]) {
		left = strings.TrimRight(left[:n-1], `\`)
	}
	strength := secretName(left)
	if strength == noName {
		return 0, 0
	}
	at := i + 1
	if text[i] == ':' && strings.HasPrefix(text[at:], "=") {
		at++
	}
	at += len(text[at:]) - len(strings.TrimLeftFunc(text[at:], isSpace))
	start, end, ok := valueAt(text, at)
	if !ok || !isSecretValue(text[start:end], strength) {
		return 0, 0
	}
	return start, end
}

// valueAt gives the value that begins at a place, without its quotes.
func valueAt(text string, at int) (start, end int, ok bool) {
	// What we put there ourselves is no value, unless something hangs on it.
	if n := placeholderAt(text[at:]); n > 0 {
		end, _ = bareValue(text, at+n)
		return at, end, end >= at+n+4
	}
	quoted := run(text, at, func(c byte) bool { return c == '\\' })
	if quoted >= len(text) || !isQuote(text[quoted]) {
		end, ok = bareValue(text, at)
		return at, end, ok
	}
	start = quoted + 1
	if placeholderAt(text[start:]) > 0 {
		return 0, 0, false
	}
	if end = quotedValue(text, start, text[at:start]); end < 0 && text[quoted] == '`' {
		start = at
		end, _ = bareValue(text, at)
	}
	return start, end, end >= start+4
}

// quotedValue gives the end of a value in quotes, -1 if there is none. A quote
// after a backslash is part of the value, unless no other one ends it.
func quotedValue(text string, start int, closing string) int {
	fallback := -1
	for end := start; end < len(text); end++ {
		switch c := text[end]; {
		case strings.HasPrefix(text[end:], closing):
			return end
		case c == '\\' && len(closing) == 1 && end+1 < len(text):
			if end++; text[end] == closing[0] && fallback < 0 {
				fallback = end
			}
		case c == closing[len(closing)-1], c <= ' ':
			return fallback
		}
	}
	return fallback
}

// bareValue ends at white space or at what ends a value in common notations.
func bareValue(text string, at int) (end int, ok bool) {
	end = len(text)
	for i, r := range text[at:] {
		if isSpace(r) || r < utf8.RuneSelf && strings.IndexByte(",\"';}]", byte(r)) >= 0 {
			end = at + i
			break
		}
	}
	// The quotes of the notation around it, or their escapes.
	for end > at && (text[end-1] == '\\' || text[end-1] == '`') {
		end--
	}
	return end, end >= at+4
}

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

// assignedToKey reports whether a whole text is the secret that its field's name
// promises.
func assignedToKey(key, text string) bool {
	strength := secretName(key)
	if strength == noName || len(text) < 4 || strings.IndexFunc(text, isSpace) >= 0 {
		return false
	}
	return placeholderAt(text) == 0 && isSecretValue(text, strength)
}

func isSecretValue(value string, strength nameStrength) bool {
	if isStandIn(value) {
		return false
	}
	return strength == plainName || looksRandom(value)
}

// isStandIn reports whether a value only names a type, or where the secret is to be
// found, as code and documents do.
func isStandIn(value string) bool {
	switch strings.TrimRight(value, "?!|()*&>") {
	case "string", "String", "str", "number", "bool", "boolean", "bytes", "object",
		"null", "None", "undefined", "true", "True", "false", "False", "Optional",
		"password", "Password", "pass", "SecretStr", "text":
		return true
	}
	for _, head := range []string{"process.env.", "os.environ", "os.getenv(", "os.Getenv(", "${{", "{{"} {
		if strings.HasPrefix(value, head) {
			return true
		}
	}
	if strings.HasPrefix(value, "<") && strings.HasSuffix(value, ">") {
		return true
	}
	if name, ok := strings.CutPrefix(value, "$"); ok {
		name = strings.Trim(name, "{}()")
		return run(name, 0, func(c byte) bool { return c == '_' || isUpperAlnum(c) }) == len(name)
	}
	return false
}

// looksRandom reports whether a value is one word of letters and digits mixed.
func looksRandom(value string) bool {
	letters, digits := 0, 0
	for i := range len(value) {
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
