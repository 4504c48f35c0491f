package privacy

import (
	"encoding/base64"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// keyForm is a kind of key that is known by how it begins.
type keyForm struct {
	head string
	body func(byte) bool
	// least is how many bytes of the body there are, at least.
	least int
}

var keyForms = []keyForm{
	{"sk-", isURLChar, 8},
	{"github_pat_", isWord, 16},
	{"ghp_", isAlnum, 12}, {"gho_", isAlnum, 12}, {"ghu_", isAlnum, 12}, {"ghs_", isAlnum, 12}, {"ghr_", isAlnum, 12},
	{"glpat-", isURLChar, 20},
	{"AIza", isURLChar, 30}, {"ya29.", isURLChar, 20}, {"GOCSPX-", isURLChar, 20},
	{"xapp-", isURLChar, 10},
	{"sk_live_", isAlnum, 16}, {"sk_test_", isAlnum, 16}, {"rk_live_", isAlnum, 16}, {"rk_test_", isAlnum, 16},
	{"npm_", isAlnum, 36},
}

// credentialAt finds keys that are known by how they begin.
func credentialAt(text string, i int) (start, end int) {
	if !wordStart(text, i) {
		return 0, 0
	}
	rest := text[i:]
	switch {
	case strings.HasPrefix(rest, "AKIA"), strings.HasPrefix(rest, "ASIA"):
		end = run(text, i+4, isUpperAlnum)
		if end != i+20 || end < len(text) && isWord(text[end]) {
			return 0, 0
		}
		return i, end
	case len(rest) > 5 && strings.HasPrefix(rest, "xox") && isAlnum(rest[3]) && rest[4] == '-':
		return found(i, run(text, i+5, isURLChar), i+5+10)
	}
	for _, k := range keyForms {
		if !strings.HasPrefix(rest, k.head) {
			continue
		}
		body := i + len(k.head)
		// The contract's keys end in a word character.
		for end = run(text, body, k.body); end > body && text[end-1] == '-'; {
			end--
		}
		return found(i, end, body+k.least)
	}
	return 0, 0
}

// found is a stretch that must reach at least as far as enough.
func found(start, end, enough int) (int, int) {
	if end < enough {
		return 0, 0
	}
	return start, end
}

// webTokenAt finds a JSON web token: three parts of base64, two of them JSON
// objects.
func (s *scanner) webTokenAt(text string, i int) (start, end int) {
	if i < s.noWebToken || !strings.HasPrefix(text[i:], "eyJ") || !wordStart(text, i) {
		return 0, 0
	}
	head := run(text, i, isURLChar)
	s.noWebToken = head
	if head-i < 10 || !strings.HasPrefix(text[head:], ".eyJ") {
		return 0, 0
	}
	body := run(text, head+1, isURLChar)
	if body >= len(text) || text[body] != '.' {
		return 0, 0
	}
	return i, run(text, body+1, isURLChar)
}

// bearerAt finds the token of an HTTP authorization: any Bearer token, and Basic
// ones that decode to name and password.
func bearerAt(text string, i int) (start, end int) {
	if !wordStart(text, i) {
		return 0, 0
	}
	word := ""
	for _, w := range []string{"bearer", "basic"} {
		if len(text) > i+len(w) && equalFold(text[i:i+len(w)], w) {
			word = w
		}
	}
	if word == "" {
		return 0, 0
	}
	start = i + len(word)
	n := strings.IndexFunc(text[start:], func(r rune) bool { return !isSpace(r) })
	if n <= 0 {
		return 0, 0
	}
	start += n
	end = run(text, start, func(c byte) bool { return isAlnum(c) || strings.IndexByte("._~+/=-", c) >= 0 })
	token := text[start:end]
	switch {
	case len(token) < 8, word == "basic" && !isBasic(token):
		return 0, 0
	case isMask(token), bearerWords[strings.ToLower(strings.TrimRight(token, "."))], strings.HasPrefix(token, "YOUR_"):
		return 0, 0
	}
	return start, end
}

// bearerWords follow the word bearer in documents.
var bearerWords = set(`authentication authorization authorisation certificate certificates challenge challenges
	credential credentials presented required security semantics`)

func isBasic(token string) bool {
	token = strings.TrimRight(token, ".=")
	b, err := base64.RawStdEncoding.DecodeString(token)
	if err != nil || !utf8.Valid(b) || !slices.Contains(b, ':') {
		return false
	}
	return strings.IndexFunc(string(b), unicode.IsControl) < 0
}

// privateKeyAt finds a PEM block with a private key of any kind. A block that is
// cut off reaches to the end of the text.
func (s *scanner) privateKeyAt(text string, i int) (start, end int) {
	n := pemLine(text[i:], "-----BEGIN ")
	if n == 0 {
		return 0, 0
	}
	at := i + n
	for !s.noEnd {
		n := strings.Index(text[at:], "-----END ")
		if n < 0 {
			s.noEnd = true
			break
		}
		at += n
		if n := pemLine(text[at:], "-----END "); n > 0 {
			return i, at + n
		}
		at += len("-----END ")
	}
	after := strings.TrimLeft(text[i+n:], " \t\r")
	if strings.HasPrefix(after, "\n") || strings.HasPrefix(after, `\n`) || strings.HasPrefix(after, `\r`) {
		return i, len(text)
	}
	return 0, 0
}

// pemLine gives the length of a PEM line about a private key at the start of text.
func pemLine(text, head string) int {
	if !strings.HasPrefix(text, head) {
		return 0
	}
	n := run(text[:min(len(text), 100)], len(head), func(c byte) bool { return c == ' ' || isUpperAlnum(c) })
	label := text[len(head):n]
	if !strings.HasPrefix(text[n:], "-----") {
		return 0
	}
	for _, tail := range []string{"PRIVATE KEY", "PRIVATE KEY BLOCK"} {
		if label == tail || strings.HasSuffix(label, " "+tail) {
			return n + 5
		}
	}
	return 0
}

// urlPasswordAt finds the password in scheme://name:password@host.
func urlPasswordAt(text string, i int) (start, end int) {
	if !strings.HasPrefix(text[i:], "://") {
		return 0, 0
	}
	part := func(c byte) bool { return c > ' ' && strings.IndexByte(":/@?#\"'<>`\\${}()[]", c) < 0 }
	start = run(text, i+3, part)
	if start >= len(text) || text[start] != ':' {
		return 0, 0
	}
	start++
	end = run(text, start, part)
	if end < start+4 || end >= len(text) || text[end] != '@' || isStandIn(text[start:end]) {
		return 0, 0
	}
	return start, end
}
