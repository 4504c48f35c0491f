package codex

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/child"
	"github.com/adaptercheck/adaptercheck/fakes/provider"
)

// Options of a runtime.
type Options struct {
	// Program is the path of the real one: the binary, not the script of npm that starts
	// it. Required.
	Program string
}

// features is what the program can be made to do by what its provider says.
var features = fakes.Features{
	fakes.InitFrame, fakes.Deltas, fakes.ReasoningText, fakes.Tools, fakes.UsageFrames, fakes.TokenLimit, fakes.TerminalFrame,
	fakes.SecondRun, fakes.Sessions, fakes.StartOptions, fakes.HealthDown, fakes.SilentRun, fakes.CutStream, fakes.Codec,
	fakes.Approvals, fakes.Steer, fakes.MildErrors, fakes.LiveText, fakes.NativeSession,
}

// Runtime is the real program and its provider. Make one with [New] and close it.
type Runtime struct {
	processes *child.Runtime
	provider  *provider.Server
	home      string

	life   context.Context // ends with Close
	end    context.CancelFunc
	served sync.WaitGroup

	mu    sync.Mutex
	runs  []*Run
	spent map[string]used // what the threads have used, as the program knows it
	tools int             // pipes so far
}

var _ fakes.Runtime = (*Runtime)(nil)

// New makes a runtime with a home of its own. It fails in a binary that cannot be the
// gate (see [fakes.Startable] and [Player]).
func New(ctx context.Context, o Options) (*Runtime, error) {
	path, err := filepath.Abs(o.Program)
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		return nil, fmt.Errorf("real codex: %w", err)
	}
	server, err := provider.New(context.Background(), asking)
	if err != nil {
		return nil, fmt.Errorf("real codex: %w", err)
	}
	processes, err := child.New(ctx, program(), features, child.Start{})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("real codex: %w", err), server.Close())
	}
	rt := &Runtime{processes: processes, provider: server, home: processes.Endpoint().Dir, spent: map[string]used{}}
	rt.life, rt.end = context.WithCancel(context.Background())
	rt.served.Go(rt.receive)
	if err := rt.furnish(path); err != nil {
		return nil, errors.Join(fmt.Errorf("real codex: %w", err), rt.Close())
	}
	return rt, nil
}

// asking is a provider whose every answer is said by who plays the runs. A program that is
// stopped, or whose adapter does not read, may take its time to read itself.
var asking = provider.Options{Rules: []provider.Rule{{Live: true}}, MaxBody: 64 << 20, WriteTimeout: 10 * time.Minute, Keep: 16}

// receive hands requests to the runs that they belong to, until the runtime is closed.
func (rt *Runtime) receive() {
	for {
		c, err := rt.provider.Next(rt.life)
		if err != nil {
			return
		}
		x := c.Exchange()
		a, err := read(c, x)
		r := rt.run(x.Header.Get(keyHeader))
		if err != nil || r == nil {
			_ = c.Refuse(rt.life, provider.Refusal{Status: 400, Message: "the request is of no run"}) // it may be gone
			continue
		}
		r.receive(a)
	}
}

// run is the run of that key, nil if there is none.
func (rt *Runtime) run(key string) *Run {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	for _, r := range rt.runs {
		if r.key == key {
			return r
		}
	}
	return nil
}

// config is what the program reads. A request that fails is not tried again, so that the
// failure is told; an answer that breaks off is. No model is named: of one that it does not
// know the program warns at the beginning of each run. Nothing is fetched from anywhere.
const config = `model_provider = "adaptercheck"
check_for_update_on_startup = false

[features]
plugins = false

[analytics]
enabled = false

[model_providers.adaptercheck]
name = "adaptercheck"
base_url = %s
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 3
stream_idle_timeout_ms = 600000
http_headers = { Authorization = "Bearer none" }
env_http_headers = { %s = %s }
`

// furnish puts into the home what program and gate look for.
func (rt *Runtime) furnish(program string) error {
	text := fmt.Sprintf(config, strconv.Quote(rt.provider.URL()+"/v1"), strconv.Quote(keyHeader), strconv.Quote(envKey))
	return errors.Join(
		os.WriteFile(filepath.Join(rt.home, "config.toml"), []byte(text), 0o600),
		os.Mkdir(rt.pipes(), 0o700),
		os.Symlink(program, filepath.Join(rt.home, link)),
	)
}

// pipes is the directory of the pipes in which tools wait.
func (rt *Runtime) pipes() string { return filepath.Join(rt.home, "pipes") }

// Endpoint names the program that an adapter starts, and its home, CODEX_HOME.
func (rt *Runtime) Endpoint() fakes.Endpoint { return rt.processes.Endpoint() }

// Features lists what the program can be made to do.
func (rt *Runtime) Features() fakes.Features { return slices.Clone(features) }

// Next returns the next run: the program was started, and waits at the gate.
func (rt *Runtime) Next(ctx context.Context) (fakes.Run, error) {
	process, err := rt.processes.Next(ctx)
	if err != nil {
		return nil, err
	}
	given := process.Begun()
	pid, err := strconv.Atoi(given.Run)
	if err != nil {
		return nil, fmt.Errorf("real codex: the gate told no process id: %w", err)
	}
	given.Run = ""
	rt.mu.Lock()
	defer rt.mu.Unlock()
	r := &Run{
		runtime: rt, process: process, pid: pid, key: strconv.Itoa(len(rt.runs) + 1), given: given,
		turn: make(chan struct{}, 1), changed: make(chan struct{}),
	}
	r.life, r.end = context.WithCancel(rt.life)
	rt.runs = append(rt.runs, r)
	rt.served.Go(r.watch)
	return r, nil
}

// Fault makes programs that start from now on fail (down), also the health commands.
func (rt *Runtime) Fault(ctx context.Context, f fakes.Fault) error {
	if f.Kind != fakes.FaultDown {
		return unplayable("fault %q of the runtime as a whole", f.Kind)
	}
	return rt.processes.Fault(ctx, f)
}

// Residue counts processes of the program that live or wait to be reaped, not those that
// its tools started.
func (rt *Runtime) Residue() fakes.Residue { return rt.processes.Residue() }

// Close ends every program and every tool, and waits for what was started here.
func (rt *Runtime) Close() error {
	rt.mu.Lock()
	runs, tools := slices.Clone(rt.runs), rt.tools
	rt.mu.Unlock()
	for _, r := range runs {
		r.kill()
	}
	for n := range tools {
		release(rt.pipe(n + 1))
	}
	rt.end()
	err := errors.Join(rt.provider.Close(), rt.processes.Close())
	rt.served.Wait()
	return err
}

func (rt *Runtime) pipe(n int) string { return filepath.Join(rt.pipes(), strconv.Itoa(n)) }

// newPipe makes a pipe for a tool.
func (rt *Runtime) newPipe() (path string, err error) {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	path = rt.pipe(rt.tools + 1)
	if err := makePipe(path); err != nil {
		return "", fmt.Errorf("make a pipe for a tool: %w", err)
	}
	rt.tools++
	return path, nil
}

// known reports whether an earlier run was in the thread.
func (rt *Runtime) known(thread string, but *Run) bool {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	return slices.ContainsFunc(rt.runs, func(r *Run) bool {
		if r == but {
			return false
		}
		first := r.firstRequest()
		return first != nil && first.thread == thread
	})
}

// used is what a thread has used so far.
func (rt *Runtime) used(thread string) used {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	return rt.spent[thread]
}

// use notes what a thread has used.
func (rt *Runtime) use(thread string, u used) {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	rt.spent[thread] = u
}

// Version asks a program for its version.
func Version(ctx context.Context, path string) (string, error) {
	out, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		return "", fmt.Errorf("ask %s for its version: %w", filepath.Base(path), err)
	}
	return strings.TrimSpace(string(out)), nil
}
