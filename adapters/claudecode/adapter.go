package claudecode

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/oneshot"
	"github.com/adaptercheck/adaptercheck/internal/process"
	"github.com/adaptercheck/adaptercheck/internal/redact"
)

// ID is the adapter's id.
const ID = "claude-code"

// Adapter drives Claude Code. Make one with [New].
type Adapter struct {
	options Options
	environ []string // of the host
	host    *oneshot.Host[state, *wire]
}

var (
	_ executor.Adapter      = (*Adapter)(nil)
	_ executor.SessionCodec = (*Adapter)(nil)
	_ executor.Disposer     = (*Adapter)(nil)
	_ executor.Approver     = (*Adapter)(nil)
)

// New returns an adapter. It starts nothing and touches nothing; options that cannot
// be used are an error of Start. What is passed on of the host's environment is that
// of now.
func New(o Options) *Adapter {
	o = o.withDefaults()
	environ := os.Environ()
	secrets := append(process.Only(environ, o.AllowEnv), o.Env...)
	return &Adapter{options: o, environ: environ, host: oneshot.New[state, *wire](oneshot.Options{
		ID: ID, Grace: o.Grace, MaxLine: o.MaxLine, Secrets: redact.New(nil, secrets), Now: o.Now, QueueMax: o.QueueMax,
	})}
}

// ID is "claude-code".
func (a *Adapter) ID() string { return ID }

// ParticipantKind is Agent.
func (a *Adapter) ParticipantKind() executor.ParticipantKind { return executor.Agent }

// Capabilities tells what this wire does under the adapter's options; see the package
// comment.
func (a *Adapter) Capabilities() executor.Capabilities {
	o := a.options
	return executor.Capabilities{
		Streaming:           true,
		MCP:                 len(o.MCPConfig) > 0,
		Worktrees:           o.Dir != "" && o.PermissionMode != PermissionBypass,
		Resume:              true,
		ToolApproval:        o.PermissionMode != PermissionBypass && o.PermissionMode != PermissionDontAsk,
		Steerable:           true,
		Models:              []string{"sonnet", "opus", "haiku"},
		ContextWindowTokens: 200_000,
		RuntimeClass:        executor.WrappedOneshot,
		NativeSkills:        executor.PreserveNone,
		NativeMemory:        executor.PreserveNone,
		NativeChannels:      executor.NoChannels,
	}
}

// Start starts a process for the run. The prompt is what WriteContext left for this
// run, the context of opts and the message, parted by blank lines. A session that
// has a native one goes on with it. The model is that of opts, else the one of
// SetModel. A session with a live run is executor.ErrBusy; a process that cannot be
// started is an error and leaves the session as it was.
func (a *Adapter) Start(ctx context.Context, _ executor.TaskHandle, opts executor.StartOpts) (*executor.Run, error) {
	if err := a.options.check(); err != nil {
		return nil, fmt.Errorf("start run: %w", err)
	}
	dir, err := filepath.Abs(a.options.Dir)
	if err != nil {
		return nil, fmt.Errorf("start run: %w", err)
	}
	run, err := a.host.Start(ctx, opts, func(r oneshot.Request[state]) oneshot.Plan[state, *wire] { return a.plan(r, dir) })
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return nil, fmt.Errorf("start run: Claude Code is not installed, or Options.Command does not name it: %w", err)
	case err != nil:
		return nil, fmt.Errorf("start run: %w", err)
	}
	return run, nil
}

// plan says how a run is started. A session goes on in the directory it began in.
func (a *Adapter) plan(r oneshot.Request[state], dir string) oneshot.Plan[state, *wire] {
	if r.State.Dir != "" {
		dir = r.State.Dir
	}
	w := &wire{mapper: newMapper(a.host.Clean, r.State), options: a.options, dir: dir, resumed: r.State.Native}
	child := a.options.child(a.environ, dir, a.options.arguments(r))
	child.Interactive = true
	return oneshot.Plan[state, *wire]{
		Process:   child,
		Wire:      w,
		Begin:     func(child *process.Process) { w.begin(child, r.Prompt) },
		Interrupt: func(*process.Process) { w.interrupt() },
		Stuck:     w.hush,
		End:       w.end,
	}
}

// Events gives the run from its start to the first observer, and to later ones
// while the run is live. The stream ends after the run's done. An unknown handle, a
// restored one, and a run that is over and has been observed give an ended stream.
func (a *Adapter) Events(run *executor.Run) executor.Stream { return a.host.Events(run) }

// Abort asks the runtime to interrupt the run, and goes on to signals if the process
// does not exit. It does not wait for the end.
func (a *Adapter) Abort(_ context.Context, run *executor.Run) error {
	if err := a.host.Abort(run); err != nil {
		return fmt.Errorf("abort: %w", err)
	}
	return nil
}

// SetModel sets the model of the session: a live run is told at once, and later ones
// are started with it unless their start names another. Empty leaves it to Claude
// Code again. A live run that does not take the model reports it as an error that is
// not fatal.
func (a *Adapter) SetModel(_ context.Context, run *executor.Run, model string) error {
	err := a.host.SetModel(run, model, func(live *wire) {
		_ = live.console.setModel(model) // a process that hears nothing any more is followed by one that is started with it
	})
	if err != nil {
		return fmt.Errorf("set model: %w", err)
	}
	return nil
}

// WriteContext gives the value under its key to the session's live run, as a message
// that the runtime takes into the turn that is running. Without a live run it waits
// for the next one, where it stands before the message; a value of the same key
// replaces the earlier one, and what waits may be 1 MiB. With Options.ContextDir the
// value is also kept there as a file. A key that is no path inside a directory is
// refused.
func (a *Adapter) WriteContext(_ context.Context, run *executor.Run, key, value string) error {
	if a.options.ContextDir != "" {
		if err := a.host.Knows(run, key); err != nil {
			return fmt.Errorf("write context: %w", err)
		}
		if err := keepPiece(a.options.ContextDir, key, value); err != nil {
			return fmt.Errorf("write context: %w", err)
		}
	}
	err := a.host.WriteContext(run, key, value, func(live *wire, text string) bool { return live.console.message(text) == nil })
	if err != nil {
		return fmt.Errorf("write context: %w", err)
	}
	return nil
}

// Approve answers the question of that id, which a status event of the run has asked.
// [ErrNoQuestion] says that it is not open: the answer allows nothing.
func (a *Adapter) Approve(_ context.Context, run *executor.Run, id string, allow bool) error {
	w, live, err := a.host.Wire(run)
	if err == nil && !live {
		err = ErrNoQuestion
	}
	if err == nil {
		err = w.answer(id, allow)
	}
	if err != nil {
		return fmt.Errorf("approve: %w", err)
	}
	return nil
}

// Health asks the command for its version. The error is always nil; the message is
// one of a closed set. The check has three quarters of Options.HealthTimeout, so
// that ending a command that hangs stays inside it.
func (a *Adapter) Health(ctx context.Context) (executor.Health, error) {
	return a.host.Health(ctx, "claude", a.options.HealthTimeout, func() (process.Options, error) {
		return a.options.child(a.environ, a.options.Dir, []string{"--version"}), a.options.check()
	}), nil
}

// Dispose aborts every live run and waits until the processes are gone, or for ctx.
// Streams get their done(aborted) and end.
func (a *Adapter) Dispose(ctx context.Context) error { return a.host.Dispose(ctx) }
