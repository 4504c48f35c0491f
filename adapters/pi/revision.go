package pi

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// revisionOf hashes the canonical JSON of {"entries":[…],"leafId":…}. Numbers are
// written as JavaScript writes them, but for whole ones, which keep all their
// digits: two that differ only beyond 2^53 are two.
func revisionOf(ctx context.Context, branch []entry) (string, error) {
	sum := sha256.New()
	sum.Write([]byte(`{"entries":[`))
	leaf := []byte("null")
	for i, e := range branch {
		if i%1024 == 0 && ctx.Err() != nil {
			return "", ctx.Err()
		}
		v := e.raw.Clone()
		if err := v.Canonicalize(jsontext.CanonicalizeRawInts(false)); err != nil {
			return "", fmt.Errorf("%w: line %d: %w", errFormat, e.line, errObject)
		}
		if i > 0 {
			sum.Write([]byte(","))
		}
		sum.Write(v)
		if i == len(branch)-1 {
			leaf, _ = jsontext.AppendQuote(nil, e.id) // valid UTF-8, as the decoder gave it
		}
	}
	sum.Write([]byte(`],"leafId":`))
	sum.Write(leaf)
	sum.Write([]byte("}"))
	return hex.EncodeToString(sum.Sum(nil)), nil
}
