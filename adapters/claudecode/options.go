package claudecode

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/internal/process"
)

// The permission modes of Claude Code, for Options.PermissionMode.
const (
	PermissionDefault     = "default"           // what is not allowed by a rule is asked
	PermissionAcceptEdits = "acceptEdits"       // edits inside the directory are not asked
	PermissionPlan        = "plan"              // nothing is changed
	PermissionDontAsk     = "dontAsk"           // what would be asked is denied
	PermissionBypass      = "bypassPermissions" // nothing is asked
)

var permissionModes = []string{PermissionDefault, PermissionAcceptEdits, PermissionPlan, PermissionDontAsk, PermissionBypass}

const (
	defaultGrace          = 2 * time.Second
	defaultHealthTimeout  = 2 * time.Second
	defaultApproval       = time.Minute
	defaultBackgroundWait = 10 * time.Minute
)

// ownVariables are passed on to the child where Options.AllowEnv is nil: what a real
// installation is logged in by, and where it keeps its files.
var ownVariables = []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "CLAUDE_CODE_OAUTH_TOKEN", configDir}

// configDir is the variable that names Claude Code's home.
const configDir = "CLAUDE_CONFIG_DIR"

// Options says how the adapter runs Claude Code. The zero value runs the claude of
// PATH in the current directory.
type Options struct {
	// Command is how Claude Code is started; empty means {"claude"}.
	Command []string
	// Args are arguments beyond those that the adapter gives.
	Args []string
	// Home is where Claude Code keeps its settings, its login and its sessions, passed
	// as CLAUDE_CONFIG_DIR; empty leaves it to the host's. A host sets it from its
	// integration plan: a directory that stays for sessions that shall go on, one for
	// each run for those that shall leave nothing.
	Home string
	// Dir is the directory that Claude Code works in; empty is that of the host.
	Dir string
	// Env is passed to the child on purpose, name=value each.
	Env []string
	// AllowEnv names variables of the host that are passed on too; a name may end in *
	// for a prefix. Nil passes on what Claude Code is logged in by: ANTHROPIC_API_KEY,
	// ANTHROPIC_AUTH_TOKEN, ANTHROPIC_BASE_URL, CLAUDE_CODE_OAUTH_TOKEN and
	// CLAUDE_CONFIG_DIR. Beyond it the child gets a short list of harmless names such
	// as PATH and HOME. The values of Env and of these never appear in events or errors.
	AllowEnv []string
	// MCPConfig attaches servers: JSON text with mcpServers, or the path of a file with
	// such a text, each. The text appears on the command line, which other users of the
	// machine can read: secrets belong into a file.
	MCPConfig []string
	// StrictMCP attaches the servers of MCPConfig alone, and none that settings name.
	StrictMCP bool
	// PermissionMode is one of the Permission constants; empty means PermissionDefault.
	PermissionMode string
	// MaxTurns bounds the turns of a run; 0 sets no bound.
	MaxTurns int
	// ContextDir is a directory where WriteContext also keeps each piece as a file under
	// its key, for tools to read; empty keeps none.
	ContextDir string
	// ApprovalTimeout is how long a question whether a tool may run waits for Approve
	// before it is denied; 0 means one minute.
	ApprovalTimeout time.Duration
	// Grace is the time between the steps that end a process (interrupt, SIGTERM,
	// SIGKILL), and what a process has to exit in after it said how its run ended; 0
	// means 2 s. A run that does not react to anything is aborted after twice the grace.
	Grace time.Duration
	// BackgroundWait is how long a process may go on with background work after a result
	// before it is ended; 0 means 10 minutes.
	BackgroundWait time.Duration
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
func (o Options) withDefaults() Options {
	o.Command, o.Args, o.Env = slices.Clone(o.Command), slices.Clone(o.Args), slices.Clone(o.Env)
	o.AllowEnv, o.MCPConfig = slices.Clone(o.AllowEnv), slices.Clone(o.MCPConfig)
	if len(o.Command) == 0 {
		o.Command = []string{"claude"}
	}
	if o.AllowEnv == nil {
		o.AllowEnv = ownVariables
	}
	if o.PermissionMode == "" {
		o.PermissionMode = PermissionDefault
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
	}{
		{&o.ApprovalTimeout, defaultApproval}, {&o.Grace, defaultGrace},
		{&o.BackgroundWait, defaultBackgroundWait}, {&o.HealthTimeout, defaultHealthTimeout},
	} {
		if *d.set <= 0 {
			*d.set = d.to
		}
	}
	return o
}

// check refuses options that Claude Code would refuse, before anything is started.
// What an option holds may be a secret; it is not repeated.
func (o Options) check() error {
	if !slices.Contains(permissionModes, o.PermissionMode) {
		return fmt.Errorf("option PermissionMode: unknown mode %q, want one of %s", o.PermissionMode, strings.Join(permissionModes, ", "))
	}
	if o.MaxTurns < 0 {
		return errors.New("option MaxTurns: less than 0")
	}
	for i, e := range o.Env {
		if name, _, ok := strings.Cut(e, "="); !ok || name == "" {
			return fmt.Errorf("option Env, entry %d: want name=value", i+1)
		}
	}
	for i, c := range o.MCPConfig {
		if strings.TrimSpace(c) == "" {
			return fmt.Errorf("option MCPConfig, entry %d: empty", i+1)
		}
		if strings.HasPrefix(strings.TrimSpace(c), "{") && !jsontext.Value(c).IsValid() {
			return fmt.Errorf("option MCPConfig, entry %d: neither the path of a file nor valid JSON", i+1)
		}
	}
	return nil
}

// environ is the environment of the child.
func (o Options) environ(host []string) []string {
	extra := slices.Clone(o.Env)
	if o.Home != "" {
		extra = append(extra, configDir+"="+o.Home)
	}
	return process.Environ(host, o.AllowEnv, extra)
}
