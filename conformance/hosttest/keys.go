package hosttest

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
)

// alphabet of the random part of a key: no letter in it needs an escape anywhere.
const alphabet = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789"

// The lengths of a key's random part, and of what may be shown of it: the last few
// characters of a key, as many programs show them, are no leak.
const (
	keyLength  = 32
	shownAtMax = 8
)

const keyHead = "sk-adaptercheck-"

// key makes a key that nobody else has.
func (t *T) key() string {
	b := make([]byte, keyLength)
	for i := range b {
		b[i] = alphabet[t.Rand.IntN(len(alphabet))]
	}
	k := keyHead + string(b)
	t.keys = append(t.keys, k)
	return k
}

// leaks reports whether a key that was planted can be read in the text, whole or in
// part, as it stands or in a code that hides nothing.
func (t *T) leaks(text string) bool {
	for _, k := range t.keys {
		if leaks(text, k) {
			return true
		}
	}
	return false
}

func leaks(text, key string) bool {
	secret := strings.TrimPrefix(key, keyHead)
	if strings.Contains(strings.ToLower(text), hex.EncodeToString([]byte(secret))) {
		return true
	}
	// Base64 of something that holds the secret depends on what is before it, by the
	// remainder of three; the characters at the seams are left out.
	for cut := range 3 {
		inner := base64.RawStdEncoding.EncodeToString([]byte(secret)[cut : cut+3*((keyLength-cut)/3)])
		if strings.Contains(text, inner) {
			return true
		}
	}
	for i := 0; i+shownAtMax+1 <= len(secret); i++ {
		if strings.Contains(text, secret[i:i+shownAtMax+1]) {
			return true
		}
	}
	return false
}
