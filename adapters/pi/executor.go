package pi

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

// ExecutorID is the id of an [Executor].
const ExecutorID = "pi"

// Executor drives Pi: one process of `pi --mode rpc` for each run. Make one with
// [NewExecutor].
type Executor struct {
	options ExecutorOptions
	environ []string // of the host
	host    *oneshot.Host[kept, *wire]
}

var (
	_ executor.Adapter      = (*Executor)(nil)
	_ executor.SessionCodec = (*Executor)(nil)
	_ executor.Disposer     = (*Executor)(nil)
	_ executor.Approver     = (*Executor)(nil)
)

// NewExecutor returns an adapter of the executor contract. It starts nothing and touches
// nothing; options that cannot be used are an error of Start. What is passed on of the
// host's environment is that of now.
func NewExecutor(o ExecutorOptions) *Executor {
	o = o.withDefaults()
	environ := os.Environ()
	secrets := append(process.Only(environ, o.AllowEnv), o.Env...)
	return &Executor{options: o, environ: environ, host: oneshot.New[kept, *wire](oneshot.Options{
		ID: ExecutorID, Grace: o.Grace, MaxLine: o.MaxLine, Secrets: redact.New(nil, secrets), Now: o.Now, QueueMax: o.QueueMax,
	})}
}

// ID is "pi".
func (x *Executor) ID() string { return ExecutorID }

// ParticipantKind is Agent.
func (x *Executor) ParticipantKind() executor.ParticipantKind { return executor.Agent }

// Capabilities tells what this wire does; see the package comment.
func (x *Executor) Capabilities() executor.Capabilities {
	return executor.Capabilities{
		Streaming:      true,
		Resume:         true,
		ToolApproval:   true,
		Steerable:      true,
		Models:         []string{},
		RuntimeClass:   executor.WrappedOneshot,
		NativeSkills:   executor.PreserveNone,
		NativeMemory:   executor.PreserveNone,
		NativeChannels: executor.NoChannels,
	}
}

// Start starts a process for the run. The prompt is what WriteContext left for this
// run, the context of opts and the message, parted by blank lines. A session that has a
// native one goes on with it. The model is that of opts, else the one of SetModel. A
// session with a live run is executor.ErrBusy; a process that cannot be started is an
// error and leaves the session as it was.
func (x *Executor) Start(ctx context.Context, _ executor.TaskHandle, opts executor.StartOpts) (*executor.Run, error) {
	if err := x.options.check(); err != nil {
		return nil, fmt.Errorf("start run: %w", err)
	}
	dir, err := filepath.Abs(x.options.Dir)
	if err != nil {
		return nil, fmt.Errorf("start run: %w", err)
	}
	run, err := x.host.Start(ctx, opts, func(r oneshot.Request[kept]) oneshot.Plan[kept, *wire] { return x.plan(r, dir) })
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return nil, fmt.Errorf("start run: Pi is not installed, or ExecutorOptions.Command does not name it: %w", err)
	case err != nil:
		return nil, fmt.Errorf("start run: %w", err)
	}
	return run, nil
}

// plan says how a run is started. A session that Pi never wrote down cannot be gone on
// with: there is nothing in it.
func (x *Executor) plan(r oneshot.Request[kept], dir string) oneshot.Plan[kept, *wire] {
	from := r.State
	if !from.Saved && !exists(from.File) {
		from = kept{}
	}
	w := &wire{mapper: newMapper(x.host.Clean, from), options: x.options}
	child := x.options.child(x.environ, dir, x.options.arguments(r, from))
	child.Interactive = true
	return oneshot.Plan[kept, *wire]{
		Process:   child,
		Wire:      w,
		Begin:     func(child *process.Process) { w.begin(child, r.Prompt) },
		Interrupt: func(*process.Process) { w.interrupt() },
		Stuck:     func() { w.console.state() },
		End:       w.end,
	}
}

func exists(file string) bool {
	if file == "" {
		return false
	}
	_, err := os.Stat(file)
	return err == nil
}

// Events gives the run from its start to the first observer, and to later ones
// while the run is live. The stream ends after the run's done. An unknown handle, a
// restored one, and a run that is over and has been observed give an ended stream.
func (x *Executor) Events(run *executor.Run) executor.Stream { return x.host.Events(run) }

// Abort asks Pi to abort the run, and goes on to signals if the process does not exit.
// Open questions are denied. It does not wait for the end.
func (x *Executor) Abort(_ context.Context, run *executor.Run) error {
	if err := x.host.Abort(run); err != nil {
		return fmt.Errorf("abort: %w", err)
	}
	return nil
}

// SetModel sets the model of the session: a live run is told at once, and later ones
// are started with it unless their start names another. A model is PROVIDER/ID; without
// a provider a live run takes it for one of the provider that it has. Empty leaves the
// choice to Pi again, from the next run on. A live run that does not take the model
// reports it as an error that is not fatal.
func (x *Executor) SetModel(_ context.Context, run *executor.Run, model string) error {
	if err := x.host.SetModel(run, model, func(live *wire) { live.console.setModel(model) }); err != nil {
		return fmt.Errorf("set model: %w", err)
	}
	return nil
}

// WriteContext gives the value under its key to the session's live run, as a message
// that Pi takes into the run after the tools that work now. Without a live run it waits
// for the next one, where it stands before the message; a value of the same key replaces
// the earlier one, and what waits may be 1 MiB. A key that is no path inside a directory
// is refused.
func (x *Executor) WriteContext(_ context.Context, run *executor.Run, key, value string) error {
	err := x.host.WriteContext(run, key, value, func(live *wire, text string) bool { return live.console.steer(text) })
	if err != nil {
		return fmt.Errorf("write context: %w", err)
	}
	return nil
}

// Approve answers the question of that id, which a status event of the run has asked.
// [ErrNoQuestion] says that it is not open: the answer allows nothing.
func (x *Executor) Approve(_ context.Context, run *executor.Run, id string, allow bool) error {
	w, live, err := x.host.Wire(run)
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
// one of a closed set. The check has three quarters of ExecutorOptions.HealthTimeout, so
// that ending a command that hangs stays inside it.
func (x *Executor) Health(ctx context.Context) (executor.Health, error) {
	return x.host.Health(ctx, "pi", x.options.HealthTimeout, func() (process.Options, error) {
		return x.options.child(x.environ, x.options.Dir, []string{"--version"}), x.options.check()
	}), nil
}

// Dispose aborts every live run and waits until the processes are gone, or for ctx.
// Streams get their done(aborted) and end.
func (x *Executor) Dispose(ctx context.Context) error { return x.host.Dispose(ctx) }
