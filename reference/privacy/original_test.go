package privacy

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// original are the kinds of secrets that every implementation knows, as patterns.
// The last group of each is what must go.
var original = []*regexp.Regexp{
	regexp.MustCompile(`(-----BEGIN (?:(?:RSA|EC|OPENSSH|DSA) )?PRIVATE KEY-----[\s\S]*?-----END (?:(?:RSA|EC|OPENSSH|DSA) )?PRIVATE KEY-----)`),
	regexp.MustCompile(`\b(sk-(?:ant-)?[A-Za-z0-9_-]{8,}|gh[pousr]_[A-Za-z0-9]{12,}|AKIA[A-Z0-9]{16})\b`),
	regexp.MustCompile(`(?i)\bBearer\s+([A-Za-z0-9._~+/=-]{8,})`),
	regexp.MustCompile(`(?i)\b(?:api[_-]?key|access[_-]?token|auth[_-]?token|client[_-]?secret|password)\b\s*[:=]\s*["']?([^\s,"';}\]]{4,})`),
}

// What the original takes out of a text, ours does too, wherever in ordinary text it
// stands and whatever stands around it. The made-up secrets have digits, as random
// ones have; words and code are another test.
func TestNeverFewerThanTheOriginal(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 11))
	const alnum = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	random := func(alphabet string, n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = alphabet[r.IntN(len(alphabet))]
		}
		return string(b)
	}
	mixed := func() string {
		return random(alnum, 1) + random(alnum+"_-.~!@#$%^&*/+=", 4+r.IntN(24)) + random("0123456789", 4) + random(alnum, r.IntN(9))
	}
	pick := func(s ...string) string { return s[r.IntN(len(s))] }
	statement := func() (text, secret string) {
		switch r.IntN(6) {
		case 0:
			secret = pick("sk-", "sk-ant-") + random(alnum, 8+r.IntN(30))
			return secret, secret
		case 1:
			secret = "gh" + pick("p", "o", "u", "s", "r") + "_" + random(alnum, 12+r.IntN(30))
			return secret, secret
		case 2:
			secret = "AKIA" + random("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", 16)
			return secret, secret
		case 3:
			secret = random(alnum+"._~+/=-", 8+r.IntN(40)) + "1"
			return pick("Bearer", "bearer", "BEARER") + pick(" ", "  ", "\t", "\n") + secret, secret
		case 4:
			kind := func() string { return pick("", "RSA ", "EC ", "OPENSSH ", "DSA ") }
			secret = random(alnum+"+/", 64)
			return "-----BEGIN " + kind() + "PRIVATE KEY-----\n" + secret + "\n-----END " + kind() + "PRIVATE KEY-----", secret
		}
		secret = mixed()
		quote := pick("", "", `"`, "'")
		return pick("api_key", "apikey", "API-KEY", "accessToken", "access_token", "auth-token", "authToken", "client_secret", "ClientSecret", "password", "PASSWORD") +
			pick("", " ") + pick("=", ":", "= ", ": ") + quote + secret + quote, secret
	}
	var lines []string
	corpus := prose(t)
	names := make([]string, 0, len(corpus))
	for name := range corpus {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		lines = append(lines, corpus[name]...)
	}
	checked := 0
	for range 20_000 {
		made, secret := statement()
		line := lines[r.IntN(len(lines))]
		words := strings.SplitAfter(line, " ")
		at := r.IntN(len(words) + 1)
		text := strings.Join(words[:at], "") + pick(" ", "\n", `"`, "(", ";", ", ") + made + pick(" ", "\n", `"`, ")", ";", ",") + strings.Join(words[at:], "")
		got, _ := redactSecrets(text, "content")
		for _, pattern := range original {
			for _, m := range pattern.FindAllStringSubmatch(text, -1) {
				if found := m[len(m)-1]; strings.Contains(found, secret) {
					checked++
					if strings.Contains(got, secret) {
						t.Fatalf("left in:\n%s\n%s", text, got)
					}
				}
			}
		}
	}
	if checked < 10_000 {
		t.Errorf("only %d secrets were checked", checked)
	}
}
