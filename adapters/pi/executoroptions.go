package pi

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/adaptercheck/adaptercheck/internal/oneshot"
	"github.com/adaptercheck/adaptercheck/internal/process"
)

const (
	defaultGrace         = 2 * time.Second
	defaultHealthTimeout = 2 * time.Second
	defaultApproval      = time.Minute
	defaultStart         = time.Minute
)

// homeVariable names the directory where Pi keeps its settings and sessions.
const homeVariable = "PI_CODING_AGENT_DIR"

// ownVariables are passed on to the child where ExecutorOptions.AllowEnv is nil: where Pi
// keeps its files, and what the common providers are logged in by.
var ownVariables = []string{
	homeVariable, "PI_OFFLINE", "PI_TELEMETRY", "ANTHROPIC_API_KEY", "ANTHROPIC_OAUTH_TOKEN", "OPENAI_API_KEY", "GEMINI_API_KEY",
	"OPENROUTER_API_KEY", "GROQ_API_KEY", "XAI_API_KEY", "MISTRAL_API_KEY", "DEEPSEEK_API_KEY",
}

// ExecutorOptions says how an [Executor] runs Pi. The zero value runs the pi of PATH in
// the current directory.
type ExecutorOptions struct {
	// Command is how Pi is started; empty means {"pi"}.
	Command []string
	// Args are arguments beyond those that the adapter gives, as --provider or
	// --extension with their values.
	Args []string
	// Home is where Pi keeps its settings, its login and its sessions, passed as
	// PI_CODING_AGENT_DIR; empty leaves it to the host's. A host sets it from its
	// integration plan: a directory that stays for sessions that shall go on, one for
	// each run for those that shall leave nothing.
	Home string
	// Dir is the directory that Pi works in; empty is that of the host. A session that is
	// gone on with works in the directory that it began in.
	Dir string
	// Env is passed to the child on purpose, name=value each.
	Env []string
	// AllowEnv names variables of the host that are passed on too; a name may end in *
	// for a prefix. Nil passes on where Pi keeps its files (PI_CODING_AGENT_DIR),
	// PI_OFFLINE, PI_TELEMETRY, and the keys of the common providers. Beyond it the child
	// gets a short list of harmless names such as PATH and HOME. The values of Env and of
	// these never appear in events or errors.
	AllowEnv []string
	// ExcludeTools says that the command knows --exclude-tools, as Pi 1.6 does: a
	// blocklist of tools is passed on. Without it a blocklist is not delivered.
	ExcludeTools bool
	// ApprovalTimeout is how long a question of an extension waits for Approve before it
	// is denied; 0 means one minute.
	ApprovalTimeout time.Duration
	// StartTimeout is how long a process may take to tell which session it has and to take
	// the prompt, before the run has failed; 0 means one minute.
	StartTimeout time.Duration
	// Grace is the time between the steps that end a process (abort, SIGTERM, SIGKILL),
	// and what a process has to exit in after its run ended; 0 means 2 s. A run that does
	// not react to anything is aborted after twice the grace.
	Grace time.Duration
	// HealthTimeout bounds Health, which answers strictly inside it; 0 means 2 s.
	HealthTimeout time.Duration
	// MaxLine is the longest line of output in bytes that is read, line end not counted;
	// 0 means 256 MiB. A longer one is skipped and reported.
	MaxLine int
	// Now gives the time of events; nil means time.Now.
	Now func() time.Time
	// QueueMax is how many text deltas and status events are held for an observer that
	// falls behind; 0 means 1000. See executor.QueueOptions.
	QueueMax int
}

// withDefaults returns a copy that shares nothing with the caller.
func (o ExecutorOptions) withDefaults() ExecutorOptions {
	o.Command, o.Args, o.Env, o.AllowEnv = slices.Clone(o.Command), slices.Clone(o.Args), slices.Clone(o.Env), slices.Clone(o.AllowEnv)
	if len(o.Command) == 0 {
		o.Command = []string{"pi"}
	}
	if o.AllowEnv == nil {
		o.AllowEnv = ownVariables
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.QueueMax <= 0 {
		o.QueueMax = 1000
	}
	for _, d := range []struct {
		set *time.Duration
		to  time.Duration
	}{{&o.ApprovalTimeout, defaultApproval}, {&o.Grace, defaultGrace}, {&o.HealthTimeout, defaultHealthTimeout}, {&o.StartTimeout, defaultStart}} {
		if *d.set <= 0 {
			*d.set = d.to
		}
	}
	return o
}

// check refuses options that cannot be used, before anything is started. What an option
// holds may be a secret; it is not repeated.
func (o ExecutorOptions) check() error {
	for i, e := range o.Env {
		if name, _, ok := strings.Cut(e, "="); !ok || name == "" {
			return fmt.Errorf("option Env, entry %d: want name=value", i+1)
		}
	}
	return nil
}

// arguments returns the arguments after the command. The prompt is not among them: it
// goes through stdin, which has no bound on its length, and is seen by nobody else. The
// session is named by its file: Pi looks for an id in its directories, and asks on stdin
// what to do with one of another project.
func (o ExecutorOptions) arguments(r oneshot.Request[kept], from kept) []string {
	args := []string{"--mode", "rpc"}
	if r.Model != "" {
		args = append(args, "--model", r.Model)
	}
	if from.File != "" {
		args = append(args, "--session", from.File)
	}
	if o.ExcludeTools && len(r.Blocklist) > 0 {
		args = append(args, "--exclude-tools", strings.Join(r.Blocklist, ","))
	}
	return append(args, o.Args...)
}

// child describes the process for the arguments.
func (o ExecutorOptions) child(host []string, dir string, args []string) process.Options {
	extra := slices.Clone(o.Env)
	if o.Home != "" {
		extra = append(extra, homeVariable+"="+o.Home)
	}
	return process.Options{Command: slices.Concat(o.Command, args), Dir: dir, Env: process.Environ(host, o.AllowEnv, extra)}
}
