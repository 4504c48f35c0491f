package claudecode

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/oneshot"
)

// state is what is kept of a session between its runs, and what it is continued from.
type state struct {
	// Native is the runtime's id of the session, a UUID.
	Native string `json:"native"`
	// Dir is the directory in which the session began. Claude Code keeps sessions by
	// directory and finds them in no other.
	Dir string `json:"dir"`
	// Totals are the session's running totals, without which the next run would be
	// billed for all earlier ones.
	Totals totals `json:"totals"`
}

// Serialize writes the session down as it stands. A session whose native id is not
// known yet continues as a new one.
func (a *Adapter) Serialize(_ context.Context, run *executor.Run) (string, error) {
	blob, err := a.host.Serialize(run)
	if err != nil {
		return "", fmt.Errorf("serialize session: %w", err)
	}
	return blob, nil
}

// Restore takes a session over from a blob. A session that has a live run here is
// executor.ErrBusy, and stays as it is. One that began in another directory than that
// of Options.Dir is refused; without Options.Dir its next runs are in its own.
func (a *Adapter) Restore(_ context.Context, blob string) (*executor.Run, error) {
	run, err := a.host.Restore(blob, a.check)
	if err != nil {
		return nil, fmt.Errorf("restore session: %w", err)
	}
	return run, nil
}

// check refuses what the adapter would not have written.
func (a *Adapter) check(s state) error {
	if s.Native == "" {
		if s != (state{}) {
			return errors.New("field native: empty, though the session has more")
		}
		return nil
	}
	t := s.Totals
	switch {
	case !oneshot.IsUUID(s.Native):
		return errors.New("field native: no session id")
	case !filepath.IsAbs(s.Dir):
		return errors.New("field dir: no absolute path")
	case t.Input < 0 || t.Cached < 0 || t.Output < 0 || t.USD < 0 || math.IsInf(t.USD, 0):
		return errors.New("field totals: a count is negative")
	case a.options.Dir != "" && !sameDir(a.options.Dir, s.Dir):
		return errors.New("field dir: the session began in another directory than that of option Dir")
	}
	return nil
}

// sameDir reports whether both paths lead to one directory.
func sameDir(a, b string) bool {
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}
