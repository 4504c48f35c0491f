package acp

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/oneshot"
	"github.com/adaptercheck/adaptercheck/internal/process"
	"github.com/adaptercheck/adaptercheck/internal/redact"
)

// Adapter drives an agent. Make one with [New].
type Adapter struct {
	options Options
	host    *oneshot.Host[state, *wire]
}

var (
	_ executor.Adapter      = (*Adapter)(nil)
	_ executor.SessionCodec = (*Adapter)(nil)
	_ executor.Disposer     = (*Adapter)(nil)
	_ executor.Approver     = (*Adapter)(nil)
)

// New returns an adapter. It starts nothing and touches nothing; options that
// cannot be used are an error of Start.
func New(o Options) *Adapter {
	o = o.withDefaults()
	return &Adapter{options: o, host: oneshot.New[state, *wire](oneshot.Options{
		ID: o.ID, Grace: o.Grace, Secrets: redact.New(nil, o.secrets()), Now: o.Now, QueueMax: o.QueueMax,
	})}
}

// ID is that of the options.
func (a *Adapter) ID() string { return a.options.ID }

// ParticipantKind is Agent.
func (a *Adapter) ParticipantKind() executor.ParticipantKind { return executor.Agent }

// Capabilities tells what the protocol does; see the package comment. MCP is true if the
// options name servers. What an agent keeps of its own is not known.
func (a *Adapter) Capabilities() executor.Capabilities {
	return executor.Capabilities{
		Streaming:      true,
		ToolApproval:   true,
		MCP:            len(a.options.Servers) > 0,
		Resume:         true,
		Models:         append([]string{}, a.options.Models...),
		RuntimeClass:   executor.WrappedOneshot,
		NativeChannels: executor.NoChannels,
	}
}

// Start starts a process for the run. The prompt is what WriteContext left for
// this run, the context of opts and the message, parted by blank lines. A session
// that the agent has goes on. The model is that of opts, else the one of SetModel. A
// session with a live run is executor.ErrBusy; a process that cannot be started is an
// error and leaves the session as it was.
func (a *Adapter) Start(ctx context.Context, _ executor.TaskHandle, opts executor.StartOpts) (*executor.Run, error) {
	err := a.options.check()
	var dir string
	if err == nil {
		dir, err = a.options.dir()
	}
	if err != nil {
		return nil, fmt.Errorf("start run: %w", err)
	}
	run, err := a.host.Start(ctx, opts, func(r oneshot.Request[state]) oneshot.Plan[state, *wire] { return a.plan(r, dir) })
	if err != nil {
		return nil, fmt.Errorf("start run: %w", err)
	}
	return run, nil
}

// plan says how a run is started.
func (a *Adapter) plan(r oneshot.Request[state], dir string) oneshot.Plan[state, *wire] {
	w := newWire(a.options, a.host.Clean, r, dir)
	child := a.child(nil)
	child.Interactive = true
	return oneshot.Plan[state, *wire]{
		Process:   child,
		Wire:      w,
		Begin:     w.open,
		Interrupt: func(*process.Process) { w.interrupt() },
		End:       w.close,
	}
}

// child describes the agent's process.
func (a *Adapter) child(stdin io.Reader) process.Options {
	return process.Options{
		Command: slices.Clone(a.options.Command), Dir: a.options.Dir,
		Env: process.Environ(os.Environ(), nil, a.options.Env), Stdin: stdin,
	}
}

// Events gives the run from its start to the first observer, and to later ones
// while the run is live. The stream ends after the run's done. An unknown handle, a
// restored one, and a run that is over and has been observed give an ended stream.
func (a *Adapter) Events(run *executor.Run) executor.Stream { return a.host.Events(run) }

// Abort cancels the session's turn, answers what the agent has asked with cancelled, and
// goes on to signals if the process does not exit. It does not wait for the end.
func (a *Adapter) Abort(_ context.Context, run *executor.Run) error {
	if err := a.host.Abort(run); err != nil {
		return fmt.Errorf("abort: %w", err)
	}
	return nil
}

// SetModel sets the model of the session: it reaches the agent with the next run,
// unless that run's start names another. Empty leaves it to the agent.
func (a *Adapter) SetModel(_ context.Context, run *executor.Run, model string) error {
	if err := a.host.SetModel(run, model, nil); err != nil {
		return fmt.Errorf("set model: %w", err)
	}
	return nil
}

// WriteContext keeps the value for the session's next run, where it stands before the
// message under its key; a value of the same key replaces the earlier one. No file is
// written; a key that would lead out of a directory is refused all the same. What waits
// may be 1 MiB.
func (a *Adapter) WriteContext(_ context.Context, run *executor.Run, key, value string) error {
	if err := a.host.WriteContext(run, key, value, nil); err != nil {
		return fmt.Errorf("write context: %w", err)
	}
	return nil
}

// Approve answers the permission of that id, for which a status event of the run has
// asked: the id is that of the tool call which waits for it, as the agent calls it. It is
// granted or denied once, where the agent offers that. [ErrNoQuestion] says that it is
// not open, and [ErrNoOption] that the agent offers no way to grant it: it is denied.
func (a *Adapter) Approve(_ context.Context, run *executor.Run, id string, allow bool) error {
	live, is, err := a.host.Wire(run)
	if err == nil {
		err = ErrNoQuestion
		if is {
			err = live.answer(id, allow)
		}
	}
	if err != nil {
		return fmt.Errorf("approve: %w", err)
	}
	return nil
}

// Health starts the agent, says initialize and ends its input: it is well if the process
// exits with 0. The error is always nil; the message is one of a closed set. The check
// has three quarters of Options.HealthTimeout, so that ending an agent that hangs stays
// inside it.
func (a *Adapter) Health(ctx context.Context) (executor.Health, error) {
	return a.host.Health(ctx, a.options.ID, a.options.HealthTimeout, func() (process.Options, error) {
		return a.child(strings.NewReader(string(greeting(a.options.Files)) + "\n")), a.options.check()
	}), nil
}

// Dispose aborts every live run and waits until the processes are gone, or for
// ctx. Streams get their done(aborted) and end.
func (a *Adapter) Dispose(ctx context.Context) error { return a.host.Dispose(ctx) }
