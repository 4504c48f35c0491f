package thread

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"regexp"
	"sync"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/child"
)

// Store remembers what threads have spent, by id. With an empty directory it remembers
// nothing.
type Store = child.Store[Totals]

// Totals is what a thread has spent in all its processes, in tokens. Input includes
// what came from the cache, Output what went into reasoning.
type Totals struct {
	Input      int64 `json:"input"`
	Cached     int64 `json:"cached"`
	CacheWrite int64 `json:"cacheWrite"`
	Output     int64 `json:"output"`
	Reasoning  int64 `json:"reasoning"`
}

// Count takes a usage frame into account: one of a turn or of the last model call adds,
// one of the total replaces what it names.
func (t *Totals) Count(u fakes.Usage) {
	count := add
	if u.Kind == fakes.UsageTotal {
		count = set
	}
	count(&t.Input, u.In)
	count(&t.Output, u.Out)
	count(&t.Cached, u.CacheRead)
	count(&t.CacheWrite, u.CacheWrite)
	count(&t.Reasoning, u.Reasoning)
	if u.Kind == fakes.UsageLast {
		set(&t.Input, u.TotalIn)
		set(&t.Output, u.TotalOut)
	}
}

func set(total, n *int64) {
	if n != nil {
		*total = *n
	}
}

func add(total, n *int64) {
	if n != nil {
		*total += *n
	}
}

// ID makes the n-th id of a seed: a version 7 UUID whose time part counts up, as those
// of Codex do.
func ID(seed, n uint64) string {
	const epoch = 0x0199_0000_0000 // milliseconds, some day of 2025
	random := rand.New(rand.NewPCG(seed, n))
	var id [16]byte
	binary.BigEndian.PutUint64(id[:8], (epoch+n)<<16|random.Uint64()&0xffff)
	binary.BigEndian.PutUint64(id[8:], random.Uint64())
	id[6] = 0x70 | id[6]&0x0f
	id[8] = 0x80 | id[8]&0x3f
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}

var uuid = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
})

// IsUUID reports whether an id is a UUID, and so can be that of a thread. Codex takes
// anything else for a name.
func IsUUID(id string) bool { return uuid().MatchString(id) }
