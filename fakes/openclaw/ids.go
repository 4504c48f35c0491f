package openclaw

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
)

// ids makes what the gateway makes up, the same for a seed. It is not safe for
// concurrent use.
type ids struct{ random *rand.Rand }

func newIDs(seed uint64) ids { return ids{rand.New(rand.NewPCG(seed, 0x6f70656e636c6177))} }

// uuid makes a version 4 UUID.
func (i ids) uuid() string {
	a, b := i.random.Uint64(), i.random.Uint64()
	a = a&^0xf000 | 0x4000
	b = b&^(3<<62) | 2<<62
	return fmt.Sprintf("%08x-%04x-%04x-%04x-%012x", a>>32, a>>16&0xffff, a&0xffff, b>>48, b&0xffff_ffff_ffff)
}

// hex makes n hexadecimal digits, 16 at most.
func (i ids) hex(n int) string { return fmt.Sprintf("%016x", i.random.Uint64())[:n] }

// token makes a text that nobody guesses from others.
func (i ids) token() string {
	sum := sha256.Sum256([]byte(i.uuid()))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}
