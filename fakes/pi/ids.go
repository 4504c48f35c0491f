package pi

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// ids makes what a process makes up, the same for a seed and the number of the run.
type ids struct{ random *rand.Rand }

func newIDs(seed, nth uint64) ids { return ids{rand.New(rand.NewPCG(seed, nth))} }

// session makes a version 7 UUID, which is the id of a session.
func (i ids) session() string { return i.uuid(0x7000) }

// request makes a version 4 UUID, which is the id of a question.
func (i ids) request() string { return i.uuid(0x4000) }

func (i ids) uuid(version uint64) string {
	a, b := i.random.Uint64(), i.random.Uint64()
	a = a&^0xf000 | version
	b = b&^(3<<62) | 2<<62
	return fmt.Sprintf("%08x-%04x-%04x-%04x-%012x", a>>32, a>>16&0xffff, a&0xffff, b>>48, b&0xffff_ffff_ffff)
}

// entry makes the id of an entry of a session.
func (i ids) entry() string { return fmt.Sprintf("%08x", i.random.Uint32()) }

// response makes the provider's id of an answer.
func (i ids) response() string { return fmt.Sprintf("chatcmpl-%016x", i.random.Uint64()) }

// epoch is the time at which every process begins, in milliseconds since 1970.
const epoch = 1_800_000_000_000

// clock is the time: it counts what was said, so that nothing depends on when the fake
// plays.
type clock struct{ ticks int64 }

func (c *clock) now() int64 {
	c.ticks++
	return epoch + c.ticks
}

func iso(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z") }
