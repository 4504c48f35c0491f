package property

import (
	"flag"
	"strconv"
	"sync"
)

// seedFlag is where rapid reads its seed; it has no other way in.
const seedFlag = "rapid.seed"

var seeding sync.Mutex // one law at a time uses the flag

// setSeed makes rapid begin with the seed, or with the one that the flag has, and
// returns a function that puts the flag back. Without either it does nothing. Each
// round of one seed has a seed of its own.
func setSeed(seed, round uint64) (restore func()) {
	seeding.Lock()
	f := flag.Lookup(seedFlag)
	before := f.Value.String()
	if given, err := strconv.ParseUint(before, 0, 64); err == nil && given != 0 {
		seed = given
	}
	if seed == 0 {
		seeding.Unlock()
		return func() {}
	}
	if round > 0 {
		seed += round * 0x9e3779b97f4a7c15 // far from the steps that rapid itself takes
		seed |= 1                          // 0 would be random
	}
	// This goes past flag.Set, which would mark the flag as given. A number never
	// fails.
	_ = f.Value.Set(strconv.FormatUint(seed, 10))
	return sync.OnceFunc(func() {
		_ = f.Value.Set(before)
		seeding.Unlock()
	})
}
