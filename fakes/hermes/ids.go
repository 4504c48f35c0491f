package hermes

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// sessionID makes an id of the n-th process of a seed: a time, which counts up, and six
// hex digits, as those of Hermes are. Further ids of a process have a count of their own.
func sessionID(seed, n, count uint64) string {
	begun := time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(n) * time.Second)
	random := rand.New(rand.NewPCG(seed, n<<16|count))
	return fmt.Sprintf("%s_%06x", begun.Format("20060102_150405"), random.Uint32()&0xffffff)
}

// fresh is an id that no session has.
func (r *renderer) fresh() (string, error) {
	for {
		id := sessionID(r.process.Start.Seed, r.process.Start.Nth, r.ids)
		r.ids++
		_, known, err := r.state.find(id)
		if err != nil || !known {
			return id, err
		}
	}
}
