package codex

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"weak"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/observe"
	"github.com/adaptercheck/adaptercheck/internal/process"
	"github.com/adaptercheck/adaptercheck/internal/redact"
)

// maxContext bounds what WriteContext keeps for the next run, in bytes.
const maxContext = 1 << 20

// Adapter drives Codex. Make one with [New].
type Adapter struct {
	options Options
	secrets *redact.Redactor

	mu       sync.Mutex
	disposed bool
	sessions map[string]*session
	// handles lead to what they stand for as long as the host holds them; the key
	// does not keep them alive.
	handles map[weak.Pointer[executor.Run]]handle
	live    map[*run]struct{}
	busy    sync.WaitGroup // starts, runs and health checks under way
}

var (
	_ executor.Adapter      = (*Adapter)(nil)
	_ executor.SessionCodec = (*Adapter)(nil)
	_ executor.Disposer     = (*Adapter)(nil)
)

// New returns an adapter. It starts nothing and touches nothing; options that
// cannot be used are an error of Start.
func New(o Options) *Adapter {
	o = o.withDefaults()
	return &Adapter{
		options:  o,
		secrets:  redact.New(nil, o.Env),
		sessions: map[string]*session{},
		handles:  map[weak.Pointer[executor.Run]]handle{},
		live:     map[*run]struct{}{},
	}
}

// ID is "codex".
func (a *Adapter) ID() string { return "codex" }

// ParticipantKind is Agent.
func (a *Adapter) ParticipantKind() executor.ParticipantKind { return executor.Agent }

// Capabilities tells what this wire does; see the package comment for what it does
// not. MCP is true if Options.Config attaches a server. Worktrees is true if
// Options.Dir is set and the sandbox confines writing.
func (a *Adapter) Capabilities() executor.Capabilities {
	return executor.Capabilities{
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
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("start run: %w", err)
	}
	if opts.SessionKey == "" {
		return nil, errors.New("start run: the session key is empty")
	}
	if err := checkModel(opts.Model); err != nil {
		return nil, fmt.Errorf("start run: %w", err)
	}
	if err := a.options.check(); err != nil {
		return nil, fmt.Errorf("start run: %w", err)
	}
	s, r, req, err := a.reserve(opts)
	if err != nil {
		return nil, fmt.Errorf("start run: %w", err)
	}
	args, stdin := a.options.arguments(req)
	child, err := process.Start(a.options.child(os.Environ(), args, stdin))
	if err != nil {
		a.giveUp(s, req)
		return nil, fmt.Errorf("start run: %w", err)
	}
	r.child = child
	run := executor.NewRun(a.ID(), opts.SessionKey)
	r.id = "run-" + rand.Text()
	r.feed = observe.New(run, observe.Options{QueueMax: a.options.QueueMax, Now: a.options.Now})
	if err := a.admit(run, r); err != nil {
		_ = child.Stop(context.Background()) // killed at once; what remains is out of reach
		child.Stdout().Close()
		a.giveUp(s, req)
		return nil, fmt.Errorf("start run: %w", err)
	}
	r.launch()
	return run, nil
}

// Events gives the run from its start to the first observer, and to later ones
// while the run is live. The stream ends after the run's done. An unknown handle, a
// restored one, and a run that is over and has been observed give an ended stream.
func (a *Adapter) Events(run *executor.Run) executor.Stream {
	h, err := a.lookup(run)
	if err != nil || h.run == nil {
		return executor.Ended{}
	}
	return h.run.feed.Subscribe(run)
}

// Abort interrupts the process, and goes on to harder signals if it does not exit.
// It does not wait for the end.
func (a *Adapter) Abort(_ context.Context, run *executor.Run) error {
	h, err := a.lookup(run)
	if err != nil {
		return fmt.Errorf("abort: %w", err)
	}
	if h.run != nil {
		h.run.abort()
	}
	return nil
}

// SetModel sets the model of the session: it reaches the runtime with the next
// run, unless that run's start names another. Empty leaves it to Codex again.
func (a *Adapter) SetModel(_ context.Context, run *executor.Run, model string) error {
	h, err := a.lookup(run)
	if err == nil {
		err = checkModel(model)
	}
	if err != nil {
		return fmt.Errorf("set model: %w", err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	h.session.model = model
	return nil
}

// checkModel refuses what the command line would not take for a model.
func checkModel(model string) error {
	if strings.HasPrefix(model, "-") || strings.ContainsRune(model, 0) {
		return errors.New("the model's name begins with a dash or holds a zero byte")
	}
	return nil
}

// WriteContext keeps the value for the session's next run, where it stands before
// the message under its key. A value of the same key replaces the earlier one. No
// file is written; a key that would lead out of a directory is refused all the
// same. What waits for one run may be 1 MiB.
func (a *Adapter) WriteContext(_ context.Context, run *executor.Run, key, value string) error {
	h, err := a.lookup(run)
	if err != nil {
		return fmt.Errorf("write context: %w", err)
	}
	if key == "" || strings.ContainsAny(key, "\x00\r\n\\") || !filepath.IsLocal(filepath.FromSlash(key)) {
		return errors.New("write context: the key is no path inside a directory")
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	pieces := put(slices.Clone(h.session.pieces), piece{key, value})
	size := 0
	for _, p := range pieces {
		size += len(p.key) + len(p.value)
	}
	if size > maxContext {
		return fmt.Errorf("write context: more than %d bytes wait for the next run", maxContext)
	}
	h.session.pieces = pieces
	return nil
}

// Dispose aborts every live run and waits until the processes are gone, or for
// ctx. Streams get their done(aborted) and end.
func (a *Adapter) Dispose(ctx context.Context) error {
	a.mu.Lock()
	a.disposed = true
	live := make([]*run, 0, len(a.live))
	for r := range a.live {
		live = append(live, r)
	}
	a.mu.Unlock()
	for _, r := range live {
		r.abort()
	}
	idle := make(chan struct{})
	go func() {
		defer close(idle)
		a.busy.Wait() // bounded: every run has been told to end
	}()
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("dispose: %w", ctx.Err())
	}
}

// clean makes text of the runtime fit for a message.
func (a *Adapter) clean(s string) string { return a.secrets.Head(s, maxMessage) }

// noise is what Codex prints on stderr about stdin, on every run.
var noise = strings.NewReplacer("Reading additional input from stdin...\n", "", "Reading prompt from stdin...\n", "")

// stderrTail returns the end of stderr without secrets and noise.
func (a *Adapter) stderrTail(s string, cut bool) string {
	if cut {
		// A secret may have lost its beginning, and would not be recognised.
		s = s[min(len(s), a.secrets.Longest()):]
	}
	s = noise.Replace(s)
	return strings.ToValidUTF8(strings.TrimSpace(a.secrets.Tail(s, maxStderr)), "\uFFFD")
}
