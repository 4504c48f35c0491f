package native

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"
	"weak"

	"github.com/adaptercheck/adaptercheck/adapters/native/provider"
	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// ID is the adapter's id.
const ID = "clawboo-native"

// Adapter runs agents in this process. Make one with [New].
type Adapter struct {
	options Options
	http    *http.Client
	release func() // lets go of idle connections

	mu       sync.Mutex
	disposed bool
	sessions map[string]*session
	// handles lead to what they stand for as long as their owner holds them; the key does
	// not keep them alive.
	handles map[weak.Pointer[executor.Run]]handle
	live    map[*run]struct{}
	busy    sync.WaitGroup // starts and runs under way
}

var (
	_ executor.Adapter      = (*Adapter)(nil)
	_ executor.SessionCodec = (*Adapter)(nil)
	_ executor.Disposer     = (*Adapter)(nil)
	_ executor.Approver     = (*Adapter)(nil)
)

// New returns an adapter. It opens nothing and touches nothing; options that cannot be
// used are an error of Start.
func New(o Options) *Adapter {
	a := &Adapter{
		options: o.withDefaults(), sessions: map[string]*session{}, handles: map[weak.Pointer[executor.Run]]handle{},
		live: map[*run]struct{}{}, http: o.HTTPClient, release: func() {},
	}
	if a.http == nil {
		transport := &http.Transport{
			Proxy: http.ProxyFromEnvironment, DialContext: (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
			TLSHandshakeTimeout: 10 * time.Second, MaxIdleConnsPerHost: 16, IdleConnTimeout: 90 * time.Second, ForceAttemptHTTP2: true,
		}
		a.http = &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse // the key would go along
		}}
		a.release = transport.CloseIdleConnections
	}
	return a
}

// ID is "clawboo-native".
func (*Adapter) ID() string { return ID }

// ParticipantKind is Agent.
func (*Adapter) ParticipantKind() executor.ParticipantKind { return executor.Agent }

// Capabilities tells what the runtime does, whatever its options.
func (*Adapter) Capabilities() executor.Capabilities {
	return executor.Capabilities{
		Streaming: true, MCP: true, Worktrees: true, Resume: true, ToolApproval: true, Steerable: true,
		Models:              []string{"claude-haiku-4-5", "claude-sonnet-4-6", "gpt-4o-mini", "gpt-4o"},
		ContextWindowTokens: 200_000,
		RuntimeClass:        executor.Native,
		NativeHome:          &executor.NativeHome{Scope: executor.PerIdentity, Persist: true},
		NativeSkills:        executor.PreserveNone,
		NativeMemory:        executor.Preserve,
		NativeChannels:      executor.NoChannels,
	}
}

// Health is well if a key of any provider is known, that of Options.Agent among them, or
// the address of Ollama. It connects to nothing. The error is always nil.
func (a *Adapter) Health(context.Context) (executor.Health, error) {
	a.mu.Lock()
	disposed := a.disposed
	a.mu.Unlock()
	if disposed {
		return executor.Health{Message: "the adapter has been disposed of"}, nil
	}
	names := []string{provider.EnvOllama, a.options.Agent.EnvVar}
	for _, s := range provider.All() {
		names = append(names, s.KeyEnv)
	}
	for _, env := range names {
		if env != "" && a.options.Keys(env) != "" {
			return executor.Health{OK: true}, nil
		}
	}
	return executor.Health{Message: "no key of a provider is known"}, nil
}

// Start begins a run. What the user says is what WriteContext left for this run, the
// context of opts and the message, parted by blank lines. The model is that of opts, else
// the one of SetModel, else the agent's. A session that has run goes on. A session with a
// live run is executor.ErrBusy; a configuration that cannot be used, a provider that there
// is none of among it, is an error. No provider is asked before Start has returned, and
// what one of them refuses ends the run, not the start.
func (a *Adapter) Start(ctx context.Context, task executor.TaskHandle, opts executor.StartOpts) (*executor.Run, error) {
	run, err := a.start(ctx, task, opts)
	if err != nil {
		return nil, fmt.Errorf("start run: %w", err)
	}
	return run, nil
}

// Events gives the run from its start to the first observer, and to later ones while the
// run is live. The stream ends after the run's done. An unknown handle, a restored one,
// and a run that is over and has been observed give an ended stream.
func (a *Adapter) Events(run *executor.Run) executor.Stream {
	known, err := a.lookup(run)
	if err != nil || known.run == nil {
		return executor.Ended{}
	}
	return known.run.feed.Subscribe(run)
}

// Abort ends the run: the answer under way is given up, a tool is told to end, and after
// Options.Grace is waited for no longer. It does not wait for the end.
func (a *Adapter) Abort(_ context.Context, run *executor.Run) error {
	known, err := a.lookup(run)
	if err != nil {
		return fmt.Errorf("abort: %w", err)
	}
	if known.run != nil {
		known.run.cancel()
	}
	return nil
}

// Dispose aborts every live run and waits until they are over, or for ctx. Streams get
// their done(aborted) and end.
func (a *Adapter) Dispose(ctx context.Context) error {
	a.mu.Lock()
	a.disposed = true
	for r := range a.live {
		r.cancel()
	}
	a.mu.Unlock()
	idle := make(chan struct{})
	go func() {
		defer close(idle)
		a.busy.Wait() // bounded: every run has been told to end
		a.release()
	}()
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("dispose: %w", ctx.Err())
	}
}
