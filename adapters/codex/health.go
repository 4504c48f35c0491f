package codex

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/process"
)

// Health asks the command for its version. The error is always nil; the message is
// one of a closed set. The check has three quarters of Options.HealthTimeout, so
// that ending a command that hangs stays inside it.
func (a *Adapter) Health(ctx context.Context) (executor.Health, error) {
	a.mu.Lock()
	if a.disposed {
		a.mu.Unlock()
		return executor.Health{Message: "the adapter has been disposed of"}, nil
	}
	a.busy.Add(1)
	a.mu.Unlock()
	defer a.busy.Done()
	if a.options.check() != nil {
		return executor.Health{Message: "the adapter's options cannot be used"}, nil
	}
	if ctx.Err() != nil {
		return executor.Health{Message: "the health check was cancelled"}, nil
	}
	limited, cancel := context.WithTimeout(ctx, a.options.HealthTimeout*3/4)
	defer cancel()

	child, err := process.Start(a.options.child(os.Environ(), []string{"--version"}, nil))
	switch {
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return executor.Health{Message: "the codex command was not found"}, nil
	case err != nil:
		return executor.Health{Message: "the codex command could not be started"}, nil
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = io.Copy(io.Discard, child.Stdout())
	}()
	exit, err := child.Wait(limited)
	if err != nil {
		_ = child.Stop(limited) // its context is over: killed at once
		child.Stdout().Close()
	}
	<-read
	switch {
	case ctx.Err() != nil:
		return executor.Health{Message: "the health check was cancelled"}, nil
	case err != nil:
		return executor.Health{Message: "the codex command did not answer in time"}, nil
	case !exit.Success():
		return executor.Health{Message: "the codex command answered with a failure"}, nil
	}
	return executor.Health{OK: true}, nil
}
