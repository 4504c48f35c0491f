package historytest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/adaptercheck/adaptercheck/contract/history"
)

// vocabulary makes strings that are fresh in every run, that no detector of
// secrets takes for one, and that survive every encoding.
var vocabulary = strings.Fields(`amber anchor basil beacon birch canyon cedar cobalt copper coral
	crater delta ember falcon fern fjord garnet glacier harbour hazel heron indigo ivory jasper
	juniper kestrel lagoon lantern larch lichen lotus maple marble meadow nectar nimbus ochre olive
	onyx opal orchid otter pebble pewter pine plum poppy prairie quartz quill raven reef ridge
	saffron sage sienna slate sorrel spruce tundra umber velvet walnut willow`)

// word gives a name that this check has not used.
func (t *T) word() string {
	for {
		w := make([]string, 4)
		for i := range w {
			w[i] = vocabulary[t.Rand.IntN(len(vocabulary))]
		}
		s := strings.Join(w, "-")
		if !t.used[s] {
			t.used[s] = true
			return s
		}
	}
}

const (
	upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	lower = "abcdefghijklmnopqrstuvwxyz"
	digit = "0123456789"
)

// pick gives n characters of an alphabet.
func pick(r *rand.Rand, n int, alphabet string) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[r.IntN(len(alphabet))]
	}
	return string(b)
}

// secret is a made-up credential.
type secret struct {
	kind string
	// text is what stands in a payload.
	text string
	// parts are the pieces of which none may be sent.
	parts []string
}

// halves are two pieces of a credential's body, so that one half left over is
// seen. A few characters at each end may stay, as some masks leave them.
func halves(body string) []string {
	n := min(4, len(body)/8)
	inner := body[n : len(body)-n]
	return []string{inner[:len(inner)/2], inner[len(inner)/2:]}
}

// secrets gives one credential of every kind that a sanitiser must know.
func (t *T) secrets() []secret {
	body := func(n int) string { return pick(t.Rand, n, upper+lower+digit) }
	out := []secret{}
	add := func(kind, format, body string) {
		out = append(out, secret{kind, fmt.Sprintf(format, body), halves(body)})
	}
	add("sk", "sk-%s", body(32))
	add("sk-ant", "sk-ant-%s", body(32))
	for _, kind := range []string{"ghp", "gho", "ghu", "ghs", "ghr"} {
		add(kind, kind+"_%s", body(36))
	}
	add("aws", "AKIA%s", pick(t.Rand, 16, upper+digit))
	add("bearer", "Authorization: Bearer %s", body(40))
	add("bearer-lower", "authorization: bearer %s", body(40))
	for _, kind := range []string{"RSA ", "EC ", "OPENSSH ", "DSA ", ""} {
		add("pem", "-----BEGIN "+kind+"PRIVATE KEY-----\n%s\n-----END "+kind+"PRIVATE KEY-----", body(64))
	}
	add("assignment", "api_key=%s", body(24))
	add("assignment", "API-KEY: %s", body(24))
	add("assignment", "accessToken = \"%s\"", body(24))
	add("assignment", "auth_token='%s'", body(24))
	add("assignment", "client-secret: %s", body(24))
	add("assignment", "password=%s", body(24))
	return out
}

// secret gives one credential of a kind that every sanitiser knows.
func (t *T) secret() secret {
	body := pick(t.Rand, 32, upper+lower+digit)
	return secret{"sk", "sk-" + body, halves(body)}
}

// contents lists the words in the fixture's messages that are content. Ids are
// not: they may be named where content may not.
func (t *T) contents() []string {
	var in []string
	for _, m := range t.Fixture.Messages {
		for _, b := range m.Blocks {
			switch b := b.(type) {
			case history.ToolCall:
				in = append(in, string(b.Arguments))
			case history.ToolResult:
				in = append(in, b.Content)
			case history.Text:
				in = append(in, b.Text)
			case history.Thinking:
				in = append(in, b.Thinking)
			}
		}
	}
	return t.wordsIn(in)
}

// wordsIn lists the words of this check that are in some texts.
func (t *T) wordsIn(in []string) []string {
	out := []string{}
	for w := range t.used {
		if _, ok := found(in, []string{w}); ok {
			out = append(out, w)
		}
	}
	slices.Sort(out)
	return out
}
