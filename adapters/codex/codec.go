package codex

import (
	"context"
	"errors"
	"fmt"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/oneshot"
)

// state is what is kept of a session between its runs, and what it is continued from:
// its thread, and the running totals of that thread, without which the next run
// would be billed for all earlier ones.
type state struct {
	Thread string `json:"thread"`
	Totals totals `json:"totals"`
}

// isThread reports whether a session can be resumed by this id. Codex takes
// everything that is no UUID for a name and silently begins a new thread.
func isThread(id string) bool { return oneshot.IsUUID(id) }

// Serialize writes the session down as it stands. A session whose thread is not
// known yet continues as a new one.
func (a *Adapter) Serialize(_ context.Context, run *executor.Run) (string, error) {
	blob, err := a.host.Serialize(run)
	if err != nil {
		return "", fmt.Errorf("serialize session: %w", err)
	}
	return blob, nil
}

// Restore takes a session over from a blob. A session that has a live run here is
// executor.ErrBusy, and stays as it is.
func (a *Adapter) Restore(_ context.Context, blob string) (*executor.Run, error) {
	run, err := a.host.Restore(blob, state.check)
	if err != nil {
		return nil, fmt.Errorf("restore session: %w", err)
	}
	return run, nil
}

func (s state) check() error {
	switch {
	case s.Thread != "" && !isThread(s.Thread):
		return errors.New("field thread: no thread id")
	case s.Totals.Input < 0 || s.Totals.Cached < 0 || s.Totals.Output < 0:
		return errors.New("field totals: a count is negative")
	case s.Thread == "" && s.Totals != (totals{}):
		return errors.New("field totals: counts without a thread")
	}
	return nil
}
