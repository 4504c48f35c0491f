package acp

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// state is what is kept of a session between its runs, and what it is continued from:
// the agent's own session and what that has cost so far, without which the next run
// would be billed for all earlier ones. A nil cost was never told.
type state struct {
	Session string   `json:"session"`
	Cost    *float64 `json:"cost,omitzero"`
}

// Serialize writes the session down as it stands. A session that the agent has not named
// yet continues as a new one.
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
	case s.Cost == nil:
		return nil
	case s.Session == "":
		return errors.New("field cost: a cost without a session")
	case !isAmount(*s.Cost):
		return errors.New("field cost: no amount")
	}
	return nil
}

// isAmount reports whether a number can be money.
func isAmount(usd float64) bool { return usd >= 0 && !math.IsInf(usd, 0) }
