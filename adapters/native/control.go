package native

import (
	"context"
	"fmt"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/oneshot"
)

// SetModel sets the model of the session, for the turns that a live run has yet to take
// and for later runs whose start names none. It stands for the model of the agent's first
// provider; fallbacks keep theirs. Empty is the agent's own again.
func (a *Adapter) SetModel(_ context.Context, run *executor.Run, model string) error {
	known, err := a.lookup(run)
	if err == nil {
		err = oneshot.CheckModel(model)
	}
	if err != nil {
		return fmt.Errorf("set model: %w", err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	known.session.model = model
	if live := known.session.live; live != nil {
		live.router.SetModel(model)
	}
	return nil
}

// WriteContext tells the model the value under its key, as a message of the user: before
// the next turn of a live run, which takes one more for it if it would have ended, else in
// the session's next run, before its message. A value of the same key that has not been
// told yet is replaced. That of the key ".clawboo/signal" is told without it. No file is
// written; a key that would lead out of a directory is refused all the same. What waits may
// be 1 MiB.
func (a *Adapter) WriteContext(_ context.Context, run *executor.Run, key, value string) error {
	known, err := a.lookup(run)
	if err == nil {
		err = oneshot.CheckKey(key)
	}
	if err == nil {
		a.mu.Lock()
		err = known.session.put(piece{key, value})
		a.mu.Unlock()
	}
	if err != nil {
		return fmt.Errorf("write context: %w", err)
	}
	return nil
}
