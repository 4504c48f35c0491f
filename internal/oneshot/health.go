package oneshot

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os/exec"
	"time"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/process"
)

// Health runs the child that check describes, which is to answer and exit with 0.
// An error of check says that the adapter's options cannot be used. The message is
// one of a closed set, with the command's name as the adapter calls it. The child
// has three quarters of the timeout, so that ending one that hangs stays inside it.
func (h *Host[S, W]) Health(ctx context.Context, name string, timeout time.Duration, check func() (process.Options, error)) executor.Health {
	h.mu.Lock()
	if h.disposed {
		h.mu.Unlock()
		return executor.Health{Message: "the adapter has been disposed of"}
	}
	h.busy.Add(1)
	h.mu.Unlock()
	defer h.busy.Done()
	options, err := check()
	if err != nil {
		return executor.Health{Message: "the adapter's options cannot be used"}
	}
	if ctx.Err() != nil {
		return executor.Health{Message: "the health check was cancelled"}
	}
	limited, cancel := context.WithTimeout(ctx, timeout*3/4)
	defer cancel()

	child, err := process.Start(options)
	switch {
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return executor.Health{Message: "the " + name + " command was not found"}
	case err != nil:
		return executor.Health{Message: "the " + name + " command could not be started"}
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
		return executor.Health{Message: "the health check was cancelled"}
	case err != nil:
		return executor.Health{Message: "the " + name + " command did not answer in time"}
	case !exit.Success():
		return executor.Health{Message: "the " + name + " command answered with a failure"}
	}
	return executor.Health{OK: true}
}
