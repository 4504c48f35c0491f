package appserver

import (
	"strings"
	"time"

	"github.com/adaptercheck/adaptercheck/fakes/codex/thread"
)

// ids makes what a process makes up, the same for a seed and the number of the run.
type ids struct {
	seed, nth uint64
	made      uint64
	lines     int64 // said so far, for the clock
}

// uuid makes the next id of a thread, a turn or an item.
func (m *ids) uuid() string {
	m.made++
	return thread.ID(m.seed, m.nth<<20|m.made)
}

// item makes an id as the model gives them: msg_…, rs_…, call_….
func (m *ids) item(kind string) string { return kind + "_" + strings.ReplaceAll(m.uuid(), "-", "") }

// now is the time of the next line in milliseconds: it counts lines, so that nothing
// depends on when the fake plays.
func (m *ids) now() int64 {
	return time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC).UnixMilli() + m.lines
}

// seconds is the same time in seconds.
func (m *ids) seconds() int64 { return m.now() / 1000 }
