package codex

import (
	"context"
	"fmt"
	"os"
	"strings"
	"syscall"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/oneshot"
	"github.com/adaptercheck/adaptercheck/internal/process"
	"github.com/adaptercheck/adaptercheck/internal/redact"
)

// wire is a run of either mode as the host of the run sees it.
type wire = oneshot.Wire[state]

// Adapter drives Codex. Make one with [New].
type Adapter struct {
	options Options
	host    *oneshot.Host[state, wire]
}

var (
	_ executor.Adapter      = (*Adapter)(nil)
	_ executor.SessionCodec = (*Adapter)(nil)
	_ executor.Disposer     = (*Adapter)(nil)
	_ executor.Approver     = (*Adapter)(nil)
)

// id is the adapter's id, and the command that it looks for.
const id = "codex"

// noise is what Codex prints on stderr about stdin, on every run.
var noise = strings.NewReplacer("Reading additional input from stdin...\n", "", "Reading prompt from stdin...\n", "")

// New returns an adapter. It starts nothing and touches nothing; options that
// cannot be used are an error of Start.
func New(o Options) *Adapter {
	o = o.withDefaults()
	return &Adapter{options: o, host: oneshot.New[state, wire](oneshot.Options{
		ID: id, Grace: o.Grace, Secrets: redact.New(nil, o.Env), Noise: noise, Now: o.Now, QueueMax: o.QueueMax,
	})}
}

// ID is "codex".
func (a *Adapter) ID() string { return id }

// ParticipantKind is Agent.
func (a *Adapter) ParticipantKind() executor.ParticipantKind { return executor.Agent }

// Capabilities tells what the wire of the mode does; see the package comment. MCP is
// true if Options.Config attaches a server. Worktrees is true if Options.Dir is set and
// the sandbox confines writing. ToolApproval is true if Codex may ask.
func (a *Adapter) Capabilities() executor.Capabilities {
	server := a.options.Mode == ModeAppServer
	return executor.Capabilities{
		Streaming:      server,
		ToolApproval:   a.options.Approval != ApprovalNever,
		Steerable:      server,
		MCP:            a.options.servesMCP(),
		Worktrees:      a.options.Dir != "" && a.options.Sandbox != SandboxNone,
		Resume:         true,
		Models:         []string{"gpt-5-codex", "gpt-5", "o4-mini"},
		RuntimeClass:   executor.WrappedOneshot,
		NativeHome:     &executor.NativeHome{Scope: executor.PerIdentity, Persist: true},
		NativeSkills:   executor.PreserveNone,
		NativeMemory:   executor.PreserveNone,
		NativeChannels: executor.NoChannels,
	}
}

// Start starts a process for the run. The prompt is what WriteContext left for
// this run, the context of opts and the message, parted by blank lines. A session
// that has a thread goes on with it. The model is that of opts, else the one of
// SetModel. A session with a live run is executor.ErrBusy; a process that cannot
// be started is an error and leaves the session as it was.
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

// plan says how a run is started: the thread goes on if there is one.
func (a *Adapter) plan(r oneshot.Request[state]) oneshot.Plan[state, wire] {
	if a.options.Mode == ModeAppServer {
		return a.planServer(r)
	}
	args, stdin := a.options.exec(r)
	return oneshot.Plan[state, wire]{
		Process: a.options.child(os.Environ(), args, stdin),
		Wire:    &execWire{execMapper: &execMapper{story: newStory(a.host.Clean, r.State)}, grace: a.options.Grace},
		Interrupt: func(child *process.Process) {
			_ = child.Signal(syscall.SIGINT) // one that cannot be sent is followed by the next rung
		},
	}
}

func (a *Adapter) planServer(r oneshot.Request[state]) oneshot.Plan[state, wire] {
	w := &serverWire{
		serverMapper: newServerMapper(newStory(a.host.Clean, r.State)),
		talk:         talk{errand: a.options.errand(r)},
		options:      a.options,
	}
	child := a.options.child(os.Environ(), a.options.server(), nil)
	child.Interactive = true
	return oneshot.Plan[state, wire]{
		Process:   child,
		Wire:      w,
		Begin:     w.open,
		Interrupt: func(*process.Process) { w.interrupt() },
		Stuck:     w.stuck,
		End:       w.close,
	}
}

// Events gives the run from its start to the first observer, and to later ones
// while the run is live. The stream ends after the run's done. An unknown handle, a
// restored one, and a run that is over and has been observed give an ended stream.
func (a *Adapter) Events(run *executor.Run) executor.Stream { return a.host.Events(run) }

// Abort interrupts the process, an app-server by interrupting its turn, and goes on to
// harder signals if it does not exit. It does not wait for the end.
func (a *Adapter) Abort(_ context.Context, run *executor.Run) error {
	if err := a.host.Abort(run); err != nil {
		return fmt.Errorf("abort: %w", err)
	}
	return nil
}

// SetModel sets the model of the session: it reaches the runtime with the next
// run, unless that run's start names another. Empty leaves it to Codex again, which
// goes on with a thread of an app-server under the model that it had last.
func (a *Adapter) SetModel(_ context.Context, run *executor.Run, model string) error {
	if err := a.host.SetModel(run, model, nil); err != nil {
		return fmt.Errorf("set model: %w", err)
	}
	return nil
}

// WriteContext gives the value under its key to the session's live run, if that is one
// of an app-server: with its message if the turn has not begun, else as a message that
// the runtime takes into the turn. What the turn did not take, and what is written
// without such a run, waits for the session's next one, where it stands before the
// message; a value of the same key replaces the earlier one. No file is written; a key
// that would lead out of a directory is refused all the same. What waits may be 1 MiB.
func (a *Adapter) WriteContext(_ context.Context, run *executor.Run, key, value string) error {
	keep := func() error { return a.host.WriteContext(run, key, value, nil) }
	err := a.host.WriteContext(run, key, value, func(live wire, text string) bool {
		w, is := live.(*serverWire)
		return is && w.talk.write(text, keep)
	})
	if err != nil {
		return fmt.Errorf("write context: %w", err)
	}
	return nil
}

// Approve answers the question of that id, which a status event of the run has asked:
// the id is that of the tool call that waits for the answer, where it is about one.
// [ErrNoQuestion] says that it is not open: the answer allows nothing.
func (a *Adapter) Approve(_ context.Context, run *executor.Run, id string, allow bool) error {
	live, is, err := a.host.Wire(run)
	if err == nil {
		err = ErrNoQuestion
		if w, server := live.(*serverWire); is && server {
			err = w.answer(id, allow)
		}
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
	return a.host.Health(ctx, id, a.options.HealthTimeout, func() (process.Options, error) {
		return a.options.child(os.Environ(), []string{"--version"}, nil), a.options.check()
	}), nil
}

// Dispose aborts every live run and waits until the processes are gone, or for
// ctx. Streams get their done(aborted) and end.
func (a *Adapter) Dispose(ctx context.Context) error { return a.host.Dispose(ctx) }
