package claudecode

import (
	"fmt"
	"math/rand/v2"
)

// ids makes what a process makes up, the same for a seed and the number of the run.
type ids struct{ random *rand.Rand }

func newIDs(seed, nth uint64) ids { return ids{rand.New(rand.NewPCG(seed, nth))} }

// uuid makes a version 4 UUID.
func (i ids) uuid() string {
	a, b := i.random.Uint64(), i.random.Uint64()
	a = a&^0xf000 | 0x4000
	b = b&^(3<<62) | 2<<62
	return fmt.Sprintf("%08x-%04x-%04x-%04x-%012x", a>>32, a>>16&0xffff, a&0xffff, b>>48, b&0xffff_ffff_ffff)
}

// api makes an id of the provider: msg_…, req_….
func (i ids) api(kind string) string {
	const letters = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz123456789"
	out := []byte(kind + "_01")
	for range 22 {
		out = append(out, letters[i.random.IntN(len(letters))])
	}
	return string(out)
}
