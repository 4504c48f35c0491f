package hermes

import (
	"context"
	"fmt"
	"os"
	"syscall"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/oneshot"
	"github.com/adaptercheck/adaptercheck/internal/process"
	"github.com/adaptercheck/adaptercheck/internal/redact"
)

// ID is the adapter's id, and the command that it looks for.
const ID = "hermes"

// wire is a run of either format as the host of the run sees it.
type wire = oneshot.Wire[state]

// Adapter drives Hermes. Make one with [New].
type Adapter struct {
	options Options
	environ []string // of the child
	host    *oneshot.Host[state, wire]
}

var (
	_ executor.Adapter      = (*Adapter)(nil)
	_ executor.SessionCodec = (*Adapter)(nil)
	_ executor.Disposer     = (*Adapter)(nil)
)

// New returns an adapter. It starts nothing and touches nothing; options that cannot
// be used are an error of Start. What is passed on of the host's environment is that
// of now.
func New(o Options) *Adapter {
	o = o.withDefaults()
	host := os.Environ()
	secrets := append(process.Only(host, o.AllowEnv), o.Env...)
	return &Adapter{options: o, environ: o.environ(host), host: oneshot.New[state, wire](oneshot.Options{
		ID: ID, Grace: o.Grace, MaxLine: o.MaxOutput, Secrets: redact.New(nil, secrets), Now: o.Now, QueueMax: o.QueueMax,
	})}
}

// ID is "hermes".
func (a *Adapter) ID() string { return ID }

// ParticipantKind is Agent.
func (a *Adapter) ParticipantKind() executor.ParticipantKind { return executor.Agent }

// Capabilities tells what this form of Hermes does; see the package comment for what
// it does not. Streaming is true for FormatStream. The list of models is owned by the
// home's configuration.
func (a *Adapter) Capabilities() executor.Capabilities {
	return executor.Capabilities{
		Streaming:       a.options.Format == FormatStream,
		Resume:          true,
		Models:          []string{},
		RuntimeClass:    executor.WrappedOneshot,
		NativeHome:      &executor.NativeHome{Scope: executor.PerIdentity, Persist: true},
		NativeSkills:    executor.Preserve,
		NativeMemory:    executor.Preserve,
		NativeChannels:  executor.NoChannels,
		NativeScheduler: true,
	}
}

// Start starts a process for the run. The prompt is what WriteContext left for this
// run, the context of opts and the message, parted by blank lines. A session that
// Hermes has named goes on. The model is that of opts, else the one of SetModel. A
// session with a live run is executor.ErrBusy; a process that cannot be started is an
// error and leaves the session as it was.
func (a *Adapter) Start(ctx context.Context, _ executor.TaskHandle, opts executor.StartOpts) (*executor.Run, error) {
	if err := a.options.check(); err != nil {
		return nil, fmt.Errorf("start run: %w", err)
	}
	run, err := a.host.Start(ctx, opts, a.plan)
	if err != nil {
		return nil, fmt.Errorf("start run: %w", err)
	}
	return run, nil
}

// plan says how a run is started: the session goes on if there is one.
func (a *Adapter) plan(r oneshot.Request[state]) oneshot.Plan[state, wire] {
	l := newLedger(books{path: a.options.books(a.environ)}, r.State.Session)
	args, stdin := a.options.arguments(r)
	p := oneshot.Plan[state, wire]{
		Process: a.options.child(a.environ, args, stdin),
		Begin:   func(child *process.Process) { l.child = child },
		// Hermes stops its tools on SIGTERM, and writes its books.
		Interrupt: func(child *process.Process) {
			_ = child.Signal(syscall.SIGTERM) // one that cannot be sent is followed by the next rung
		},
	}
	switch a.options.Format {
	case FormatStream:
		p.Wire = &stream{ledger: l, clean: a.host.Clean, grace: a.options.Grace}
	default:
		p.Wire, p.Pieces = &quiet{ledger: l, max: a.options.MaxOutput}, true
	}
	return p
}

// Events gives the run from its start to the first observer, and to later ones while
// the run is live. The stream ends after the run's done. An unknown handle, a restored
// one, and a run that is over and has been observed give an ended stream.
func (a *Adapter) Events(run *executor.Run) executor.Stream { return a.host.Events(run) }

// Abort sends SIGTERM to the process, and goes on to harder signals if it does not
// exit. It does not wait for the end.
func (a *Adapter) Abort(_ context.Context, run *executor.Run) error {
	if err := a.host.Abort(run); err != nil {
		return fmt.Errorf("abort: %w", err)
	}
	return nil
}

// SetModel sets the model of the session: it reaches the runtime with the next run,
// unless that run's start names another. Empty leaves it to Hermes again.
func (a *Adapter) SetModel(_ context.Context, run *executor.Run, model string) error {
	if err := a.host.SetModel(run, model, nil); err != nil {
		return fmt.Errorf("set model: %w", err)
	}
	return nil
}

// WriteContext keeps the value for the session's next run, where it stands before the
// message under its key. A value of the same key replaces the earlier one. No file is
// written; a key that would lead out of a directory is refused all the same. What
// waits for one run may be 1 MiB.
func (a *Adapter) WriteContext(_ context.Context, run *executor.Run, key, value string) error {
	if err := a.host.WriteContext(run, key, value, nil); err != nil {
		return fmt.Errorf("write context: %w", err)
	}
	return nil
}

// Health asks the command for its version. The error is always nil; the message is
// one of a closed set. The check has three quarters of Options.HealthTimeout, so that
// ending a command that hangs stays inside it.
func (a *Adapter) Health(ctx context.Context) (executor.Health, error) {
	return a.host.Health(ctx, ID, a.options.HealthTimeout, func() (process.Options, error) {
		return a.options.child(a.environ, []string{"--version"}, nil), a.options.check()
	}), nil
}

// Dispose aborts every live run and waits until the processes are gone, or for ctx.
// Streams get their done(aborted) and end.
func (a *Adapter) Dispose(ctx context.Context) error { return a.host.Dispose(ctx) }
