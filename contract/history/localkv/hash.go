package localkv

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/go-json-experiment/json/jsontext"
)

func hashBytes(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// hashText hashes bytes that may be many without copying them all.
func hashText(s string) string {
	h := sha256.New()
	var part [8 << 10]byte
	for s != "" {
		n := copy(part[:], s)
		h.Write(part[:n])
		s = s[n:]
	}
	return hex.EncodeToString(h.Sum(part[:0]))
}

// hashFields hashes the canonical JSON of an object of strings. Names and values
// alternate; the names are given in their order.
func hashFields(fields ...string) string {
	b := make([]byte, 0, 512)
	for i := 0; i < len(fields); i += 2 {
		b = append(b, "{,"[min(i, 1)])
		b = appendString(b, fields[i])
		b = append(b, ':')
		b = appendString(b, fields[i+1])
	}
	return hashBytes(append(b, '}'))
}

// appendString appends the shortest JSON form of valid UTF-8.
func appendString(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s)
	return dst
}
